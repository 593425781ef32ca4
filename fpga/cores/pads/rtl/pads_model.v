// Simulation model of `pads_ice40.v`. The oscillator's pin takes the 48 MHz of the PLL.
`default_nettype none
/* verilator lint_off DECLFILENAME */ // one file replaces pads_ice40.v, which is not linted
module pad_output (
    input  wire clk,
    input  wire value,
    output reg  pin
);
    initial pin = 1'b1;
    always @(posedge clk) pin <= value;
endmodule

module pad_shared (
    input  wire enable,
    input  wire value,
    output wire pin
);
    assign pin = enable ? value : 1'b1;
endmodule

module pad_input (
    input  wire clk,
    input  wire pin,
    output reg  value
);
    initial value = 1'b0;
    always @(posedge clk) value <= pin;
endmodule

module pad_input_falling (
    input  wire clk,
    input  wire pin,
    output reg  value
);
    reg taken = 1'b1;
    initial value = 1'b1;
    always @(negedge clk) taken <= pin;
    always @(posedge clk) value <= taken;
endmodule

module pad_both (
    input  wire enable,
    input  wire out,
    output wire in,
    inout  wire pin
);
    assign pin = enable ? out : 1'bz;
    assign in = pin;
endmodule

module clock_input #(
    parameter GLOBAL = 1
) (
    input  wire pin,
    output wire clk
);
    wire _unused = GLOBAL == 0;
    assign clk = pin;
endmodule

module clock_system (
    input  wire pin,
    output wire clk,
    output wire oscillator
);
    reg [1:0] quarter = 2'd0;
    always @(posedge pin) quarter <= quarter + 1'b1;
    assign clk = pin;
    assign oscillator = quarter[1];
endmodule

module pad_clock (
    input  wire clk,
    input  wire enable,
    output wire pin
);
    reg on = 1'b0;
    always @(posedge clk) on <= enable;
    assign pin = on && clk;
endmodule
