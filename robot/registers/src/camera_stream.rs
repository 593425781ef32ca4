//! The framing of the camera's bytes inside the FT2232H's stream, made by the shim's logic (`docs/protocols/camera.md`).
//!
//! A byte of a pixel is 1 to 254, because the logic clamps it, so the byte 0xFF begins a header wherever it stands. A
//! reader that lost bytes looks for the next one. Here are only the layout's facts: arena and robot each have code of
//! their own for them, checked against [`GOLDEN_PIXELS`] and [`GOLDEN_STREAM`].

/// First byte of a header, and of nothing else.
pub const SYNC: u8 = 0xff;
/// Second byte of a header. It is no pixel's byte either.
pub const SYNC_2: u8 = 0x00;
/// Bytes of a header: both of the mark, kind, two of the frame's number, two of the value, and the check.
pub const HEADER: usize = 8;
/// Each byte behind the mark carries six bits and has these two above them, so it is neither 0x00 nor 0xFF.
pub const DIGIT: u8 = 0x40;
/// The six bits of such a byte.
pub const DIGIT_MASK: u8 = 0x3f;
/// Frames are counted modulo this.
pub const FRAMES: u16 = 1 << 12;

/// Kind of the header in front of a row's pixels; its value is the row, from 0.
pub const ROW: u8 = 1;
/// Kind of the header behind a frame's last row; its value is the number of rows that the camera gave.
pub const END: u8 = 2;

/// The check is a CRC of six bits over the five digits before it, most significant bit first, with the polynomial
/// x^6 + x + 1 (CRC-6/ITU), whose lower terms these are.
pub const CRC_POLYNOMIAL: u8 = 0x03;
/// What the CRC starts from.
pub const CRC_START: u8 = 0x3f;

/// Least and greatest byte of a pixel in the stream.
pub const PIXEL_RANGE: (u8, u8) = (1, 254);

/// A frame of 4 x 2 pixels, and ...
pub const GOLDEN_PIXELS: [u8; 16] =
    [0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22];
/// ... the number that it has in ...
pub const GOLDEN_NUMBER: u16 = 0x5c3;
/// ... its stream.
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
    fn the_page_shows_the_golden_stream() {
        let page = include_str!("../../../docs/protocols/camera.md");
        for part in GOLDEN_STREAM.chunks(HEADER) {
            let hex: Vec<String> = part.iter().map(|b| format!("{b:02X}")).collect();
            assert!(page.contains(&hex.join(" ")), "{} is not in the page", hex.join(" "));
        }
    }

    #[test]
    fn a_mark_cannot_be_mistaken() {
        let inside = GOLDEN_STREAM.iter().enumerate().filter(|(i, _)| i % 16 > 1);
        assert!(inside.clone().all(|(_, byte)| *byte != SYNC && *byte != SYNC_2));
        assert_eq!(inside.count(), 40 - 6);
        assert!([DIGIT, DIGIT | DIGIT_MASK].iter().all(|b| (PIXEL_RANGE.0..=PIXEL_RANGE.1).contains(b)));
    }
}
