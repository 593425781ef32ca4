// Events into another clock domain. The sender toggles a register at each; here each change is a pulse of one clock.
// Two events closer together than two clocks of this domain are one or none: nothing that must not be lost goes this way.
`default_nettype none
module event_sync (
    input  wire clk,
    input  wire toggle,
    output wire pulse
);
    reg [2:0] seen = 3'b000;
    always @(posedge clk) seen <= {seen[1:0], toggle};
    assign pulse = seen[2] != seen[1];
endmodule
