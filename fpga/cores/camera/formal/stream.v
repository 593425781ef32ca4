// Properties for any camera signals, room and settings. A commit to the FIFO is a header alone, or a header with its
// complete row. FF occurs only at the start of a header, and 00 only after FF. The header's check is right. Rows are
// in ascending order within a frame.
`default_nettype none
`include "shim.vh"
module stream (
    input wire       clk,
    input wire       href_pin,
    input wire       vsync_pin,
    input wire [7:0] data,
    input wire       href_inverted,
    input wire       vsync_inverted,
    input wire [7:0] row_bytes,
    input wire [8:0] free
);
    wire       write, commit, rollback, no_room, uneven, cut;
    wire [7:0] out;
    camera_capture dut (
        .clk(clk), .href_pin(href_pin), .vsync_pin(vsync_pin), .data(data), .href_inverted(href_inverted),
        .vsync_inverted(vsync_inverted), .row_bytes(row_bytes), .free(free), .write(write), .out(out), .commit(commit),
        .rollback(rollback), .no_room(no_room), .uneven(uneven), .cut(cut)
    );
    (* probe = "dut.state" *)       wire [2:0]  state;
    (* probe = "dut.at" *)          wire [2:0]  at;
    (* probe = "dut.still" *)       wire [1:0]  still;
    (* probe = "dut.frame" *)       wire [11:0] frame;
    (* probe = "dut.row" *)         wire [11:0] row;
    (* probe = "dut.count" *)       wire [11:0] count;
    (* probe = "dut.row_units" *)   wire [7:0]  row_units;
    (* probe = "dut.of_frame" *)    wire        of_frame;
    (* probe = "dut.href" *)        wire        href;
    (* probe = "dut.href_before" *) wire        href_before;
    (* probe = "dut.frame_ends" *)  wire        frame_ended;
    (* probe = "dut.room" *)        wire        room;
    (* probe = "dut.header.crc" *)  wire [5:0]  crc_inside;
    localparam [2:0] WAIT = 0, PREPARE = 1, HEADER = 2, READY = 3, ROW = 4, SKIP = 5, END = 6;

    // Frames have fewer than 4095 rows, so the row number does not wrap.
    always @* assume (row < 12'hfff);

    // Bit by bit, as specified in docs/protocols/camera.md: x^6 + x + 1, most significant bit first.
    function [5:0] check(input [5:0] crc, input [5:0] digit);
        integer i;
        begin
            check = crc;
            for (i = 5; i >= 0; i = i - 1)
                check = {check[4:0], 1'b0} ^ (check[5] ^ digit[i] ? 6'b000011 : 6'b000000);
        end
    endfunction

    // Bytes since the last commit or rollback, as received by the FIFO: their number, and the fields of the header.
    // Names with the suffix _now include the byte of this clock.
    reg  [12:0] length = 13'd0;
    reg  [5:0]  kind, frame_high, frame_low, row_high, row_low, crc;
    wire        takes = write && !rollback;
    wire [12:0] length_now = length + takes;
    wire [5:0]  kind_now = takes && length == 13'd2 ? out[5:0] : kind;
    wire [11:0] frame_now = {takes && length == 13'd3 ? out[5:0] : frame_high, takes && length == 13'd4 ? out[5:0] : frame_low};
    wire [11:0] row_now = {takes && length == 13'd5 ? out[5:0] : row_high, takes && length == 13'd6 ? out[5:0] : row_low};
    wire [5:0]  crc_now = !takes ? crc : length < 13'd2 ? 6'h3f : length < 13'd7 ? check(crc, out[5:0]) : crc;
    // Row length in force when a row ended; 0 means 256 units.
    reg  [7:0]  units_before = `ROW_UNITS_RESET;
    wire [12:0] whole = {units_before == 8'd0, units_before, 4'd0};
    always @(posedge clk) begin
        length       <= commit || rollback ? 13'd0 : length_now;
        kind         <= kind_now;
        {frame_high, frame_low, row_high, row_low} <= {frame_now, row_now};
        crc          <= crc_now;
        units_before <= row_units;
    end
    wire commits_row = commit && kind_now == `CAMERA_KIND_ROW;
    wire commits_end = commit && kind_now == `CAMERA_KIND_END;
    always @* begin
        assert (!(commit && rollback));
        if (takes)
            case (length)
                13'd0: assert (out == 8'hff);
                13'd1: assert (out == 8'h00);
                13'd2: assert (out == 8'h41 || out == 8'h42);
                13'd3, 13'd4, 13'd5, 13'd6: assert (out[7:6] == 2'b01);
                13'd7: assert (out == {2'b01, crc});
                default: assert (out >= 8'd1 && out <= 8'd254 && kind == `CAMERA_KIND_ROW);
            endcase
        if (commit) assert (commits_row || commits_end);
        if (commits_row) assert (length_now == whole + 13'd8);
        if (commits_end) assert (length_now == 13'd8);
    end

    // Row numbers ascend within a frame. The row count in the frame's end exceeds each row number. Each end
    // increments the frame number.
    reg         had = 1'b0;
    reg  [11:0] had_row, ends = 12'd0;
    always @(posedge clk) if (commit) begin
        {had, had_row} <= {commits_row, row_now};
        ends           <= ends + commits_end;
    end
    always @* if (commit) begin
        assert (frame_now == ends);
        if (had) assert (row_now > had_row);
    end

    // Recovery from any state: after 21 clocks between rows with room in the FIFO, the core awaits the next row. 14
    // clocks are enough after a row without a frame's end. `to_go` is the number of clocks left; `quiet` counts the
    // clocks without an obstacle.
    wire       hinders = href || frame_ended || state == WAIT || free <= {1'b0, row_units};
    reg  [4:0] quiet = 5'd0;
    reg        behind_row = 1'b0;
    reg  [5:0] to_go;
    always @(posedge clk) begin
        quiet <= hinders ? 5'd0 : quiet + (quiet != 5'd21);
        if (href && state != END && state != WAIT && !frame_ended) behind_row <= 1'b1;
        else if (href || frame_ended) behind_row <= 1'b0;
    end
    always @* case (state)
        PREPARE: to_go = 6'd12 - still;
        HEADER: to_go = 6'd8 - at;
        READY: to_go = 6'd0;
        END: to_go = 6'd20 - at;
        default: to_go = 6'd13;
    endcase
    always @* if (quiet != 5'd0) begin
        assert (to_go + quiet <= 6'd21);
        if (behind_row) assert (to_go == 6'd0 || to_go + quiet <= 6'd14);
        assert (room && state != WAIT);
    end

    // An awaited row of the right length is committed.
    reg         awaited = 1'b0, due = 1'b0;
    reg  [12:0] run = 13'd0;
    wire [12:0] whole_now = {row_units == 8'd0, row_units, 4'd0};
    always @(posedge clk) begin
        awaited <= href && !frame_ended && (state == READY || awaited);
        run     <= !href ? 13'd0 : run + (run != 13'd4097);
        due     <= awaited && !href && run == whole_now;
    end
    always @* if (due) assert (commits_row);

    // Relation between the core's registers and this model.
    wire        fresh = commit || rollback;
    wire [12:0] pending = fresh ? 13'd0 : length_now;
    wire        heads = state == HEADER || state == END;
    wire        has_header = state == READY || state == ROW;
    always @* begin
        assert (state <= END);
        if (behind_row) assert (state != END && state != WAIT);
        if (heads) assert (pending == at);
        else if (state == READY) assert (pending == 13'd8);
        else if (state == ROW) assert (pending == 13'd8 + {count == 12'd0, count});
        else assert (pending == 13'd0);
        if (state == PREPARE || has_header || state == WAIT) assert (at == 3'd0);
        if (state == ROW) assert (of_frame && href_before && {count == 12'd0, count} <= whole_now);
        if (has_header && state != ROW || state == HEADER || (state == PREPARE && still != 2'd0)) assert (!href_before);
        if (heads || has_header) begin
            if (pending > 13'd2) assert (kind_now == (state == END ? `CAMERA_KIND_END : `CAMERA_KIND_ROW));
            if (pending > 13'd3) assert (frame_now[11:6] == frame[11:6]);
            if (pending > 13'd4) assert (frame_now[5:0] == frame[5:0]);
            if (pending > 13'd5) assert (row_now[11:6] == row[11:6]);
            if (pending > 13'd6) assert (row_now[5:0] == row[5:0]);
        end
        if (heads && at >= 3'd2) assert (crc_inside == crc_now);
        assert (frame == ends + commits_end);
        if (commits_row) assert (row == row_now + 1'b1 || (state == END && row == row_now + 1'b1));
        if (had && !commit) assert (row > had_row);
        if (had && commits_row) assert (row > had_row);
        if (commits_end) assert (row == 12'd0);
        if (awaited && run <= whole_now) assert (state == ROW && run == {count == 12'd0, count});
        if (awaited && run > whole_now) assert (state == SKIP);
        assert (run <= 13'd4097 && (!awaited || run != 13'd0));
        if (state == WAIT) assert (!commit && !rollback && !write && row == 12'd0);
    end

    // Traces to cover: a row followed by a frame's end; a row that is too long, too short, or cut.
    reg saw_row = 1'b0, saw_end = 1'b0;
    always @(posedge clk) begin
        if (commits_row) saw_row <= 1'b1;
        if (commits_end && saw_row) saw_end <= 1'b1;
    end
    always @* begin
        cover (due && commits_row);
        cover (commits_end && saw_row && row_now == 12'd1);
        cover (rollback && state == SKIP && length > 13'd8);
        cover (rollback && state == PREPARE && length > 13'd8);
        cover (cut);
    end
endmodule
