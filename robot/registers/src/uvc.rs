//! The payloads of a USB video class camera with uncompressed YUY2, as the Pi-puck board's FT903 sends them (UVC 1.1, 2.4.3.3;
//! Linux' uvcvideo reads them): a header in front of some bytes of a frame, here one row.

/// USB vendor of the FT903 on the Pi-puck board.
pub const VENDOR: u16 = 0x0403;
/// USB product of the same.
pub const PRODUCT: u16 = 0x0fd8;

/// Bytes of a header without times, which is the shortest.
pub const HEADER: usize = 2;
/// Bytes of a header with both times, which is the longest.
pub const LONGEST_HEADER: usize = 12;
/// Bytes of the presentation time behind the first two.
pub const PRESENTATION_TIME: usize = 4;
/// Bytes of the source clock's reading behind that.
pub const SOURCE_CLOCK: usize = 6;
/// Longest payload: a header and a row of 640 pixels.
pub const LONGEST: usize = LONGEST_HEADER + 1280;

/// Frame identifier: toggles when another frame begins.
pub const FID: u8 = 0x01;
/// The frame ends with this payload.
pub const EOF: u8 = 0x02;
/// The header has a presentation time.
pub const PTS: u8 = 0x04;
/// The header has a reading of the source clock.
pub const SCR: u8 = 0x08;
/// The device met an error; the frame is damaged.
pub const ERR: u8 = 0x40;
/// The header ends here; always set.
pub const EOH: u8 = 0x80;

/// A frame of 4 x 2 pixels, whose payloads, a row each, are ...
pub const GOLDEN_PIXELS: [u8; 16] =
    [0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22];
/// ... these, where the frame identifier is 1 and the presentation time 0x01020304.
pub const GOLDEN_PAYLOADS: [[u8; 14]; 2] = [
    [0x06, 0x85, 0x04, 0x03, 0x02, 0x01, 0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0],
    [0x06, 0x87, 0x04, 0x03, 0x02, 0x01, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22],
];
