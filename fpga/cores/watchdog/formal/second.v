// Silence starts with the 733rd tick, the limit of the board. No trace from the start reaches it.
`default_nettype none
module second (
    input wire clk,
    input wire tick,
    input wire message
);
    localparam [9:0] LIMIT = 10'd733;
    wire silent;
    watchdog dut (.clk(clk), .tick(tick), .message(message), .silent(silent));
    (* probe = "dut.passed" *) wire [9:0] passed;

    reg [9:0] ticks = 10'd0;
    always @(posedge clk)
        if (message) ticks <= 10'd0;
        else if (tick && ticks != LIMIT) ticks <= ticks + 1'b1;
    always @* begin
        assert (ticks <= LIMIT);
        assert (silent == (ticks == LIMIT));
        assert (passed == (ticks == LIMIT ? LIMIT - 1'b1 : ticks));
    end

    reg saw_quiet = 1'b0;
    always @(posedge clk) if (!silent) saw_quiet <= 1'b1;
    always @* cover (silent && saw_quiet);
endmodule
