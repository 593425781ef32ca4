// From any state of the handshake, including states caused by a glitch, a constant number arrives while both clocks
// run.
//
// The registers of the handshake start with arbitrary values, and both clocks are the same; the relation of two
// clocks is covered by the other proof.
`default_nettype none
module handshake_goes_on (
    input wire clk
);
    (* anyconst *) wire [3:0] value;
    wire [3:0] got;
    bus_sync #(.WIDTH(4)) dut (.a_clk(clk), .a_value(value), .b_clk(clk), .b_value(got));
    (* probe = "dut.request" *)      wire request;
    (* probe = "dut.acknowledged" *) wire acknowledged;
    (* probe = "dut.held" *)         wire [3:0] held;

    reg [4:0] clocks = 5'd0;
    always @(posedge clk) if (clocks != 5'd20) clocks <= clocks + 1'b1;
    always @* if (clocks == 5'd20) assert (got == value);
    always @* cover (clocks == 5'd20 && value == 4'd9);
endmodule
