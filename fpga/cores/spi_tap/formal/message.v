// The tap against a model that counts the bits of a message from the falling select and keeps the fields of
// docs/protocols/spi.md. SCK, MOSI and select are arbitrary in each clock, so all torn and corrupt messages are
// covered.
`default_nettype none
`include "shim.vh"
module message (
    input wire        clk,
    input wire        sck,
    input wire        mosi,
    input wire        ss_n,
    input wire [15:0] answer
);
    wire        pixel_write, begins, good, bad, command, replace, miso;
    wire [4:0]  pixel_at;
    wire [15:0] word;
    spi_tap dut (
        .clk(clk), .sck(sck), .mosi(mosi), .ss_n(ss_n), .pixel_write(pixel_write), .pixel_at(pixel_at), .word(word),
        .begins(begins), .good(good), .bad(bad), .command(command), .answer(answer), .replace(replace), .miso(miso)
    );

    // The lines two clocks ago, and earlier.
    reg [2:0] sck_was = 3'b000, ss_was = 3'b111;
    reg [1:0] mosi_was = 2'b00;
    always @(posedge clk) begin
        sck_was  <= {sck_was[1:0], sck};
        ss_was   <= {ss_was[1:0], ss_n};
        mosi_was <= {mosi_was[0], mosi};
    end
    wire in = mosi_was[1];
    wire away = ss_was[1];                 // no message
    wire falls = sck_was[2] && !sck_was[1] && !ss_was[2] && !away;
    wire selects = ss_was[2] && !away;
    wire deselects = !ss_was[2] && away;

    // Current message: number of complete bits, up to 512, and the word being received.
    reg  [9:0]  bits = 10'd0;
    wire        more = falls && bits != 10'd512;
    wire        ends = more && bits[3:0] == 4'd15;
    wire [4:0]  index = bits[8:4];
    reg  [15:0] part;
    wire [15:0] whole = {part[14:0], in};
    reg  [15:0] sum, sum_word, crc, reply;
    reg         valid = 1'b0;

    function [15:0] step(input [15:0] from, input bit_in);
        step = {from[14:0], 1'b0} ^ (from[15] ^ bit_in ? 16'h1021 : 16'h0000);
    endfunction
    function summed(input [4:0] at);
        summed = at <= 5'd27 || at == 5'd29;
    endfunction

    wire right = whole == crc && sum == sum_word;
    reg       ended = 1'b0; // the clock after the end of word `last`
    reg [4:0] last;
    reg       is_good = 1'b0, is_bad = 1'b0, is_command = 1'b0;
    always @(posedge clk) begin
        ended      <= ends;
        last       <= index;
        is_good    <= ends && index == 5'd30 && right;
        is_bad     <= (ends && index == 5'd30 && !right) || (deselects && bits < 31 * 16);
        is_command <= ends && index == 5'd31 && valid;
        if (more) begin
            bits <= bits + 1'b1;
            part <= whole;
            if (index <= 5'd29) crc <= step(crc, in);
        end
        if (ends) begin
            if (summed(index)) sum <= sum + whole;
            if (index == 5'd28) sum_word <= whole;
            if (index == 5'd30) {valid, reply} <= {right, answer};
        end
        if (away) begin
            bits  <= 10'd0;
            sum   <= 16'd0;
            crc   <= 16'hffff;
            valid <= 1'b0;
        end
    end
    initial {sum, crc} = {16'd0, 16'hffff};

    reg begins_now = 1'b0;
    always @(posedge clk) begins_now <= selects;
    always @* begin
        assert (begins == begins_now);
        assert (good == is_good);
        assert (bad == is_bad);
        assert (!(good && bad));
        assert (command == is_command);
        if (command) assert (word == part);
        // `pixel_write` reports all words of the ring and no others, each with its position.
        assert (pixel_write == (ended && last >= 5'd5 && last <= 5'd27));
        if (pixel_write) assert (word == part && pixel_at == last + 1'b1);
        // The answer is in the last word only.
        assert (replace == (bits >= 31 * 16 && bits < 32 * 16));
        if (replace) assert (miso == reply[~bits[3:0]]);
    end

    // Relation between the core's registers and the model.
    (* probe = "dut.bits" *)            wire [3:0]  d_bits;
    (* probe = "dut.words" *)           wire [5:0]  d_words;
    (* probe = "dut.crc" *)             wire [15:0] d_crc;
    (* probe = "dut.sum" *)             wire [15:0] d_sum;
    (* probe = "dut.ended" *)           wire        d_ended;
    (* probe = "dut.reply" *)           wire [15:0] d_reply;
    (* probe = "dut.whole" *)           wire        d_whole;
    (* probe = "dut.pixels" *)          wire        d_pixels;
    (* probe = "dut.of_pixels" *)       wire        d_of_pixels;
    (* probe = "dut.sck_before" *)      wire        d_sck_before;
    (* probe = "dut.selected" *)        wire        d_selected;
    (* probe = "dut.sync_sck.first" *)  wire        d_sck_first;
    (* probe = "dut.sync_sck.synced" *) wire        d_sck;
    (* probe = "dut.sync_mosi.first" *) wire        d_mosi_first;
    (* probe = "dut.sync_mosi.synced" *) wire       d_mosi;
    (* probe = "dut.sync_ss.first" *)   wire        d_ss_first;
    (* probe = "dut.sync_ss.synced" *)  wire        d_ss;

    // The core stores the bits of the sum inverted. This mask marks the inverted bits in its current word.
    reg [15:0] inverted = 16'd0;
    always @(posedge clk) if (more) inverted <= {inverted[14:0], index == 5'd28};
    wire [15:0] in_hand = ~(16'hffff << bits[3:0]);
    // CRC that includes the first `count` bits of the CRC word.
    function [15:0] over_itself(input [15:0] from, input [15:0] received, input [3:0] count);
        integer i;
        begin
            over_itself = from ^ (received << (5'd16 - count));
            for (i = 0; i < 15; i = i + 1) if (i < count) over_itself = step(over_itself, 1'b0);
        end
    endfunction
    wire [15:0] d_total = d_sum + (d_ended && d_words < 6'd31 ? word : 16'd0);
    always @* begin
        assert ({d_sck_before, d_sck, d_sck_first} == sck_was);
        assert ({!d_selected, d_ss, d_ss_first} == ss_was);
        assert ({d_mosi, d_mosi_first} == mosi_was);
        assert (bits <= 10'd512 && {d_words, d_bits} == bits);
        assert (((word ^ part ^ inverted) & in_hand) == 16'd0);
        assert ((inverted & in_hand) == (index == 5'd28 ? in_hand : 16'd0));
        if (ended) assert (word == (part ^ inverted) && inverted == {16{last == 5'd28}});
        if (ended && !ss_was[2]) assert (bits == {last + 6'd1, 4'd0});
        assert (d_ended == ended);
        if (bits < 29 * 16) assert (d_total == sum);
        else if (bits <= 31 * 16 - 1) assert (d_total == sum + ~sum_word);
        if (bits < 30 * 16) assert (d_crc == crc);
        else if (bits < 31 * 16) assert (d_crc == over_itself(crc, part, bits[3:0]));
        if (bits >= 31 * 16 && bits < 32 * 16) assert (d_whole == valid && d_reply == reply << bits[3:0]);
        else assert (!d_whole && (bits == 10'd512 || !valid));
        assert (d_pixels == (bits >= 5 * 16 && bits < 28 * 16));
        if (ended) assert (d_of_pixels == (last >= 5'd5 && last <= 5'd27));
    end

    // Traces to cover, from states that satisfy the invariants: good and bad messages, words of the ring, and a
    // message after a torn one.
    reg saw_torn = 1'b0, saw_good = 1'b0;
    always @(posedge clk) begin
        if (begins && bad) saw_torn <= 1'b1;
        if (good) saw_good <= 1'b1;
    end
    always @* begin
        cover (good && part == 16'h1234);
        cover (bad && bits == 31 * 16);
        cover (command && part == 16'h8155);
        cover (pixel_write && part == 16'h4321);
        cover (replace && miso && saw_good);
        cover (bad && bits == 10'd0);
        cover (ended && bits == 10'd16 && saw_torn);
    end
endmodule
