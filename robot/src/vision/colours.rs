//! Colour vision. It detects which of the three primary colours appear in the left, centre and right third of the frame
//! (thesis 7.3.2).
//!
//! A table maps the upper six bits of Y, U and V to a colour class, so each pixel requires one look-up. Only the lower
//! half of the frame is used, because all objects in the arena are below the horizon.

use crate::device::Frame;
use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_kernels::model::CAMERA_FOV;
use xpuck_kernels::world::Colour;
use xpuck_kernels::world::senses::Blobs;
use xpuck_registers::yuyv::{self, Rgb};

/// Number of upper bits that each of Y, U and V contributes to the table's index.
const BITS: u32 = 6;
/// Reciprocal of the detection threshold. A colour is detected if more than 1/`ONE_IN` (0.2 %) of a segment's pixels
/// have that colour.
const ONE_IN: usize = 500;
const COLOURS: [Colour; 3] = [Colour::Red, Colour::Green, Colour::Blue];
/// Class of pixels without a primary colour.
const NONE: u8 = 3;

/// Region of a primary colour in HSV space.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Hue range from the first to the second value (degrees, 0..=360). If the first value is the higher one, the range
    /// includes 0.
    pub hue: [f32; 2],
    /// Minimum saturation (0.05..=1).
    #[schemars(range(min = 0.05, max = 1.0))]
    pub saturation: f32,
    /// Minimum value (0.05..=1).
    #[schemars(range(min = 0.05, max = 1.0))]
    pub value: f32,
}

impl Region {
    /// Returns whether the region contains a colour, given as hue (degrees), saturation and value (0..=1).
    pub fn contains(&self, [hue, saturation, value]: [f32; 3]) -> bool {
        let [from, to] = self.hue;
        (hue - from).rem_euclid(360.0) <= (to - from).rem_euclid(360.0)
            && saturation >= self.saturation
            && value >= self.value
    }
}

/// Regions of red, green and blue (thesis Table 7.3).
pub const REGIONS: [Region; 3] = [
    Region { hue: [320.0, 20.0], saturation: 0.4, value: 0.4 },
    Region { hue: [80.0, 160.0], saturation: 0.4, value: 0.4 },
    Region { hue: [180.0, 260.0], saturation: 0.2, value: 0.4 },
];

/// Classifier of the colours in a frame, with a precomputed table.
#[derive(Clone, Debug)]
pub struct ColourClassifier {
    classes: Vec<u8>,
    /// Angle of the camera to the left of straight ahead, as a fraction of its field of view.
    turn: f32,
}

impl Default for ColourClassifier {
    fn default() -> ColourClassifier {
        ColourClassifier::new(&REGIONS)
    }
}

impl ColourClassifier {
    /// Creates a classifier, and builds its table from these regions of red, green and blue.
    pub fn new(regions: &[Region; 3]) -> ColourClassifier {
        let level = |bits: usize| {
            let kept = bits & ((1 << BITS) - 1);
            ((kept << (8 - BITS)) + (1 << (7 - BITS))) as u8
        };
        let bits = BITS as usize;
        let class = |i: usize| class_of(regions, yuyv::to_rgb([level(i >> (2 * bits)), level(i >> bits), level(i)]));
        ColourClassifier { classes: (0..1 << (3 * bits)).map(class).collect(), turn: 0.0 }
    }

    /// Sets the angle of the camera to the left of straight ahead (degrees). The segments are then relative to the
    /// robot's heading. Parts of segments outside the picture are omitted.
    pub fn turned(self, degrees: f32) -> ColourClassifier {
        ColourClassifier { turn: degrees.to_radians() / CAMERA_FOV, ..self }
    }

    /// Detects the colours in each segment of a frame.
    pub fn classify(&self, frame: &Frame) -> Blobs {
        let (width, height) = (frame.width(), frame.height());
        let mut counts = [[0usize; 4]; 3];
        // Segments begin and end at whole pairs of pixels, because the two pixels of a pair share U and V.
        let shift = (self.turn * width as f32).round() as isize;
        let edges = [0, 1, 2, 3].map(|s| {
            let column = ((width * s / 3) as isize + shift).clamp(0, width as isize) as usize;
            if s == 3 && shift >= 0 { 2 * width } else { column / 2 * 4 }
        });
        let lower = &frame.bytes()[height / 2 * width * yuyv::BYTES_PER_PIXEL..];
        for row in lower.chunks_exact(width * yuyv::BYTES_PER_PIXEL) {
            for (segment, counts) in counts.iter_mut().enumerate() {
                for pair in row[edges[segment]..edges[segment + 1]].chunks_exact(4) {
                    let [y0, u, y1, v] = [pair[0], pair[1], pair[2], pair[3]].map(|b| usize::from(b >> (8 - BITS)));
                    let colour = u << BITS | v;
                    counts[usize::from(self.classes[y0 << (2 * BITS) | colour] & 3)] += 1;
                    counts[usize::from(self.classes[y1 << (2 * BITS) | colour] & 3)] += 1;
                }
            }
        }
        let mut blobs = Blobs::default();
        for (segment, counts) in counts.iter().enumerate() {
            let pixels: usize = counts.iter().sum();
            for (class, colour) in COLOURS.iter().enumerate() {
                blobs.0[*colour as usize][segment] = counts[class] * ONE_IN > pixels;
            }
        }
        blobs
    }
}

/// Returns the class of a colour: an index into [`COLOURS`], or [`NONE`].
fn class_of(regions: &[Region; 3], rgb: Rgb) -> u8 {
    let colour = hsv(rgb);
    regions.iter().position(|region| region.contains(colour)).map_or(NONE, |i| i as u8)
}

