//! Keys of the arena's file for programs of others that watch the arena or drive in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use xpuck_arena::STEP_SECONDS;

/// Agents that drive robots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentsFile {
    /// Address and port (the usual one is 3100). There are no keys: whoever reaches it may drive.
    pub address: SocketAddr,
    /// Each step waits until every agent has said `(syn)`, a second of wall time at most: for swarms without `xpuckd`.
    #[serde(default)]
    pub sync: bool,
}

fn usual_rate() -> f64 {
    25.0
}

/// 3D viewers of RoboCup that watch the arena.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewersFile {
    /// Address and port of SimSpark's monitor protocol (its usual port is 3200), for rcssmonitor3d and RoboViz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simspark: Option<SocketAddr>,
    /// Address and port of RSMP (its usual port is 60001), for RoboViz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rsmp: Option<SocketAddr>,
    /// Messages in a second of arena time, 1 to 40.
    #[serde(default = "usual_rate")]
    #[schemars(range(min = 1.0, max = 40.0))]
    pub rate: f64,
    /// Trainers may move robots and the frisbee. There are no keys: whoever reaches the ports may.
    #[serde(default)]
    pub trainers: bool,
}

impl ViewersFile {
    /// # Errors
    /// The key, its value and what it may be.
    pub fn check(&self) -> Result<(), String> {
        if !(1.0..=1.0 / STEP_SECONDS).contains(&self.rate) {
            return Err(format!("viewers.rate = {}: 1 to 40 is allowed", self.rate));
        }
        if self.simspark.is_none() && self.rsmp.is_none() {
            return Err("viewers: neither `simspark` nor `rsmp` has an address".into());
        }
        Ok(())
    }
}
