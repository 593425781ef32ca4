// Repeatedly transfers a number to another clock domain: the newest value at the start of each handshake.
//
// A value is constant from the request until its acknowledgement, so no bit changes while the other side reads. Both
// sides compare only one bit, so the handshake continues from any state that a clock glitch may leave. If one clock
// stops, the other side keeps the last value.
`default_nettype none
module bus_sync #(
    parameter WIDTH = 8,
    parameter [WIDTH-1:0] START = 0
) (
    input  wire             a_clk,
    input  wire [WIDTH-1:0] a_value,
    input  wire             b_clk,
    output reg  [WIDTH-1:0] b_value
);
    reg [WIDTH-1:0] held = START;
    reg request = 1'b0, acknowledged = 1'b0;
    wire request_b, acknowledged_a;
    initial b_value = START;

    level_sync to_a (.clk(a_clk), .level(acknowledged), .synced(acknowledged_a));
    level_sync to_b (.clk(b_clk), .level(request), .synced(request_b));

    always @(posedge a_clk)
        if (request == acknowledged_a) begin
            held    <= a_value;
            request <= !request;
        end

    always @(posedge b_clk)
        if (request_b != acknowledged) begin
            b_value      <= held;
            acknowledged <= request_b;
        end
endmodule
