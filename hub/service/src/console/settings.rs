//! How the console is set up.

use super::tls::Tls;
use std::path::{Path, PathBuf};
use xpuck_hub_core::config::{Config, Look};
use xpuck_wire::keys::Secret;
use xpuck_wire::{FileError, is_local};

/// What does not change while the console serves.
#[derive(Debug)]
pub struct Settings {
    /// Anybody commands: there are no keys.
    pub dev_mode: bool,
    /// Who is not logged in sees nothing.
    pub login_to_look: bool,
    /// Signs experiments for those who came by a link.
    pub signer: Option<Secret>,
    /// The folder of experiments.
    pub experiments: PathBuf,
    /// The folder whose runs are listed.
    pub runs: PathBuf,
    /// Name of the session's cookie: browsers keep one for each name, whatever the port.
    pub cookie: String,
    /// Half the arena's sides and the frisbee's radius, m.
    pub arena: ([f32; 2], f32),
    /// Seconds of arena time in a second.
    pub speed: f64,
    /// Its certificate; without one it speaks plain HTTP.
    pub tls: Option<Tls>,
    /// A camera above the arena gives pictures.
    pub overhead: bool,
    /// The run that is replayed; none where there is a swarm.
    pub replay: Option<String>,
}

impl Settings {
    /// Those of a hub whose console is at `address`.
    ///
    /// # Errors
    /// The key that signs, or the certificate, cannot be read.
    pub fn of(config: &Config, address: &str) -> Result<Settings, FileError> {
        let console = &config.hub.console;
        let arena = config.hub.arena;
        Ok(Settings {
            dev_mode: config.swarm.security.dev_mode,
            login_to_look: match console.look {
                Some(Look::Anyone) => false,
                Some(Look::Login) => !config.swarm.security.dev_mode,
                None => !is_local(address) && !config.swarm.security.dev_mode,
            },
            signer: console.key.as_deref().map(Secret::read).transpose()?,
            experiments: console.experiments.clone().unwrap_or_else(|| PathBuf::from(".")),
            runs: console.runs.clone().unwrap_or_else(|| config.hub.record.directory.clone()),
            cookie: cookie(address),
            arena: ([arena.length_m / 2.0, arena.width_m / 2.0], arena.frisbee_radius_m),
            speed: config.swarm.speed,
            tls: console.tls.as_ref().map(Tls::read).transpose()?,
            overhead: config.hub.overhead.is_some(),
            replay: None,
        })
    }

    /// Those of a page that replays a run of a record directory.
    pub fn of_replay(runs: &Path, run: &str, address: &str) -> Settings {
        Settings {
            dev_mode: false,
            login_to_look: false,
            signer: None,
            experiments: PathBuf::new(),
            runs: runs.into(),
            cookie: cookie(address),
            arena: ([1.0, 0.75], 0.105),
            speed: 1.0,
            tls: None,
            overhead: false,
            replay: Some(run.into()),
        }
    }
}

fn cookie(address: &str) -> String {
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    format!("xpuck_{port}")
}
