//! Conversion of the speeds at which wheels turn to speeds over the floor.

use super::fault_interval::{FaultInterval, IntervalKey};
use super::streams;
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Speed factor of a slipping wheel. The factor is not 0, because the arena's keeper may move the frisbee if all
/// wheels have zero speed.
const SLIPPING: f32 = 0.01;

/// Deviations of one robot's wheels.
#[derive(Clone, Debug)]
pub(crate) struct Wheels {
    pub bias: [f32; 2],
    pub noise: f32,
    pub slips: Option<[FaultInterval; 2]>,
}

impl Wheels {
    /// Returns the speeds over the floor of both wheels in step `now` (m/s). `turning` are the speeds at which the
    /// wheels turn (m/s). The speed of a slipping wheel over the floor is almost 0.
    pub fn ground(&mut self, turning: [f32; 2], now: u32, seed: u64, robot: u32) -> [f32; 2] {
        let noise = match self.noise {
            0.0 => (0.0, 0.0),
            sigma => {
                let mut draws = Draws::new(seed, streams::WHEELS, robot, now, Stream::Device);
                let (left, right) = normal_pair(draws.word(), draws.word());
                (sigma * left, sigma * right)
            }
        };
        let mut ground = [turning[0] * (1.0 + self.bias[0] + noise.0), turning[1] * (1.0 + self.bias[1] + noise.1)];
        for (i, spell) in self.slips.iter_mut().flatten().enumerate() {
            if spell.step(now, IntervalKey { seed, robot, spell: i as u32 }) {
                ground[i] *= SLIPPING;
            }
        }
        ground
    }
}
