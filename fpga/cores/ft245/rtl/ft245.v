// Master of the FT2232H's synchronous 245 FIFO, for transfers to the host only.
//
// The registers of the pads delay the signals: an output reaches its pin one clock later, and TXE# reaches this
// module in the second clock after the offer. Masters that continue to write without waiting for TXE# lose and double
// bytes. This module offers a byte with WR# low for one clock, and learns one clock later from TXE# whether the chip
// took it; then it offers the next byte, or the same byte again. One byte per two clocks is 30 MB/s at 60 MHz; the
// camera needs 21.7 MB/s at most.
//
//   clock      0        1        2        3
//   here       offer A  -        offer B  -           (B, or A again)
//   pins       -        A, WR#   -        B, WR#
//   TXE# seen  -        -        of 1     -
`default_nettype none
module ft245 (
    input  wire       clk,
    // Bytes to send.
    input  wire       valid,
    input  wire [7:0] data,
    output wire       pop,
    // TXE# on the pin in the previous clock.
    input  wire       full,
    // Inputs of the pads' registers; WR# is low when `write` is high.
    output wire       write,
    output wire [7:0] byte_out,
    // Toggles with each byte that the chip took.
    output reg        took
);
    reg       turn = 1'b0;    // allows an offer in every second clock
    reg       offered = 1'b0; // `held` is being offered, or must be offered again
    reg [7:0] held = 8'h00;
    initial took = 1'b0;

    wire retires = turn && offered && !full;
    wire again = turn && offered && full;
    assign pop = turn && !again && valid;
    assign write = again || pop;
    assign byte_out = pop ? data : held;

    always @(posedge clk) begin
        turn <= !turn;
        if (turn) offered <= write;
        held <= byte_out;
        if (retires) took <= !took;
    end
endmodule
