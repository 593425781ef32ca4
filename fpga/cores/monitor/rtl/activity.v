// Detects missing activity: no edge of `toggle` for two to three periods of `tick` while `expected`.
`default_nettype none
module activity (
    input  wire clk,
    input  wire tick,
    input  wire expected,
    input  wire toggle,
    output reg  silent
);
    wire happens;
    reg [1:0] ticks = 2'd0;
    initial silent = 1'b0;
    event_sync sync (.clk(clk), .toggle(toggle), .pulse(happens));
    always @(posedge clk)
        if (happens || !expected) begin
            ticks  <= 2'd0;
            silent <= 1'b0;
        end else if (tick) begin
            ticks  <= ticks == 2'd2 ? ticks : ticks + 1'b1;
            silent <= ticks == 2'd2;
        end
endmodule
