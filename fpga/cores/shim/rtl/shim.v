// The complete logic of the shim except the pads, with three clocks: system (48 MHz), camera, and FT2232H (60 MHz).
//
//   camera ── camera_capture ── row_fifo ── ft245 ── FT2232H
//   board ── SPI ── dsPIC        spi_tap listens ── ring ── Neopixels
//                                        │
//                                    registers ── aux pins, control, status
`default_nettype none
`include "shim.vh"
module shim #(
    parameter [31:0] BUILD = 32'd0,
    // The row FIFO has 7/8 of 2^FIFO_ADDRESS bytes: 14 of the HX1K's 16 memory blocks. The ring and the registers use
    // one each.
    parameter FIFO_ADDRESS = 13,
    // Binary logarithm of the number of clocks per tick; a second has 733 ticks.
    parameter TICK_WIDTH = 16
) (
    input  wire        clk,
    // Camera, from the registers of the pads.
    input  wire        cam_clk,
    input  wire        cam_href,
    input  wire        cam_vsync,
    input  wire [7:0]  cam_data,
    output wire        cam_on,
    // FT2232H, from and to the registers of the pads.
    input  wire        ft_clk,
    input  wire        ft_full,
    output wire        ft_write,
    output wire [7:0]  ft_byte,
    // SPI lines on their way to the dsPIC, and the word that replaces the dsPIC's last word.
    input  wire        sck,
    input  wire        mosi,
    input  wire        ss_n,
    output wire        replace,
    output wire        miso,
    // Strip of Neopixels.
    output wire        pixels,
    // Current state: no camera clock, no FT2232H clock, FT2232H stalled, no SPI messages.
    output wire [3:0]  now,
    // Auxiliary pins for extensions.
    output wire [15:0] aux_enable,
    output wire [15:0] aux_out,
    input  wire [15:0] aux_in
);
    wire [2:0] control;
    wire [7:0] row_units;
    wire       tick;
    timebase #(.WIDTH(TICK_WIDTH)) timebase (.clk(clk), .tick(tick));

    // Camera rows into the FIFO.
    wire [FIFO_ADDRESS-5:0] free;
    wire       cam_write, cam_commit, cam_rollback;
    wire [7:0] cam_byte;
    wire       no_room, uneven, cut;
    camera_capture #(.UNITS(FIFO_ADDRESS - 4)) camera_capture (
        .clk(cam_clk), .href_pin(cam_href), .vsync_pin(cam_vsync), .data(cam_data),
        .href_inverted(control[`CONTROL_HREF_INVERTED]), .vsync_inverted(control[`CONTROL_VSYNC_INVERTED]),
        .row_bytes(row_units), .free(free), .write(cam_write), .out(cam_byte), .commit(cam_commit),
        .rollback(cam_rollback), .no_room(no_room), .uneven(uneven), .cut(cut)
    );

    // FIFO, and its output to the FT2232H.
    wire       valid, pop, took;
    wire [7:0] data;
    row_fifo #(.ADDRESS(FIFO_ADDRESS)) row_fifo (
        .w_clk(cam_clk), .w_write(cam_write), .w_data(cam_byte), .w_commit(cam_commit), .w_rollback(cam_rollback),
        .w_free(free), .r_clk(ft_clk), .r_valid(valid), .r_data(data), .r_pop(pop)
    );
    ft245 ft245 (
        .clk(ft_clk), .valid(valid), .data(data), .pop(pop), .full(ft_full), .write(ft_write), .byte_out(ft_byte),
        .took(took)
    );

    // SPI messages, and the ring that they control.
    wire        pixel_write, begins, good, bad, command, silent;
    wire [4:0]  pixel_at;
    wire [15:0] word, answer;
    spi_tap spi_tap (
        .clk(clk), .sck(sck), .mosi(mosi), .ss_n(ss_n), .pixel_write(pixel_write), .pixel_at(pixel_at), .word(word),
        .begins(begins), .good(good), .bad(bad), .command(command), .answer(answer), .replace(replace), .miso(miso)
    );
    watchdog watchdog (.clk(clk), .tick(tick), .message(good), .silent(silent));
    ring ring (
        .clk(clk), .tick(tick), .begins(begins), .write(pixel_write), .write_at(pixel_at), .word(word), .good(good),
        .alarm(silent), .line(pixels)
    );

    // Monitors and events.
    wire cam_toggle, ft_toggle, waiting, cam_stopped, ft_stopped, ft_stalled;
    wire no_room_s, uneven_s, cut_s;
    assign now = {silent, ft_stalled, ft_stopped, cam_stopped};
    assign cam_on = control[`CONTROL_CAMERA_CLOCK];
    divider cam_runs (.clk(cam_clk), .toggle(cam_toggle));
    divider ft_runs (.clk(ft_clk), .toggle(ft_toggle));
    level_sync ft_waits (.clk(clk), .level(valid), .synced(waiting));
    activity camera_activity (.clk(clk), .tick(tick), .expected(cam_on), .toggle(cam_toggle), .silent(cam_stopped));
    activity ft_activity (.clk(clk), .tick(tick), .expected(1'b1), .toggle(ft_toggle), .silent(ft_stopped));
    activity ft_progress (.clk(clk), .tick(tick), .expected(waiting), .toggle(took), .silent(ft_stalled));
    event_sync no_rooms (.clk(clk), .toggle(no_room), .pulse(no_room_s));
    event_sync unevens (.clk(clk), .toggle(uneven), .pulse(uneven_s));
    event_sync cuts (.clk(clk), .toggle(cut), .pulse(cut_s));

    registers #(.BUILD(BUILD)) registers (
        .clk(clk), .command(command), .word(word), .answer(answer), .message_bad(bad), .no_room(no_room_s),
        .uneven(uneven_s), .cut(cut_s), .camera_stopped(cam_stopped), .usb_stopped(ft_stopped),
        .usb_stalled(ft_stalled), .silent(silent), .control(control), .row_units(row_units), .aux_enable(aux_enable),
        .aux_out(aux_out), .aux_in(aux_in)
    );
endmodule
