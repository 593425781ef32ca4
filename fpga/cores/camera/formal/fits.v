// A row that was begun has room in the FIFO for its last byte, and so has a frame's end directly after the row.
// Assumption about the FIFO, proved in cores/row_fifo/formal/bytes.v: it reports the room of the previous clock in
// units of 16 bytes.
`default_nettype none
`include "shim.vh"
module fits (
    input wire        clk,
    input wire        href_pin,
    input wire        vsync_pin,
    input wire [7:0]  data,
    input wire        href_inverted,
    input wire        vsync_inverted,
    input wire [7:0]  row_bytes,
    input wire [12:0] reads
);
    localparam [12:0] MOST = 13'd7167;
    wire       write, commit, rollback;
    wire [7:0] out;
    reg  [8:0] free = 9'd447;
    camera_capture dut (
        .clk(clk), .href_pin(href_pin), .vsync_pin(vsync_pin), .data(data), .href_inverted(href_inverted),
        .vsync_inverted(vsync_inverted), .row_bytes(row_bytes), .free(free), .write(write), .out(out), .commit(commit),
        .rollback(rollback), .no_room(), .uneven(), .cut()
    );
    (* probe = "dut.state" *)      wire [2:0]  state;
    (* probe = "dut.at" *)         wire [2:0]  at;
    (* probe = "dut.still" *)      wire [1:0]  still;
    (* probe = "dut.count" *)      wire [11:0] count;
    (* probe = "dut.room" *)       wire        room;
    (* probe = "dut.row_units" *)  wire [7:0]  row_units;
    (* probe = "dut.frame_ends" *) wire        frame_ends;
    localparam [2:0] WAIT = 0, PREPARE = 1, HEADER = 2, READY = 3, ROW = 4, SKIP = 5, END = 6;
    // 0 means 256 units, which is more than the FIFO supports.
    always @* assume (row_bytes != 8'd0);

    // Bytes of room left, and bytes taken by the current row. The reader frees room at arbitrary times.
    reg  [12:0] left = MOST, taken = 13'd0;
    wire        stores = write && left != 13'd0;
    wire [12:0] left_now = left - stores;
    wire [12:0] taken_now = taken + stores;
    wire [12:0] given = reads > MOST - left_now - taken_now ? MOST - left_now - taken_now : reads;
    reg         spoilt = 1'b0;
    wire        back = rollback || (commit && (spoilt || (write && !stores)));
    always @(posedge clk) begin
        left   <= left_now + given + (back ? taken_now : 13'd0);
        taken  <= back || commit ? 13'd0 : taken_now;
        spoilt <= !rollback && !commit && (spoilt || (write && !stores));
        free   <= left[12:4];
    end

    // Whether the bytes being written belong to a row, or to a frame's end directly after a row.
    reg promised = 1'b0;
    always @(posedge clk)
        if (state == HEADER || state == READY || state == ROW) promised <= 1'b1;
        else if (state != END) promised <= 1'b0;
    always @* if (write && promised) assert (left != 13'd0);

    // Room required by the rest of the current row and the frame's end after it.
    reg  [12:0] left_before = MOST;
    always @(posedge clk) left_before <= left;
    wire [12:0] all = {row_units, 4'd0} + 13'd16;
    wire [12:0] after = left_now + (back ? taken_now : 13'd0);
    always @* begin
        assert (left <= MOST && taken <= MOST && {1'b0, left} + taken <= MOST);
        assert (free == left_before[12:4] && row_units != 8'd0 && state <= END);
        if (state == PREPARE || state == READY || state == ROW) assert (at == 3'd0);
        if (state == PREPARE && still >= 2'd1) assert (!write && !commit && !rollback);
        if (state == PREPARE && still >= 2'd2) assert (taken == 13'd0 && left >= left_before);
        if (state == PREPARE && still >= 2'd3 && room) assert (left_before >= all);
        if (state == WAIT || state == PREPARE || state == SKIP) assert (commit || rollback || (taken_now == 13'd0 && !spoilt));
        if (state == HEADER || state == READY || state == ROW) assert (!spoilt);
        if (state == HEADER) assert (after >= all - at);
        if (state == READY) assert (after >= all - 13'd8);
        if (state == ROW) assert (count <= {row_units, 4'd0} && after >= all - 13'd8 - count);
        if (state == END && promised) assert (after >= 13'd8 - at);
        if (promised) assert (!spoilt);
    end

    always @* begin
        cover (commit && left == 13'd9 && state == PREPARE);
        cover (commit && left == 13'd1 && promised && write);
        cover (state == PREPARE && still == 2'd3 && !room);
    end
endmodule
