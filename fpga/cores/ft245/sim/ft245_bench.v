// The master with the registers of its pads, so that the signals are those of the pins.
`default_nettype none
module ft245_bench (
    input  wire       clk,
    input  wire       valid,
    input  wire [7:0] data,
    output wire       pop,
    output wire       took,
    input  wire       txe_n,
    output wire       wr_n,
    output wire [7:0] d
);
    wire       full, write;
    wire [7:0] byte_out;
    ft245 ft245 (
        .clk(clk), .valid(valid), .data(data), .pop(pop), .full(full), .write(write), .byte_out(byte_out), .took(took)
    );
    pad_input_falling txe_pad (.clk(clk), .pin(txe_n), .value(full));
    pad_output wr_pad (.clk(clk), .value(!write), .pin(wr_n));
    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : bytes
            pad_output pad (.clk(clk), .value(byte_out[i]), .pin(d[i]));
        end
    endgenerate
endmodule
