// Transfers a level to another clock domain through two registers; only the second may be read.
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
