//! Generates the page `docs/protocols/shim.md` from the tables.

use super::{Access, CONTROL_BITS, NOW_BITS, REGISTERS, Register, STATUS_BITS};
use crate::spi::words::BitField;
use std::fmt::Write;

const OPENING: &str = "\
# The shim's registers

The logic between board, camera and dsPIC ([fpga](../fpga.md)) has registers of eight bits. They are reached by the last word of the
[SPI messages](spi.md), of which the dsPIC makes nothing; this page is written from the table in `robot/registers/src/shim.rs`.

| last word | bits 15 | 14 to 8 | 7 to 0 |
|---|---|---|---|
| from the board | 1 writes, 0 reads | address | value to write |
| to the board, in place of the dsPIC's | 1 | address | value |

The answer to a word comes with the next message; until another register was asked for, each message returns the same one. After power-up
it is `status`, and so it is for a board that sends 0. Where no logic is between, the word is the dsPIC's, 0.

A word counts only in a message with the right sum and CRC. These do not cover the word itself, so **a write takes effect when two
messages in a row carry it**; the answer to either is the register as it was before it took effect.

Examples: `0800` asks for `rows_left_out`, and the last word of the next message is `88nn`, nn its value. `9114` in two messages in a row
sets `row_units` to 20; asked by `1100`, the logic answers `9114`. Counters have eight bits and wrap: a camera whose
rows all find no room fills one in 36 ms, so for how many were lost look at the numbers in [the stream](camera.md).

| address | register | access | after power-up | meaning |
|---|---|---|---|---|
";

/// Returns the page in Markdown.
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
