// Reserves FF and 00 for headers: pixel bytes are 1 to 254, so only the last bit of 0 and 255 changes.
`default_nettype none
module clamp (
    input  wire [7:0] raw,
    output wire [7:0] pixel
);
    assign pixel[7:1] = raw[7:1];
    assign pixel[0] = raw[7:1] == 7'h00 || (raw[7:1] != 7'h7f && raw[0]);
endmodule
