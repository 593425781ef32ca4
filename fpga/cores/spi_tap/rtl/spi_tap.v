// Listens to the SPI messages between the board and the dsPIC (docs/protocols/spi.md), and replaces the last word
// towards the board by its own.
//
// The lines are sampled with `clk`, 48 MHz for 5 MHz SPI: mode 1, a bit is valid at the falling edge. The answer's
// bit changes after the previous falling edge, half a clock before it is needed. Words are counted from the falling
// select, so a torn message does not affect the next one.
`default_nettype none
`include "shim.vh"
module spi_tap (
    input  wire        clk,
    // The lines on the pins.
    input  wire        sck,
    input  wire        mosi,
    input  wire        ss_n,
    // Words of the ring as they pass, valid or not.
    output wire        pixel_write,
    output wire [4:0]  pixel_at,   // position in the message, plus 1
    output reg  [15:0] word,
    // Properties of the message, as pulses when they are known.
    output reg         begins,
    output reg         good,        // sum and CRC are right
    output reg         bad,         // sum or CRC is wrong, or the message was torn
    output reg         command,     // `word` is the last word of a valid message
    // Word sent in place of the last word, and its output.
    input  wire [15:0] answer,
    output reg         replace,
    output wire        miso
);
    wire sck_s, mosi_s, ss_s;
    level_sync sync_sck (.clk(clk), .level(sck), .synced(sck_s));
    level_sync sync_mosi (.clk(clk), .level(mosi), .synced(mosi_s));
    level_sync #(.START(1'b1)) sync_ss (.clk(clk), .level(ss_n), .synced(ss_s));

    reg        sck_before = 1'b0;
    reg        selected = 1'b0;
    reg [3:0]  bits = 0;       // bits of the current word
    reg [5:0]  words = 0;      // complete words, up to 32
    reg [15:0] crc = `SPI_CRC_START;
    reg [15:0] sum = 0;        // all ones after the last summed word, if the message's own sum is right
    reg        ended = 1'b0;   // `word` is complete
    reg [15:0] reply = 0;
    reg        whole = 1'b0;   // the check succeeded
    reg        pixels = 1'b0;  // the current word is one of the ring's
    reg        of_pixels = 1'b0;
    initial {word, begins, good, bad, command, replace} = 21'd0;

    localparam [5:0] DUMMY = `SPI_DUMMY;
    localparam [5:0] BEFORE_PIXELS = `SPI_PIXELS - 6'd1;
    localparam [5:0] LAST_PIXELS = `SPI_PIXELS + `SPI_PIXEL_WORDS - 6'd1;
    wire        falls = sck_before && !sck_s && selected && !words[5];
    // The message's own sum is inverted bit by bit, so that it is subtracted while other words are added.
    wire        bit_in = mosi_s ^ (words == `SPI_SUM);
    wire        right = crc_next == 16'd0 && sum == 16'hffff;
    wire [15:0] crc_next = {crc[14:0], 1'b0} ^ (crc[15] != mosi_s ? `SPI_CRC_POLYNOMIAL : 16'd0);
    wire        ends = falls && bits == 4'd15;
    wire        past_sum = words[5] || &words[4:0]; // the CRC word has ended
    assign miso = reply[15];
    assign pixel_write = ended && of_pixels;
    assign pixel_at = words[4:0];

    always @(posedge clk) begin
        sck_before  <= sck_s;
        selected    <= !ss_s;
        begins      <= !ss_s && !selected;
        ended       <= ends;
        good        <= ends && words == `SPI_CRC && right;
        bad         <= ends && words == `SPI_CRC && !right;
        command     <= ends && words == DUMMY && whole;

        if (falls) begin
            word  <= {word[14:0], bit_in};
            bits  <= bits + 1'b1;
            reply <= {reply[14:0], 1'b0};
            // A CRC that includes its own word is 0.
            crc   <= crc_next;
        end
        if (ended && !past_sum) sum <= sum + word;
        if (ends) begin
            words    <= words + 1'b1;
            of_pixels <= pixels;
            if (words == BEFORE_PIXELS) pixels <= 1'b1;
            if (words == LAST_PIXELS) pixels <= 1'b0;
            replace  <= words == `SPI_CRC;
            whole    <= words == `SPI_CRC && right;
            if (words == `SPI_CRC) reply <= answer;
        end
        if (ss_s && selected && !past_sum) bad <= 1'b1;
        if (ss_s) begin
            // An edge that coincides with the end of the select is ignored.
            ended   <= 1'b0;
            good    <= 1'b0;
            command <= 1'b0;
            bits    <= 4'd0;
            words   <= 6'd0;
            crc     <= `SPI_CRC_START;
            sum     <= 16'd0;
            whole   <= 1'b0;
            pixels  <= 1'b0;
            replace <= 1'b0;
        end
    end
endmodule
