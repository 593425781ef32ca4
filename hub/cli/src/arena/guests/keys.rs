//! Keys of the arena's file for external programs that watch the arena or drive robots in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use xpuck_arena::STEP_SECONDS;

/// Server for SimSpark agents that drive robots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentsFile {
    /// Address and port of the server (usual port: 3100). There is no authentication: any client may drive robots.
    pub address: SocketAddr,
    /// Whether each step waits until every agent has sent `(syn)`, for at most one second of wall time. This is only
    /// suitable for swarms without `xpuckd`.
    #[serde(default)]
    pub sync: bool,
}

fn usual_rate() -> f64 {
    25.0
}

/// Servers for RoboCup 3D viewers that watch the arena.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewersFile {
    /// Address and port of SimSpark's monitor protocol (usual port: 3200), for rcssmonitor3d and RoboViz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simspark: Option<SocketAddr>,
    /// Address and port of RSMP (usual port: 60001), for RoboViz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rsmp: Option<SocketAddr>,
    /// Number of messages to each viewer per second of arena time, 1 to 40.
    #[serde(default = "usual_rate")]
    #[schemars(range(min = 1.0, max = 40.0))]
    pub rate: f64,
    /// Whether trainers may move robots and the frisbee. There is no authentication: any client may do so.
    #[serde(default)]
    pub trainers: bool,
}

impl ViewersFile {
    /// Checks the rate, and that at least one server has an address.
    ///
    /// # Errors
    /// A value is invalid. The error states the key and the valid values.
    pub fn check(&self) -> Result<(), String> {
        if !(1.0..=1.0 / STEP_SECONDS).contains(&self.rate) {
            return Err(format!("viewers.rate = {}: must be 1 to 40", self.rate));
        }
        if self.simspark.is_none() && self.rsmp.is_none() {
            return Err("viewers: `simspark` or `rsmp` must have an address".into());
        }
        Ok(())
    }
}
