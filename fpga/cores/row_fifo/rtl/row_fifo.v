// FIFO in block RAM from the camera's clock domain to the FT2232H's.
//
// Written bytes become visible to the reader when they are committed; a rollback discards them. A byte without room
// turns the next commit into a rollback, so a row is complete or absent, independent of the writer. Commits are at
// multiples of 8 bytes, as for rows of 16 n bytes with headers of 8; bytes beyond the last multiple wait for the next
// commit.
//
// DEPTH is 7 KiB, which is not a power of two: pointers cross by handshakes, not in a Gray code. Up to 16 bytes of
// the memory stay empty.
//
// If a clock glitch corrupts a pointer, at most DEPTH meaningless bytes are read before the FIFO recovers: the reader
// continues until it reaches the writer's pointer.
`default_nettype none
module row_fifo #(
    // Address width (bits), >= 8; smaller for proofs. DEPTH is 7/8 of 2^ADDRESS, and both are multiples of 16.
    parameter ADDRESS = 13
) (
    input  wire               w_clk,
    input  wire               w_write,
    input  wire [7:0]         w_data,
    // Ends of a row, with or after its last byte; never both at once. A byte written together with a rollback is
    // discarded too.
    input  wire               w_commit,
    input  wire               w_rollback,
    // Room of two clocks ago (units of 16 bytes).
    output reg  [ADDRESS-5:0] w_free,

    input  wire               r_clk,
    output reg                r_valid,
    output wire [7:0]         r_data,
    input  wire               r_pop
);
    localparam [ADDRESS-5:0] UNITS = {3'b111, {ADDRESS-7{1'b0}}};

    // Writer's side.
    reg  [ADDRESS-1:0] write_at = 0;
    reg  [ADDRESS-4:0] committed = 0;
    reg                overrun = 1'b0;
    wire [ADDRESS-5:0] read_unit;
    wire [ADDRESS-1:0] write_next;
    next_address #(.ADDRESS(ADDRESS)) next_write (.address(write_at), .next(write_next));
    // The unit that is being read counts as occupied, so it is not overwritten.
    wire               full = write_next[3:0] == 4'd0 && write_next[ADDRESS-1:4] == read_unit;
    wire               writes = w_write && !full && !overrun;
    wire               lost = overrun || (w_write && full);
    wire [ADDRESS-1:0] behind = writes ? write_next : write_at;
    wire [ADDRESS-5:0] gap = read_unit - write_at[ADDRESS-1:4] - 1'b1;
    initial w_free = UNITS - 1'b1;

    always @(posedge w_clk) begin
        // The difference wraps at UNITS, an eighth below the power of two.
        w_free <= read_unit > write_at[ADDRESS-1:4] ? gap : {gap[ADDRESS-5:ADDRESS-7] - 1'b1, gap[ADDRESS-8:0]};
        overrun <= lost && !w_rollback && !w_commit;
        if (w_rollback || (w_commit && lost)) write_at <= {committed, 3'd0};
        else write_at <= behind;
        if (w_commit && !lost) committed <= behind[ADDRESS-1:3];
    end

    // Reader's side: two registers in a row, so that one byte per clock can be taken.
    reg  [ADDRESS-1:0] read_at = 0;
    wire [ADDRESS-1:0] read_next;
    next_address #(.ADDRESS(ADDRESS)) next_read (.address(read_at), .next(read_next));
    wire [ADDRESS-4:0] committed_r;
    wire [7:0]         fetched;
    reg  [7:0]         taken;
    reg                have = 1'b0;
    wire               moves = have && (!r_valid || r_pop);
    wire               fetches = read_at != {committed_r, 3'd0} && (!have || moves);
    initial r_valid = 1'b0;
    assign r_data = taken;

    always @(posedge r_clk) begin
        if (fetches) read_at <= read_next;
        if (moves) taken <= fetched;
        have    <= fetches || (have && !moves);
        r_valid <= moves || (r_valid && !r_pop);
    end

    banks #(.ADDRESS(ADDRESS)) banks (
        .w_clk(w_clk), .w_enable(writes), .w_address(write_at), .w_data(w_data),
        .r_clk(r_clk), .r_enable(fetches), .r_address(read_at), .r_data(fetched)
    );
    bus_sync #(.WIDTH(ADDRESS - 3)) commits (.a_clk(w_clk), .a_value(committed), .b_clk(r_clk), .b_value(committed_r));
    bus_sync #(.WIDTH(ADDRESS - 4)) reads (
        .a_clk(r_clk), .a_value(read_at[ADDRESS-1:4]), .b_clk(w_clk), .b_value(read_unit)
    );
endmodule
