//! External programs that watch or control a virtual arena by RoboCup protocols: viewers, trainers and agents.

#[cfg(feature = "gateway")]
mod agents;
#[cfg(feature = "gateway")]
mod external_programs;
mod keys;
#[cfg(feature = "gateway")]
mod play;
#[cfg(feature = "gateway")]
mod trainer;
#[cfg(feature = "gateway")]
mod viewers;

pub use keys::{AgentsFile, ViewersFile};

use anyhow::Result;
use std::path::Path;
use xpuck_arena::StepHooks;

/// Starts the servers for the external programs that the arena's file defines.
///
/// # Errors
/// The file is invalid, or an address cannot be bound.
#[cfg(feature = "gateway")]
pub fn start(path: &Path, robots: usize) -> Result<Box<dyn StepHooks>> {
    Ok(Box::new(external_programs::Company::start(path, robots)?))
}

/// Checks that the arena's file defines no external programs, because this build lacks the gateway protocols.
///
/// # Errors
/// The arena's file defines viewers or agents.
#[cfg(not(feature = "gateway"))]
pub fn start(path: &Path, _: usize) -> Result<Box<dyn StepHooks>> {
    let keys: super::ArenaFile = xpuck_wire::file::read(path)?;
    if keys.viewers.is_some() || keys.agents.is_some() {
        anyhow::bail!(
            "{}: `viewers` and `agents` require an xpuck built with the feature `gateway`; leave them out",
            path.display()
        );
    }
    Ok(Box::new(()))
}
