//! Pixel canvas: discs and lines with smooth edges, and copies from other canvases.

/// Colour as red, green and blue.
pub type Rgb = [u8; 3];

/// Parses a CSS colour of the form `#rrggbb`. Returns black for a text without `#`.
pub fn rgb(colour: &str) -> Rgb {
    let Some(digits) = colour.strip_prefix('#') else { return [0; 3] };
    let part = |i: usize| digits.get(i..i + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).unwrap_or(0);
    [part(0), part(2), part(4)]
}

/// Picture as an array of pixels, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    width: usize,
    height: usize,
    /// Red, green and blue of each pixel.
    pub bytes: Vec<u8>,
}

impl Canvas {
    /// Creates a canvas; `None` unless `bytes` holds three bytes per pixel.
    pub fn from_raw(width: usize, height: usize, bytes: Vec<u8>) -> Option<Canvas> {
        (bytes.len() == 3 * width * height).then_some(Canvas { width, height, bytes })
    }

    /// Draws a filled circle. The centre `at` is relative to the upper left corner of the canvas. All lengths are in
    /// pixels.
    pub fn disc(&mut self, at: (f32, f32), radius: f32, colour: Rgb) {
        self.line(at, at, 2.0 * radius, colour);
    }

    /// Draws a line of width `wide` (pixels) with round ends.
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), wide: f32, colour: Rgb) {
        let reach = wide / 2.0 + 0.5;
        let span = |a: f32, b: f32, most: usize| {
            let low = (a.min(b) - reach).floor().max(0.0) as usize;
            low..((a.max(b) + reach).ceil().max(0.0) as usize).min(most)
        };
        let along = (to.0 - from.0, to.1 - from.1);
        let square = along.0 * along.0 + along.1 * along.1;
        for y in span(from.1, to.1, self.height) {
            for x in span(from.0, to.0, self.width) {
                let (px, py) = (x as f32 + 0.5 - from.0, y as f32 + 0.5 - from.1);
                let part = if square > 0.0 { ((px * along.0 + py * along.1) / square).clamp(0.0, 1.0) } else { 0.0 };
                let away = (px - part * along.0).hypot(py - part * along.1);
                // Approximate fraction of the pixel that the line covers.
                let cover = (reach - away).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let pixel = &mut self.bytes[3 * (y * self.width + x)..][..3];
                    for (old, new) in pixel.iter_mut().zip(colour) {
                        *old = (f32::from(*old) + cover * (f32::from(new) - f32::from(*old))).round() as u8;
                    }
                }
            }
        }
    }

    /// Copies a rectangle of width and height `size` (pixels) from another canvas. `from` and `to` are its upper left
    /// corners in the other canvas and in this canvas. Parts outside either canvas are left out.
    pub fn copy(&mut self, other: &Canvas, from: (usize, usize), to: (usize, usize), size: (usize, usize)) {
        let wide = size.0.min(other.width.saturating_sub(from.0)).min(self.width.saturating_sub(to.0));
        let high = size.1.min(other.height.saturating_sub(from.1)).min(self.height.saturating_sub(to.1));
        for row in 0..high {
            let source = 3 * ((from.1 + row) * other.width + from.0);
            let target = 3 * ((to.1 + row) * self.width + to.0);
            self.bytes[target..target + 3 * wide].copy_from_slice(&other.bytes[source..source + 3 * wide]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn white(width: usize, height: usize) -> Canvas {
        Canvas::from_raw(width, height, vec![255; 3 * width * height]).unwrap()
    }

    #[test]
    fn disc_has_correct_area_and_is_clipped() {
        let mut canvas = white(40, 40);
        canvas.disc((20.0, 20.0), 10.0, [0; 3]);
        let dark: f32 = canvas.bytes.chunks(3).map(|p| (255.0 - f32::from(p[0])) / 255.0).sum();
        assert!((dark - 314.16).abs() < 3.0, "{dark}");
        canvas.disc((0.0, 45.0), 8.0, [9; 3]);
        canvas.disc((-90.0, 900.0), 8.0, [9; 3]);
        canvas.disc((f32::NAN, 3.0), 8.0, [9; 3]);
        assert_eq!(canvas.bytes[3 * (39 * 40)..][..3], [9; 3]);
    }

    #[test]
    fn lines_and_copies_are_where_they_should_be() {
        let mut canvas = white(20, 10);
        canvas.line((2.0, 5.0), (18.0, 5.0), 2.0, rgb("#ff8000"));
        assert_eq!(canvas.bytes[3 * (4 * 20 + 10)..][..3], [255, 128, 0]);
        assert_eq!(canvas.bytes[3 * (7 * 20 + 10)..][..3], [255; 3]);
        let mut other = white(20, 10);
        other.copy(&canvas, (9, 4), (18, 9), (5, 5));
        assert_eq!(other.bytes[3 * (9 * 20 + 19)..][..3], [255, 128, 0]);
        assert_eq!(other.bytes.chunks(3).filter(|p| *p != [255; 3]).count(), 2);
        assert!(Canvas::from_raw(2, 2, vec![0; 11]).is_none());
        assert_eq!(rgb("red"), [0; 3]);
    }
}
