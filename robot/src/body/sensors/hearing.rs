//! Loudness and direction of sound, computed from microphone readings. All functions are pure.

use xpuck_registers::microphone::{Loudness, MAX_MICROPHONES, RawSound, SWING};

/// Factor of the direction threshold for sound that is measured as single samples. A direction is reported if the
/// direction vector is longer than factor * mean level / sqrt(sample count). This threshold is three standard
/// deviations of a root mean square value.
const DIRECTION_THRESHOLD_SAMPLES: f32 = 2.5;
/// Direction threshold for sound that is measured as volumes, as a fraction of the mean level. The threshold is lower
/// than for single samples, because the body computes each volume from many samples.
const DIRECTION_THRESHOLD_VOLUMES: f32 = 0.05;
/// Mean level below which no direction is reported (fraction of [`SWING`]).
const SILENT: f32 = 0.005;

/// Sums over all microphone readings so far. The difference between two states of the sums covers the readings between
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoundSums {
    samples: u64,
    volumes: u64,
    sums: [u64; MAX_MICROPHONES],
    squares: [u64; MAX_MICROPHONES],
}

/// Loudness and direction of sound during an interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoudnessReading {
    /// Loudness at each microphone, in the order right, left, back, front. The e-puck1 has no front microphone.
    pub loudness: Vec<Loudness>,
    /// Direction of the sound in the robot's frame (rad); `None` unless one side is clearly louder.
    pub from: Option<f32>,
}

impl SoundSums {
    /// Adds a microphone reading of the body.
    pub fn add_reading(&mut self, sound: RawSound) {
        let values: &[u16] = match &sound {
            RawSound::Samples(values) => {
                self.samples += 1;
                values
            }
            RawSound::Volumes(values) => {
                self.volumes += 1;
                values
            }
        };
        for (i, value) in values.iter().enumerate() {
            self.sums[i] += u64::from(*value);
            self.squares[i] += u64::from(*value) * u64::from(*value);
        }
    }

    /// Returns the loudness and direction since the state `earlier`. Returns `None` if the interval contains no volume
    /// and fewer than two samples.
    pub fn since(&self, earlier: &SoundSums) -> Option<LoudnessReading> {
        let (samples, volumes) = (self.samples - earlier.samples, self.volumes - earlier.volumes);
        let sum = |i: usize| (self.sums[i] - earlier.sums[i]) as f64;
        let square = |i: usize| (self.squares[i] - earlier.squares[i]) as f64;
        if volumes > 0 {
            let mean = |i: usize| Loudness::of_volume((sum(i) / volumes as f64) as u16);
            return Some(LoudnessReading::from_loudness(
                (0..MAX_MICROPHONES).map(mean).collect(),
                DIRECTION_THRESHOLD_VOLUMES,
            ));
        }
        if samples < 2 {
            return None;
        }
        let n = samples as f64;
        let root = |i: usize| ((square(i) - sum(i) * sum(i) / n).max(0.0) / (n - 1.0)).sqrt();
        let loudness = (0..3).map(|i| Loudness(root(i) as f32 / SWING)).collect();
        Some(LoudnessReading::from_loudness(loudness, DIRECTION_THRESHOLD_SAMPLES / (n as f32).sqrt()))
    }
}

impl LoudnessReading {
    /// Computes the direction of a sound, which is louder on the side of its source. The left-right difference gives
    /// one component of the direction vector. The front-back difference gives the other component. If the body has no
    /// front microphone, the mean of left and right replaces the front level. `sure` is the minimum length of the
    /// direction vector, as a fraction of the mean level.
    fn from_loudness(loudness: Vec<Loudness>, sure: f32) -> LoudnessReading {
        let level: Vec<f32> = loudness.iter().map(|l| l.0).collect();
        let mean = level.iter().sum::<f32>() / level.len() as f32;
        let (x, y) = match level[..] {
            [right, left, back, front] => ((front - back) / 2.0, (left - right) / 2.0),
            [right, left, back] => ((right + left) / 2.0 - back, (left - right) / 2.0),
            _ => (0.0, 0.0),
        };
        let clear = mean > SILENT && x.hypot(y) > sure * mean;
        LoudnessReading { loudness, from: clear.then(|| y.atan2(x)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, TAU};

    #[test]
    fn loudness_matches_sine_samples_and_volume() {
        let mut heard = SoundSums::default();
        let before = heard;
        for i in 0..1000 {
            let sample = |amplitude: f32| (2048.0 + amplitude * (TAU * 0.317 * i as f32).sin()).round() as u16;
            heard.add_reading(RawSound::Samples([sample(400.0), sample(0.0), sample(40.0)]));
        }
        let LoudnessReading { loudness, .. } = heard.since(&before).unwrap();
        let expected = [400.0, 0.0, 40.0].map(|amplitude| amplitude / std::f32::consts::SQRT_2 / SWING);
        for (found, expected) in loudness.iter().zip(expected) {
            assert!((found.0 - expected).abs() < 3e-4, "{loudness:?}");
        }
        assert_eq!(heard.since(&heard), None, "nothing came since");
    }

    #[test]
    fn sound_bearing_is_louder_side_and_silence_has_none() {
        let of = |volumes: [u16; 4]| {
            let mut heard = SoundSums::default();
            heard.add_reading(RawSound::Volumes(volumes));
            heard.since(&SoundSums::default()).unwrap().from
        };
        let near = |found: Option<f32>, expected: f32| found.is_some_and(|found| (found - expected).abs() < 0.05);
        assert!(near(of([900, 1100, 1000, 1000]), FRAC_PI_2), "{:?}", of([900, 1100, 1000, 1000]));
        assert!(near(of([1100, 900, 1000, 1000]), -FRAC_PI_2));
        assert!(near(of([1000, 1000, 900, 1100]), 0.0));
        assert_eq!(of([1000, 1010, 1005, 1003]), None, "all alike");
        assert_eq!(of([5, 20, 10, 10]), None, "silence");
    }
}
