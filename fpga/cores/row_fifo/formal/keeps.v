// A value written to an address is read back from this address, independent of writes to other addresses in between.
`default_nettype none
module keeps (
    input wire       clk,
    input wire       w_enable,
    input wire [6:0] w_address,
    input wire [7:0] w_data,
    input wire       r_enable,
    input wire [6:0] r_address
);
    wire [7:0] r_data;
    banks #(.ADDRESS(7)) dut (
        .w_clk(clk), .w_enable(w_enable), .w_address(w_address), .w_data(w_data),
        .r_clk(clk), .r_enable(r_enable), .r_address(r_address), .r_data(r_data)
    );
    // The last eighth of the address range is unused, and no address is read and written at once; the FIFO guarantees
    // both.
    always @* assume (w_address < 7'd112 && r_address < 7'd112);
    always @* if (w_enable && r_enable) assume (w_address != r_address);

    (* anyconst *) wire [6:0] place;
    reg       known = 1'b0, shown = 1'b0;
    reg [7:0] kept, expected;
    reg       round = 1'b0;
    always @(posedge clk) if (w_enable && w_address == place) {known, kept} <= {1'b1, w_data};
    always @(posedge clk) if (r_enable) begin
        shown    <= known && r_address == place;
        expected <= kept;
        round    <= shown;
    end
    always @* if (shown) assert (r_data == expected);
    always @* cover (shown && place == 7'd111 && round);
endmodule
