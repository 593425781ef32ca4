// Shows that a clock runs: toggles every 16 edges, slowly enough for any other clock domain.
`default_nettype none
module divider (
    input  wire clk,
    output wire toggle
);
    reg [4:0] count = 5'd0;
    always @(posedge clk) count <= count + 1'b1;
    assign toggle = count[4];
endmodule
