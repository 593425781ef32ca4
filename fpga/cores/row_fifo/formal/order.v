// Bytes leave in the order in which rows were committed, none lost and none doubled: the reader is always between what the
// writer believes of it and what was committed, and the writer never comes round to what was not read. A row that overran, or
// was taken back, moves no pointer. That memory keeps bytes is proven of `banks`.
`default_nettype none
module order (
    input wire       w_clk,
    input wire       w_write,
    input wire [7:0] w_data,
    input wire       w_commit,
    input wire       w_rollback,
    input wire       r_clk,
    input wire       pop
);
    localparam [7:0] DEPTH = 8'd112;
    wire [2:0] w_free;
    wire       r_valid, r_pop = pop && r_valid;
    wire [7:0] r_data;
    row_fifo #(.ADDRESS(7)) dut (
        .w_clk(w_clk), .w_write(w_write), .w_data(w_data), .w_commit(w_commit), .w_rollback(w_rollback), .w_free(w_free),
        .r_clk(r_clk), .r_valid(r_valid), .r_data(r_data), .r_pop(r_pop)
    );
    (* probe = "dut.write_at" *)     wire [6:0] write_at;
    (* probe = "dut.committed" *)    wire [3:0] committed;
    (* probe = "dut.overrun" *)      wire       overrun;
    (* probe = "dut.writes" *)       wire       writes;
    (* probe = "dut.behind" *)       wire [6:0] behind;
    (* probe = "dut.lost" *)         wire       lost;
    (* probe = "dut.read_unit" *)    wire [2:0] read_unit;
    (* probe = "dut.read_at" *)      wire [6:0] read_at;
    (* probe = "dut.committed_r" *)  wire [3:0] committed_r;
    (* probe = "dut.fetches" *)      wire       fetches;
    (* probe = "dut.have" *)         wire       have;
    (* probe = "dut.commits.held" *) wire [3:0] commit_held;
    (* probe = "dut.reads.held" *)   wire [2:0] read_held;
    (* probe = "dut.commits.request" *)      wire c0;
    (* probe = "dut.commits.to_b.first" *)   wire c1;
    (* probe = "dut.commits.to_b.synced" *)  wire c2;
    (* probe = "dut.commits.acknowledged" *) wire c3;
    (* probe = "dut.commits.to_a.first" *)   wire c4;
    (* probe = "dut.commits.to_a.synced" *)  wire c5;
    (* probe = "dut.reads.request" *)      wire d0;
    (* probe = "dut.reads.to_b.first" *)   wire d1;
    (* probe = "dut.reads.to_b.synced" *)  wire d2;
    (* probe = "dut.reads.acknowledged" *) wire d3;
    (* probe = "dut.reads.to_a.first" *)   wire d4;
    (* probe = "dut.reads.to_a.synced" *)  wire d5;

    // What the writer promises.
    always @* begin
        assume (!(w_commit && w_rollback));
        if (w_commit && !lost) assume (behind[2:0] == 3'd0);
    end

    function [9:0] way(input [6:0] from, input [6:0] to);
        way = to >= from ? to - from : to + DEPTH - from;
    endfunction
    function [6:0] after(input [6:0] address);
        after = address == DEPTH - 1 ? 7'd0 : address + 1'b1;
    endfunction

    // Forwards from what the writer knows of the reader: reader, what it knows of commits, commits, writer; once round at most.
    wire [6:0] p0 = {read_unit, 4'd0}, p1 = {read_held, 4'd0}, p3 = {committed_r, 3'd0}, p4 = {commit_held, 3'd0};
    wire [6:0] p5 = {committed, 3'd0};
    wire [9:0] round = way(p0, p1) + way(p1, read_at) + way(read_at, p3) + way(p3, p4) + way(p4, p5) + way(p5, write_at);
    always @* begin
        assert (p0 < DEPTH && p1 < DEPTH && read_at < DEPTH && p3 < DEPTH && p4 < DEPTH && p5 < DEPTH && write_at < DEPTH);
        assert (round == way(p0, write_at));
    end

    // Both handshakes: one change runs round, and what was delivered is what is held.
    wire [5:0] ring_c = {c0, c1, c2, c3, c4, c5}, ring_d = {d0, d1, d2, d3, d4, d5};
    wire [4:0] changes_c = ring_c[5:1] ^ ring_c[4:0], changes_d = ring_d[5:1] ^ ring_d[4:0];
    always @* begin
        assert ((changes_c & (changes_c - 1'b1)) == 5'd0);
        assert ((changes_d & (changes_d - 1'b1)) == 5'd0);
        if (c0 == c3) assert (committed_r == commit_held);
        if (d0 == d3) assert (read_unit == read_held);
    end

    // Bytes since the last commit or rollback; one that was refused makes the row absent.
    reg [7:0] bytes = 8'd0, bytes_before = 8'd0;
    reg       refused = 1'b0, absent = 1'b0, whole = 1'b0;
    reg [3:0] committed_before = 4'd0;
    always @(posedge w_clk) begin
        bytes            <= w_commit || w_rollback ? 8'd0 : bytes + (writes ? 8'd1 : 8'd0);
        refused          <= !w_commit && !w_rollback && (refused || (w_write && !writes));
        bytes_before     <= bytes + (writes ? 8'd1 : 8'd0);
        absent           <= w_rollback || (w_commit && (refused || (w_write && !writes)));
        whole            <= w_commit && !refused && !(w_write && !writes);
        committed_before <= committed;
    end
    always @* begin
        assert (refused == overrun);
        assert (bytes < DEPTH && way(p5, write_at) == bytes);
        assert (!(whole && absent));
        if (absent) assert (committed == committed_before && write_at == p5);
        if (whole) assert (way({committed_before, 3'd0}, p5) == bytes_before);
        assert (committed_before < 4'd14);
    end

    // The reader's registers: addresses leave in order.
    reg  [6:0] due = 7'd0;
    always @(posedge r_clk) if (r_pop) due <= after(due);
    wire [6:0] second = r_valid ? after(due) : due;
    always @* begin
        assert (due < DEPTH);
        assert (read_at == (have ? after(second) : second));
        if (fetches) assert (read_at != p3);
    end

    reg [1:0] wraps = 2'd0;
    reg       overran = 1'b0, popped = 1'b0;
    always @(posedge w_clk) if (w_commit && lost) overran <= 1'b1;
    always @(posedge r_clk) if (r_pop) popped <= 1'b1;
    always @* begin
        cover (popped && r_valid && have);
        cover (overran);
        cover (absent && bytes_before > 8'd2);
    end
endmodule
