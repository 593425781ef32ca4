// Camera core with all signals to the FIFO in one bus. For the golden stream of docs/protocols/camera.md the row
// length is forced to eight bytes, which is shorter than the register allows.
`default_nettype none
module camera_bench (
    input  wire        golden,
    input  wire        clk,
    input  wire        href_pin,
    input  wire        vsync_pin,
    input  wire [7:0]  data,
    input  wire        href_inverted,
    input  wire        vsync_inverted,
    input  wire [7:0]  row_bytes,
    input  wire [8:0]  free,
    // write, commit, rollback, no_room, uneven, cut, and the byte.
    output wire [13:0] tap
);
    camera_capture capture (
        .clk(clk), .href_pin(href_pin), .vsync_pin(vsync_pin), .data(data), .href_inverted(href_inverted),
        .vsync_inverted(vsync_inverted), .row_bytes(row_bytes), .free(free), .write(tap[13]), .out(tap[7:0]),
        .commit(tap[12]), .rollback(tap[11]), .no_room(tap[10]), .uneven(tap[9]), .cut(tap[8])
    );
    always @(capture.count or golden) if (golden) force capture.whole = capture.count == 12'd8;
endmodule
