//! Deviations of the proximity sensors. Each sensor has its own deviations.

use super::keys::StuckSensor;
use super::streams;
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_registers::infrared::MAX_COUNTS;

/// Deviations of one robot's eight proximity sensors from the fitted response curve. The sensors have the order of
/// Table 6.1.
#[derive(Clone, Debug)]
pub(crate) struct Proximity {
    pub gain: [f32; 8],
    pub offset: [f32; 8],
    pub noise: f32,
    pub stuck: Vec<StuckSensor>,
}

impl Proximity {
    /// Returns the readings of the sensors in step `now` (counts); `ideal` are the readings of ideal sensors.
    pub fn read(&self, ideal: [u16; 8], now: u32, seed: u64, robot: u32) -> [u16; 8] {
        let mut draws = Draws::new(seed, streams::PROXIMITY, robot, now, Stream::Device);
        let mut counts = ideal;
        for (i, count) in counts.iter_mut().enumerate() {
            let noise = self.noise * normal_pair(draws.word(), draws.word()).0;
            let level = f32::from(*count) * self.gain[i] + self.offset[i] + noise;
            *count = level.round().clamp(0.0, f32::from(MAX_COUNTS)) as u16;
        }
        for StuckSensor { sensor, counts: stuck } in &self.stuck {
            counts[usize::from(*sensor)] = *stuck;
        }
        counts
    }
}
