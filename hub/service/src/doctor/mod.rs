//! The fleet's promises, looked at one by one: kept, not made, or broken, with evidence and what to do. Read-only.

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

/// How long the hub may take to answer, ms.
const TIMEOUT_MS: i32 = 1500;

/// Whether a promise holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    On,
    /// It is not made here, or cannot be looked at now.
    Off,
    /// It is made and does not hold.
    Broken,
}

/// What was found out about a promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// What is promised.
    pub promise: &'static str,
    /// Whether it holds.
    pub verdict: Verdict,
    /// How that was seen.
    pub evidence: String,
    /// What to do; empty if nothing.
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

/// A running hub as its operators see it.
pub struct Hub {
    /// How things stand.
    pub status: Status,
    /// How long the answer took.
    pub answered: Duration,
}

/// Why the hub tells nothing.
enum Silence {
    /// Nobody answers, or the key is not let in.
    Nobody(String),
    /// What answers speaks other messages than this program.
    Foreign(String),
}

/// Looks at everything. `key` is an operator's or observer's, by which the hub is asked; without it, that of the
/// operator who is made with the folder of keys.
///
/// # Errors
/// If the hub's file or its swarm file cannot be used.
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

/// Asks the hub how things stand.
fn ask(config: &Config, key: Option<&Path>) -> Result<Hub, Silence> {
    let nobody = |error: &dyn std::fmt::Display| Silence::Nobody(error.to_string());
    let sockets = match config.swarm.security.dev_mode {
        true => Sockets::new(),
        false => Sockets::for_operator(&security::own_key(config, key)).map_err(|e| nobody(&e))?.0,
    };
    let endpoint = config.swarm.hub.operator.replace('*', "127.0.0.1");
    let link = sockets.operator(&endpoint, TIMEOUT_MS).map_err(|e| nobody(&e))?;
    let asked = Instant::now();
    match link.ask::<Request, Reply>(&Request::Status) {
        Ok(Reply::Status(status)) => Ok(Hub { status: *status, answered: asked.elapsed() }),
        Ok(Reply::Refused(why)) => Err(Silence::Foreign(why)),
        Ok(_) => Err(Silence::Foreign("answers something else".into())),
        Err(error @ AskError::Unreadable { .. }) => Err(Silence::Foreign(error.to_string())),
        Err(error) => Err(nobody(&error)),
    }
}
