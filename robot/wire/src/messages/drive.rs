//! Remote drive commands from an operator to one robot, through the hub.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Drive command of short duration. A robot executes the command only before it expires. The command has an effect only
/// once, because the message that contains it is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveCommand {
    /// Speeds of the left and right wheel over the floor (m/s, -0.13 to 0.13).
    pub wheels: [f32; 2],
    /// Lamp colour: red, green, blue (0 to 255). `None`: the lamps show the robot's state.
    #[serde(default)]
    pub lamps: Option<[u8; 3]>,
    /// Duration (ms of arena time). A robot limits the duration to 250 ms of wall time.
    pub hold_ms: u32,
    /// Hub time after which the command expires (s).
    pub expires: f64,
}
