//! Remote drive commands from an operator to one robot, through the hub.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Drive command of short duration. Like every sealed message it is executed once, and only before it expires.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveCommand {
    /// Wheel speeds over the floor, left and right (m/s, -0.13 to 0.13).
    pub wheels: [f32; 2],
    /// Lamp colour: red, green, blue. `None`: colour of the robot's state.
    #[serde(default)]
    pub lamps: Option<[u8; 3]>,
    /// Duration (ms of arena time); a robot limits it to 250 ms of wall time.
    pub hold_ms: u32,
    /// Hub time after which the command expires (s).
    pub expires: f64,
}
