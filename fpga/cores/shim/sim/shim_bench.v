// The Xpuck's board with its pads in accelerated time: ticks of 5.3 us instead of 1.4 ms, silence after 400 ticks.
`default_nettype none
`include "../boards/xpuck/top.v"
module shim_bench (
    input  wire        osc_12mhz, // the 48 MHz of the PLL
    output wire        cam_mclk,
    input  wire        cam_pclk,
    input  wire        cam_href,
    input  wire        cam_vsync,
    input  wire [7:0]  cam_d,
    input  wire        ft_clkout,
    output wire [7:0]  ft_d,
    input  wire        ft_txe_n,
    output wire        ft_wr_n,
    input  wire        host_sck,
    input  wire        host_mosi,
    output wire        host_miso,
    input  wire        host_ss_n,
    output wire        body_sck,
    output wire        body_mosi,
    input  wire        body_miso,
    output wire        body_ss_n,
    output wire        pixels,
    // Auxiliary pins: those of `aux_hold` are driven externally, all are pulled up.
    input  wire [15:0] aux_hold,
    input  wire [15:0] aux_drive,
    output wire [15:0] aux_pins
);
    defparam board.shim.TICK_WIDTH = 8;
    defparam board.shim.watchdog.LIMIT = 400;
    wire [15:0] aux;
    assign aux_pins = aux;
    genvar i;
    generate
        for (i = 0; i < 16; i = i + 1) begin : outside
            assign aux[i] = aux_hold[i] ? aux_drive[i] : 1'bz;
            pullup (aux[i]);
        end
    endgenerate
    wire ft_rd_n, ft_oe_n, ft_siwu_n;
    top #(.BUILD(32'hc0ffee42)) board (
        .osc_12mhz(osc_12mhz), .cam_mclk(cam_mclk), .cam_pclk(cam_pclk), .cam_href(cam_href), .cam_vsync(cam_vsync),
        .cam_d(cam_d), .ft_clkout(ft_clkout), .ft_d(ft_d), .ft_txe_n(ft_txe_n), .ft_rxf_n(1'b1), .ft_wr_n(ft_wr_n),
        .ft_rd_n(ft_rd_n), .ft_oe_n(ft_oe_n), .ft_siwu_n(ft_siwu_n), .host_sck(host_sck), .host_mosi(host_mosi),
        .host_miso(host_miso), .host_ss_n(host_ss_n), .body_sck(body_sck), .body_mosi(body_mosi),
        .body_miso(body_miso), .body_ss_n(body_ss_n), .pixels(pixels), .aux(aux)
    );
endmodule
