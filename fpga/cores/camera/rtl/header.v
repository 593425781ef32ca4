// Header of the camera's stream, byte by byte: `at` counts from 0 to 7 while `enable` is high
// (docs/protocols/camera.md).
`default_nettype none
`include "shim.vh"
module header (
    input  wire        clk,
    input  wire        enable,
    input  wire [2:0]  at,
    input  wire [5:0]  kind,
    input  wire [11:0] frame,
    input  wire [11:0] value,
    output wire [7:0]  out
);
    reg [5:0] digit;
    reg [5:0] crc = `CAMERA_CRC_START;

    // Six bits at once: the digit is added, and bits shifted beyond x^5 are reduced by x^6 = x + 1.
    wire [5:0] sum = crc ^ digit;
    wire [5:0] next = {sum[4:0], 1'b0} ^ sum ^ (sum[5] ? `CAMERA_CRC_POLYNOMIAL : 6'd0);

    // The mark is FF 00; the following digits are prefixed with the two bits of CAMERA_DIGIT, 01.
    always @* case (at)
        3'd0: digit = 6'h3f;
        3'd1: digit = 6'h00;
        3'd2: digit = kind;
        3'd3: digit = frame[11:6];
        3'd4: digit = frame[5:0];
        3'd5: digit = value[11:6];
        3'd6: digit = value[5:0];
        default: digit = crc;
    endcase
    assign out = {at == 3'd0, at != 3'd1, digit};

    always @(posedge clk)
        if (at < 3'd2) crc <= `CAMERA_CRC_START;
        else if (enable) crc <= next;
endmodule
