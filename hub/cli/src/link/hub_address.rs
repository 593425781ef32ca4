//! Address of the hub to which a command is sent, and the key for it.

use crate::link::running::{RunningDemo, running};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use xpuck_wire::keyring::{self, OPERATOR, Role};
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Event, Reply, Request};
use xpuck_wire::socket::{OperatorLink, SocketError, Sockets};
use xpuck_wire::{Status, Swarm, escape, output};

/// Time limit for an answer of the hub (ms).
const TIMEOUT_MS: i32 = 3000;
/// Default operator address of a hub on this machine.
const USUAL: &str = "tcp://127.0.0.1:7602";
/// Name of the swarm file in the current folder.
const SWARM: &str = "swarm.toml";

/// Address of the hub. Without --hub and --key: the hub of swarm.toml in this folder. Without swarm.toml and keys in
/// this folder: the hub of the only demo that this user runs on this machine.
#[derive(Args, Clone)]
pub struct HubAddress {
    /// Operator address of the hub [default: that of swarm.toml in this folder, or of the running demo, or
    /// tcp://127.0.0.1:7602].
    #[arg(long, env = "XPUCK_HUB")]
    hub: Option<String>,
    /// Key file of an operator or observer, in `operators/` of a folder of keys; this folder must also have the hub's
    /// key, hub.pub [default: keys/operators/operator.key, or the key of the running demo].
    #[arg(long, value_name = "FILE", env = "XPUCK_KEY")]
    key: Option<PathBuf>,
    /// Use no keys, for a hub with `dev_mode = true`.
    #[arg(long, env = "XPUCK_DEV_MODE", conflicts_with = "key")]
    dev_mode: bool,
}

/// Address of a hub and the key for it; `None` for a hub without keys.
#[derive(Debug, PartialEq, Eq)]
struct HubTarget {
    hub: String,
    key: Option<PathBuf>,
    /// Folder of the running demo from which the address was taken; `None` if it was not taken from a demo.
    demo: Option<PathBuf>,
}

impl HubTarget {
    /// Prints the folder of the demo in use, unless it is inside the current folder. The user may expect another demo.
    fn name_demo(&self) {
        let away = |demo: &&PathBuf| std::env::current_dir().is_ok_and(|here| !demo.starts_with(here));
        if let Some(demo) = self.demo.as_ref().filter(away) {
            output::print_error(format_args!("xpuck: using the hub of the demo in {} ({})", demo.display(), self.hub));
        }
    }
}

impl HubAddress {
    /// Opens a link to the hub. Also returns the operator's secret; `None` if the hub uses no keys.
    ///
    /// # Errors
    /// No hub is known, or the key cannot be read.
    pub fn open(&self) -> Result<(OperatorLink, Option<Secret>)> {
        let here = Path::new(SWARM).exists().then(|| Swarm::read(Path::new(SWARM))).transpose()?;
        self.link(here.as_ref())
    }

    /// Opens a link as [`HubAddress::open`] does, but with the hub of `swarm` as the default.
    ///
    /// # Errors
    /// The same as for [`HubAddress::open`].
    pub fn open_of(&self, swarm: &Swarm) -> Result<(OperatorLink, Option<Secret>)> {
        self.link(Some(swarm))
    }

    fn link(&self, here: Option<&Swarm>) -> Result<(OperatorLink, Option<Secret>)> {
        let found = self.find(here, &running)?;
        found.name_demo();
        if !found.hub.contains("://") {
            // This check is here, so that an invalid address is reported before a missing key.
            return Err(SocketError::Address(found.hub).into());
        }
        let Some(key) = &found.key else {
            return Ok((Sockets::new().operator(&found.hub, TIMEOUT_MS)?, None));
        };
        let (sockets, secret) = Sockets::for_operator(key).map_err(|error| {
            let where_from = match self.hub {
                Some(_) => "from operators/ in that hub's folder of keys",
                None => "`xpuck keys new` makes keys",
            };
            anyhow!(
                "no key for the hub: {error}; set one with --key FILE ({where_from}), or use --dev-mode for a hub \
                 without keys"
            )
        })?;
        Ok((sockets.operator(&found.hub, TIMEOUT_MS)?, Some(secret)))
    }

    /// Finds the hub's address and its key. Options have precedence, then the swarm file `here` of the current
    /// folder, then a folder `keys` in the current folder, then a running demo.
    fn find(&self, here: Option<&Swarm>, running: &dyn Fn() -> Vec<RunningDemo>) -> Result<HubTarget> {
        let usual = || here.map_or(USUAL.into(), |swarm| swarm.hub.operator.clone());
        let named = self.hub.clone().unwrap_or_else(usual);
        let without = here.is_some_and(|swarm| swarm.security.dev_mode) && self.hub.is_none() && self.key.is_none();
        if self.dev_mode || without {
            return Ok(HubTarget { hub: named, key: None, demo: None });
        }
        if let Some(key) = &self.key {
            return Ok(HubTarget { hub: named, key: Some(key.clone()), demo: None });
        }
        let folder = here.map_or("keys".into(), |swarm| swarm.security.keys.clone());
        let key = keyring::path(&folder, Role::Operator, OPERATOR, "key");
        if here.is_some() || key.exists() {
            return Ok(HubTarget { hub: named, key: Some(key), demo: None });
        }
        let demos: Vec<RunningDemo> =
            running().into_iter().filter(|demo| self.hub.as_ref().is_none_or(|hub| *hub == demo.hub)).collect();
        match &demos[..] {
            [only] => {
                let demo = self.hub.is_none().then(|| only.root.clone());
                Ok(HubTarget { hub: only.hub.clone(), key: Some(only.key.clone()), demo })
            }
            [] if self.hub.is_some() => Ok(HubTarget { hub: named, key: Some(key), demo: None }),
            // This arm is for commands without --hub. With --hub, the arm above applies, and `link` reports the missing
            // key.
            [] => bail!(
                "no hub is known here: this folder has no swarm.toml, and you have no running demo; start one with \
                 `xpuck demo`, make a swarm's folder with `xpuck init DIR`, or set --hub and --key"
            ),
            several => {
                let lines: Vec<String> =
                    several.iter().map(|demo| format!("\n  --hub {} --key {}", demo.hub, demo.key.display())).collect();
                bail!("{} of your demos are running; choose one:{}", several.len(), lines.concat())
            }
        }
    }
}

