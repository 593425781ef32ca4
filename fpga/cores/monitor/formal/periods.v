// The divider's output is high and low for 16 clocks each; the timebase's tick is one clock long and has a period of
// 2^WIDTH.
`default_nettype none
module periods (
    input wire clk
);
    wire toggle, tick;
    divider divides (.clk(clk), .toggle(toggle));
    timebase #(.WIDTH(4)) ticks (.clk(clk), .tick(tick));
    (* probe = "divides.count" *) wire [4:0] divided;
    (* probe = "ticks.count" *)   wire [3:0] counted;

    // Clocks since the last edge, and since the last tick or the start.
    reg       before = 1'b0, after_first = 1'b0;
    reg [4:0] lasts = 5'd0, since = 5'd0;
    wire      changes = toggle != before;
    always @(posedge clk) begin
        before <= toggle;
        lasts  <= changes ? 5'd1 : lasts + 1'b1;
        since  <= tick ? 5'd1 : since + 1'b1;
        if (tick) after_first <= 1'b1;
    end
    always @* begin
        assert (lasts <= 5'd16 && since <= 5'd16);
        if (changes) assert (lasts == 5'd16);
        else assert (lasts != 5'd16);
        assert (tick == (since == 5'd16));
        // Relation between the internal counters and the counters of this proof.
        assert (divided[3:0] == (changes ? 4'd0 : lasts[3:0]));
        assert (before == toggle || divided[3:0] == 4'd0);
        assert (counted == since[3:0]);
    end
    always @* begin
        cover (changes && !toggle);
        cover (tick && after_first);
    end
endmodule
