// Numbers cross in order and intact: each received value was sent once, and an older value never follows a newer one.
// Increasing numbers are sufficient for the proof: a value that was never sent would lie between two sent values.
`default_nettype none
module number (
    input wire       a_clk,
    input wire       b_clk,
    input wire [5:0] step
);
    // The input changes only at its clock, and does not wrap.
    reg [5:0] given = 6'd0;
    always @(posedge a_clk) if (given <= 6'd63 - step) given <= given + step;

    wire [5:0] got;
    bus_sync #(.WIDTH(6)) dut (.a_clk(a_clk), .a_value(given), .b_clk(b_clk), .b_value(got));
    (* probe = "dut.held" *)         wire [5:0] held;
    (* probe = "dut.request" *)      wire       request;
    (* probe = "dut.to_b.first" *)   wire       first_b;
    (* probe = "dut.to_b.synced" *)  wire       request_b;
    (* probe = "dut.acknowledged" *) wire       acknowledged;
    (* probe = "dut.to_a.first" *)   wire       first_a;
    (* probe = "dut.to_a.synced" *)  wire       acknowledged_a;

    // An arbitrary value is tracked: if it is received, it must have been sent.
    (* anyconst *) wire [5:0] absent;
    reg seen = 1'b0;
    always @(posedge a_clk) if (given == absent) seen <= 1'b1;

    reg  [5:0] got_before = 6'd0;
    always @(posedge b_clk) got_before <= got;
    always @* begin
        assert (got_before <= got);
        assert (got <= held && held <= given);
        if (got == absent) assert (seen || given == absent);
        if (held == absent) assert (seen || given == absent);
        if (given < absent) assert (!seen);
    end

    // At most one change travels through the ring of the handshake, and the value has arrived when the change has
    // passed `acknowledged`.
    wire [5:0] ring = {request, first_b, request_b, acknowledged, first_a, acknowledged_a};
    wire [4:0] changes = ring[5:1] ^ ring[4:0];
    always @* begin
        assert ((changes & (changes - 1'b1)) == 5'd0);
        if (request == acknowledged) assert (got == held);
    end

    reg [1:0] arrivals = 2'd0;
    always @(posedge b_clk) if (got != got_before && arrivals != 2'd3) arrivals <= arrivals + 1'b1;
    always @* cover (arrivals == 2'd2);
endmodule
