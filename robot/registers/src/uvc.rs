//! Payloads of a USB video class camera with uncompressed YUY2 (UVC 1.1, 2.4.3.3). The FT903 of the Pi-puck board
//! sends such payloads, and Linux's uvcvideo reads them. A payload is a header followed by bytes of a frame. In this
//! module, these bytes are one row of the frame.

/// USB vendor id of the FT903 on the Pi-puck board.
pub const VENDOR: u16 = 0x0403;
/// USB product id of the FT903 on the Pi-puck board.
pub const PRODUCT: u16 = 0x0fd8;

/// Length of the shortest header, without presentation time and source clock reference (bytes).
pub const HEADER: usize = 2;
/// Length of the longest header, with presentation time and source clock reference (bytes).
pub const LONGEST_HEADER: usize = 12;
/// Length of the presentation time, which follows the first two bytes of the header (bytes).
pub const PRESENTATION_TIME: usize = 4;
/// Length of the source clock reference, which follows the presentation time (bytes).
pub const SOURCE_CLOCK: usize = 6;
/// Maximum length of a payload with one row of 640 pixels (bytes).
pub const LONGEST: usize = LONGEST_HEADER + 1280;

/// Header bit "frame identifier", which toggles with each new frame.
pub const FID: u8 = 0x01;
/// Header bit "end of frame". It is set in the last payload of a frame.
pub const EOF: u8 = 0x02;
/// Header bit "presentation time". The header contains a presentation time.
pub const PTS: u8 = 0x04;
/// Header bit "source clock reference". The header contains a source clock reference.
pub const SCR: u8 = 0x08;
/// Header bit "error". The device reports that the frame is damaged.
pub const ERR: u8 = 0x40;
/// Header bit "end of header", which is always set.
pub const EOH: u8 = 0x80;

/// Example frame of 4 x 2 pixels.
pub const GOLDEN_PIXELS: [u8; 16] =
    [0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22];
/// Payloads of the example frame, one per row. Their frame identifier is 1, and their presentation time is 0x01020304.
pub const GOLDEN_PAYLOADS: [[u8; 14]; 2] = [
    [0x06, 0x85, 0x04, 0x03, 0x02, 0x01, 0x10, 0x80, 0xeb, 0x80, 0x52, 0x5a, 0x51, 0xf0],
    [0x06, 0x87, 0x04, 0x03, 0x02, 0x01, 0x29, 0xf0, 0x28, 0x6e, 0x90, 0x36, 0x91, 0x22],
];
