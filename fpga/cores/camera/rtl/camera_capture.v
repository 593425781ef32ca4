// Frames the camera's rows (docs/protocols/camera.md), in the camera's clock domain.
//
// The header of a row is written in the pause before it, if there is room for header, row and a frame's end; without
// room the whole row is dropped. The written bytes are committed only if the row ends with the right length: a row
// that is too short, too long or cut by a new frame is rolled back. Nothing is sent before the first VSYNC.
//
// The pause between two rows must be at least 16 clocks; the sensors have 320.
`default_nettype none
`include "shim.vh"
module camera_capture #(
    parameter UNITS = 9    // bits of the FIFO's room (units of 16 bytes)
) (
    input  wire               clk,
    // Sensor signals from the registers of the pads: HREF is high during pixels, VSYNC between frames.
    input  wire               href_pin,
    input  wire               vsync_pin,
    input  wire [7:0]         data,
    // Settings from another clock domain, adopted at a frame's end: polarities, and row length (units of 16 bytes).
    input  wire               href_inverted,
    input  wire               vsync_inverted,
    input  wire [7:0]         row_bytes,
    // FIFO side.
    input  wire [UNITS-1:0]   free,
    output reg                write,
    output reg  [7:0]         out,
    output reg                commit,
    output reg                rollback,
    // Event toggles: a row was dropped for lack of room, had a wrong length, or was cut by a new frame.
    output reg                no_room,
    output reg                uneven,
    output reg                cut
);
    localparam [2:0] WAIT = 0, PREPARE = 1, HEADER = 2, READY = 3, ROW = 4, SKIP = 5, END = 6;
    // The FIFO reports its room with a delay, so the core reads the room this number of clocks after the last byte.
    localparam [1:0] SETTLED = 3;

    reg [2:0]  state = WAIT;
    reg [2:0]  at = 0;
    reg [1:0]  still = 0;
    reg [11:0] frame = 0, row = 0;
    reg [11:0] count = 0;
    reg        vsync_before = 1'b1, href_before = 1'b1;
    reg        href_low = 1'b0, vsync_low = 1'b0; // polarities
    reg [7:0]  row_units = `ROW_UNITS_RESET;
    reg        of_frame = 1'b0; // whether the current or last row belongs to this frame
    initial {write, commit, rollback, no_room, uneven, cut} = 6'd0;

    wire        href = href_pin ^ href_low;
    wire        vsync = vsync_pin ^ vsync_low;
    wire        whole = count == {row_units, 4'd0};
    wire        frame_ends = vsync && !vsync_before;
    wire        row_ends = href_before && !href;
    wire        settled = still == SETTLED;
    reg         room = 1'b0;

    wire [7:0] pixel, head;
    wire       heads = state == HEADER || state == END;
    clamp clamp (.raw(data), .pixel(pixel));
    header header (
        .clk(clk), .enable(heads), .at(at), .kind(state == END ? `CAMERA_KIND_END : `CAMERA_KIND_ROW),
        .frame(frame), .value(row), .out(head)
    );

    always @(posedge clk) begin
        vsync_before <= vsync;
        href_before  <= href;
        // Requires one unit more than the row, for the headers of the row and of a frame's end.
        room         <= free > {{UNITS-8{1'b0}}, row_units};
        write        <= 1'b0;
        commit       <= 1'b0;
        rollback     <= 1'b0;
        out          <= heads ? head : pixel;
        at           <= heads ? at + 1'b1 : 3'd0;
        still        <= state != PREPARE ? 2'd0 : settled ? still : still + 1'b1;
        // Every row is counted when it ends, committed or not. The state END writes the count, which must not change
        // meanwhile.
        if (href && !href_before) of_frame <= 1'b1;
        if (row_ends && of_frame && state != END) row <= row + 1'b1;

        case (state)
            WAIT: row <= 12'd0;
            PREPARE:
                if (href) begin
                    no_room <= !no_room;
                    state   <= SKIP;
                end else if (settled && room) state <= HEADER;
            HEADER: begin
                write <= 1'b1;
                if (href) begin
                    // The room became available too late for this row.
                    write    <= 1'b0;
                    rollback <= 1'b1;
                    no_room  <= !no_room;
                    state    <= SKIP;
                end else if (at == 3'd7) state <= READY;
            end
            READY, ROW:
                if (href) begin
                    write <= 1'b1;
                    count <= state == READY ? 12'd1 : count + 1'b1;
                    state <= ROW;
                    if (state == ROW && whole) begin
                        write    <= 1'b0;
                        rollback <= 1'b1;
                        uneven   <= !uneven;
                        state    <= SKIP;
                    end
                end else if (state == ROW) begin
                    commit   <= whole;
                    rollback <= !whole;
                    if (!whole) uneven <= !uneven;
                    state    <= PREPARE;
                end
            SKIP: if (!href) state <= PREPARE;
            END: begin
                write <= 1'b1;
                // `row` and `frame` must not change until this header is written.
                if (at == 3'd7) begin
                    commit <= 1'b1;
                    row    <= 12'd0;
                    frame  <= frame + 1'b1;
                    state  <= href ? SKIP : PREPARE;
                end
            end
            default: state <= SKIP;
        endcase

        if (frame_ends && state != END) begin
            // A row in progress is cut; a prepared header belongs to a row that does not arrive.
            write    <= 1'b0;
            rollback <= state != WAIT && !(state == ROW && !href && whole);
            of_frame <= 1'b0;
            {href_low, vsync_low, row_units} <= {href_inverted, vsync_inverted, row_bytes};
            if (href) begin
                if (state == ROW) cut <= !cut;
                if (state != WAIT) row <= row + 1'b1;
            end
            at    <= 3'd0;
            // A row with room always leaves room for these eight bytes; otherwise the FIFO rolls them back.
            state <= state != WAIT ? END : href ? SKIP : PREPARE;
        end
    end
endmodule
