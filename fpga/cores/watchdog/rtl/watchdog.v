// Nobody talks over SPI: no good message for LIMIT ticks, 1 s. Until the first message it is the time since power-up.
`default_nettype none
module watchdog #(
    parameter LIMIT = 733   // of 1.365 ms
) (
    input  wire clk,
    input  wire tick,      
    input  wire message,   // a good one
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