/// Opens a link to the hub, and sends one request.
pub fn ask(address: &HubAddress, request: &Request) -> Result<Reply> {
    Ok(address.open()?.0.ask(request)?)
}

/// Requests the status of the hub.
///
/// # Errors
/// The hub does not answer, or sends another kind of answer.
pub fn status(link: &OperatorLink) -> Result<Status> {
    match link.ask(&Request::Status)? {
        Reply::Status(status) => Ok(*status),
        _ => bail!("unexpected answer from the hub"),
    }
}

/// Requests the events whose numbers are greater than `after`.
///
/// # Errors
/// The hub does not answer, rejects the request, or sends another kind of answer.
pub fn events(link: &OperatorLink, after: u64) -> Result<Vec<Event>> {
    match link.ask(&Request::Events { after })? {
        Reply::Events(events) => Ok(events),
        Reply::Refused(why) => bail!("refused: {why}"),
        _ => bail!("unexpected answer from the hub"),
    }
}

/// Sends a command to the hub. If the hub executes the command but returns a warning, prints the warning.
///
/// # Errors
/// The hub does not answer, or rejects the command.
pub fn have(link: &OperatorLink, request: &Request) -> Result<()> {
    match link.ask(request)? {
        Reply::Refused(why) => bail!("refused: {why}"),
        Reply::DoneBut(what) => output::print_error(format_args!("xpuck: {}", escape(&what))),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::{Addresses, Security};

    fn demo(port: u16) -> RunningDemo {
        RunningDemo {
            root: format!("/d/{port}").into(),
            hub: format!("tcp://127.0.0.1:{port}"),
            key: format!("/d/{port}/operator.key").into(),
            console: None,
        }
    }

    fn said(hub: Option<&str>, key: Option<&str>) -> HubAddress {
        HubAddress { hub: hub.map(String::from), key: key.map(PathBuf::from), dev_mode: false }
    }

    #[test]
    fn explicit_address_precedes_swarm_file_and_demo() {
        let swarm = Swarm {
            speed: 1.0,
            robots: vec!["xp01".into()],
            peers: Vec::new(),
            hub: Addresses { robots: "tcp://a:1".into(), operator: "tcp://a:2".into(), console: None },
            security: Security { keys: "s/keys".into(), dev_mode: false },
        };
        let (one, two) = (|| vec![demo(1)], || vec![demo(1), demo(2)]);
        let of = |address: HubAddress, here: Option<&Swarm>, demos: &dyn Fn() -> Vec<RunningDemo>| {
            let HubTarget { hub, key, .. } = address.find(here, demos).unwrap();
            (hub, key.unwrap_or_default().display().to_string())
        };
        let pair = |hub: &str, key: &str| (hub.to_string(), key.to_string());
        assert_eq!(of(said(Some("tcp://x:1"), Some("k")), Some(&swarm), &one), pair("tcp://x:1", "k"));
        assert_eq!(of(said(None, None), Some(&swarm), &one), pair("tcp://a:2", "s/keys/operators/operator.key"));
        assert_eq!(of(said(None, Some("k")), None, &one), pair(USUAL, "k"));
        assert_eq!(of(said(None, None), None, &one), pair("tcp://127.0.0.1:1", "/d/1/operator.key"));
        assert_eq!(
            of(said(Some("tcp://127.0.0.1:2"), None), None, &two),
            pair("tcp://127.0.0.1:2", "/d/2/operator.key")
        );
        let from = |address: HubAddress| address.find(None, &one).unwrap().demo;
        assert_eq!((from(said(None, None)), from(said(Some("tcp://127.0.0.1:1"), None))), (Some("/d/1".into()), None));
        let open = Swarm { security: Security::dev_mode(), ..swarm };
        assert_eq!(said(None, None).find(Some(&open), &one).unwrap().key, None);
        let several = said(None, None).find(None, &two).unwrap_err().to_string();
        assert!(
            several.contains("2 of your demos") && several.contains("--hub tcp://127.0.0.1:2 --key /d/2/operator.key"),
            "{several}"
        );
        let none = said(None, None).find(None, &Vec::new).unwrap_err().to_string();
        assert!(none.contains("xpuck init") && none.contains("xpuck demo"), "{none}");
    }
}
