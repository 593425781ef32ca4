// Pulse every 2^WIDTH clocks: 1.365 ms at 48 MHz.
`default_nettype none
module timebase #(
    parameter WIDTH = 16
) (
    input  wire clk,
    output reg  tick
);
    reg [WIDTH-1:0] count = 0;
    initial tick = 1'b0;
    always @(posedge clk) {tick, count} <= count + 1'b1;
endmodule
