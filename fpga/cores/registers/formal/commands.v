// A setting changes only by the second of two equal consecutive command words, to the value of the word. A status bit
// stays set until a command writes a one to it. A setting reads back as written.
`default_nettype none
`include "shim.vh"
module commands (
    input wire        clk,
    input wire        command,
    input wire [15:0] word,
    input wire        message_bad,
    input wire        no_room,
    input wire        uneven,
    input wire        cut,
    input wire        camera_stopped,
    input wire        usb_stopped,
    input wire        usb_stalled,
    input wire        silent,
    input wire [15:0] aux_in
);
    wire [15:0] answer, aux_enable, aux_out;
    wire [2:0]  control;
    wire [7:0]  row_units;
    registers dut (
        .clk(clk), .command(command), .word(word), .answer(answer), .message_bad(message_bad), .no_room(no_room),
        .uneven(uneven), .cut(cut), .camera_stopped(camera_stopped), .usb_stopped(usb_stopped),
        .usb_stalled(usb_stalled), .silent(silent), .control(control), .row_units(row_units),
        .aux_enable(aux_enable), .aux_out(aux_out), .aux_in(aux_in)
    );
    (* probe = "dut.status" *)   wire [7:0]  status;
    (* probe = "dut.last" *)     wire [15:0] last;
    (* probe = "dut.address" *)  wire [6:0]  address;
    (* probe = "dut.constant" *) wire [7:0]  constant;

    // Previous command word; the initial value differs from every word that writes.
    reg [15:0] word_before = 16'd0;
    wire       second = command && word == word_before;
    wire       writes = second && word[15];
    reg        begun = 1'b0, wrote = 1'b0;
    reg [6:0]  at;
    reg [7:0]  with_value, happened, status_before;
    reg [2:0]  control_before = `CONTROL_RESET;
    reg [7:0]  row_units_before = `ROW_UNITS_RESET;
    reg [15:0] aux_enable_before = 16'd0, aux_out_before = 16'd0;
    always @(posedge clk) begin
        begun <= 1'b1;
        if (command) word_before <= word;
        wrote         <= writes;
        at            <= word[14:8];
        with_value    <= word[7:0];
        status_before <= status;
        happened      <= {usb_stalled, usb_stopped, camera_stopped, cut, uneven, no_room, message_bad, 1'b0};
        {control_before, row_units_before} <= {control, row_units};
        {aux_enable_before, aux_out_before} <= {aux_enable, aux_out};
    end

    // Each setting keeps its value unless it was written.
    always @* if (begun) begin
        assert (control == (wrote && at == `SHIM_CONTROL ? with_value[2:0] : control_before));
        assert (row_units == (wrote && at == `SHIM_ROW_UNITS ? with_value : row_units_before));
        assert (aux_enable[7:0] == (wrote && at == `SHIM_AUX_ENABLE_LOW ? with_value : aux_enable_before[7:0]));
        assert (aux_enable[15:8] == (wrote && at == `SHIM_AUX_ENABLE_HIGH ? with_value : aux_enable_before[15:8]));
        assert (aux_out[7:0] == (wrote && at == `SHIM_AUX_OUT_LOW ? with_value : aux_out_before[7:0]));
        assert (aux_out[15:8] == (wrote && at == `SHIM_AUX_OUT_HIGH ? with_value : aux_out_before[15:8]));
    end else begin
        assert (control == `CONTROL_RESET && row_units == `ROW_UNITS_RESET);
        assert (aux_enable == 16'd0 && aux_out == 16'd0 && status == 8'd1 << `STATUS_STARTED);
    end

    // Bits of the status.
    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : bits
            always @* if (begun) begin
                if (happened[i]) assert (status[i]);
                if (status_before[i] && !status[i])
                    assert (wrote && at == `SHIM_STATUS && with_value[i] && !happened[i]);
                if (!status_before[i] && status[i]) assert (happened[i]);
            end
        end
    endgenerate

    // Memory of the answers at an arbitrary address, so the proof holds for all addresses.
    (* anyconst *) wire [6:0] place;
    wire [7:0] kept;
    \$memrd #(
        .MEMID("\\dut.kept"), .ABITS(7), .WIDTH(8), .CLK_ENABLE(1'b0), .CLK_POLARITY(1'b0), .TRANSPARENT(1'b0)
    ) view (.CLK(1'b0), .EN(1'b1), .ADDR(place), .DATA(kept));

    // The answer belongs to the address of the last command, at most two clocks after it.
    reg [1:0] asked = 2'd0;
    always @(posedge clk) asked <= command ? 2'd0 : asked + (asked != 2'd3);
    wire [7:0] shown = answer[7:0];
    always @* begin
        assert (answer[15] && answer[14:8] == word_before[14:8]);
        if (address == `SHIM_STATUS) assert (shown == status);
        if (address == `SHIM_NOW) assert (shown == {4'd0, silent, usb_stalled, usb_stopped, camera_stopped});
        if (address == `SHIM_AUX_IN_LOW) assert (shown == aux_in[7:0]);
        if (address == `SHIM_AUX_IN_HIGH) assert (shown == aux_in[15:8]);
        if (asked >= 2'd2 && address == place) begin
            if (address == `SHIM_IDENT) assert (shown == `SHIM_IDENT_VALUE);
            if (address == `SHIM_REVISION) assert (shown == `SHIM_REVISION_VALUE);
            if (address == `SHIM_CONTROL) assert (shown[2:0] == control);
            if (address == `SHIM_ROW_UNITS) assert (shown == row_units);
            if (address == `SHIM_AUX_ENABLE_LOW) assert (shown == aux_enable[7:0]);
            if (address == `SHIM_AUX_ENABLE_HIGH) assert (shown == aux_enable[15:8]);
            if (address == `SHIM_AUX_OUT_LOW) assert (shown == aux_out[7:0]);
            if (address == `SHIM_AUX_OUT_HIGH) assert (shown == aux_out[15:8]);
        end
    end

    always @* begin
        assert (last == word_before && address == word_before[14:8]);
        if (place == `SHIM_IDENT) assert (kept == `SHIM_IDENT_VALUE);
        if (place == `SHIM_REVISION) assert (kept == `SHIM_REVISION_VALUE);
        if (place == `SHIM_CONTROL) assert (kept[2:0] == control);
        if (place == `SHIM_ROW_UNITS) assert (kept == row_units);
        if (place == `SHIM_AUX_ENABLE_LOW) assert (kept == aux_enable[7:0]);
        if (place == `SHIM_AUX_ENABLE_HIGH) assert (kept == aux_enable[15:8]);
        if (place == `SHIM_AUX_OUT_LOW) assert (kept == aux_out[7:0]);
        if (place == `SHIM_AUX_OUT_HIGH) assert (kept == aux_out[15:8]);
        if (asked >= 2'd2 && place == address) assert (constant == kept);
    end

    reg cleared = 1'b0, set = 1'b0;
    always @(posedge clk) begin
        if (status_before[3] && !status[3]) cleared <= 1'b1;
        if (row_units != row_units_before) set <= 1'b1;
    end
    always @* begin
        cover (cleared);
        cover (set && asked == 2'd3 && shown == 8'h28 && address == `SHIM_ROW_UNITS);
        cover (aux_out == 16'h1234);
    end
endmodule
