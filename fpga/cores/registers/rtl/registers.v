// 8-bit registers of the shim, accessed by the last word of the SPI messages (docs/protocols/shim.md).
//
// A write takes effect when two consecutive valid messages carry it, because that word has no checksum.
`default_nettype none
`include "shim.vh"
module registers #(
    parameter [31:0] BUILD = 32'd0
) (
    input  wire        clk,
    // From the SPI tap.
    input  wire        command,
    input  wire [15:0] word,
    output wire [15:0] answer,
    input  wire        message_bad,
    // Events: pulses.
    input  wire        no_room,
    input  wire        uneven,
    input  wire        cut,
    // States: levels.
    input  wire        camera_stopped,
    input  wire        usb_stopped,
    input  wire        usb_stalled,
    input  wire        silent,
    // Settings.
    output reg  [2:0]  control,
    output reg  [7:0]  row_units,
    output reg  [15:0] aux_enable,
    output reg  [15:0] aux_out,
    input  wire [15:0] aux_in
);
    reg [6:0]  address = `SHIM_STATUS;
    reg [15:0] last = 16'd0;
    reg [7:0]  status = 1 << `STATUS_STARTED;
    reg [7:0]  left_out = 8'd0, uneven_rows = 8'd0, bad_messages = 8'd0;
    initial begin
        control = `CONTROL_RESET;
        row_units = `ROW_UNITS_RESET;
        aux_enable = 16'd0;
        aux_out = 16'd0;
    end

    // Settings and constants are read from memory; status, counters and inputs are multiplexed beside it.
    reg [7:0] kept [0:127], constant, value;
    integer i;
    initial begin
        for (i = 0; i < 128; i = i + 1) kept[i] = 8'd0;
        kept[`SHIM_IDENT] = `SHIM_IDENT_VALUE;
        kept[`SHIM_REVISION] = `SHIM_REVISION_VALUE;
        {kept[`SHIM_BUILD_0], kept[`SHIM_BUILD_1], kept[`SHIM_BUILD_2], kept[`SHIM_BUILD_3]} = BUILD;
        kept[`SHIM_CONTROL] = {5'd0, `CONTROL_RESET};
        kept[`SHIM_ROW_UNITS] = `ROW_UNITS_RESET;
    end
    always @* case (address)
        `SHIM_STATUS: value = status;
        `SHIM_NOW: value = {4'd0, silent, usb_stalled, usb_stopped, camera_stopped};
        `SHIM_ROWS_LEFT_OUT: value = left_out;
        `SHIM_ROWS_UNEVEN: value = uneven_rows;
        `SHIM_MESSAGES_BAD: value = bad_messages;
        // The pins need no synchronization registers: the answer is registered, and not used for 80 ns.
        `SHIM_AUX_IN_LOW: value = aux_in[7:0];
        `SHIM_AUX_IN_HIGH: value = aux_in[15:8];
        default: value = constant;
    endcase
    assign answer = {1'b1, address, value};

    wire       writes = command && word[15] && word == last;
    wire [6:0] at = word[14:8];
    wire [7:0] events;
    assign events[`STATUS_STARTED] = 1'b0;
    assign events[`STATUS_MESSAGE_BAD] = message_bad;
    assign events[`STATUS_ROW_LEFT_OUT] = no_room;
    assign events[`STATUS_ROW_UNEVEN] = uneven;
    assign events[`STATUS_FRAME_CUT] = cut;
    assign events[`STATUS_CAMERA_STOPPED] = camera_stopped;
    assign events[`STATUS_USB_STOPPED] = usb_stopped;
    assign events[`STATUS_USB_STALLED] = usb_stalled;

    always @(posedge clk) begin
        // Written ones clear bits; an event in the same clock keeps its bit set.
        status <= (writes && at == `SHIM_STATUS ? status & ~word[7:0] : status) | events;
        if (no_room) left_out <= left_out + 1'b1;
        if (uneven || cut) uneven_rows <= uneven_rows + 1'b1;
        if (message_bad) bad_messages <= bad_messages + 1'b1;
        if (command) begin
            last    <= word;
            address <= at;
        end
        constant <= kept[address];
        // Unused bits of `control` read as 0.
        if (writes && at[4]) kept[at] <= at == `SHIM_CONTROL ? {5'd0, word[2:0]} : word[7:0];
        if (writes)
            case (at)
                `SHIM_CONTROL: control <= word[2:0];
                `SHIM_ROW_UNITS: row_units <= word[7:0];
                `SHIM_AUX_ENABLE_LOW: aux_enable[7:0] <= word[7:0];
                `SHIM_AUX_ENABLE_HIGH: aux_enable[15:8] <= word[7:0];
                `SHIM_AUX_OUT_LOW: aux_out[7:0] <= word[7:0];
                `SHIM_AUX_OUT_HIGH: aux_out[15:8] <= word[7:0];
                default: ;
            endcase
    end
endmodule
