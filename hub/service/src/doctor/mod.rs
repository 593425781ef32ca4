//! Read-only checks of the fleet's promises: each is kept, not made, or broken, with evidence and remedy.

mod fleet;
mod mocap;
mod place;
mod records;
mod security;

use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};
use xpuck_hub_core::config::Config;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::{AskError, Sockets};
use xpuck_wire::{FileError, Status};

/// Time limit for the hub's answer (ms).
const TIMEOUT_MS: i32 = 1500;

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The promise holds.
    On,
    /// The promise is not made here, or cannot be checked now.
    Off,
    /// The promise is made but does not hold.
    Broken,
}

/// Finding about one promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// Promise.
    pub promise: &'static str,
    /// Result of the check.
    pub verdict: Verdict,
    /// Evidence.
    pub evidence: String,
    /// Remedy; empty if none is needed.
    pub remedy: String,
}

impl Finding {
    fn on(promise: &'static str, evidence: impl Into<String>) -> Finding {
        Finding { promise, verdict: Verdict::On, evidence: evidence.into(), remedy: String::new() }
    }

    fn off(promise: &'static str, evidence: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { promise, verdict: Verdict::Off, evidence: evidence.into(), remedy: remedy.into() }
    }

    fn broken(promise: &'static str, evidence: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { promise, verdict: Verdict::Broken, evidence: evidence.into(), remedy: remedy.into() }
    }
}

/// Answer of a running hub to an operator.
pub struct Hub {
    /// Status of the hub.
    pub status: Status,
    /// Response time.
    pub answered: Duration,
}

/// Reason for a missing status.
enum HubError {
    /// No answer, or the key is not admitted.
    Nobody(String),
    /// The answer does not match this program's protocol.
    Foreign(String),
}

/// Runs all checks. `key` is the key of an operator or observer with which the hub is asked; default: the key of the
/// operator created with the key folder.
///
/// # Errors
/// The hub's file or its swarm file is invalid.
pub fn examine(file: &Path, key: Option<&Path>) -> Result<Vec<Finding>, FileError> {
    let config = crate::config_file::read(file)?;
    let asked = ask(&config, key);
    let hub = asked.as_ref().ok();
    let mut findings = security::findings(&config, hub);
    findings.extend(place::findings(&config, &asked));
    findings.extend(mocap::findings(&config.hub.mocap, hub));
    findings.extend(records::findings(&config.hub.record, hub));
    findings.extend(fleet::findings(&config, hub));
    Ok(findings)
}

/// Requests the status of the hub.
fn ask(config: &Config, key: Option<&Path>) -> Result<Hub, HubError> {
    let nobody = |error: &dyn std::fmt::Display| HubError::Nobody(error.to_string());
    let sockets = match config.swarm.security.dev_mode {
        true => Sockets::new(),
        false => Sockets::for_operator(&security::own_key(config, key)).map_err(|e| nobody(&e))?.0,
    };
    let endpoint = config.swarm.hub.operator.replace('*', "127.0.0.1");
    let link = sockets.operator(&endpoint, TIMEOUT_MS).map_err(|e| nobody(&e))?;
    let asked = Instant::now();
    match link.ask::<Request, Reply>(&Request::Status) {
        Ok(Reply::Status(status)) => Ok(Hub { status: *status, answered: asked.elapsed() }),
        Ok(Reply::Refused(why)) => Err(HubError::Foreign(why)),
        Ok(_) => Err(HubError::Foreign("the answer is not a hub's".into())),
        Err(error @ AskError::Unreadable { .. }) => Err(HubError::Foreign(error.to_string())),
        Err(error) => Err(nobody(&error)),
    }
}
