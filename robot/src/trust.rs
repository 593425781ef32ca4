//! Whose experiments the robot runs: those of the operators whose public keys lie in its folder of keys, as it is at that
//! moment.

use crate::config::Config;
use xpuck_wire::keyring::{self, Fingerprint, Keyring};
use xpuck_wire::log;
use xpuck_wire::signed::Trust;

/// Looks at the folder of keys.
pub struct Operators<'a> {
    config: &'a Config,
    seen: Option<Fingerprint>,
}

impl Operators<'_> {
    /// Nothing looked at yet.
    pub fn new(config: &Config) -> Operators<'_> {
        Operators { config, seen: None }
    }

    /// Who is to be trusted from now on; `None` if that did not change since the last call. What is wrong with the folder
    /// is said.
    pub fn look(&mut self) -> Option<Trust> {
        let (id, security) = (&self.config.robot.id, &self.config.swarm.security);
        let present = if security.dev_mode { Fingerprint::new() } else { keyring::fingerprint(&security.keys) };
        if self.seen.as_ref() == Some(&present) {
            return None;
        }
        self.seen = Some(present);
        if security.dev_mode {
            log::line(format_args!(
                "xpuckd {id}: DEV MODE: no keys; whoever reaches the hub's address moves this robot"
            ));
            return Some(Trust::Anybody);
        }
        let (ring, wrong) = Keyring::read(&security.keys);
        wrong.iter().for_each(|text| log::line(format_args!("xpuckd {id}: {text}")));
        let trust = Trust::operators(&ring);
        if trust == Trust::nobody() {
            log::line(format_args!(
                "xpuckd {id}: {} has no operators/*.pub, so every experiment is refused",
                security.keys.display()
            ));
        }
        Some(trust)
    }
}
