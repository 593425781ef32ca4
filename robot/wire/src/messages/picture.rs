//! Camera pictures of a robot, reduced for transmission.

use crate::bytes::Bytes;
use serde::{Deserialize, Serialize};

/// Maximum width (pixels).
pub const MAX_WIDTH: u16 = 160;
/// Maximum height (pixels).
pub const MAX_HEIGHT: u16 = 120;

/// Camera picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Width (pixels, at most 160).
    pub width: u16,
    /// Height (pixels, at most 120).
    pub height: u16,
    /// Red, green and blue of each pixel (0 to 255), row by row from the top left.
    pub rgb: Bytes,
}

impl Picture {
    /// Whether the size is within its limits and matches the number of bytes.
    pub fn is_sound(&self) -> bool {
        let bytes = usize::from(self.width) * usize::from(self.height) * 3;
        self.width <= MAX_WIDTH && self.height <= MAX_HEIGHT && bytes > 0 && self.rgb.0.len() == bytes
    }

    /// Encodes the picture as a Windows bitmap, which every browser supports. It has 24 bits per pixel. Its rows begin
    /// with the bottom row, and each row is padded to a multiple of four bytes.
    pub fn to_bmp(&self) -> Vec<u8> {
        let (width, height) = (u32::from(self.width), u32::from(self.height));
        let row = (3 * width).next_multiple_of(4);
        let mut bytes = Vec::with_capacity((HEADER + row * height) as usize);
        bytes.extend(b"BM");
        bytes.extend((HEADER + row * height).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(HEADER.to_le_bytes());
        bytes.extend(40u32.to_le_bytes());
        bytes.extend(width.to_le_bytes());
        bytes.extend(height.to_le_bytes());
        bytes.extend(1u16.to_le_bytes());
        bytes.extend(24u16.to_le_bytes());
        bytes.extend([0; 24]);
        for pixels in self.rgb.0.chunks_exact(3 * usize::from(self.width).max(1)).rev() {
            bytes.extend(pixels.chunks_exact(3).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]));
            let filled = (bytes.len() - HEADER as usize).next_multiple_of(4) + HEADER as usize;
            bytes.resize(filled, 0);
        }
        bytes
    }
}

/// Length of a bitmap's header (bytes).
const HEADER: u32 = 54;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitmap_has_bottom_up_rows_in_bgr_order() {
        let rgb = vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let picture = Picture { width: 2, height: 2, rgb: Bytes(rgb) };
        assert!(picture.is_sound());
        let bmp = picture.to_bmp();
        assert_eq!(bmp.len(), 54 + 2 * 8);
        assert_eq!(bmp[..2], *b"BM");
        assert_eq!(bmp[54..], [9, 8, 7, 12, 11, 10, 0, 0, 3, 2, 1, 6, 5, 4, 0, 0]);
        for width in 1..=5u16 {
            let wide = Picture { width, height: 3, rgb: Bytes(vec![7; 9 * usize::from(width)]) };
            let row = (3 * usize::from(width)).next_multiple_of(4);
            assert_eq!(wide.to_bmp().len(), 54 + 3 * row, "{width}");
        }
    }

    #[test]
    fn oversized_or_incomplete_picture_is_not_sound() {
        let of = |width, height, bytes: usize| Picture { width, height, rgb: Bytes(vec![0; bytes]) }.is_sound();
        assert!(of(160, 120, 57_600) && !of(161, 120, 57_960) && !of(160, 121, 58_080));
        assert!(!of(2, 2, 11) && !of(2, 2, 13) && !of(0, 0, 0));
    }
}
