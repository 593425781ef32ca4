// Transfers events to another clock domain. The sender toggles a register for each event; each change becomes a pulse
// of one clock. Two events less than two clocks of this domain apart may merge or vanish, so this must not carry
// events that may not be lost.
`default_nettype none
module event_sync (
    input  wire clk,
    input  wire toggle,
    output wire pulse
);
    reg [2:0] seen = 3'b000;
    always @(posedge clk) seen <= {seen[1:0], toggle};
    assign pulse = seen[2] != seen[1];
endmodule
