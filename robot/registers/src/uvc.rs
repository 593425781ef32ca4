//! Payloads of a USB video class camera with uncompressed YUY2 (UVC 1.1, 2.4.3.3), as the FT903 of the Pi-puck board
//! sends them and Linux's uvcvideo reads them. A payload is a header followed by bytes of a frame, here one row.

/// USB vendor id of the FT903 on the Pi-puck board.
pub const VENDOR: u16 = 0x0403;
/// USB product id of the FT903 on the Pi-puck board.
pub const PRODUCT: u16 = 0x0fd8;

/// Length of the shortest header, without times (bytes).
pub const HEADER: usize = 2;
/// Length of the longest header, with both times (bytes).
pub const LONGEST_HEADER: usize = 12;
/// Length of the presentation time after the first two bytes (bytes).
pub const PRESENTATION_TIME: usize = 4;
/// Length of the source clock reference after the presentation time (bytes).
pub const SOURCE_CLOCK: usize = 6;
/// Maximum length of a payload (bytes): a header and a row of 640 pixels.
pub const LONGEST: usize = LONGEST_HEADER + 1280;

/// Frame identifier: toggles with each new frame.
pub const FID: u8 = 0x01;
/// End of frame: the payload is the last of its frame.
pub const EOF: u8 = 0x02;
/// Header with a presentation time.
pub const PTS: u8 = 0x04;
/// Header with a source clock reference.
pub const SCR: u8 = 0x08;
/// Device error; the frame is damaged.
pub const ERR: u8 = 0x40;
/// End of header; always set.
pub const EOH: u8 = 0x80;

/// Example frame of 4 x 2 pixels.
pub const GOLDEN_PIXELS: [u8; 16] =
    [0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22];
/// Payloads of the example, one per row, with frame identifier 1 and presentation time 0x01020304.
pub const GOLDEN_PAYLOADS: [[u8; 14]; 2] = [
    [0x06, 0x85, 0x04, 0x03, 0x02, 0x01, 0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0],
    [0x06, 0x87, 0x04, 0x03, 0x02, 0x01, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22],
];
