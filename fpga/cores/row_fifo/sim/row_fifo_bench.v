// Row FIFO in the size of the board, or in a small size that fills and wraps often, selected by `big`.
`default_nettype none
module row_fifo_bench (
    input  wire       big,
    input  wire       w_clk,
    input  wire       w_write,
    input  wire [7:0] w_data,
    input  wire       w_commit,
    input  wire       w_rollback,
    output wire [8:0] w_free,
    input  wire       r_clk,
    input  wire       r_pop,
    output wire       r_valid,
    output wire [7:0] r_data
);
    wire [8:0] big_free;
    wire [3:0] small_free;
    wire       big_valid, small_valid;
    wire [7:0] big_data, small_data;
    row_fifo big_one (
        .w_clk(w_clk), .w_write(big && w_write), .w_data(w_data), .w_commit(big && w_commit),
        .w_rollback(big && w_rollback), .w_free(big_free), .r_clk(r_clk), .r_valid(big_valid), .r_data(big_data),
        .r_pop(big && r_pop)
    );
    row_fifo #(.ADDRESS(8)) small_one (
        .w_clk(w_clk), .w_write(!big && w_write), .w_data(w_data), .w_commit(!big && w_commit),
        .w_rollback(!big && w_rollback), .w_free(small_free), .r_clk(r_clk), .r_valid(small_valid),
        .r_data(small_data), .r_pop(!big && r_pop)
    );
    assign w_free = big ? big_free : {5'd0, small_free};
    assign r_valid = big ? big_valid : small_valid;
    assign r_data = big ? big_data : small_data;
endmodule
