//! Read-only checks of the promises that the system makes. Each check returns a verdict (kept, not made, or broken),
//! the evidence, and a remedy.

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

/// Time limit for the answer of the hub (ms).
const TIMEOUT_MS: i32 = 1500;

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The promise is kept.
    On,
    /// The promise is not made in this configuration, or cannot be checked now.
    Off,
    /// The promise is made but not kept.
    Broken,
}

/// Finding about one promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// Text of the promise.
    pub promise: &'static str,
    /// Verdict of the check.
    pub verdict: Verdict,
    /// Evidence for the verdict.
    pub evidence: String,
    /// Remedy; empty if no action is needed.
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

/// Answer of a running hub to a request for its status.
pub struct Hub {
    /// Status of the hub.
    pub status: Status,
    /// Time between the request and the answer.
    pub answered: Duration,
}

/// Reason why no status was received.
enum HubError {
    /// The hub does not answer, or does not accept the key. Contains the error text.
    Nobody(String),
    /// The answer is a refusal, or does not match this program's protocol. Contains the reason.
    Foreign(String),
}

/// Runs all checks. `key` is the key file of an operator or observer, with which this program requests the hub's
/// status. `None`: the key of the operator created with the key folder.
///
/// # Errors
/// If the hub's file or its swarm file is invalid.
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

/// Requests the status of the hub. The request is authenticated with the key in the file `key`, unless development
/// mode is on.
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
        Ok(_) => Err(HubError::Foreign("the answer does not come from a hub".into())),
        Err(error @ AskError::Unreadable { .. }) => Err(HubError::Foreign(error.to_string())),
        Err(error) => Err(nobody(&error)),
    }
}
