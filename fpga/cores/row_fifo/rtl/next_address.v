// Next address in the FIFO's memory, which has 7/8 of 2^ADDRESS bytes.
`default_nettype none
module next_address #(
    parameter ADDRESS = 13
) (
    input  wire [ADDRESS-1:0] address,
    output wire [ADDRESS-1:0] next
);
    wire [ADDRESS-1:0] more = address + 1'b1;
    // The last eighth of the address range is unused.
    assign next = {&more[ADDRESS-1:ADDRESS-3] ? 3'd0 : more[ADDRESS-1:ADDRESS-3], more[ADDRESS-4:0]};
endmodule
