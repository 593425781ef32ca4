// A level into another clock domain: two registers, the second of which anything may read.
`default_nettype none
module level_sync #(
    parameter START = 1'b0
) (
    input  wire clk,
    input  wire level,
    output reg  synced
);
    reg first;
    initial {synced, first} = {START, START};
    always @(posedge clk) {synced, first} <= {first, level};
endmodule
