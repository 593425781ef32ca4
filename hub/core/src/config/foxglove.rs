//! Section `[foxglove]` of `hub.toml`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_wire::is_local;

/// Live view for Foxglove and other programs that use the Foxglove WebSocket protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Foxglove {
    /// Address and port at which the hub accepts viewers, such as `127.0.0.1:8765`.
    pub address: String,
    /// Allow other machines to watch, without authentication and without encryption [default: false].
    #[serde(default)]
    pub plain: bool,
    /// Web origins whose pages may watch, in addition to pages of this machine and installed viewers [default:
    /// <https://app.foxglove.dev>].
    #[serde(default = "origins")]
    pub origins: Vec<String>,
}

fn origins() -> Vec<String> {
    vec!["https://app.foxglove.dev".into()]
}

impl Foxglove {
    /// Creates the settings of a live view at `address`.
    pub fn at(address: String) -> Foxglove {
        Foxglove { address, plain: false, origins: origins() }
    }

    /// Returns a description of the first error, if any.
    pub(super) fn fault(&self) -> Option<String> {
        let address = &self.address;
        let port = address
            .rsplit_once(':')
            .filter(|(host, _)| !host.is_empty())
            .and_then(|(_, port)| port.parse::<u16>().ok());
        if address.contains("//") || port.is_none_or(|port| port == 0) {
            return Some(format!("foxglove.address = \"{address}\" must look like 127.0.0.1:8765"));
        }
        if !is_local(address) && !self.plain {
            return Some(format!(
                "foxglove.address = \"{address}\" can be reached from other machines, and viewers need no key: set \
                 foxglove.plain = true to allow everybody to watch, or use 127.0.0.1"
            ));
        }
        let site = |origin: &&String| !origin.starts_with("http://") && !origin.starts_with("https://");
        let odd = self.origins.iter().find(site)?;
        Some(format!("foxglove.origins contains \"{odd}\": a site must look like https://app.foxglove.dev"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(address: &str, plain: bool) -> Option<String> {
        Foxglove { plain, ..Foxglove::at(address.into()) }.fault()
    }

    #[test]
    fn public_address_needs_explicit_permission() {
        for local in ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"] {
            assert_eq!(fault(local, false), None, "{local}");
        }
        for open in ["0.0.0.0:8765", "192.168.1.2:8765", "hub.lab:8765", "[::]:8765"] {
            let why = fault(open, false).unwrap();
            assert!(why.contains(open) && why.contains("foxglove.plain = true"), "{why}");
            assert_eq!(fault(open, true), None, "{open}");
        }
    }

    #[test]
    fn invalid_address_or_origin_is_rejected() {
        for odd in
            ["", "8765", ":8765", "127.0.0.1", "127.0.0.1:0", "ws://127.0.0.1:8765", "tcp://127.0.0.1:8765", "a:99999"]
        {
            assert!(fault(odd, true).unwrap().contains("must look like 127.0.0.1:8765"), "{odd}");
        }
        let origins = vec!["https://fine.example".into(), "odd.example".into()];
        let why = Foxglove { origins, ..Foxglove::at("127.0.0.1:8765".into()) }.fault().unwrap();
        assert!(why.contains("\"odd.example\""), "{why}");
    }
}
