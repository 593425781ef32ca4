// Driver of the WS2812B ring. A bit takes 1.25 us and starts high: 0.417 us for 0, 0.833 us for 1 (data sheet: 0.4
// and 0.8 us, each +-0.15 us). After the last bit the line stays low for 300 us; then the pixels show the new
// colours.
//
// `alarm` shows the whole ring in red instead of the words.
`default_nettype none
module ws2812 #(
    parameter CLOCKS = 60,         // length of a bit
    parameter ZERO = 20,           // high time of a 0
    parameter ONE = 40,            // high time of a 1
    parameter [9:0] FIRST = 80,    // first bit of the ring in memory
    parameter BITS = 360,          // number of bits of the ring
    parameter LATCH = 240,         // length of the final low time (bits)
    parameter [4:0] RED = 9        // bit of a pixel that the alarm sets: green has 0 to 7, red 8 to 15
) (
    input  wire        clk,
    input  wire        start,      // request to start; sampled only when idle
    input  wire        alarm,
    output wire        idle,
    // Words of the ring from memory, one clock after their address; the most significant bit is sent first.
    output wire [4:0]  address,
    input  wire [15:0] word,
    output reg         line
);
    localparam [9:0] LAST = FIRST + BITS - 1;
    localparam [9:0] ALL = FIRST + BITS + LATCH - 1;
    localparam [5:0] FULL = CLOCKS - 1;
    localparam [5:0] SHORT = ZERO;
    localparam [5:0] LONG = ONE;
    reg       running = 1'b0, shows = 1'b0, red = 1'b0;
    reg [5:0] clocks = 0;
    reg [9:0] bits = FIRST;   // position in memory, and counter of the final low time
    reg [4:0] of_pixel = 0;   // bit of the current pixel
    initial line = 1'b0;

    assign idle = !running;
    assign address = bits[8:4];
    wire value = red ? of_pixel == RED : word[~bits[3:0]];
    wire last = clocks == FULL;

    always @(posedge clk) begin
        if (!running) begin
            bits     <= FIRST;
            of_pixel <= 0;
            red      <= alarm;
            running  <= start;
            shows    <= 1'b1;
        end else if (last) begin
            bits     <= bits + 1'b1;
            of_pixel <= of_pixel == 5'd23 ? 5'd0 : of_pixel + 1'b1;
            running  <= bits != ALL;
            if (bits == LAST) shows <= 1'b0;
        end
        clocks <= !running || last ? 6'd0 : clocks + 1'b1;
        // High from the second clock of a bit, when its word has arrived from memory.
        if (clocks == 6'd0) line <= running && shows;
        else if (clocks == (value ? LONG : SHORT)) line <= 1'b0;
    end
endmodule
