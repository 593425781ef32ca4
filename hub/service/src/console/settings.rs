//! Settings of the console.

use super::tls::Tls;
use std::path::{Path, PathBuf};
use xpuck_hub_core::config::{Config, Look};
use xpuck_wire::keys::Secret;
use xpuck_wire::{FileError, is_local};

/// Settings that do not change while the console runs.
#[derive(Debug)]
pub struct Settings {
    /// Whether commands are accepted without keys (development mode).
    pub dev_mode: bool,
    /// Whether viewing requires a login.
    pub login_to_view: bool,
    /// Key with which the hub signs experiments of persons who logged in with a link; `None` if the hub does not
    /// sign.
    pub signer: Option<Secret>,
    /// Folder of the offered experiments.
    pub experiments: PathBuf,
    /// Record directory of the runs that the console lists.
    pub runs: PathBuf,
    /// Name of the session cookie. It contains the port, because browsers share cookies between ports.
    pub cookie: String,
    /// Half size of the arena (m), and radius of the frisbee (m).
    pub arena: ([f32; 2], f32),
    /// Seconds of arena time per second of wall time.
    pub speed: f64,
    /// TLS configuration with the certificate; `None` for plain HTTP.
    pub tls: Option<Tls>,
    /// Whether a camera above the arena provides pictures.
    pub overhead: bool,
    /// Name of the replayed run; `None` for a live swarm.
    pub replay: Option<String>,
}

impl Settings {
    /// Returns the settings of a hub whose console listens at `address`.
    ///
    /// # Errors
    /// If the signing key or the certificate cannot be read.
    pub fn from_config(config: &Config, address: &str) -> Result<Settings, FileError> {
        let console = &config.hub.console;
        let arena = config.hub.arena;
        Ok(Settings {
            dev_mode: config.swarm.security.dev_mode,
            login_to_view: match console.look {
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

    /// Returns the settings of a console that listens at `address` and replays the run `run` of the record directory
    /// `runs`.
    pub fn for_replay(runs: &Path, run: &str, address: &str) -> Settings {
        Settings {
            dev_mode: false,
            login_to_view: false,
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
