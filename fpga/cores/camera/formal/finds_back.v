// Recovery from any state, including states caused by a glitch of the pixel clock. The core is ready for a row, or
// waits for the first VSYNC, after 24 clocks without a row or a frame's end and with room in the FIFO.
`default_nettype none
module finds_back (
    input wire       clk,
    input wire [7:0] data,
    input wire [7:0] row_bytes
);
    wire       write, commit, rollback, no_room, uneven, cut;
    wire [7:0] out;
    camera_capture dut (
        .clk(clk), .href_pin(href_low), .vsync_pin(level), .data(data), .href_inverted(1'b0), .vsync_inverted(1'b0),
        .row_bytes(row_bytes), .free(9'h1ff), .write(write), .out(out), .commit(commit), .rollback(rollback),
        .no_room(no_room), .uneven(uneven), .cut(cut)
    );
    (* probe = "dut.state" *)    wire [2:0] state;
    (* probe = "dut.href_low" *) wire       href_low;  // configured polarity; HREF signals that no pixels arrive
    (* anyconst *) wire level;

    reg [4:0] clocks = 5'd0;
    always @(posedge clk) clocks <= clocks + (clocks != 5'd31);
    always @* begin
        if (clocks == 5'd24) assert (state == 3'd3 || state == 3'd0);
        cover (clocks == 5'd24 && state == 3'd3);
    end
endmodule
