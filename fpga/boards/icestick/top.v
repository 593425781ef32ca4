// Lattice's iCEstick with the same cores: camera and an external FT2232H on the three headers. SPI comes from the
// kit's own FT2232H, channel B in MPSSE mode: a computer's USB port replaces the robot's board, without a dsPIC.
`default_nettype none
module top #(
    parameter [31:0] BUILD = 32'd0
) (
    input  wire       osc_12mhz,
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
    // Red LEDs: no camera clock, no FT2232H clock, FT2232H stalled, no SPI messages. Green: none of these.
    output wire [4:0] led
);
    wire clk, oscillator, cam_clk, ft_clk;
    clock_system system (.pin(osc_12mhz), .clk(clk), .oscillator(oscillator));
    clock_input #(.GLOBAL(0)) cam_clock (.pin(cam_pclk), .clk(cam_clk));
    clock_input #(.GLOBAL(0)) ft_clock (.pin(ft_clkout), .clk(ft_clk));

    wire       href, vsync, cam_on, cam_on_o, full, write;
    wire [7:0] data, ft_byte;
    pad_input href_pad (.clk(cam_clk), .pin(cam_href), .value(href));
    pad_input vsync_pad (.clk(cam_clk), .pin(cam_vsync), .value(vsync));
    level_sync #(.START(1'b1)) cam_on_sync (.clk(oscillator), .level(cam_on), .synced(cam_on_o));
    pad_clock mclk_pad (.clk(oscillator), .enable(cam_on_o), .pin(cam_mclk));
    pad_input_falling txe_pad (.clk(ft_clk), .pin(ft_txe_n), .value(full));
    pad_output wr_pad (.clk(ft_clk), .value(!write), .pin(ft_wr_n));
    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : bytes
            pad_input cam_pad (.clk(cam_clk), .pin(cam_d[i]), .value(data[i]));
            pad_output ft_pad (.clk(ft_clk), .value(ft_byte[i]), .pin(ft_d[i]));
        end
    endgenerate

    wire replace, miso;
    pad_shared miso_pad (.enable(!host_ss_n), .value(!replace || miso), .pin(host_miso));

    wire [15:0] aux_enable, aux_out;
    wire [3:0]  now;
    shim #(.BUILD(BUILD)) shim (
        .clk(clk), .cam_clk(cam_clk), .cam_href(href), .cam_vsync(vsync), .cam_data(data), .cam_on(cam_on),
        .ft_clk(ft_clk), .ft_full(full), .ft_write(write), .ft_byte(ft_byte),
        .sck(host_sck), .mosi(host_mosi), .ss_n(host_ss_n), .replace(replace), .miso(miso), .pixels(pixels), .now(now),
        .aux_enable(aux_enable), .aux_out(aux_out), .aux_in(aux_out & aux_enable)
    );

    assign led = {&(~now), now};
endmodule
