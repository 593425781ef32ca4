// Bytes that the chip takes are the bytes that left the FIFO, in their order, none lost and none doubled, whatever TXE# does.
`default_nettype none
module handshake (
    input wire       clk,
    input wire       valid_now,
    input wire [7:0] data_now,
    input wire       txe_n
);
    wire       pop, write, took;
    wire [7:0] byte_out;
    reg        full = 1'b1;
    ft245 dut (
        .clk(clk), .valid(valid), .data(data), .pop(pop), .full(full), .write(write), .byte_out(byte_out), .took(took)
    );
    (* probe = "dut.turn" *)    wire       turn;
    (* probe = "dut.offered" *) wire       offered;
    (* probe = "dut.held" *)    wire [7:0] held;

    // The FIFO keeps a byte that it has shown until it is taken.
    reg        kept = 1'b0;
    reg  [7:0] kept_data;
    wire       valid = kept || valid_now;
    wire [7:0] data = kept ? kept_data : data_now;
    always @(posedge clk) begin
        kept      <= valid && !pop;
        kept_data <= data;
    end

    // The pads' registers; and the chip, which takes a byte at a rising edge with WR# and TXE# low. The pad takes TXE# half
    // a clock earlier than that edge, which is the same value, and hands it on with the edge.
    reg        wr = 1'b0;
    reg  [7:0] pin = 8'h00;
    wire       takes = wr && !txe_n;
    always @(posedge clk) begin
        wr   <= write;
        pin  <= byte_out;
        full <= txe_n;
    end

    // The byte that left the FIFO and is not with the chip yet.
    reg        due = 1'b0;
    reg  [7:0] due_byte;
    reg        parity = 1'b0, parity_before = 1'b0;
    reg        wr_before = 1'b0, idle_before = 1'b0;
    always @(posedge clk) begin
        if (pop) {due, due_byte} <= {1'b1, data};
        else if (takes) due <= 1'b0;
        parity        <= parity ^ takes;
        parity_before <= parity;
        wr_before     <= wr;
        idle_before   <= valid && !pop && !due;
    end
    always @* begin
        if (takes) assert (due && pin == due_byte);
        if (pop) assert (!due);
        // WR# is low for one clock at a time.
        assert (!(wr && wr_before));
        // A byte that is due is offered in every second clock, and the next one follows at once.
        if (due) assert (wr || wr_before);
        assert (!(idle_before && valid && !pop && !due));
        assert (took == parity_before);
    end

    // What makes it inductive: how the registers inside stand to the byte that is due.
    always @* begin
        if (turn) assert (!wr && due == (offered && full));
        else assert (wr == offered && due == offered && !wr_before);
        if (wr) assert (pin == due_byte);
        if (due) assert (held == due_byte);
    end

    // A byte that was refused three times, and three in a row without a pause.
    reg [1:0] refused = 2'd0, run = 2'd0;
    reg       retried = 1'b0;
    always @(posedge clk) begin
        if (wr) refused <= takes ? 2'd0 : refused + (refused != 2'd3);
        if (takes && refused == 2'd3) retried <= 1'b1;
        if (takes) run <= run + (run != 2'd3);
        else if (!wr && !wr_before) run <= 2'd0;
    end
    always @* begin
        cover (retried);
        cover (run == 2'd3 && pin == 8'h33 && retried);
    end
endmodule
