//! Generates the firmware's header `robot/firmware/words.h` from the table of SPI words.

use super::words::{ACTION_BITS, COMMAND_WORDS, NUMBERS, REPORT_WORDS, STATUS_BITS};
use std::fmt::Write;

/// Returns the text of the header. It defines a macro for the first word of each value, for each bit, and for each
/// number.
pub fn header() -> String {
    let mut text = String::from(
        "/* Where the values of the SPI messages stand. Written from robot/registers/src/spi/words.rs; do not edit. */\n\
         #ifndef XPUCK_WORDS_H\n#define XPUCK_WORDS_H\n",
    );
    let mut define = |name: &str, value: u32, meaning: &str| {
        let _ = writeln!(text, "#define {:<34} {value:>5}u /* {meaning} */", name.to_uppercase());
    };
    NUMBERS.iter().for_each(|(name, value, meaning)| define(name, *value, meaning));
    for (kind, table) in [("command", COMMAND_WORDS), ("report", REPORT_WORDS)] {
        table.iter().for_each(|f| define(&format!("{kind}_{}", f.name), f.first as u32, f.meaning));
    }
    for (kind, table) in [("action", ACTION_BITS), ("status", STATUS_BITS)] {
        table.iter().for_each(|b| define(&format!("{kind}_{}", b.name), 1 << b.bit, b.meaning));
    }
    text.push_str("#endif\n");
    text
}
