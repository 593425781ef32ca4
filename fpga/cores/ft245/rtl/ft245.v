// Master of the FT2232H's synchronous 245 FIFO, towards the host only.
//
// Between this module and the pins are the pads' own registers: what is set here is on a pin one clock later, and what
// stood on TXE# in a clock is known in the next but one after it was offered. Writing on without that knowledge is where
// such masters lose and double bytes. So this one offers a byte, WR# low for one clock, and knows one clock later from
// TXE# whether the chip took it: then comes the next byte, otherwise the same again. A byte in two clocks are 30 MB/s of
// 60 MHz; the camera gives 21.7 at most.
//
//   clock      0        1        2        3
//   here       offer A  -        offer B  -           (B, or A again)
//   pins       -        A, WR#   -        B, WR#
//   TXE# seen  -        -        of 1     -
`default_nettype none
module ft245 (
    input  wire       clk,
    // The bytes.
    input  wire       valid,
    input  wire [7:0] data,
    output wire       pop,
    // TXE# as it was on the pin in the clock before.
    input  wire       full,
    // What goes into the pads' registers; WR# is low when `write` is high.
    output wire       write,
    output wire [7:0] byte_out,
    // Toggles with each byte that the chip took.
    output reg        took
);
    reg       turn = 1'b0;    // every second clock a byte is offered
    reg       offered = 1'b0; // `held` is with the chip, or is to be offered again
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
