// The pads and the clock of an iCE40, as far as the cores must not know them. `pads_model.v` beside it is the same for
// simulation: both have their registers at the same places.
`default_nettype none

// An output whose register is in the pad. Until the first edge of its clock it is not driven, and pulled up.
module pad_output (
    input  wire clk,
    input  wire value,
    output wire pin
);
    SB_IO #(.PIN_TYPE(6'b1101_01), .PULLUP(1'b1)) io (
        .PACKAGE_PIN(pin), .OUTPUT_CLK(clk), .CLOCK_ENABLE(1'b1), .OUTPUT_ENABLE(1'b1), .D_OUT_0(value)
    );
endmodule

// An output without a register that others may drive too.
module pad_shared (
    input  wire enable,
    input  wire value,
    output wire pin
);
    SB_IO #(.PIN_TYPE(6'b1010_01)) io (.PACKAGE_PIN(pin), .OUTPUT_ENABLE(enable), .D_OUT_0(value));
endmodule

// An input whose register is in the pad, taken at the rising edge.
module pad_input (
    input  wire clk,
    input  wire pin,
    output wire value
);
    SB_IO #(.PIN_TYPE(6'b0000_00)) io (.PACKAGE_PIN(pin), .INPUT_CLK(clk), .CLOCK_ENABLE(1'b1), .D_IN_0(value));
endmodule

// An input that the pad takes at the falling edge and the next rising edge hands on: the FT2232H's lines change up to
// 7.15 ns behind the rising edge and down to 1 ns behind it, earlier than the clock arrives inside.
module pad_input_falling (
    input  wire clk,
    input  wire pin,
    output reg  value
);
    wire taken;
    SB_IO #(.PIN_TYPE(6'b0000_00)) io (.PACKAGE_PIN(pin), .INPUT_CLK(clk), .CLOCK_ENABLE(1'b1), .D_IN_1(taken));
    initial value = 1'b1;
    always @(posedge clk) value <= taken;
endmodule

// A pin that is driven or read.
module pad_both (
    input  wire enable,
    input  wire out,
    output wire in,
    inout  wire pin
);
    SB_IO #(.PIN_TYPE(6'b1010_01), .PULLUP(1'b1)) io (
        .PACKAGE_PIN(pin), .OUTPUT_ENABLE(enable), .D_OUT_0(out), .D_IN_0(in)
    );
endmodule

// A clock that comes from outside, onto one of the global lines: by a pin that leads there, or where a board has its clock
// at another pin, by a piece of wire.
module clock_input #(
    parameter GLOBAL = 1
) (
    input  wire pin,
    output wire clk
);
    generate
        if (GLOBAL) SB_GB_IO io (.PACKAGE_PIN(pin), .GLOBAL_BUFFER_OUTPUT(clk));
        else SB_GB buffer (.USER_SIGNAL_TO_GLOBAL_BUFFER(pin), .GLOBAL_BUFFER_OUTPUT(clk));
    endgenerate
endmodule

// 48 MHz of the oscillator's 12 MHz (12 * 64 / 16). The PLL cannot make 12 MHz: the camera gets the oscillator's own.
module clock_system (
    input  wire pin,
    output wire clk,
    output wire oscillator
);
    SB_GB_IO io (.PACKAGE_PIN(pin), .GLOBAL_BUFFER_OUTPUT(oscillator));
    SB_PLL40_CORE #(
        .FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd63), .DIVQ(3'd4), .FILTER_RANGE(3'd1)
    ) pll (
        .REFERENCECLK(oscillator), .PLLOUTGLOBAL(clk), .BYPASS(1'b0), .RESETB(1'b1)
    );
endmodule

// A clock on its way out: high in its first half, low in the second, made by the pad's two registers.
module pad_clock (
    input  wire clk,
    input  wire enable,
    output wire pin
);
    SB_IO #(.PIN_TYPE(6'b0100_01)) io (
        .PACKAGE_PIN(pin), .OUTPUT_CLK(clk), .CLOCK_ENABLE(1'b1), .D_OUT_0(enable), .D_OUT_1(1'b0)
    );
endmodule
