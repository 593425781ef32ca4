// What is read is what was committed: all of it, once, in order, and nothing of a row that was rolled back or overran,
// with two clocks that may do anything.
//
// One byte of any row is marked when it is written. When its row is committed it gets a number, that of the bytes
// committed before it; the byte that is read as that number must be it. The byte may be any, so this is said of all.
`default_nettype none
module order (
    input wire       w_clk,
    input wire       w_write,
    input wire [7:0] w_data,
    input wire       w_commit,
    input wire       w_rollback,
    input wire       mark,
    input wire       r_clk,
    input wire       r_pop
);
    localparam A = 8;
    localparam [A-1:0] DEPTH = 8'd224;
    wire [A-5:0] w_free;
    wire         r_valid;
    wire [7:0]   r_data;
    row_fifo #(.ADDRESS(A)) dut (
        .w_clk(w_clk), .w_write(w_write), .w_data(w_data), .w_commit(w_commit), .w_rollback(w_rollback),
        .w_free(w_free), .r_clk(r_clk), .r_valid(r_valid), .r_data(r_data), .r_pop(r_pop)
    );
    (* probe = "dut.write_at" *)    wire [A-1:0] write_at;
    (* probe = "dut.committed" *)   wire [A-4:0] committed;
    (* probe = "dut.overrun" *)     wire         overrun;
    (* probe = "dut.full" *)        wire         full;
    (* probe = "dut.read_unit" *)   wire [A-5:0] read_unit;
    (* probe = "dut.read_at" *)     wire [A-1:0] read_at;
    (* probe = "dut.committed_r" *) wire [A-4:0] committed_r;
    (* probe = "dut.have" *)        wire         have;
    (* probe = "dut.fetched" *)     wire [7:0]   fetched;

    // The writer: commits at multiples of 8, rolls back whenever it likes.
    reg  [2:0] phase = 3'd0;
    wire [2:0] phase_now = phase + w_write;
    always @* assume (!(w_commit && w_rollback));
    always @* if (w_commit) assume (phase_now == 3'd0);

    // What was accepted. A row for which there was no room counts for nothing.
    wire       stores = w_write && !full && !overrun;
    wire       spoilt = overrun || (w_write && full);
    wire       counts = w_commit && !spoilt;
    reg [A:0]  row = 0;      // bytes of the row in hand
    reg [A:0]  written = 0;  // bytes committed, and read; both wrap
    reg [A:0]  read = 0;
    wire [A:0] waiting = written - read;
    always @(posedge w_clk) begin
        phase <= w_commit || w_rollback ? 3'd0 : phase_now;
        row   <= w_commit || w_rollback ? 0 : row + stores;
        if (counts) written <= written + row + stores;
    end
    always @(posedge r_clk) if (r_valid && r_pop) read <= read + 1'b1;

    // The mark: on a byte of the row in hand, then on one that waits, then gone; there is one in a trace.
    reg         in_row = 1'b0, waits = 1'b0, gone = 1'b0;
    reg [7:0]   marked;
    reg [A:0]   number;
    reg [A-1:0] marked_at;
    wire        marks = mark && stores && !in_row && !waits;
    wire        is_marked = in_row || marks;
    always @(posedge w_clk) begin
        if (marks) {marked, number, marked_at} <= {w_data, written + row, write_at};
        in_row <= is_marked && !w_rollback && !w_commit;
        waits  <= waits || (is_marked && counts);
    end
    wire its_turn = waits && !gone && read == number;
    always @(posedge r_clk) if (its_turn && r_valid && r_pop) gone <= 1'b1;
    always @* begin
        if (r_valid) assert (waiting != 0);
        if (r_valid && its_turn) assert (r_data == marked);
        // Nothing is lost: a byte that waits is on its way, and the reader stops only where the writer committed.
        assert (waiting == distance(read_at, {committed, 3'd0}) + have + r_valid);
        assert (waiting + row <= DEPTH + 1);
    end

    // From one place in the memory on to another.
    function [A:0] distance(input [A-1:0] from, input [A-1:0] to);
        distance = to >= from ? to - from : to - from + DEPTH;
    endfunction

    // Room as it was a clock of the writer ago: told to the unit, and never more than there is now.
    wire [A:0] beyond_now = DEPTH - 1'b1 - distance({read_unit, 4'd0}, write_at);
    reg  [A:0] beyond = DEPTH - 1;
    always @(posedge w_clk) beyond <= beyond_now;
    always @* assert (w_free == beyond[A-1:4] && !beyond[A]);

    // How the pointers stand to each other, seen from the unit behind which the writer stops:
    // what the reader told, is telling and is; what the writer told, is telling, has committed and is.
    (* probe = "dut.commits.held" *)           wire [A-4:0] telling_w;
    (* probe = "dut.commits.request" *)        wire         w1;
    (* probe = "dut.commits.to_b.first" *)     wire         w2;
    (* probe = "dut.commits.to_b.synced" *)    wire         w3;
    (* probe = "dut.commits.acknowledged" *)   wire         w4;
    (* probe = "dut.commits.to_a.first" *)     wire         w5;
    (* probe = "dut.commits.to_a.synced" *)    wire         w6;
    (* probe = "dut.reads.held" *)             wire [A-5:0] telling_r;
    (* probe = "dut.reads.request" *)          wire         r1;
    (* probe = "dut.reads.to_b.first" *)       wire         r2;
    (* probe = "dut.reads.to_b.synced" *)      wire         r3;
    (* probe = "dut.reads.acknowledged" *)     wire         r4;
    (* probe = "dut.reads.to_a.first" *)       wire         r5;
    (* probe = "dut.reads.to_a.synced" *)      wire         r6;
    wire [A-1:0] base = {read_unit, 4'd0};
    wire [4:0]   w_changes = {w1, w2, w3, w4, w5} ^ {w2, w3, w4, w5, w6};
    wire [4:0]   r_changes = {r1, r2, r3, r4, r5} ^ {r2, r3, r4, r5, r6};
    wire [A:0]   d_telling_r = distance(base, {telling_r, 4'd0});
    wire [A:0]   d_read = distance(base, read_at);
    wire [A:0]   d_told_w = distance(base, {committed_r, 3'd0});
    wire [A:0]   d_telling_w = distance(base, {telling_w, 3'd0});
    wire [A:0]   d_committed = distance(base, {committed, 3'd0});
    wire [A:0]   d_write = distance(base, write_at);
    always @* begin
        assert (base < DEPTH && read_at < DEPTH && write_at < DEPTH && {committed, 3'd0} < DEPTH);
        assert ({telling_r, 4'd0} < DEPTH && {telling_w, 3'd0} < DEPTH && {committed_r, 3'd0} < DEPTH);
        assert (d_telling_r <= d_read && d_read <= d_told_w && d_told_w <= d_telling_w);
        assert (d_telling_w <= d_committed && d_committed <= d_write);
        assert (row == distance({committed, 3'd0}, write_at));
        if (!overrun) assert (phase == write_at[2:0]);
        assert ((w_changes & (w_changes - 1'b1)) == 5'd0 && (r_changes & (r_changes - 1'b1)) == 5'd0);
        if (w1 == w4) assert (committed_r == telling_w);
        if (r1 == r4) assert (read_unit == telling_r);
    end

    // Where the marked byte is: in memory until it is fetched, then in one of the two registers at the output.
    wire [7:0] in_0, in_1, in_2, in_3;
    \$memrd #(
        .MEMID("\\dut.banks.quarter[0].memory"), .ABITS(6), .WIDTH(8), .CLK_ENABLE(1'b0), .CLK_POLARITY(1'b0),
        .TRANSPARENT(1'b0)
    ) view_0 (.CLK(1'b0), .EN(1'b1), .ADDR(marked_at[5:0]), .DATA(in_0));
    \$memrd #(
        .MEMID("\\dut.banks.quarter[1].memory"), .ABITS(6), .WIDTH(8), .CLK_ENABLE(1'b0), .CLK_POLARITY(1'b0),
        .TRANSPARENT(1'b0)
    ) view_1 (.CLK(1'b0), .EN(1'b1), .ADDR(marked_at[5:0]), .DATA(in_1));
    \$memrd #(
        .MEMID("\\dut.banks.quarter[2].memory"), .ABITS(6), .WIDTH(8), .CLK_ENABLE(1'b0), .CLK_POLARITY(1'b0),
        .TRANSPARENT(1'b0)
    ) view_2 (.CLK(1'b0), .EN(1'b1), .ADDR(marked_at[5:0]), .DATA(in_2));
    \$memrd #(
        .MEMID("\\dut.banks.quarter[3].memory"), .ABITS(5), .WIDTH(8), .CLK_ENABLE(1'b0), .CLK_POLARITY(1'b0),
        .TRANSPARENT(1'b0)
    ) view_3 (.CLK(1'b0), .EN(1'b1), .ADDR(marked_at[4:0]), .DATA(in_3));
    wire [7:0] in_memory = marked_at[7] ? (marked_at[6] ? in_3 : in_2) : (marked_at[6] ? in_1 : in_0);
    wire [A:0] ahead = number - read;
    wire [A:0] taken = have + r_valid;
    always @* begin
        assert (!(in_row && waits) && (!gone || waits));
        if (in_row || waits) assert (marked_at < DEPTH);
        if (in_row) begin
            assert (number - written < row && in_memory == marked);
            assert (distance({committed, 3'd0}, marked_at) == ((number - written) & 9'h1ff));
        end
        if (waits && !gone) begin
            assert (ahead < waiting);
            if (ahead >= taken) assert (in_memory == marked && distance(read_at, marked_at) == ((ahead - taken) & 9'h1ff));
            else if (ahead == 0 && r_valid) assert (r_data == marked);
            else assert (fetched == marked);
        end
    end

    // The memory is full and then empty; a row overran and the next one passed; a row was taken back.
    reg saw_full = 1'b0, saw_overrun = 1'b0, saw_rollback = 1'b0;
    always @(posedge w_clk) begin
        if (full && w_write) saw_full <= 1'b1;
        if (w_commit && spoilt) saw_overrun <= 1'b1;
        if (w_rollback && row != 0) saw_rollback <= 1'b1;
    end
    always @* begin
        cover (gone && marked == 8'h5a);
        cover (gone && saw_rollback);
        cover (saw_full && counts);
        cover (saw_overrun && counts);
        cover (waiting == 0 && gone && write_at < marked_at);
    end
endmodule
