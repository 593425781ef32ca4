//! Driving from outside: what an operator has one robot do, through the hub.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Drive so for a moment. It is good once, as every sealed message, and only while it is young.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveCommand {
    /// Speeds of the wheels over the floor, left and right, m/s, -0.13 to 0.13.
    pub wheels: [f32; 2],
    /// Colour of the lamps, red, green and blue; the state's own without it.
    #[serde(default)]
    pub lamps: Option<[u8; 3]>,
    /// For so long, ms of arena time; a robot takes no more than 250 ms of wall time.
    pub hold_ms: u32,
    /// The hub's time after which it is not to be obeyed, s.
    pub expires: f64,
}
