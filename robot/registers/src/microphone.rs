//! The microphones: where they are, and what their numbers mean.
//!
//! The e-puck's own processor tells samples of three, which swing about the middle of the converter's range; an e-puck2 tells
//! the volume at four, the difference between the greatest and the least sample of a tenth of a second.

use std::f32::consts::{FRAC_PI_2, PI};

/// Most microphones of a robot.
pub const MOST: usize = 4;
/// Where they look in the robot's frame, rad: right, left, back, and on an e-puck2 front (GCtronic's numbering).
pub const BEARINGS: [f32; MOST] = [-FRAC_PI_2, FRAC_PI_2, PI, 0.0];
/// Their distance from the robot's centre, m.
pub const RADIUS: f32 = 0.030;
/// A silent microphone, counts: the middle of the range.
pub const SILENCE: f32 = 2048.0;
/// Samples that swing by so much to each side are the loudest that can be told, counts.
pub const SWING: f32 = 2047.0;

/// What a body tells of its microphones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawSound {
    /// One sample of each, ADC counts, 0..=4095.
    Samples([u16; 3]),
    /// The volume at each, ADC counts from the least to the greatest sample.
    Volumes([u16; 4]),
}

/// Root of the mean square at a microphone, as part of [`SWING`]: 0 is silence, 0.7 the loudest sine that can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Loudness(pub f32);

impl Loudness {
    /// That of a sine with this volume, counts.
    pub fn of_volume(volume: u16) -> Loudness {
        Loudness(f32::from(volume) / (2.0 * std::f32::consts::SQRT_2 * SWING))
    }

    /// The volume of a sine of this loudness, counts.
    pub fn volume(self) -> f32 {
        self.0 * 2.0 * std::f32::consts::SQRT_2 * SWING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loudest_sine_fills_the_range() {
        let loudest = Loudness(std::f32::consts::FRAC_1_SQRT_2);
        assert!((loudest.volume() - 2.0 * SWING).abs() < 1.0);
        assert!((Loudness::of_volume(loudest.volume() as u16).0 - loudest.0).abs() < 1e-3);
    }
}
