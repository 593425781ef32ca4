//! Levels of a robot's accelerometer, light sensors and microphones at the analogue-to-digital converter, and failures
//! of these sensors.

use crate::faults::SenseFault;
use crate::unkind::streams;
use std::f32::consts::{SQRT_2, TAU};
use xpuck_kernels::math::{Vec2, sin_cos};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::accelerometer::{COUNTS_PER_G, ZERO_COUNTS, level};
use xpuck_registers::infrared::MAX_COUNTS;
use xpuck_registers::light;
use xpuck_registers::microphone::{Loudness, MAX_MICROPHONES, SILENCE, SWING};

/// Levels at a robot's analogue-to-digital converter, without noise (counts).
#[derive(Clone, Copy, Debug, Default)]
pub struct SensorLevels {
    /// Acceleration along x, y and z.
    pub acceleration: [f32; 3],
    /// Light sensors, in the order of Table 6.1 of the thesis. Larger values are brighter.
    pub light: [f32; 8],
    /// Momentary sample of each microphone.
    pub samples: [f32; MAX_MICROPHONES],
    /// Peak-to-peak volume of each microphone.
    pub volumes: [f32; MAX_MICROPHONES],
    /// Faults of the accelerometer, light sensors and microphones.
    pub faults: [Option<SenseFault>; 3],
}

impl SensorLevels {
    /// Computes the levels for an acceleration along the body's x and y (m/s^2), and for the given brightness and
    /// loudness. Each sound sample is taken at a random phase.
    pub fn new(
        acceleration: Vec2,
        brightness: [f32; 8],
        loudness: [Loudness; MAX_MICROPHONES],
        chance: &mut Draws,
    ) -> SensorLevels {
        let sample = |Loudness(loudness)| {
            let phase = sin_cos(TAU * chance.range(0.0, 1.0)).0;
            (SILENCE + SQRT_2 * loudness * SWING * phase).clamp(0.0, f32::from(MAX_COUNTS))
        };
        SensorLevels {
            acceleration: [level(acceleration.x), level(acceleration.y), ZERO_COUNTS + COUNTS_PER_G],
            light: brightness.map(light::level),
            samples: loudness.map(sample),
            volumes: loudness.map(|loudness| loudness.volume().min(f32::from(MAX_COUNTS))),
            faults: [None; 3],
        }
    }
}

/// Returns the readings of sensors of one kind with the fault `fault`. `good` contains their readings without a fault.
pub(crate) fn failed<const N: usize>(fault: Option<SenseFault>, good: [u16; N], chance: &mut Draws) -> [u16; N] {
    /// Reading of a stuck sensor (counts).
    const STUCK: u16 = 1234;
    match fault {
        None => good,
        Some(SenseFault::Dead) => [0; N],
        Some(SenseFault::Stuck) => [STUCK; N],
        Some(SenseFault::Mad) => good.map(|_| chance.below(u32::from(MAX_COUNTS) + 1) as u16),
    }
}

/// Returns random numbers for the sensors of robot `robot` in step `now`. They are independent of all other random
/// numbers.
pub(crate) fn chance(seed: u64, robot: u32, now: u32) -> Draws {
    Draws::new(seed, streams::FELT, robot, now, Stream::Device)
}