/// Converts a colour to hue (degrees, 0..360), saturation (0..=1) and value (0..=1). For grey, hue and saturation are
/// 0.
pub fn hsv(rgb: Rgb) -> [f32; 3] {
    let [r, g, b] = rgb.map(|c| f32::from(c) / 255.0);
    let value = r.max(g).max(b);
    let chroma = value - r.min(g).min(b);
    if chroma == 0.0 {
        return [0.0, 0.0, value];
    }
    let sixth = if value == r {
        ((g - b) / chroma).rem_euclid(6.0)
    } else if value == g {
        (b - r) / chroma + 2.0
    } else {
        (r - g) / chroma + 4.0
    };
    [60.0 * sixth, chroma / value, value]
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Rgb = [225, 225, 222];
    const RED: Rgb = [190, 35, 40];
    const GREEN: Rgb = [40, 150, 60];
    const BLUE: Rgb = [35, 80, 185];

    /// Returns a white frame of 160 x 120 pixels with coloured rectangles (rows, columns, colour).
    fn picture(patches: &[(std::ops::Range<usize>, std::ops::Range<usize>, Rgb)]) -> Frame {
        let at = |row: usize, column: usize| {
            let patch = patches.iter().rev().find(|(r, c, _)| r.contains(&row) && c.contains(&column));
            yuyv::from_rgb(patch.map_or(WHITE, |p| p.2))
        };
        let bytes = (0..160 * 60).flat_map(|pair| {
            let (row, column) = (pair / 80, pair % 80 * 2);
            yuyv::pack(at(row, column), at(row, column + 1))
        });
        Frame::new(160, 120, bytes.collect()).unwrap()
    }

    fn seen(patches: &[(std::ops::Range<usize>, std::ops::Range<usize>, Rgb)]) -> [[bool; 3]; 3] {
        ColourClassifier::default().classify(&picture(patches)).0
    }

    #[test]
    fn white_arena_has_no_colours() {
        for shade in [WHITE, [0, 0, 0], [120, 116, 108], [255, 255, 255], [60, 60, 60]] {
            assert_eq!(seen(&[(0..120, 0..160, shade)]), [[false; 3]; 3], "{shade:?}");
        }
    }

    #[test]
    fn each_colour_is_seen_in_its_segment() {
        let columns = [10..40, 60..100, 120..150];
        for (colour, rgb) in [RED, GREEN, BLUE].into_iter().enumerate() {
            for (segment, columns) in columns.iter().enumerate() {
                let mut expected = [[false; 3]; 3];
                expected[colour][segment] = true;
                assert_eq!(seen(&[(70..80, columns.clone(), rgb)]), expected, "{rgb:?} in segment {segment}");
            }
        }
    }

    #[test]
    fn turned_camera_keeps_robot_segments() {
        // The camera points 10 degrees to the left. Objects straight ahead of the robot therefore appear `aside` pixels
        // to the right of the picture's middle.
        let aside = (160.0 * 10f32.to_radians() / CAMERA_FOV).round() as usize;
        let mut seen = [[[false; 3]; 3]; 2];
        for (turn, seen) in [10.0, -10.0].into_iter().zip(&mut seen) {
            let vision = ColourClassifier::default().turned(turn);
            let middle = if turn > 0.0 { 80 + aside } else { 80 - aside };
            let at = |columns: std::ops::Range<usize>| vision.classify(&picture(&[(70..80, columns, BLUE)])).0[2];
            assert_eq!(at(middle - 10..middle + 10), [false, true, false], "{turn}");
            assert_eq!(at(middle - 25..middle + 25), [false, true, false], "{turn}");
            *seen = [at(0..12), at(148..160), [true; 3]];
        }
        assert_eq!(seen[0][..2], [[false; 3], [false, false, true]], "what is too far left is not the robot's to see");
        assert_eq!(seen[1][..2], [[true, false, false], [false; 3]]);
    }

    #[test]
    fn pixels_above_horizon_are_ignored() {
        assert_eq!(seen(&[(0..60, 0..160, BLUE)]), [[false; 3]; 3]);
        assert_eq!(seen(&[(0..61, 0..160, BLUE)])[2], [true; 3]);
    }

    #[test]
    fn more_than_two_pixels_in_a_thousand_are_needed() {
        // The centre segment has 54 columns of 60 pixels, so the threshold of 0.2 % is 6.5 pixels.
        assert_eq!(seen(&[(90..93, 80..82, BLUE)])[2], [false; 3]);
        assert_eq!(seen(&[(90..94, 80..82, BLUE)])[2], [false, true, false]);
    }

    #[test]
    fn colour_regions_match_table_7_3() {
        let at = |hue: f32, saturation: f32, value: f32| {
            let channel = |n: f32| {
                let k = (n + hue / 60.0).rem_euclid(6.0);
                ((value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0)) * 255.0).round() as u8
            };
            class_of(&REGIONS, [channel(5.0), channel(3.0), channel(1.0)])
        };
        for hue in 0..360 {
            let expected = match hue {
                322..360 | 0..=18 => 0,
                82..=158 => 1,
                182..=258 => 2,
                22..=78 | 162..=178 | 262..=318 => NONE,
                _ => continue,
            };
            assert_eq!(at(hue as f32, 0.8, 0.8), expected, "hue {hue}");
        }
        assert_eq!([at(0.0, 0.37, 0.8), at(0.0, 0.43, 0.8)], [NONE, 0]);
        assert_eq!([at(220.0, 0.17, 0.8), at(220.0, 0.23, 0.8)], [NONE, 2]);
        assert_eq!([at(120.0, 0.8, 0.37), at(120.0, 0.8, 0.43)], [NONE, 1]);
    }
}
