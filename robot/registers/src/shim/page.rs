//! Generates the page `docs/protocols/shim.md` from the tables of registers and bits.

use super::{Access, CONTROL_BITS, NOW_BITS, REGISTERS, Register, STATUS_BITS};
use crate::spi::words::BitField;
use std::fmt::Write;

const OPENING: &str = "\
# The shim's registers

The logic between board, camera and dsPIC ([fpga](../fpga.md)) has registers of eight bits. They are accessed by the last word of the
[SPI messages](spi.md), which the dsPIC ignores. This page is written from the table in `robot/registers/src/shim.rs`.

| last word | bits 15 | 14 to 8 | 7 to 0 |
|---|---|---|---|
| from the board | 1 writes, 0 reads | address | value to write |
| to the board, in place of the dsPIC's | 1 | address | value |

The answer to a word comes with the next message. Each message returns the same register until another one is requested. After power-up,
and for a board that sends 0, this register is `status`. Without the logic, the word is the dsPIC's, 0.

A word counts only in a message with a correct sum and CRC. These do not cover the word itself, so **a write takes effect when two
successive messages contain it**; the answer to either is the previous value of the register.

Examples: `0800` requests `rows_left_out`, and the last word of the next message is `88nn`, where nn is the value. `9114` in two
successive messages sets `row_units` to 20; after `1100`, the logic answers `9114`. Counters have eight bits and wrap: if all rows of a
camera are dropped, a counter wraps in 36 ms, so use the numbers in [the stream](camera.md) to count lost rows.

| address | register | access | after power-up | meaning |
|---|---|---|---|---|
";

/// Returns the text of the page in Markdown.
pub fn page() -> String {
    let mut page = String::from(OPENING);
    for Register { address, name, access, reset, meaning } in REGISTERS {
        let access = match access {
            Access::Read => "read",
            Access::Write => "read, write",
            Access::Clear => "read; write 1 to clear",
        };
        let _ = writeln!(page, "| `{address:02X}` | `{name}` | {access} | `{reset:02X}` | {meaning} |");
    }
    for (name, bits) in [("status", STATUS_BITS), ("now", NOW_BITS), ("control", CONTROL_BITS)] {
        let _ = write!(page, "\nBits of `{name}`; the others are 0:\n\n| bit | name | meaning |\n|---|---|---|\n");
        for BitField { bit, name, meaning } in bits {
            let _ = writeln!(page, "| {bit} | `{name}` | {meaning} |");
        }
    }
    page
}
