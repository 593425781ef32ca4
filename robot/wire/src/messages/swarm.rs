//! Swarm file: settings shared by the hub, the arena and every robot.

use crate::file::{self, FileError};
use crate::quote_input;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// Maximum number of robots in a swarm.
pub const MAX_ROBOTS: usize = 200;

/// Shared settings of a swarm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Swarm {
    /// Ratio of arena time to wall time (0.1 to 100). With real robots, the ratio is 1.
    #[serde(default = "one")]
    #[schemars(range(min = 0.1, max = 100.0))]
    pub speed: f64,
    /// Robot ids. The position of a robot in this list, from 1, is the number of its island.
    #[schemars(length(min = 1, max = MAX_ROBOTS))]
    pub robots: Vec<String>,
    /// Endpoint of each robot to which other robots connect, such as `tcp://192.168.1.101:7606`, in the order of
    /// `robots`. Without endpoints, robots do not communicate with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MAX_ROBOTS))]
    pub peers: Vec<String>,
    /// Endpoints to which robots, operators and browsers connect.
    pub hub: Addresses,
    /// Authentication of hub, robots and operators.
    #[serde(default)]
    pub security: Security,
}

/// Authentication of hub, robots and operators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Security {
    /// Key folder, relative to the swarm file.
    pub keys: PathBuf,
    /// Whether keys are disabled, for trials on one machine. Anyone who reaches the hub can then command the swarm.
    pub dev_mode: bool,
}

impl Default for Security {
    fn default() -> Security {
        Security { keys: "keys".into(), dev_mode: false }
    }
}

impl Security {
    /// Returns the settings with keys disabled.
    pub fn dev_mode() -> Security {
        Security { dev_mode: true, ..Security::default() }
    }
}

/// Endpoints of the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Addresses {
    /// ZeroMQ endpoint for robots, such as `tcp://192.168.1.2:7601`.
    pub robots: String,
    /// ZeroMQ endpoint for operators' commands.
    pub operator: String,
    /// Address and port of the console's web page. If omitted, the hub serves no page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub console: Option<String>,
}

fn one() -> f64 {
    1.0
}

impl Swarm {
    /// Reads and validates a swarm file.
    pub fn read(path: &Path) -> Result<Swarm, FileError> {
        let mut swarm: Swarm = file::read(path)?;
        swarm.security.keys = path.parent().unwrap_or(Path::new(".")).join(&swarm.security.keys);
        swarm.check(&path.display().to_string())?;
        Ok(swarm)
    }

    fn check(&self, name: &str) -> Result<(), FileError> {
        let fail = |message: String| Err(FileError::value(name, message));
        if !(0.1..=100.0).contains(&self.speed) {
            return fail(format!("speed = {} is outside 0.1 to 100", self.speed));
        }
        if !(1..=MAX_ROBOTS).contains(&self.robots.len()) {
            return fail(format!("robots lists {} robots; 1 to {MAX_ROBOTS} are allowed", self.robots.len()));
        }
        for (i, id) in self.robots.iter().enumerate() {
            if !is_id(id) {
                return fail(format!(
                    "robots: `{}` is not a valid id; use 1 to 32 of a-z, 0-9, - and _",
                    quote_input(id)
                ));
            }
            if self.robots[..i].contains(id) {
                return fail(format!("robots lists `{id}` twice"));
            }
        }
        if !self.peers.is_empty() && self.peers.len() != self.robots.len() {
            let (peers, robots) = (self.peers.len(), self.robots.len());
            return fail(format!(
                "peers lists {peers} addresses for {robots} robots; list one address per robot, or remove peers"
            ));
        }
        for (i, endpoint) in self.peers.iter().enumerate() {
            if !["tcp://", "ipc://"].iter().any(|kind| endpoint.len() > kind.len() && endpoint.starts_with(kind)) {
                return fail(format!("peers: `{endpoint}` must look like tcp://192.168.1.101:7606"));
            }
            if self.peers[..i].contains(endpoint) {
                return fail(format!("peers lists `{endpoint}` twice"));
            }
        }
        for (key, endpoint) in [("hub.robots", &self.hub.robots), ("hub.operator", &self.hub.operator)] {
            if !endpoint.starts_with("tcp://") {
                return fail(format!("{key} = \"{endpoint}\" must look like tcp://192.168.1.2:7601"));
            }
        }
        Ok(())
    }

    /// Returns the swarm with the robots `robots` and their endpoints `peers`. Both lists must begin with the entries
    /// of the existing robots, so that these robots keep their positions and therefore their islands.
    ///
    /// # Errors
    /// An existing robot or endpoint differs, or the result is invalid. The error is one line with the reason.
    pub fn grown(&self, robots: Vec<String>, peers: Vec<String>) -> Result<Swarm, String> {
        if !robots.starts_with(&self.robots) {
            let first = self.robots.iter().zip(&robots).position(|(is, told)| is != told);
            let place = first.unwrap_or(robots.len().min(self.robots.len()));
            return Err(format!(
                "robot {} of the swarm is `{}` and cannot be moved or removed while the hub runs; append new robots to `robots`",
                place + 1,
                self.robots.get(place).map_or("", String::as_str)
            ));
        }
        if !peers.starts_with(&self.peers) {
            return Err("the peers of existing robots cannot be changed while the hub runs".into());
        }
        let grown = Swarm { robots, peers, ..self.clone() };
        grown.check("the swarm file").map_err(|error| error.to_string())?;
        Ok(grown)
    }

