// Each toggle gives one pulse, if toggles are at least two clocks of the receiver apart.
`default_nettype none
module events (
    input wire clk,
    input wire toggle
);
    wire pulse;
    event_sync dut (.clk(clk), .toggle(toggle), .pulse(pulse));
    (* probe = "dut.seen" *) wire [2:0] seen;

    reg       before = 1'b0, changed = 1'b0;
    reg [2:0] sent = 3'd0, got = 3'd0;
    reg [1:0] quiet = 2'd0;
    wire      changes = toggle != before;
    always @(posedge clk) begin
        before  <= toggle;
        changed <= changes;
        sent    <= sent + changes;
        got     <= got + pulse;
        quiet   <= changes ? 2'd0 : quiet + (quiet != 2'd3);
    end
    always @* assume (!(changed && changes));
    wire [2:0] under_way = sent - got;
    always @* begin
        assert (under_way == (seen[0] != seen[1]) + (seen[1] != seen[2]));
        assert (seen[0] == before);
        // No event is lost or doubled.
        if (quiet >= 2'd2) assert (seen[1] == seen[0]);
        if (quiet == 2'd3) assert (sent == got);
    end
    always @* cover (sent == 3'd4 && got == 3'd4);
endmodule
