// The chip receives the bytes of the FIFO in order, none lost or doubled, for any behaviour of TXE#.
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

    // The FIFO keeps an offered byte until it is taken.
    reg        kept = 1'b0;
    reg  [7:0] kept_data;
    wire       valid = kept || valid_now;
    wire [7:0] data = kept ? kept_data : data_now;
    always @(posedge clk) begin
        kept      <= valid && !pop;
        kept_data <= data;
    end

    // Registers of the pads, and the chip, which takes a byte at a rising edge with WR# and TXE# low. The pad samples
    // TXE# half a clock before that edge, and delivers the value at the edge. TXE# does not change between the two.
    reg        wr = 1'b0;
    reg  [7:0] pin = 8'h00;
    wire       takes = wr && !txe_n;
    always @(posedge clk) begin
        wr   <= write;
        pin  <= byte_out;
        full <= txe_n;
    end

    // Byte that has left the FIFO and has not reached the chip yet.
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
        // A pending byte is offered in every second clock, and the next byte follows at once.
        if (due) assert (wr || wr_before);
        assert (!(idle_before && valid && !pop && !due));
        assert (took == parity_before);
    end

    // Invariants for induction: relation between the core's registers and the pending byte.
    always @* begin
        if (turn) assert (!wr && due == (offered && full));
        else assert (wr == offered && due == offered && !wr_before);
        if (wr) assert (pin == due_byte);
        if (due) assert (held == due_byte);
    end

    // Traces to cover: a byte that was refused three times, and three consecutive bytes without a pause.
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
