// Board of the evaluation kit with its pads.
`default_nettype none
`include "../boards/icestick/top.v"
module icestick_bench (
    input  wire       osc_12mhz, // the 48 MHz of the PLL
    output wire       cam_mclk,
    input  wire       cam_pclk,
    input  wire       cam_href,
    input  wire       cam_vsync,
    input  wire [7:0] cam_d,
    input  wire       ft_clkout,
    output wire [7:0] ft_d,
    input  wire       ft_txe_n,
    output wire       ft_wr_n,
    input  wire       host_sck,
    input  wire       host_mosi,
    output wire       host_miso,
    input  wire       host_ss_n,
    output wire       pixels,
    output wire [4:0] led
);
    top board (
        .osc_12mhz(osc_12mhz), .cam_mclk(cam_mclk), .cam_pclk(cam_pclk), .cam_href(cam_href), .cam_vsync(cam_vsync),
        .cam_d(cam_d), .ft_clkout(ft_clkout), .ft_d(ft_d), .ft_txe_n(ft_txe_n), .ft_wr_n(ft_wr_n),
        .host_sck(host_sck), .host_mosi(host_mosi), .host_miso(host_miso), .host_ss_n(host_ss_n), .pixels(pixels),
        .led(led)
    );
endmodule
