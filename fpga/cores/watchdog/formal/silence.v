// Silence is reported exactly after LIMIT ticks without a valid message, and ends with the next message.
`default_nettype none
module silence (
    input wire clk,
    input wire tick,
    input wire message
);
    localparam LIMIT = 5;
    wire silent;
    watchdog #(.LIMIT(LIMIT)) dut (.clk(clk), .tick(tick), .message(message), .silent(silent));
    (* probe = "dut.passed" *) wire [9:0] passed;

    // Ticks since the last message, up to LIMIT. A tick in the same clock as a message is not counted.
    reg [9:0] ticks = 10'd0;
    always @(posedge clk)
        if (message) ticks <= 10'd0;
        else if (tick && ticks != LIMIT) ticks <= ticks + 1'b1;
    always @* begin
        assert (ticks <= LIMIT);
        assert (silent == (ticks == LIMIT));
        assert (passed == (ticks == LIMIT ? LIMIT - 1 : ticks));
    end

    reg ended = 1'b0;
    always @(posedge clk) if (silent && message) ended <= 1'b1;
    always @* begin
        cover (silent);
        cover (silent && ended);
    end
endmodule
