// Memory of 7/8 of 2^ADDRESS bytes: three quarters and an eighth, so that the output multiplexer has four inputs
// instead of fourteen. Data is available one clock after the address.
`default_nettype none
module banks #(
    parameter ADDRESS = 13
) (
    input  wire               w_clk,
    input  wire               w_enable,
    input  wire [ADDRESS-1:0] w_address,
    input  wire [7:0]         w_data,
    input  wire               r_clk,
    input  wire               r_enable,
    input  wire [ADDRESS-1:0] r_address,
    output reg  [7:0]         r_data
);
    wire [31:0] from;
    reg  [1:0]  which = 2'd0;
    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : quarter
            localparam WIDTH = i == 3 ? ADDRESS - 3 : ADDRESS - 2;
            localparam [1:0] NUMBER = i;
            reg [7:0] memory [0:(1 << WIDTH) - 1];
            reg [7:0] out;
            always @(posedge w_clk)
                if (w_enable && w_address[ADDRESS-1:ADDRESS-2] == NUMBER) memory[w_address[WIDTH-1:0]] <= w_data;
            always @(posedge r_clk) if (r_enable) out <= memory[r_address[WIDTH-1:0]];
            assign from[8*i +: 8] = out;
        end
    endgenerate
    always @(posedge r_clk) if (r_enable) which <= r_address[ADDRESS-1:ADDRESS-2];
    always @* r_data = from[8*which +: 8];
endmodule
