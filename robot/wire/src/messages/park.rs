//! Parking: orders to drive robots to given poses, and progress reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order to park robots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkOrder {
    /// Target poses: x (m), y (m), heading (rad).
    pub poses: Vec<[f32; 3]>,
    /// Robot ids; empty for all connected robots that are not held.
    pub robots: Vec<String>,
    /// Whether `poses` are in the order of the robots. Otherwise, the hub assigns the poses so that the total distance
    /// is minimal.
    pub own: bool,
    /// Walls in the arena, each as x and y of both ends (m).
    #[serde(default)]
    pub walls: Vec<[f32; 4]>,
    /// Whether the arena has no frisbee to avoid.
    #[serde(default)]
    pub without_frisbee: bool,
}

/// Parking state of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ParkState {
    /// The robot drives to its pose.
    #[default]
    Driving,
    /// The robot is at its pose.
    Parked,
    /// Motion capture does not see the robot.
    Unseen,
    /// The connection to the robot is lost.
    Lost,
    /// An operator holds the robot.
    Held,
}

/// Parking state of one robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkRow {
    /// Robot id.
    pub robot: String,
    /// Target pose: x (m), y (m), heading (rad).
    pub goal: [f32; 3],
    /// Distance from the target (m); `None` before the robot was seen.
    pub off_m: Option<f32>,
    /// Angle from the target heading (degrees, 0 to 180); `None` before the robot was seen.
    pub off_deg: Option<f32>,
    /// Parking state.
    pub state: ParkState,
}

/// Progress of parking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkReport {
    /// Whether parking has ended: completed, abandoned or stopped.
    pub over: bool,
    /// Whether all robots are at their poses.
    pub parked: bool,
    /// Description of the state, for operators.
    pub said: String,
    /// Duration of parking so far or, after its end, in total (s of arena time).
    pub seconds: f64,
    /// Displacement of the frisbee since the start of parking (m); `None` if the frisbee was not seen.
    pub frisbee_moved_m: Option<f32>,
    /// One row per robot.
    pub robots: Vec<ParkRow>,
}
