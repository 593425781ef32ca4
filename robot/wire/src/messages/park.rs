//! Parking: robots driven from outside, what an operator asks for, and how it stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where robots are to be sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkOrder {
    /// Where robots are to stand: x and y, m, and heading, rad.
    pub poses: Vec<[f32; 3]>,
    /// Ids of the robots; all that are there and not held if empty.
    pub robots: Vec<String>,
    /// The first robot takes the first pose and so on; else poses are given out so that the ways together are short.
    pub own: bool,
    /// Walls in the arena: ends of each, x and y of both, m.
    #[serde(default)]
    pub walls: Vec<[f32; 4]>,
    /// There is no frisbee: nothing is to be kept clear of.
    #[serde(default)]
    pub without_frisbee: bool,
}

/// How far a robot has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ParkState {
    /// It is on its way.
    #[default]
    Driving,
    /// It stands where it is to stand.
    Parked,
    /// Motion capture does not see it.
    Unseen,
    /// It is not heard.
    Lost,
    /// An operator holds it.
    Held,
}

/// One robot's row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkRow {
    /// Its id.
    pub robot: String,
    /// Its pose: x and y, m, and heading, rad.
    pub goal: [f32; 3],
    /// How far it is from there, m; none before it was seen.
    pub off_m: Option<f32>,
    /// By how much it is turned from there, degrees, 0 to 180.
    pub off_deg: Option<f32>,
    /// How far it has come.
    pub state: ParkState,
}

/// How parking stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkReport {
    /// It is over: parked, given up, or stopped.
    pub over: bool,
    /// All robots stand where they are to stand.
    pub parked: bool,
    /// In words.
    pub said: String,
    /// Time since the beginning, or that it took, s of arena time.
    pub seconds: f64,
    /// How far the frisbee was moved since the beginning, m; none if it was not seen.
    pub frisbee_moved_m: Option<f32>,
    /// One row a robot.
    pub robots: Vec<ParkRow>,
}
