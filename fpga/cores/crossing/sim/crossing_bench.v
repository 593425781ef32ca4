// All three clock domain crossings side by side.
`default_nettype none
module crossing_bench (
    input  wire       a_clk,
    input  wire       b_clk,
    input  wire       level,
    output wire       synced,
    input  wire       toggle,
    output wire       pulse,
    input  wire [7:0] a_value,
    output wire [7:0] b_value
);
    level_sync level_sync (.clk(b_clk), .level(level), .synced(synced));
    event_sync event_sync (.clk(b_clk), .toggle(toggle), .pulse(pulse));
    bus_sync #(.WIDTH(8)) bus_sync (.a_clk(a_clk), .a_value(a_value), .b_clk(b_clk), .b_value(b_value));
endmodule
