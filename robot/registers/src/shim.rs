//! Register interface of the shim's logic. The registers have 8 bits, and are accessed through the last word of the
//! SPI messages.
//!
//! The dsPIC ignores the last word, and the checks do not cover it, so the shim uses it in both directions. The last
//! word from the board selects a register. The shim replaces the last word to the board with the register's address
//! and value (`docs/protocols/shim.md`). [`header`] exports the constants of this module to the logic, and [`page`]
//! exports them to the documentation.

pub mod header;
pub mod page;

use crate::spi::words::{BitField, bit, same};

/// Register of the shim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Address of the register, 0..=127.
    pub address: u8,
    /// Name in lower case. The header for the logic contains the name in capitals.
    pub name: &'static str,
    /// Access by the board.
    pub access: Access,
    /// Value after power-up.
    pub reset: u8,
    /// Meaning of the register.
    pub meaning: &'static str,
}

/// Access to a register by the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only.
    Read,
    /// Read and write.
    Write,
    /// Read and clear. A write clears the bits that are 1 in the written value.
    Clear,
}

const fn register(address: u8, name: &'static str, access: Access, reset: u8, meaning: &'static str) -> Register {
    Register { address, name, access, reset, meaning }
}

/// Value of the register `ident`.
pub const IDENT: u8 = b'X';
/// Revision of the table of registers. It increases when the meaning of registers changes.
pub const REVISION: u8 = 1;
/// Number of bytes of a camera row per unit of the register `row_units`.
pub const ROW_UNIT: usize = 16;

/// All registers of the shim's logic.
pub const REGISTERS: &[Register] = &[
    register(0x00, "status", Access::Clear, 0x01, "events since it was cleared, see below"),
    register(0x01, "ident", Access::Read, IDENT, "`X`"),
    register(0x02, "revision", Access::Read, REVISION, "number of this table"),
    register(0x03, "now", Access::Read, 0x00, "current conditions, see below"),
    register(0x04, "build_0", Access::Read, 0x00, "the first four bytes of the SHA-256 of the logic's sources, ..."),
    register(0x05, "build_1", Access::Read, 0x00, "..."),
    register(0x06, "build_2", Access::Read, 0x00, "..."),
    register(0x07, "build_3", Access::Read, 0x00, "as `make -C fpga` prints them"),
    register(0x08, "rows_left_out", Access::Read, 0x00, "rows dropped because the FIFO was full, wraps"),
    register(0x09, "rows_uneven", Access::Read, 0x00, "rows dropped because of a wrong length, wraps"),
    register(0x0a, "messages_bad", Access::Read, 0x00, "SPI messages that were truncated or failed a check, wraps"),
    register(0x10, "control", Access::Write, 0x01, "see below"),
    register(0x11, "row_units", Access::Write, 80, "bytes of the camera's rows, in units of 16; 640 pixels are 80"),
    register(0x12, "aux_enable_low", Access::Write, 0x00, "auxiliary pins 0 to 7: 1 drives the pin"),
    register(0x13, "aux_enable_high", Access::Write, 0x00, "on pins 8 to 15"),
    register(0x14, "aux_out_low", Access::Write, 0x00, "levels driven on pins 0 to 7"),
    register(0x15, "aux_out_high", Access::Write, 0x00, "on pins 8 to 15"),
    register(0x16, "aux_in_low", Access::Read, 0x00, "levels of pins 0 to 7"),
    register(0x17, "aux_in_high", Access::Read, 0x00, "on pins 8 to 15"),
];

/// Bits of the register `status`. A bit stays set until 1 is written to it.
pub const STATUS_BITS: &[BitField] = &[
    bit(0, "started", "the logic was configured again after power-up or a loss of power"),
    bit(1, "message_bad", "an SPI message was truncated, or its sum or CRC was wrong"),
    bit(2, "row_left_out", "a row of the camera did not fit in the FIFO"),
    bit(3, "row_uneven", "a row was longer or shorter than `row_units`"),
    bit(4, "frame_cut", "a frame began within a row"),
    bit(5, "camera_stopped", "the camera's pixel clock was stopped for 2 ms or more"),
    bit(6, "usb_stopped", "the FT2232H gave no clock for 2 ms or more: it is not in synchronous FIFO mode"),
    bit(7, "usb_stalled", "the FT2232H accepted no bytes for 2 ms or more although bytes waited"),
];

/// Bits of the register `now`.
pub const NOW_BITS: &[BitField] = &[
    bit(0, "camera_stopped", "the camera's pixel clock is stopped"),
    bit(1, "usb_stopped", "the FT2232H gives no clock"),
    bit(2, "usb_stalled", "the FT2232H accepts no bytes although bytes wait"),
    bit(3, "silent", "no valid SPI message for a second: the ring is red"),
];

/// Bits of the register `control`.
pub const CONTROL_BITS: &[BitField] = &[
    bit(0, "camera_clock", "the camera is supplied with its clock of 12 MHz"),
    bit(1, "vsync_inverted", "VSYNC is low between frames"),
    bit(2, "href_inverted", "HREF is low while pixels come"),
];

/// Returns the address of the register with this name. In a constant, an unknown name is a compile error.
pub const fn at(name: &str) -> u8 {
    let mut i = 0;
    while !same(REGISTERS[i].name, name) {
        i += 1;
    }
    REGISTERS[i].address
}

/// Returns the last word from the board that reads the register at `address`. The reply arrives with the next message.
pub const fn read(address: u8) -> u16 {
    (address as u16) << 8
}

/// Returns the last word from the board that writes a register. Two consecutive messages must contain this word. The
/// next message reads the register back.
pub const fn write(address: u8, value: u8) -> u16 {
    0x8000 | read(address) | value as u16
}

/// Returns the address and the value of a register from the last word to the board. Returns `None` if bit 15 is 0,
/// because the shim's logic always sets this bit. The last word of the dsPIC itself is 0.
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
