// Reports silence on SPI: no valid message for LIMIT ticks (1 s), counted from power-up before the first message.
`default_nettype none
module watchdog #(
    parameter LIMIT = 733   // ticks of 1.365 ms
) (
    input  wire clk,
    input  wire tick,      
    input  wire message,   // valid message
    output reg  silent
);
    localparam [9:0] LAST = LIMIT - 1;
    reg [9:0] passed = 10'd0;
    initial silent = 1'b0;
    always @(posedge clk)
        if (message) begin
            passed <= 10'd0;
            silent <= 1'b0;
        end else if (tick) begin
            passed <= passed == LAST ? passed : passed + 1'b1;
            silent <= silent || passed == LAST;
        end
endmodule
