// Properties for any HREF, VSYNC, pixels and room. A commit contains a header and exactly the bytes of a row, or the
// header of a frame's end. FF occurs only at the start of a header. The check of a header matches its digits.
`default_nettype none
`include "shim.vh"
module rows (
    input wire       clk,
    input wire       href,
    input wire       vsync,
    input wire [7:0] data,
    input wire [8:0] free,
    input wire [7:0] row_bytes,
    input wire [1:0] inverted
);
    wire       write, commit, rollback, no_room, uneven, cut;
    wire [7:0] out;
    camera_capture dut (
        .clk(clk), .href_pin(href), .vsync_pin(vsync), .data(data), .href_inverted(inverted[0]),
        .vsync_inverted(inverted[1]), .row_bytes(row_bytes), .free(free), .write(write), .out(out), .commit(commit),
        .rollback(rollback), .no_room(no_room), .uneven(uneven), .cut(cut)
    );
    (* probe = "dut.state" *)      wire [2:0]  state;
    (* probe = "dut.at" *)         wire [2:0]  at;
    (* probe = "dut.count" *)      wire [11:0] count;
    (* probe = "dut.row_units" *)  wire [7:0]  row_units;
    (* probe = "dut.header.crc" *) wire [5:0]  crc;
    localparam [2:0] WAIT = 0, PREPARE = 1, HEADER = 2, READY = 3, ROW = 4, SKIP = 5, END = 6;

    // Rows without bytes are not supported.
    always @* assume (row_bytes != 8'd0);

    // Bytes since the last commit or rollback, kind of their header, and the header's check computed bit by bit as
    // specified.
    reg [12:0] bytes = 13'd0;
    reg        ends = 1'b0;
    reg [5:0]  check = `CAMERA_CRC_START;
    function [5:0] bit_in(input [5:0] from, input value);
        bit_in = {from[4:0], 1'b0} ^ (from[5] != value ? `CAMERA_CRC_POLYNOMIAL : 6'd0);
    endfunction
    function [5:0] digit_in(input [5:0] from, input [5:0] digit);
        digit_in = bit_in(bit_in(bit_in(bit_in(bit_in(bit_in(from, digit[5]), digit[4]), digit[3]), digit[2]), digit[1]), digit[0]);
    endfunction
    wire [12:0] bytes_now = commit || rollback ? 13'd0 : bytes + write;
    wire        ends_now = write && bytes == 13'd2 ? out[5:0] == `CAMERA_KIND_END : ends;
    wire [5:0]  check_now = bytes < 13'd2 ? `CAMERA_CRC_START : write && bytes < 13'd7 ? digit_in(check, out[5:0]) : check;
    always @(posedge clk) begin
        bytes <= bytes_now;
        ends  <= ends_now;
        check <= check_now;
    end

    always @* begin
        assert (!(commit && rollback));
        if (write) begin
            if (bytes == 13'd0) assert (out == 8'hff);
            else assert (out != 8'hff);
            if (bytes == 13'd1) assert (out == 8'h00);
            if (bytes > 13'd1) assert (out != 8'h00);
            if (bytes > 13'd1 && bytes < 13'd8) assert (out[7:6] == 2'b01);
            if (bytes == 13'd2) assert (out[5:0] == `CAMERA_KIND_ROW || out[5:0] == `CAMERA_KIND_END);
            if (bytes == 13'd7) assert (out[5:0] == check);
        end
        if (commit && ends_now) assert (bytes + write == 13'd8);
        if (commit && !ends_now) assert (bytes + write == 13'd8 + {row_units_then, 4'd0});
    end

    // A commit uses the row length of the previous clock, since a frame's end may change it.
    reg [7:0] row_units_then = `ROW_UNITS_RESET;
    always @(posedge clk) row_units_then <= row_units;

    // Invariants for induction: relation between the state and the bytes written.
    always @* begin
        assert (row_units != 8'd0 && row_units_then != 8'd0 && state <= END && bytes <= 13'd8 + 13'd4080);
        case (state)
            HEADER, END: begin assert (bytes_now == at); end
            READY: begin assert (bytes_now == 13'd8); end
            ROW: begin assert (bytes_now == 13'd8 + count && count != 12'd0 && count <= {row_units, 4'd0}); end
            default: begin assert (bytes_now == 13'd0); end
        endcase
        if (state == READY || state == ROW) assert (!ends_now);
        if ((state == HEADER || state == END) && at > 3'd2) assert (ends_now == (state == END) && crc == check_now);
        if ((state == HEADER || state == END) && at == 3'd2) assert (crc == `CAMERA_CRC_START && check_now == `CAMERA_CRC_START);
        if (state != HEADER && state != END && state != SKIP) assert (at == 3'd0);
    end

    reg [1:0] rows_whole = 2'd0;
    reg       frames = 1'b0;
    always @(posedge clk) begin
        if (commit && !ends_now && rows_whole != 2'd3) rows_whole <= rows_whole + 1'b1;
        if (commit && ends_now) frames <= 1'b1;
    end
    always @* begin
        cover (rows_whole == 2'd1 && row_units == 8'd1 && frames);
        cover (state == SKIP && no_room);
        cover (uneven && rows_whole == 2'd1);
        cover (cut);
    end
endmodule
