//! Address of an external server: HOST:PORT.

use anyhow::{Context, Result};
use std::fmt::{Display, Formatter};
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// Host and port as given by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place(pub String);

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse().ok());
        match port {
            Some(1u16..) => Ok(Place(text.into())),
            _ => Err("expected HOST:PORT, such as 127.0.0.1:7770".into()),
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Resolves the host name to all its addresses.
///
/// # Errors
/// The name cannot be resolved.
pub fn addresses(place: &Place) -> Result<impl Iterator<Item = SocketAddr>> {
    place.0.to_socket_addrs().with_context(|| place.0.clone())
}

/// Resolves the host name to its first address.
///
/// # Errors
/// The name cannot be resolved.
pub fn resolve(place: &Place) -> Result<SocketAddr> {
    addresses(place)?.next().with_context(|| format!("{place}: the host name has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_host_and_a_port() {
        for good in ["127.0.0.1:7770", "localhost:1", "[::1]:65535"] {
            assert!(good.parse::<Place>().is_ok(), "{good}");
        }
        for bad in ["", "localhost", ":7770", "localhost:0", "localhost:65536", "localhost:x"] {
            assert!(bad.parse::<Place>().is_err(), "{bad}");
        }
    }
}
