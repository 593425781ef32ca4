//! Positions of the microphones, and units of their readings.
//!
//! The e-puck1 reports samples of three microphones, centred on the middle of the converter's range. The e-puck2
//! reports the volume at each of four microphones. The volume is the difference between the maximum and the minimum
//! sample within 0.1 s.

use std::f32::consts::{FRAC_PI_2, PI};

/// Maximum number of microphones of a robot.
pub const MAX_MICROPHONES: usize = 4;
/// Directions of the microphones in the robot's frame (rad): right, left and back. The e-puck2 also has a microphone
/// at the front. The order is GCtronic's numbering.
pub const BEARINGS: [f32; MAX_MICROPHONES] = [-FRAC_PI_2, FRAC_PI_2, PI, 0.0];
/// Distance of the microphones from the robot's centre (m).
pub const RADIUS: f32 = 0.030;
/// Reading of a microphone in silence (counts). It is the middle of the converter's range.
pub const SILENCE: f32 = 2048.0;
/// Maximum amplitude of samples about [`SILENCE`] (counts).
pub const SWING: f32 = 2047.0;

/// Microphone readings of a robot's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawSound {
    /// One sample per microphone of an e-puck1 (ADC counts, 0..=4095).
    Samples([u16; 3]),
    /// Volume at each microphone of an e-puck2 (ADC counts). It is the maximum minus the minimum sample.
    Volumes([u16; 4]),
}

/// RMS level at a microphone as a fraction of [`SWING`]. It is 0 in silence, and 0.7 for a sine at full scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Loudness(pub f32);

impl Loudness {
    /// Returns the loudness of a sine with this volume (counts).
    pub fn of_volume(volume: u16) -> Loudness {
        Loudness(f32::from(volume) / (2.0 * std::f32::consts::SQRT_2 * SWING))
    }

    /// Returns the volume of a sine with this loudness (counts).
    pub fn volume(self) -> f32 {
        self.0 * 2.0 * std::f32::consts::SQRT_2 * SWING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loudest_sine_fills_range() {
        let loudest = Loudness(std::f32::consts::FRAC_1_SQRT_2);
        assert!((loudest.volume() - 2.0 * SWING).abs() < 1.0);
        assert!((Loudness::of_volume(loudest.volume() as u16).0 - loudest.0).abs() < 1e-3);
    }
}
