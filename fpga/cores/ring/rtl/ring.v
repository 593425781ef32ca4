// Ring of Neopixels: receives the words of the passing messages, and drives the line of the strip.
//
// There are two banks of words. A message is written to the hidden bank, and shown when the strip is idle, if it is
// valid. If the next message arrives before that, the earlier one is skipped. Without messages (`alarm`) the ring is
// red.
`default_nettype none
`include "shim.vh"
module ring (
    input  wire        clk,
    input  wire        tick,       // every 1.365 ms
    // From the SPI tap.
    input  wire        begins,
    input  wire        write,
    input  wire [4:0]  write_at,   // position in the message, plus 1
    input  wire [15:0] word,
    input  wire        good,
    input  wire        alarm,
    output wire        line
);
    reg [15:0] memory [0:63];
    reg [15:0] shown;
    reg        bank = 1'b0;      // visible bank
    reg        pending = 1'b0;
    wire       idle;
    wire [4:0] address;
    wire       takes = (pending || good) && idle;
    // The alarm is sent repeatedly, since the strip may have lost its power in between.
    wire       tells = alarm && tick;

    ws2812 #(.FIRST({`SPI_PIXELS + 6'd1, 4'd0})) ws2812 (
        .clk(clk), .start(takes || tells), .alarm(alarm && !takes), .idle(idle), .address(address), .word(shown), .line(line)
    );

    always @(posedge clk) begin
        if (write) memory[{!bank, write_at}] <= word;
        shown   <= memory[{bank, address}];
        pending <= (pending || good) && !idle && !begins;
        if (takes) bank <= !bank;
    end
endmodule
