// Proof for two independent clocks: the reader receives each committed byte once and in order. It receives no byte of
// a row that was rolled back or overran.
//
// Bytes are numbered as they are stored; a rollback restores the number. One arbitrary byte is marked when it is
// stored: when the reader's count reaches the marked number, it must read the marked byte. A number is a memory
// address and a lap bit, up to twice DEPTH, so waiting bytes have distinct numbers.
`default_nettype none
module bytes (
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
    (* probe = "dut.fetches" *)     wire         fetches;
    (* probe = "dut.have" *)        wire         have;
    (* probe = "dut.fetched" *)     wire [7:0]   fetched;

    function [A:0] next(input [A:0] number);
        next = number[A-1:0] == DEPTH - 1'b1 ? {!number[A], {A{1'b0}}} : number + 1'b1;
    endfunction

    // The writer commits at multiples of 8, and may roll back at any time.
    reg  [2:0] phase = 3'd0;
    wire [2:0] phase_now = phase + w_write;
    always @* assume (!(w_commit && w_rollback));
    always @* if (w_commit) assume (phase_now == 3'd0);

    // Numbers of the next byte to store, of the first uncommitted byte, and of the next byte to read. A row with a
    // byte that found no room is discarded.
    reg  [A:0] stored = 0, kept = 0, read = 0;
    wire       stores = w_write && !full && !overrun;
    wire       spoilt = overrun || (w_write && full);
    wire       counts = w_commit && !spoilt;
    wire [A:0] behind = stores ? next(stored) : stored;
    always @(posedge w_clk) begin
        phase  <= w_commit || w_rollback ? 3'd0 : phase_now;
        stored <= w_rollback || (w_commit && spoilt) ? kept : behind;
        if (counts) kept <= behind;
    end
    always @(posedge r_clk) if (r_valid && r_pop) read <= next(read);

    // States of the marked byte, in order: in the current row, waiting, read. Each trace has one marked byte.
    reg        in_row = 1'b0, waits = 1'b0, gone = 1'b0;
    reg  [7:0] marked;
    reg  [A:0] number;
    wire       marks = mark && stores && !in_row && !waits;
    wire       is_marked = in_row || marks;
    wire       its_turn = waits && !gone && read == number;
    always @(posedge w_clk) begin
        if (marks) {marked, number} <= {w_data, stored};
        in_row <= is_marked && !w_rollback && !w_commit;
        waits  <= waits || (is_marked && counts);
    end
    always @(posedge r_clk) if (its_turn && r_valid && r_pop) gone <= 1'b1;
    always @* begin
        // Only committed bytes are read, and each has the right value.
        if (r_valid) assert (read != kept);
        if (r_valid && its_turn) assert (r_data == marked);
    end

    // Relation to the internal state: addresses equal the numbers. Numbers that cross clock domains take their lap
    // bits along.
    (* probe = "dut.commits.held" *)         wire [A-4:0] telling_w;
    (* probe = "dut.commits.request" *)      wire         w1;
    (* probe = "dut.commits.to_b.first" *)   wire         w2;
    (* probe = "dut.commits.to_b.synced" *)  wire         w3;
    (* probe = "dut.commits.acknowledged" *) wire         w4;
    (* probe = "dut.commits.to_a.first" *)   wire         w5;
    (* probe = "dut.commits.to_a.synced" *)  wire         w6;
    (* probe = "dut.reads.held" *)           wire [A-5:0] telling_r;
    (* probe = "dut.reads.request" *)        wire         r1;
    (* probe = "dut.reads.to_b.first" *)     wire         r2;
    (* probe = "dut.reads.to_b.synced" *)    wire         r3;
    (* probe = "dut.reads.acknowledged" *)   wire         r4;
    (* probe = "dut.reads.to_a.first" *)     wire         r5;
    (* probe = "dut.reads.to_a.synced" *)    wire         r6;
    reg  fetch_lap = 1'b0, telling_w_lap = 1'b0, told_w_lap = 1'b0, telling_r_lap = 1'b0, told_r_lap = 1'b0;
    wire [A:0] fetch = {fetch_lap, read_at};
    wire [A:0] fetch_next = next(fetch);
    always @(posedge w_clk) begin
        if (w1 == w6) telling_w_lap <= kept[A];
        if (r3 != r4) told_r_lap <= telling_r_lap;
    end
    always @(posedge r_clk) begin
        if (fetches) fetch_lap <= fetch_next[A];
        if (w3 != w4) told_w_lap <= telling_w_lap;
        if (r1 == r6) telling_r_lap <= fetch_lap;
    end

    // Order of the byte numbers, relative to the unit at which the writer stops. First the reader's: reported, being
    // reported, fetched. Then the writer's: reported, being reported, committed, stored.
    wire [A-1:0] base = {read_unit, 4'd0};
    wire [A:0]   from_telling_r = {telling_r_lap ^ told_r_lap, telling_r, 4'd0};
    wire [A:0]   from_fetch = {fetch_lap ^ told_r_lap, read_at};
    wire [A:0]   from_told_w = {told_w_lap ^ told_r_lap, committed_r, 3'd0};
    wire [A:0]   from_telling_w = {telling_w_lap ^ told_r_lap, telling_w, 3'd0};
    wire [A:0]   from_kept = {kept[A] ^ told_r_lap, kept[A-1:0]};
    wire [A:0]   from_stored = {stored[A] ^ told_r_lap, stored[A-1:0]};
    wire [4:0]   w_changes = {w1, w2, w3, w4, w5} ^ {w2, w3, w4, w5, w6};
    wire [4:0]   r_changes = {r1, r2, r3, r4, r5} ^ {r2, r3, r4, r5, r6};
    always @* begin
        assert (kept[A-1:0] == {committed, 3'd0} && stored[A-1:0] == write_at);
        assert (base < DEPTH && read_at < DEPTH && write_at < DEPTH && {committed, 3'd0} < DEPTH);
        assert ({telling_r, 4'd0} < DEPTH && {telling_w, 3'd0} < DEPTH && {committed_r, 3'd0} < DEPTH);
        assert ({1'b0, base} <= from_telling_r && from_telling_r <= from_fetch && from_fetch <= from_told_w);
        assert (from_told_w <= from_telling_w && from_telling_w <= from_kept && from_kept <= from_stored);
        assert (!from_stored[A] || write_at < base);
        if (!overrun) assert (phase == write_at[2:0]);
        // At most one change travels through the ring of a handshake; the value has arrived when the change has
        // passed the fourth register.
        assert ((w_changes & (w_changes - 1'b1)) == 5'd0 && (r_changes & (r_changes - 1'b1)) == 5'd0);
        if (w1 == w4) assert ({telling_w_lap, telling_w} == {told_w_lap, committed_r});
        if (r1 == r4) assert ({telling_r_lap, telling_r} == {told_r_lap, read_unit});
        // Fetched but unread bytes are in the two registers at the output.
        assert (fetch == (have && r_valid ? next(next(read)) : have || r_valid ? next(read) : read));
        assert (read[A-1:0] < DEPTH);
    end

    // Position of the marked byte: in memory until it is fetched, then in one of the two registers.
    wire [A-1:0] marked_at = number[A-1:0];
    wire [A:0]   from_number = {number[A] ^ told_r_lap, marked_at};
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
    always @* begin
        assert (!(in_row && waits) && (!gone || waits));
        if (in_row || waits) assert (marked_at < DEPTH);
        if (in_row) assert (from_kept <= from_number && from_number < from_stored && in_memory == marked);
        if (waits && !gone) begin
            if (number == read && r_valid) assert (r_data == marked);
            else if ((number == read || (number == next(read) && r_valid)) && have) assert (fetched == marked);
            else assert (from_fetch <= from_number && from_number < from_kept && in_memory == marked);
        end
    end

    // Room at the writer's previous clock, in whole units after the current unit.
    wire [A-5:0] units_taken = write_at[A-1:4] - read_unit + (from_stored[A] ? 4'd14 : 4'd0);
    reg  [A-5:0] units_free = 4'd13;
    always @(posedge w_clk) units_free <= 4'd13 - units_taken;
    always @* assert (w_free == units_free);

`ifdef READ
    // Trace to cover: a byte from end to end, after a row that was rolled back. It is shortest with clocks that never
    // stop.
    reg last = 1'b0;
    always @($global_clock) last <= w_clk;
    always @* assume (w_clk == !last && r_clk == w_clk && w_data == (mark ? 8'h5a : 8'h00));
    reg saw_rollback = 1'b0;
    always @(posedge w_clk) if (w_rollback && stored != kept) saw_rollback <= 1'b1;
    always @* cover (gone && saw_rollback && read == kept && kept == 9'd8);
`endif
`ifdef FULL
    // Long traces to cover: a full memory that has room again, and a row after a row that overran.
    reg saw_full = 1'b0, saw_overrun = 1'b0;
    always @(posedge w_clk) begin
        if (full && w_write) saw_full <= 1'b1;
        if (w_commit && spoilt) saw_overrun <= 1'b1;
    end
    always @* begin
        cover (saw_full && stores);
        cover (saw_overrun && stores);
    end
`endif
endmodule
