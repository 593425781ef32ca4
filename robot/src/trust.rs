//! Operators whose experiments the robot runs. They are the operators whose keys are in the robot's key folder.

use crate::config::Config;
use tracing::warn;
use xpuck_wire::FileError;
use xpuck_wire::keyring::{self, Fingerprint, Keyring};
use xpuck_wire::signed::Trust;

/// Watcher of the key folder.
pub struct Operators<'a> {
    config: &'a Config,
    seen: Option<Fingerprint>,
    ring: Keyring,
}

impl Operators<'_> {
    /// Creates a watcher that has not read the folder yet.
    pub fn new(config: &Config) -> Operators<'_> {
        Operators { config, seen: None, ring: Keyring::default() }
    }

    /// Returns the operators to trust from now on. Returns `None` if the key folder did not change since the last call,
    /// or if it cannot be read. Problems with the folder are logged.
    pub fn refresh(&mut self) -> Option<Trust> {
        let (id, security) = (&self.config.robot.id, &self.config.swarm.security);
        if security.dev_mode {
            if self.seen.replace(Fingerprint::new()).is_some() {
                return None;
            }
            warn!(target: "xpuckd", id, "DEV MODE: no keys; every host that reaches the hub's address can move this robot");
            return Some(Trust::Anybody);
        }
        let read = || -> Result<_, FileError> {
            let present = keyring::fingerprint(&security.keys)?;
            let changed = self.seen.as_ref() != Some(&present);
            changed.then(|| self.ring.reload(&security.keys).map(|read| (present, read))).transpose()
        };
        let (present, (ring, wrong)) = match read() {
            Ok(found) => found?,
            Err(error) => {
                warn!(target: "xpuckd", id, "keys cannot be read: {error}; the previous operators stay trusted");
                return None;
            }
        };
        self.seen = Some(present);
        wrong.iter().for_each(|text| warn!(target: "xpuckd", id, "{text}"));
        let trust = Trust::operators(&ring);
        self.ring = ring;
        if trust == Trust::nobody() {
            let keys = security.keys.display();
            warn!(target: "xpuckd", id, "{keys} has no operators/*.pub, so every experiment is refused");
        }
        Some(trust)
    }
}
