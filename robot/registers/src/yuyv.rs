//! Pixel format of the camera: 4:2:2 in the order Y0 U Y1 V, with two bytes per pixel. Two adjacent pixels of a row
//! share one pair of colour differences (U, V). Values follow ITU-R BT.601 in studio range, which is the default of UVC
//! cameras. In this range, Y is 16..=235, and U and V are 16..=240, with grey at 128.

/// Number of bytes per pixel.
pub const BYTES_PER_PIXEL: usize = 2;

/// Red, green and blue (0..=255 each).
pub type Rgb = [u8; 3];
/// Luma, blue colour difference and red colour difference, one byte each.
pub type Yuv = [u8; 3];

/// Returns the length of a frame of `width` by `height` pixels (bytes).
pub const fn frame_len(width: usize, height: usize) -> usize {
    width * height * BYTES_PER_PIXEL
}

/// Converts RGB to YUV according to BT.601, in integers with eight fractional bits.
pub fn from_rgb([r, g, b]: Rgb) -> Yuv {
    let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
    let y = (66 * r + 129 * g + 25 * b + 128) >> 8;
    let u = (-38 * r - 74 * g + 112 * b + 128) >> 8;
    let v = (112 * r - 94 * g - 18 * b + 128) >> 8;
    [(y + 16) as u8, (u + 128) as u8, (v + 128) as u8]
}

/// Converts YUV to RGB according to BT.601, in integers with eight fractional bits. Values outside the RGB cube are
/// clamped.
pub fn to_rgb([y, u, v]: Yuv) -> Rgb {
    let (c, d, e) = (298 * (i32::from(y) - 16), i32::from(u) - 128, i32::from(v) - 128);
    let channel = |x: i32| ((x + 128) >> 8).clamp(0, 255) as u8;
    [channel(c + 409 * e), channel(c - 100 * d - 208 * e), channel(c + 516 * d)]
}

/// Encodes two adjacent pixels in four bytes. The colour differences of the two pixels are averaged.
pub fn pack(left: Yuv, right: Yuv) -> [u8; 4] {
    let mean = |a: u8, b: u8| (u16::from(a) + u16::from(b)).div_ceil(2) as u8;
    [left[0], mean(left[1], right[1]), right[0], mean(left[2], right[2])]
}

/// Decodes two adjacent pixels from four bytes.
pub fn unpack([y0, u, y1, v]: [u8; 4]) -> [Yuv; 2] {
    [[y0, u, v], [y1, u, v]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_cube_corners_have_bt601_values() {
        assert_eq!(from_rgb([255, 255, 255]), [235, 128, 128]);
        assert_eq!(from_rgb([0, 0, 0]), [16, 128, 128]);
        assert_eq!(from_rgb([255, 0, 0]), [82, 90, 240]);
        assert_eq!(from_rgb([0, 0, 255]), [41, 240, 110]);
    }

    #[test]
    fn colours_come_back_within_rounding() {
        for r in (0..=255).step_by(15) {
            for g in (0..=255).step_by(15) {
                for b in (0..=255).step_by(15) {
                    let rgb = [r as u8, g as u8, b as u8];
                    let back = to_rgb(from_rgb(rgb));
                    let apart = rgb.iter().zip(back).map(|(a, b)| a.abs_diff(b)).max();
                    assert!(apart <= Some(3), "{rgb:?} came back as {back:?}");
                }
            }
        }
    }

    #[test]
    fn neighbours_share_their_colour_differences() {
        let (red, white) = (from_rgb([200, 30, 30]), from_rgb([240, 240, 240]));
        let bytes = pack(red, white);
        let [left, right] = unpack(bytes);
        assert_eq!((left[0], right[0]), (red[0], white[0]));
        assert_eq!(left[1..], right[1..]);
        assert_eq!(pack(red, red), [red[0], red[1], red[0], red[2]]);
    }
}
