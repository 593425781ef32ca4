//! What a user may set, as it stands in `arena.toml`. Everything left out is as in the simulator's own world.

use super::change::ChangeKeys;
use crate::{faults, ft2232h};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::world::PhysicsKeys;

/// How an arena differs from the world that robots evolve in; by default in nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unkind {
    /// Masses, friction and noise.
    pub physics: PhysicsKeys,
    /// How friction with the floor varies by place.
    pub floor: Option<FloorKeys>,
    /// What is wrong with every robot.
    pub every_robot: RobotKeys,
    /// What is wrong with some; what they say goes before what is said of all.
    pub robots: Vec<RobotKeys>,
    /// What fails for a while, at given times or by chance.
    pub faults: Vec<FaultKeys>,
    /// What changes during a run and stays so.
    pub changes: Vec<ChangeKeys>,
}

/// How friction with the floor varies by place: a smooth random field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FloorKeys {
    /// Standard deviation of friction over the floor, as a part of its mean.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub spread: f32,
    /// Distance over which friction stays alike, m.
    #[serde(default = "floor_length")]
    #[schemars(range(min = 0.05, max = 10.0))]
    pub length_m: f32,
}

/// More than a robot is wide and less than an arena.
pub(super) fn floor_length() -> f32 {
    0.25
}

/// A value that is given, or drawn for each robot from the arena's seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a number, a list of as many as there are wheels or sensors, or { spread = ... }"
)]
pub enum Varied<T> {
    /// This.
    Given(T),
    /// Drawn: normal around what is ideal, at most three standard deviations off.
    Drawn(Spread),
}

/// Standard deviation of what is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// In the unit of the key.
    pub spread: f32,
}

/// What is wrong with a robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RobotKeys {
    /// The robot's name in the swarm file; only in `[[robots]]`, and there always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// By how much the left and the right wheel go too far, as a part of the way: 0 is ideal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wheel_bias: Option<Varied<[f32; 2]>>,
    /// Noise of each wheel's speed, as a part of it, drawn anew every 25 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub wheel_noise: Option<f32>,
    /// Moments in which a wheel turns without effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wheel_slips: Option<SpellKeys>,
    /// Factor of each proximity sensor's reading, in the order of Table 6.1: 1 is ideal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proximity_gain: Option<Varied<[f32; 8]>>,
    /// What each proximity sensor reads too much, counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proximity_offset_counts: Option<Varied<[f32; 8]>>,
    /// Noise of each reading, counts; the converter's own 2 counts come on top.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub proximity_noise_counts: Option<f32>,
    /// Sensors that always read the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck_proximity: Option<Vec<StuckSensor>>,
    /// Noise of each byte of a picture, levels of 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 64.0))]
    pub camera_noise: Option<f32>,
    /// Part of the camera's pixels that are always dark.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub dead_pixels: Option<f32>,
    /// Part of the camera's pixels that always shine, each in the colour of its filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub hot_pixels: Option<f32>,
    /// By how much the camera looks to the left of ahead, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera_turn_deg: Option<Varied<f32>>,
    /// Probability that a picture has no colour in one of its three segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub camera_misses: Option<f32>,
    /// How old a picture is when it leaves the camera, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub camera_delay_s: Option<f32>,
    /// What goes wrong between camera and board, as parts of 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera_faults: Option<ft2232h::Faults>,
    /// What goes wrong on the buses, every so many transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_faults: Option<faults::Faults>,
    /// Part of the battery's charge at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub charge: Option<f32>,
    /// What the battery holds when full, A h: an old one holds less.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.05, max = 20.0))]
    pub capacity_ah: Option<f32>,
    /// A supply that can fall under load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supply: Option<SupplyKeys>,
}

/// Something that comes by chance and stays for a while.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpellKeys {
    /// How often it comes in a minute of arena time without it.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub per_minute: f32,
    /// How long it stays, s.
    #[schemars(range(min = 0.025, max = 3600.0))]
    pub seconds: f32,
}

/// A proximity sensor that always reads the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StuckSensor {
    /// Which, in the order of Table 6.1 from 0.
    #[schemars(range(max = 7))]
    pub sensor: u8,
    /// What it reads.
    #[schemars(range(max = 4095))]
    pub counts: u16,
}

/// A supply that can fall under load so far that the board resets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SupplyKeys {
    /// Resistance of cell, switch and contacts, ohm.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub ohms: f32,
    /// How often the board draws more for a moment, in a minute.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub surges_per_minute: f32,
    /// How much more, W.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub surge_watts: f32,
    /// For how long, s.
    #[schemars(range(min = 0.025, max = 60.0))]
    pub surge_seconds: f32,
    /// The board resets below this voltage, V.
    #[schemars(range(min = 0.0, max = 5.0))]
    pub reset_below_v: f32,
    /// How long a reset takes, s.
    #[schemars(range(min = 0.025, max = 600.0))]
    pub reset_seconds: f32,
}

impl Default for SupplyKeys {
    /// Contacts thrice as bad as the thesis's 0.1 ohm, surges as at an XU4's start (over 3 A at 5 V), the under-voltage
    /// lockout of 2.3 V (thesis 5.1.4).
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

/// What fails for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The supply is gone: wheels stand, no device answers, and all of them begin anew.
    BrownOut,
    /// The body's processor restarts: wheels stand, and it does not answer.
    BodyReset,
    /// The body's processor does not answer, and goes on with what it was told.
    BodySilent,
    /// The camera is not there.
    CameraGone,
    /// The camera sends the same picture again and again.
    CameraFrozen,
    /// The proximity sensors keep their readings.
    ProximityStuck,
}

/// Something that fails for a while, at a given time or by chance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultKeys {
    /// What.
    pub what: FaultKind,
    /// Whose; every robot's if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
    /// When it begins, s of arena time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e7))]
    pub at_s: Option<f32>,
    /// Or how often it comes in a minute of arena time without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 600.0))]
    pub per_minute: Option<f32>,
    /// How long it stays, s.
    #[schemars(range(min = 0.025, max = 3600.0))]
    pub seconds: f32,
}
