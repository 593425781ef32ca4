// `silent` is set with the third tick since the last expected edge of `toggle`, and not before.
`default_nettype none
module stops (
    input wire clk,
    input wire tick,
    input wire expected,
    input wire toggle
);
    wire silent;
    activity dut (.clk(clk), .tick(tick), .expected(expected), .toggle(toggle), .silent(silent));
    (* probe = "dut.ticks" *)     wire [1:0] inside;
    (* probe = "dut.sync.seen" *) wire [2:0] seen;

    // An edge counts two clocks after it was sampled.
    reg [2:0] samples = 3'b000;
    reg [1:0] ticks = 2'd0;
    wire      edge_seen = samples[2] != samples[1];
    always @(posedge clk) begin
        samples <= {samples[1:0], toggle};
        if (edge_seen || !expected) ticks <= 2'd0;
        else if (tick && ticks != 2'd3) ticks <= ticks + 1'b1;
    end
    always @* begin
        assert (silent == (ticks == 2'd3));
        assert (inside == (ticks == 2'd3 ? 2'd2 : ticks));
        assert (seen == samples);
    end

    reg ended = 1'b0;
    always @(posedge clk) if (silent && edge_seen) ended <= 1'b1;
    always @* begin
        cover (silent && ended);
        cover (!silent && ended && ticks == 2'd2);
    end
endmodule
