//! Keys of `arena.toml`. An omitted key has the value of the simulator's world.

use super::change::ChangeKeys;
use crate::{faults, ft2232h};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::world::PhysicsKeys;

/// Deviations of an arena from the world in which robots evolve (default: none).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unkind {
    /// Masses, friction and noise.
    pub physics: PhysicsKeys,
    /// Variation of floor friction with the position.
    pub floor: Option<FloorKeys>,
    /// Defects and deviations of every robot.
    pub every_robot: RobotKeys,
    /// Defects and deviations of individual robots. They take precedence over `every_robot`.
    pub robots: Vec<RobotKeys>,
    /// Temporary faults, at given or random times.
    pub faults: Vec<FaultKeys>,
    /// Permanent changes during a run.
    pub changes: Vec<ChangeKeys>,
}

/// Variation of floor friction with the position: a smooth random field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FloorKeys {
    /// Standard deviation of the floor friction, relative to its mean.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub spread: f32,
    /// Correlation length of the friction (m).
    #[serde(default = "floor_length")]
    #[schemars(range(min = 0.05, max = 10.0))]
    pub length_m: f32,
}

/// Returns the default correlation length (m). It exceeds a robot's width and is less than the length of an arena.
pub(super) fn floor_length() -> f32 {
    0.25
}

/// A given value, or a value drawn for each robot from the arena's seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a number, a list with one number for each wheel or sensor, or { spread = ... }"
)]
pub enum Varied<T> {
    /// The given value.
    Given(T),
    /// Random value: normally distributed around the ideal value, within three standard deviations.
    Drawn(Spread),
}

/// Standard deviation of a random value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Standard deviation, in the unit of the key.
    pub spread: f32,
}

/// Defects and deviations of a robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RobotKeys {
    /// Name of the robot in the swarm file; required in `[[robots]]`, not allowed elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Relative distance error of the left and right wheel. A wheel with the value 0 is ideal, and a wheel with a
    /// positive value drives too far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wheel_bias: Option<Varied<[f32; 2]>>,
    /// Standard deviation of the random error of each wheel's speed, relative to the speed. The error changes every 25
    /// ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub wheel_noise: Option<f32>,
    /// Random intervals in which a wheel slips. A slipping wheel hardly moves the robot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wheel_slips: Option<SpellKeys>,
    /// Gain of each proximity sensor, in the order of Table 6.1. The ideal gain is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proximity_gain: Option<Varied<[f32; 8]>>,
    /// Offset of each proximity sensor, in the order of Table 6.1 (counts).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proximity_offset_counts: Option<Varied<[f32; 8]>>,
    /// Standard deviation of the noise of each proximity reading (counts). The noise of the analogue-to-digital
    /// converter (2 counts) is added to this noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub proximity_noise_counts: Option<f32>,
    /// Proximity sensors with a constant reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck_proximity: Option<Vec<StuckSensor>>,
    /// Standard deviation of the noise of each byte of a picture, on the byte's scale of 0 to 255.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 64.0))]
    pub camera_noise: Option<f32>,
    /// Fraction of the camera's pixels that are always dark.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub dead_pixels: Option<f32>,
    /// Fraction of the camera's pixels that are always lit, each in the colour of its filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub hot_pixels: Option<f32>,
    /// Angle between the camera's axis and straight ahead, positive to the left (degrees).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera_turn_deg: Option<Varied<f32>>,
    /// Probability that a third of a picture has no colour. The left, centre and right thirds are drawn separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub camera_misses: Option<f32>,
    /// Age of a picture when it leaves the camera (s).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub camera_delay_s: Option<f32>,
    /// Transmission faults between the camera and the robot's board. Each value is the fraction of affected packets or
    /// frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera_faults: Option<ft2232h::Faults>,
    /// Periodic faults of the buses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_faults: Option<faults::Faults>,
    /// State of charge of the battery at the start (0 to 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub charge: Option<f32>,
    /// Capacity of the battery (A h). The capacity of real batteries decreases with age.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.05, max = 20.0))]
    pub capacity_ah: Option<f32>,
    /// Supply whose voltage drops under load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supply: Option<SupplyKeys>,
}

/// Random intervals in which a condition holds, such as the slip of a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpellKeys {
    /// Mean rate of starts in the arena time in which the condition does not hold (1/min).
    #[schemars(range(min = 0.0, max = 600.0))]
    pub per_minute: f32,
    /// Duration of an interval (s).
    #[schemars(range(min = 0.025, max = 3600.0))]
    pub seconds: f32,
}

/// A proximity sensor with a constant reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StuckSensor {
    /// Index of the sensor in the order of Table 6.1, from 0.
    #[schemars(range(max = 7))]
    pub sensor: u8,
    /// Constant reading (counts).
    #[schemars(range(max = 4095))]
    pub counts: u16,
}

/// Supply whose voltage can drop under load until the board resets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SupplyKeys {
    /// Total resistance of cell, switch and contacts (ohm).
    #[schemars(range(min = 0.0, max = 2.0))]
    pub ohms: f32,
    /// Mean rate of load surges in arena time (1/min).
    #[schemars(range(min = 0.0, max = 600.0))]
    pub surges_per_minute: f32,
    /// Additional power during a surge (W).
    #[schemars(range(min = 0.0, max = 100.0))]
    pub surge_watts: f32,
    /// Duration of a surge (s).
    #[schemars(range(min = 0.025, max = 60.0))]
    pub surge_seconds: f32,
    /// Voltage below which the board resets (V).
    #[schemars(range(min = 0.0, max = 5.0))]
    pub reset_below_v: f32,
    /// Duration of a reset (s).
    #[schemars(range(min = 0.025, max = 600.0))]
    pub reset_seconds: f32,
}

impl Default for SupplyKeys {
    /// Returns a supply with a resistance of 0.3 ohm, three times the resistance of the thesis's supply (0.1 ohm). The
    /// surge power is that of a starting XU4 board (over 3 A at 5 V). The undervoltage lockout is 2.3 V (thesis
    /// 5.1.4).
    fn default() -> SupplyKeys {
        SupplyKeys {
            ohms: 0.3,
            surges_per_minute: 0.0,
            surge_watts: 16.0,
            surge_seconds: 0.1,
            reset_below_v: 2.3,
            reset_seconds: 8.0,
        }
    }
}

/// Kind of a temporary fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The supply fails: the wheels stop, and no device answers. At the end of the fault, all devices restart.
    BrownOut,
    /// The body's processor restarts: the wheels stop, and the processor does not answer during the fault.
    BodyReset,
    /// The body's processor does not answer, and continues to execute its last command.
    BodySilent,
    /// The camera is missing.
    CameraGone,
    /// The camera repeats one frame.
    CameraFrozen,
    /// The proximity sensors repeat their last readings.
    ProximityStuck,
}

/// A temporary fault, at a given time or at random times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultKeys {
    /// Kind of the fault.
    pub what: FaultKind,
    /// Name of the affected robot; every robot if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
    /// Start of the fault in arena time (s). This key excludes `per_minute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e7))]
    pub at_s: Option<f32>,
    /// Mean rate of starts in the arena time in which the fault is not active (1/min). This key excludes `at_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 600.0))]
    pub per_minute: Option<f32>,
    /// Duration of the fault (s).
    #[schemars(range(min = 0.025, max = 3600.0))]
    pub seconds: f32,
}
