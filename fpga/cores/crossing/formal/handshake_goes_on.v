// Whatever state a glitch leaves in the handshake, while both clocks run a number that stands still arrives.
//
// The registers of the handshake start with any value here, and both clocks are one: how they stand to each other is the
// other proof's subject.
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
