//! Generates the logic's header `fpga/include/shim.vh` from the tables of registers and SPI words.

use super::{CONTROL_BITS, IDENT, REGISTERS, REVISION, STATUS_BITS};
use crate::camera_stream as stream;
use crate::spi::words::BitField;
use crate::spi::{self, words};
use std::fmt::Write;

/// Returns the text of the header. The header defines each number as a Verilog macro with an explicit width.
pub fn header() -> String {
    let mut text = String::from(
        "// Numbers of the protocols. Written from robot/registers/src; do not edit.\n`ifndef SHIM_VH\n`define SHIM_VH\n",
    );
    let mut define = |name: &str, bits: u32, value: u32| {
        let digits = bits.div_ceil(4) as usize;
        let _ = writeln!(text, "`define {:<25} {bits}'h{value:0digits$x}", name.to_uppercase());
    };
    for (name, value) in [
        ("kind_row", stream::ROW),
        ("kind_end", stream::END),
        ("crc_start", stream::CRC_START),
        ("crc_polynomial", stream::CRC_POLYNOMIAL),
    ] {
        define(&format!("camera_{name}"), 6, value.into());
    }
    let place = |name: &str| words::span(words::COMMAND_WORDS, name);
    define("spi_pixels", 6, place("pixels").start as u32);
    define("spi_pixel_words", 6, place("pixels").len() as u32);
    for name in ["sum", "crc", "dummy"] {
        define(&format!("spi_{name}"), 6, place(name).start as u32);
    }
    define("spi_crc_start", 16, spi::CRC_START.into());
    define("spi_crc_polynomial", 16, spi::CRC_POLYNOMIAL.into());
    for register in REGISTERS {
        define(&format!("shim_{}", register.name), 7, register.address.into());
    }
    define("shim_ident_value", 8, IDENT.into());
    define("shim_revision_value", 8, REVISION.into());
    let reset = |name: &str| REGISTERS.iter().find(|r| r.name == name).map_or(0, |r| u32::from(r.reset));
    define("control_reset", CONTROL_BITS.len() as u32, reset("control"));
    define("row_units_reset", 8, reset("row_units"));
    for (of, bits) in [("status", STATUS_BITS), ("control", CONTROL_BITS)] {
        // Width of a bit number (bits).
        let width = (bits.len() as u32).next_power_of_two().ilog2();
        bits.iter().for_each(|BitField { bit, name, .. }| define(&format!("{of}_{name}"), width, *bit));
    }
    text.push_str("`endif\n");
    text
}
