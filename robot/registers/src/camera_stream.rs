//! Framing of the camera's bytes in the FT2232H's stream, as produced by the logic of the shim
//! (`docs/protocols/camera.md`).
//!
//! The logic clamps pixel bytes to 1..=254, so the byte 0xFF always begins a header. After a loss of bytes, a reader
//! searches for the next header. This module only defines the layout. Arena and robot have separate implementations of
//! the layout, which are tested against [`GOLDEN_PIXELS`] and [`GOLDEN_STREAM`].

/// First byte of a header. No other byte of the stream has this value.
pub const SYNC: u8 = 0xff;
/// Second byte of a header. Pixel bytes do not have this value.
pub const SYNC_2: u8 = 0x00;
/// Length of a header (bytes). A header contains the mark (2 bytes), the kind (1), the frame number (2), the value (2)
/// and the CRC (1), in this order.
pub const HEADER: usize = 8;
/// Upper two bits of each header byte after the mark ([`SYNC`], [`SYNC_2`]). Such a byte carries six data bits, and is
/// therefore neither 0x00 nor 0xFF.
pub const DIGIT: u8 = 0x40;
/// Mask of the six data bits in a header byte after the mark.
pub const DIGIT_MASK: u8 = 0x3f;
/// Number of different frame numbers. The frame number after `FRAMES - 1` is 0.
pub const FRAMES: u16 = 1 << 12;

/// Kind of a header before the pixels of a row. The header's value is the number of the row, from 0.
pub const ROW: u8 = 1;
/// Kind of a header after the last row of a frame. The header's value is the number of rows received from the camera.
pub const END: u8 = 2;

/// Lower terms of the CRC polynomial x^6 + x + 1 (CRC-6/ITU). The CRC covers the data bits of the five header bytes
/// between the mark and the CRC, most significant bit first.
pub const CRC_POLYNOMIAL: u8 = 0x03;
/// Start value of the CRC.
pub const CRC_START: u8 = 0x3f;

/// Minimum and maximum value of a pixel byte in the stream.
pub const PIXEL_RANGE: (u8, u8) = (1, 254);

/// Example frame of 4 x 2 pixels.
pub const GOLDEN_PIXELS: [u8; 16] =
    [0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22];
/// Frame number of the example frame.
pub const GOLDEN_NUMBER: u16 = 0x5c3;
/// Encoded stream of the example frame.
pub const GOLDEN_STREAM: [u8; 40] = [
    0xff, 0x00, 0x41, 0x57, 0x43, 0x40, 0x40, 0x68, // row 0
    0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0, //
    0xff, 0x00, 0x41, 0x57, 0x43, 0x40, 0x41, 0x6b, // row 1
    0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22, //
    0xff, 0x00, 0x42, 0x57, 0x43, 0x40, 0x42, 0x78, // end, 2 rows
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camera_page_shows_golden_stream() {
        let page = include_str!("../../../docs/protocols/camera.md");
        for part in GOLDEN_STREAM.chunks(HEADER) {
            let hex: Vec<String> = part.iter().map(|b| format!("{b:02X}")).collect();
            assert!(page.contains(&hex.join(" ")), "{} is not in the page", hex.join(" "));
        }
    }

    #[test]
    fn sync_bytes_occur_only_at_headers() {
        let inside = GOLDEN_STREAM.iter().enumerate().filter(|(i, _)| i % 16 > 1);
        assert!(inside.clone().all(|(_, byte)| *byte != SYNC && *byte != SYNC_2));
        assert_eq!(inside.count(), 40 - 6);
        assert!([DIGIT, DIGIT | DIGIT_MASK].iter().all(|b| (PIXEL_RANGE.0..=PIXEL_RANGE.1).contains(b)));
    }
}