    /// Returns the island of a robot, from 1; `None` for an unknown robot.
    pub fn island(&self, id: &str) -> Option<u16> {
        self.robots.iter().position(|r| r == id).map(|i| i as u16 + 1)
    }
}

/// Returns the host of an authority such as `127.0.0.1:7600`, `[::1]:7600` or `[::1]`. IPv6 addresses keep their
/// brackets.
pub fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        // If an IPv6 address in brackets has no port, the last colon is inside the brackets.
        Some((host, port)) if !port.contains(']') => host,
        _ => authority,
    }
}

/// Whether a text consists only of a host and an optional port. For example, returns false for
/// `localhost:80@evil.example`.
pub fn is_authority(text: &str) -> bool {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte));
    let port = text.strip_prefix(host_of(text)).and_then(|rest| rest.strip_prefix(':'));
    plain && port.is_none_or(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether an address, such as `127.0.0.1:7600` or `tcp://localhost:1667`, is only reachable from this machine.
pub fn is_local(address: &str) -> bool {
    let host = host_of(address.strip_prefix("tcp://").unwrap_or(address)).trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether a robot's id is valid: 1 to 32 characters of a-z, 0-9, `-` and `_`.
pub fn is_id(id: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    (1..=32).contains(&id.len()) && id.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swarm(robots: &[&str]) -> Swarm {
        let endpoint = || "tcp://127.0.0.1:7601".to_string();
        let hub = Addresses { robots: endpoint(), operator: endpoint(), console: None };
        let robots = robots.iter().map(|r| (*r).into()).collect();
        Swarm { speed: 1.0, robots, peers: Vec::new(), hub, security: Security::default() }
    }

    #[test]
    fn islands_follow_the_list_and_ids_are_checked() {
        let two = swarm(&["xp01", "xp02"]);
        assert!(two.check("s").is_ok());
        assert_eq!((two.island("xp02"), two.island("xp03")), (Some(2), None));
        assert!(swarm(&["xp01", "xp01"]).check("s").unwrap_err().to_string().contains("twice"));
        assert!(swarm(&["../etc"]).check("s").unwrap_err().to_string().contains("is not a valid id"));
        assert!(swarm(&[]).check("s").is_err());
    }

    #[test]
    fn swarm_grows_only_at_end_of_list() {
        let two = swarm(&["xp01", "xp02"]);
        let more = |robots: &[&str], peers: &[&str]| {
            let texts = |list: &[&str]| list.iter().map(|text| (*text).into()).collect();
            two.grown(texts(robots), texts(peers))
        };
        assert_eq!(more(&["xp01", "xp02", "xp03"], &[]).unwrap().island("xp03"), Some(3));
        for (robots, peers, expected) in [
            (vec!["xp02", "xp01", "xp03"], vec![], "robot 1 of the swarm is `xp01`"),
            (vec!["xp01"], vec![], "robot 2 of the swarm is `xp02`"),
            (vec!["xp01", "xp02", "xp02"], vec![], "twice"),
            (vec!["xp01", "xp02", "X"], vec![], "is not a valid id"),
            (vec!["xp01", "xp02", "xp03"], vec!["tcp://a:1"], "peers lists 1 addresses for 3 robots"),
        ] {
            assert!(more(&robots, &peers).unwrap_err().contains(expected), "{robots:?}");
        }
        let known = Swarm { peers: vec!["tcp://a:1".into(), "tcp://b:1".into()], ..two.clone() };
        assert!(known.grown(vec!["xp01".into(), "xp02".into()], Vec::new()).unwrap_err().contains("peers"));
    }

    #[test]
    fn each_robot_has_an_address_or_none_has() {
        let with = |peers: &[&str]| Swarm { peers: peers.iter().map(|p| (*p).into()).collect(), ..swarm(&["a", "b"]) };
        assert!(with(&["tcp://10.0.0.1:7606", "ipc:///tmp/b"]).check("s").is_ok());
        for (peers, expected) in [
            (vec!["tcp://10.0.0.1:7606"], "peers lists 1 addresses for 2 robots"),
            (vec!["10.0.0.1:7606", "tcp://b:1"], "must look like tcp://"),
            (vec!["tcp://", "tcp://b:1"], "must look like tcp://"),
            (vec!["tcp://b:1", "tcp://b:1"], "twice"),
        ] {
            assert!(with(&peers).check("s").unwrap_err().to_string().contains(expected), "{peers:?}");
        }
    }

    #[test]
    fn host_is_split_from_port() {
        for (authority, host) in
            [("a:1", "a"), ("a", "a"), ("[::1]:7600", "[::1]"), ("[::1]", "[::1]"), ("127.0.0.1:1", "127.0.0.1")]
        {
            assert_eq!(host_of(authority), host);
        }
    }

    #[test]
    fn reachable_address_is_not_local() {
        let local = ["127.0.0.1:7600", "127.0.0.1", "tcp://127.0.0.2:*", "tcp://localhost:1667", "[::1]:7600", "[::1]"];
        for address in local {
            assert!(is_local(address), "{address}");
        }
        for address in
            ["0.0.0.0:7600", "tcp://*:1667", "[::]:7600", "192.168.1.2:7600", "hub.local:1", "tcp://eth0:1", ""]
        {
            assert!(!is_local(address), "{address}");
        }
    }
}
