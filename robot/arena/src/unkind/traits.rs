//! Deviations of one robot, with all random values drawn.

use super::fault_interval::FaultInterval;
use super::keys::{RobotKeys, SupplyKeys, Varied};
use super::proximity::Proximity;
use super::streams;
use super::wheels::Wheels;
use crate::{faults, ft2232h};
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Maximum deviation of a random value, in standard deviations.
const MAX_SIGMA: f32 = 3.0;

/// Deviations that can be random. The numbers select the random values and must not change, because a seed must always
/// yield the same robots.
#[derive(Clone, Copy)]
enum Deviation {
    WheelBias = 0,
    ProximityGain = 1,
    ProximityOffset = 2,
    CameraTurn = 3,
}

/// Deviations of one robot.
#[derive(Clone, Debug)]
pub struct Traits {
    pub(crate) wheels: Option<Wheels>,
    pub(crate) proximity: Option<Proximity>,
    pub(crate) camera_noise: f32,
    pub(crate) dead_pixels: f32,
    pub(crate) hot_pixels: f32,
    pub(crate) camera_misses: f32,
    /// Camera angle to the left of straight ahead (rad).
    pub(crate) camera_turn: f32,
    /// Delay of the camera's pictures (arena steps).
    pub(crate) camera_delay: usize,
    pub(crate) camera_faults: Option<ft2232h::Faults>,
    pub(crate) bus_faults: Option<faults::Faults>,
    pub(crate) charge: Option<f32>,
    pub(crate) capacity_ah: Option<f32>,
    pub(crate) supply: Option<SupplyKeys>,
}

impl Traits {
    /// Draws the deviations of robot `robot` from the arena's seed.
    pub(super) fn new(keys: &RobotKeys, seed: u64, robot: usize) -> Traits {
        let draw = DeviationDraws { seed, robot: robot as u32 };
        let slips = keys.wheel_slips.filter(|slips| slips.per_minute > 0.0);
        let wheels = Wheels {
            bias: draw.many(keys.wheel_bias, 0.0, Deviation::WheelBias),
            noise: keys.wheel_noise.unwrap_or(0.0),
            slips: slips.map(|slips| [FaultInterval::by_chance(slips.per_minute, slips.seconds); 2]),
        };
        let driven = keys.wheel_bias.is_some() || wheels.noise > 0.0 || wheels.slips.is_some();
        let proximity = Proximity {
            gain: draw.many(keys.proximity_gain, 1.0, Deviation::ProximityGain),
            offset: draw.many(keys.proximity_offset_counts, 0.0, Deviation::ProximityOffset),
            noise: keys.proximity_noise_counts.unwrap_or(0.0),
            stuck: keys.stuck_proximity.clone().unwrap_or_default(),
        };
        let altered = keys.proximity_gain.is_some()
            || keys.proximity_offset_counts.is_some()
            || proximity.noise > 0.0
            || !proximity.stuck.is_empty();
        let turn = match keys.camera_turn_deg {
            Some(Varied::Given(turn)) => turn,
            Some(Varied::Drawn(drawn)) => draw.normals::<1>(Deviation::CameraTurn)[0] * drawn.spread,
            None => 0.0,
        };
        Traits {
            wheels: driven.then_some(wheels),
            proximity: altered.then_some(proximity),
            camera_noise: keys.camera_noise.unwrap_or(0.0),
            dead_pixels: keys.dead_pixels.unwrap_or(0.0),
            hot_pixels: keys.hot_pixels.unwrap_or(0.0),
            camera_misses: keys.camera_misses.unwrap_or(0.0),
            camera_turn: turn.to_radians(),
            camera_delay: super::fault_interval::steps(keys.camera_delay_s.unwrap_or(0.0)) as usize,
            camera_faults: keys.camera_faults,
            bus_faults: keys.bus_faults.clone(),
            charge: keys.charge,
            capacity_ah: keys.capacity_ah,
            supply: keys.supply,
        }
    }
}

/// Random draws of one robot's deviations.
struct DeviationDraws {
    seed: u64,
    robot: u32,
}

impl DeviationDraws {
    fn normals<const N: usize>(&self, what: Deviation) -> [f32; N] {
        let mut draws = Draws::new(self.seed, streams::TRAITS, self.robot, what as u32, Stream::Device);
        [(); N].map(|()| normal_pair(draws.word(), draws.word()).0.clamp(-MAX_SIGMA, MAX_SIGMA))
    }

    fn many<const N: usize>(&self, value: Option<Varied<[f32; N]>>, ideal: f32, what: Deviation) -> [f32; N] {
        match value {
            Some(Varied::Given(values)) => values,
            Some(Varied::Drawn(drawn)) => self.normals(what).map(|normal| ideal + drawn.spread * normal),
            None => [ideal; N],
        }
    }
}
