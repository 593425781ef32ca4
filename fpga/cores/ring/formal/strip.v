// Signal on the strip of Neopixels: each bit is high for exactly ZERO or ONE clocks and starts CLOCKS after the
// previous one. There are BITS bits with the values from memory (or red). Then the line is low for at least LATCH bit
// times.
`default_nettype none
module strip (
    input wire        clk,
    input wire        start,
    input wire        alarm,
    input wire [15:0] word
);
    localparam [9:0] CLOCKS = 6, ZERO = 2, ONE = 4, FIRST = 80, BITS = 26, LATCH = 3;
    localparam [9:0] PAUSE = (1 + LATCH) * CLOCKS; // from the rising edge of the last bit
    wire       idle, line;
    wire [4:0] address;
    ws2812 #(.CLOCKS(CLOCKS), .ZERO(ZERO), .ONE(ONE), .FIRST(FIRST), .BITS(BITS), .LATCH(LATCH)) dut (
        .clk(clk), .start(start), .alarm(alarm), .idle(idle), .address(address), .word(word), .line(line)
    );
    (* probe = "dut.bits" *)     wire [9:0] bits;
    (* probe = "dut.clocks" *)   wire [5:0] clocks;
    (* probe = "dut.of_pixel" *) wire [4:0] of_pixel;
    (* probe = "dut.shows" *)    wire       shows;
    (* probe = "dut.red" *)      wire       red;

    // Constant memory. One arbitrary bit has a known value, so the proof holds for all bits.
    (* anyconst *) wire [9:0] known_bit;
    (* anyconst *) wire       known_value;
    reg [4:0]  address_before, address_two_before;
    reg [15:0] word_before;
    always @(posedge clk) begin
        {address_two_before, address_before} <= {address_before, address};
        word_before <= word;
    end
    always @* begin
        if (address_before == known_bit[8:4]) assume (word[~known_bit[3:0]] == known_value);
        if (address_before == address_two_before) assume (word == word_before);
    end

    // State of the strip: bits since the pause, clocks since the last rising edge, and clocks with the line high.
    reg        before = 1'b0;
    reg [9:0]  seen = 10'd0;
    reg [9:0]  since = 10'd0;
    reg [5:0]  high = 6'd0;
    reg        is_red = 1'b0;
    reg [4:0]  colour = 5'd0; // position of the current bit in its pixel
    wire       rises = line && !before;
    wire       falls = !line && before;
    wire       within = seen != 10'd0 && seen != BITS;
    always @(posedge clk) begin
        before <= line;
        since  <= rises ? 10'd1 : since + (since != 10'h3ff);
        if (line) high <= rises ? 6'd1 : high + 1'b1;
        if (rises) begin
            seen   <= seen == BITS ? 10'd1 : seen + 1'b1;
            colour <= seen == BITS || seen == 10'd0 || colour == 5'd23 ? 5'd0 : colour + 1'b1;
        end
        if (idle && start) is_red <= alarm;
    end
    always @* begin
        assert (seen <= BITS);
        if (within) assert (since <= CLOCKS);
        if (rises && within) assert (since == CLOCKS);
        if (rises && seen == BITS) assert (since >= PAUSE);
        if (falls) assert (high == ZERO || high == ONE);
        if (falls && is_red) assert (high == (colour == 5'd9 ? ONE : ZERO));
        if (falls && !is_red && FIRST + seen - 1'b1 == known_bit) assert (high == (known_value ? ONE : ZERO));
    end

    // Relation to the core's registers: the line rises a clock after the start of a bit.
    wire [9:0] number = bits - FIRST;
    wire [5:0] length = (red ? of_pixel == 5'd9 : word[~bits[3:0]]) ? ONE : ZERO;
    wire [4:0] next_colour = colour == 5'd23 ? 5'd0 : colour + 1'b1;
    always @* begin
        if (clocks != 6'd0) assert (address_before == address);
        if (idle) begin
            assert (clocks == 6'd0 && !line && !before);
            assert (seen == 10'd0 || (seen == BITS && since >= PAUSE - 1));
        end else begin
            assert (clocks < CLOCKS && red == is_red && bits >= FIRST && number < BITS + LATCH);
            assert (shows == (number < BITS) && of_pixel < 5'd24);
            if (!shows) begin
                assert (!line && !before && seen == BITS);
                assert (since == (number - (BITS - 1)) * CLOCKS + clocks - 1'b1);
            end else if (clocks >= 6'd2) begin
                assert (line == (clocks <= length) && before == (clocks <= length + 1'b1));
                assert (high == (clocks <= length ? clocks - 1'b1 : length));
                assert (seen == number + 1'b1 && since == clocks - 1'b1 && colour == of_pixel);
            end else begin
                assert (line == clocks[0] && !before);
                if (number == 10'd0) assert (of_pixel == 5'd0 && (seen == 10'd0 || (seen == BITS && since >= PAUSE)));
                else assert (seen == number && since == CLOCKS + clocks - 1'b1 && of_pixel == next_colour);
            end
        end
    end

    // Traces to cover: both lengths of a bit, the alarm, and two consecutive frames.
    reg saw_again = 1'b0;
    always @(posedge clk) if (rises && seen == BITS) saw_again <= 1'b1;
    always @* begin
        cover (falls && high == ONE && !is_red);
        cover (falls && high == ZERO && !is_red);
        cover (falls && high == ONE && is_red);
        cover (saw_again);
    end
endmodule
