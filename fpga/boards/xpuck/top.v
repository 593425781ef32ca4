// Interface board of the Xpuck: an iCE40HX1K-TQ144 between camera, FT2232H, single-board computer and e-puck.
`default_nettype none
module top #(
    parameter [31:0] BUILD = 32'd0
) (
    input  wire        osc_12mhz,
    // Camera of the e-puck.
    output wire        cam_mclk,
    input  wire        cam_pclk,
    input  wire        cam_href,
    input  wire        cam_vsync,
    input  wire [7:0]  cam_d,
    // FT2232H, channel A as a synchronous 245 FIFO. It is never read.
    input  wire        ft_clkout,
    output wire [7:0]  ft_d,
    input  wire        ft_txe_n,
    input  wire        ft_rxf_n,
    output wire        ft_wr_n,
    output wire        ft_rd_n,
    output wire        ft_oe_n,
    output wire        ft_siwu_n,
    // SPI towards the single-board computer, and on to the dsPIC.
    input  wire        host_sck,
    input  wire        host_mosi,
    output wire        host_miso,
    input  wire        host_ss_n,
    output wire        body_sck,
    output wire        body_mosi,
    input  wire        body_miso,
    output wire        body_ss_n,
    // Strip of Neopixels, and auxiliary pins for extensions.
    output wire        pixels,
    inout  wire [15:0] aux
);
    wire clk, oscillator, cam_clk, ft_clk;
    clock_system system (.pin(osc_12mhz), .clk(clk), .oscillator(oscillator));
    clock_input cam_clock (.pin(cam_pclk), .clk(cam_clk));
    clock_input ft_clock (.pin(ft_clkout), .clk(ft_clk));

    wire       href, vsync, cam_on, cam_on_o;
    wire [7:0] data;
    pad_input href_pad (.clk(cam_clk), .pin(cam_href), .value(href));
    pad_input vsync_pad (.clk(cam_clk), .pin(cam_vsync), .value(vsync));
    level_sync #(.START(1'b1)) cam_on_sync (.clk(oscillator), .level(cam_on), .synced(cam_on_o));
    pad_clock mclk_pad (.clk(oscillator), .enable(cam_on_o), .pin(cam_mclk));

    wire       full, write;
    wire [7:0] ft_byte;
    pad_input_falling txe_pad (.clk(ft_clk), .pin(ft_txe_n), .value(full));
    pad_output wr_pad (.clk(ft_clk), .value(!write), .pin(ft_wr_n));
    assign {ft_rd_n, ft_oe_n, ft_siwu_n} = 3'b111;

    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : bytes
            pad_input cam_pad (.clk(cam_clk), .pin(cam_d[i]), .value(data[i]));
            pad_output ft_pad (.clk(ft_clk), .value(ft_byte[i]), .pin(ft_d[i]));
        end
    endgenerate

    // SPI lines: directly from pad to pad, with one multiplexer.
    wire replace, miso;
    assign body_sck = host_sck;
    assign body_mosi = host_mosi;
    assign body_ss_n = host_ss_n;
    pad_shared miso_pad (.enable(!host_ss_n), .value(replace ? miso : body_miso), .pin(host_miso));

    wire [15:0] aux_enable, aux_out, aux_in;
    wire [3:0]  now;
    wire _unused = &{ft_rxf_n, now};
    generate
        for (i = 0; i < 16; i = i + 1) begin : auxiliary
            pad_both pad (.enable(aux_enable[i]), .out(aux_out[i]), .in(aux_in[i]), .pin(aux[i]));
        end
    endgenerate

    shim #(.BUILD(BUILD)) shim (
        .clk(clk), .cam_clk(cam_clk), .cam_href(href), .cam_vsync(vsync), .cam_data(data), .cam_on(cam_on),
        .ft_clk(ft_clk), .ft_full(full), .ft_write(write), .ft_byte(ft_byte),
        .sck(host_sck), .mosi(host_mosi), .ss_n(host_ss_n), .replace(replace), .miso(miso), .pixels(pixels), .now(now),
        .aux_enable(aux_enable), .aux_out(aux_out), .aux_in(aux_in)
    );
endmodule
