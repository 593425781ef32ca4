// Monitoring of a clock from another domain: divider and activity detector, with ticks of 64 clocks.
`default_nettype none
module monitor_bench (
    input  wire clk,
    input  wire watched,
    input  wire expected,
    output wire tick,
    output wire toggle,
    output wire silent
);
    timebase #(.WIDTH(6)) timebase (.clk(clk), .tick(tick));
    divider divider (.clk(watched), .toggle(toggle));
    activity activity (.clk(clk), .tick(tick), .expected(expected), .toggle(toggle), .silent(silent));
endmodule
