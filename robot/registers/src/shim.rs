//! Register interface of the shim's logic: 8-bit registers, accessed through the last word of the SPI messages.
//!
//! The dsPIC ignores that word and the checks do not cover it, so the shim uses it in both directions: the word from
//! the board selects a register, and the word to the board is replaced by that register's value
//! (`docs/protocols/shim.md`). [`header`] exports the numbers to the logic, [`page`] to the documentation.

pub mod header;
pub mod page;

use crate::spi::words::{BitField, bit, same};

/// Register of the shim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Address, 0..=127.
    pub address: u8,
    /// Name, in lower case; in capitals in the logic's header.
    pub name: &'static str,
    /// Access.
    pub access: Access,
    /// Value after power-up.
    pub reset: u8,
    /// Meaning.
    pub meaning: &'static str,
}

/// Access to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only.
    Read,
    /// Read and write.
    Write,
    /// Read; bits written as 1 are cleared.
    Clear,
}

const fn register(address: u8, name: &'static str, access: Access, reset: u8, meaning: &'static str) -> Register {
    Register { address, name, access, reset, meaning }
}

/// Value of the register `ident`: `X`.
pub const IDENT: u8 = b'X';
/// Revision of this table; increases when the meaning of registers changes.
pub const REVISION: u8 = 1;
/// Number of bytes of a row per unit of the register `row_units`.
pub const ROW_UNIT: usize = 16;

/// All registers.
pub const REGISTERS: &[Register] = &[
    register(0x00, "status", Access::Clear, 0x01, "what happened since it was cleared, see below"),
    register(0x01, "ident", Access::Read, IDENT, "`X`"),
    register(0x02, "revision", Access::Read, REVISION, "number of this table"),
    register(0x03, "now", Access::Read, 0x00, "what is so at the moment, see below"),
    register(0x04, "build_0", Access::Read, 0x00, "the first four bytes of the SHA-256 of the logic's sources, ..."),
    register(0x05, "build_1", Access::Read, 0x00, "..."),
    register(0x06, "build_2", Access::Read, 0x00, "..."),
    register(0x07, "build_3", Access::Read, 0x00, "as `make -C fpga` prints them"),
    register(0x08, "rows_left_out", Access::Read, 0x00, "rows left out for want of room, wraps"),
    register(0x09, "rows_uneven", Access::Read, 0x00, "rows left out because their length was another, wraps"),
    register(0x0a, "messages_bad", Access::Read, 0x00, "SPI messages torn or with a wrong check, wraps"),
    register(0x10, "control", Access::Write, 0x01, "see below"),
    register(0x11, "row_units", Access::Write, 80, "bytes of the camera's rows, in units of 16; 640 pixels are 80"),
    register(0x12, "aux_enable_low", Access::Write, 0x00, "auxiliary pins 0 to 7: 1 drives the pin"),
    register(0x13, "aux_enable_high", Access::Write, 0x00, "pins 8 to 15"),
    register(0x14, "aux_out_low", Access::Write, 0x00, "what is driven on pins 0 to 7"),
    register(0x15, "aux_out_high", Access::Write, 0x00, "on pins 8 to 15"),
    register(0x16, "aux_in_low", Access::Read, 0x00, "what is on pins 0 to 7"),
    register(0x17, "aux_in_high", Access::Read, 0x00, "on pins 8 to 15"),
];

/// Bits of `status`. Each stays set until it is cleared by writing 1.
pub const STATUS_BITS: &[BitField] = &[
    bit(0, "started", "the logic was configured anew: power came, or had gone"),
    bit(1, "message_bad", "an SPI message was torn, or its sum or CRC was wrong"),
    bit(2, "row_left_out", "a row of the camera had no room in the FIFO"),
    bit(3, "row_uneven", "a row was longer or shorter than `row_units`"),
    bit(4, "frame_cut", "a frame began within a row"),
    bit(5, "camera_stopped", "the camera's pixel clock stood for 2 ms or more"),
    bit(6, "usb_stopped", "the FT2232H gave no clock for 2 ms or more: it is not in the mode of the synchronous FIFO"),
    bit(7, "usb_stalled", "the FT2232H took nothing for 2 ms or more although bytes waited"),
];

/// Bits of `now`.
pub const NOW_BITS: &[BitField] = &[
    bit(0, "camera_stopped", "the camera's pixel clock stands"),
    bit(1, "usb_stopped", "the FT2232H gives no clock"),
    bit(2, "usb_stalled", "the FT2232H takes nothing although bytes wait"),
    bit(3, "silent", "no good SPI message for a second: the ring is red"),
];

/// Bits of `control`.
pub const CONTROL_BITS: &[BitField] = &[
    bit(0, "camera_clock", "the camera gets its clock of 12 MHz"),
    bit(1, "vsync_inverted", "VSYNC is low between frames"),
    bit(2, "href_inverted", "HREF is low while pixels come"),
];

/// Address of the register with this name; in a constant, an unknown name is a compile error.
pub const fn at(name: &str) -> u8 {
    let mut i = 0;
    while !same(REGISTERS[i].name, name) {
        i += 1;
    }
    REGISTERS[i].address
}

/// Last word from the board that reads a register; the reply comes with the next message.
pub const fn read(address: u8) -> u16 {
    (address as u16) << 8
}

/// Last word from the board that writes a register; required in two consecutive messages. The next message reads the
/// register back.
pub const fn write(address: u8, value: u8) -> u16 {
    0x8000 | read(address) | value as u16
}

/// Address and value of a register in the last word to the board; `None` without the shim's logic, since the dsPIC's
/// last word is 0.
pub const fn answer(word: u16) -> Option<(u8, u8)> {
    if word & 0x8000 == 0 { None } else { Some(((word >> 8 & 0x7f) as u8, word as u8)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_seven_bits_and_distinct() {
        let mut seen = [false; 128];
        for register in REGISTERS {
            assert!(!std::mem::replace(&mut seen[usize::from(register.address)], true), "{}", register.name);
        }
        for bits in [STATUS_BITS, NOW_BITS, CONTROL_BITS] {
            assert!(bits.iter().enumerate().all(|(i, bit)| bit.bit as usize == i && i < 8));
        }
    }

    #[test]
    fn words_say_what_registers_they_mean() {
        assert_eq!((read(at("status")), read(at("ident"))), (0, 0x0100));
        assert_eq!(write(at("aux_out_high"), 0xa5), 0x95a5);
        assert_eq!((answer(0x8158), answer(0x0158), answer(0)), (Some((1, 0x58)), None, None));
    }
}
