// All kinds of pads. The same bench tests the model and the iCE40's own pads, so that both have their registers at
// the same places; the PLL has no simulation.
`default_nettype none
module pads_bench (
    input  wire clk,
    input  wire value,
    input  wire enable,
    output wire registered,
    output wire shared,
    input  wire pin,
    output wire rising,
    output wire falling,
    input  wire outside,
    input  wire hold,
    output wire both,
    output wire both_in,
    output wire copy,
    output wire copy_local,
    output wire gated
);
    pad_output output_pad (.clk(clk), .value(value), .pin(registered));
    pad_shared shared_pad (.enable(enable), .value(value), .pin(shared));
    pad_input input_pad (.clk(clk), .pin(pin), .value(rising));
    pad_input_falling falling_pad (.clk(clk), .pin(pin), .value(falling));
    wire line;
    assign line = hold ? outside : 1'bz;
    assign both = line;
    pad_both both_pad (.enable(enable), .out(value), .in(both_in), .pin(line));
    clock_input global_clock (.pin(clk), .clk(copy));
    clock_input #(.GLOBAL(0)) local_clock (.pin(clk), .clk(copy_local));
    pad_clock clock_pad (.clk(clk), .enable(enable), .pin(gated));
endmodule
