//! Access check for web pages. A browser allows pages of any site to connect to this machine, and sends the site of
//! the page in `Origin`.

use xpuck_wire::{host_of, is_authority, is_local};

/// Sites whose pages may connect to the live view.
pub struct Origins {
    /// Host of the address at which the live view listens.
    own: String,
    listed: Vec<String>,
}

impl Origins {
    /// Creates the check. It allows pages of the `listed` sites, of this machine, and of the host of `address`.
    pub fn new(address: &str, listed: &[String]) -> Origins {
        let plain = |origin: &String| origin.trim_end_matches('/').to_ascii_lowercase();
        Origins { own: host_of(address).into(), listed: listed.iter().map(plain).collect() }
    }

    /// Checks that a page of this origin may connect. Origins of installed viewers, which are not web sites, are
    /// allowed.
    ///
    /// # Errors
    /// If the page may not connect; the error is one sentence with the remedy.
    pub fn check(&self, origin: &str) -> Result<(), String> {
        let lower = origin.trim_end_matches('/').to_ascii_lowercase();
        let Some(site) = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://")) else {
            // The origin of an installed viewer has a scheme of its own, which an origin of a web site cannot have. A
            // browser extension also has its own scheme, and some pages have the origin `null`. Both are rejected.
            let of_browser = ["", "null"].contains(&lower.as_str()) || lower.contains("-extension:");
            return if of_browser { Err(refusal(origin)) } else { Ok(()) };
        };
        let here = is_authority(site) && (is_local(site) || host_of(site) == self.own);
        if here || self.listed.contains(&lower) { Ok(()) } else { Err(refusal(origin)) }
    }
}

fn refusal(origin: &str) -> String {
    let origin: String = origin.chars().take(100).collect();
    format!("origin {origin:?} is not allowed; add it to foxglove.origins in hub.toml\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_installed_and_listed_origins_connect() {
        let origins = Origins::new("10.0.0.2:8765", &["https://app.foxglove.dev/".into()]);
        for fine in [
            "https://app.foxglove.dev",
            "HTTPS://APP.foxglove.dev",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://[::1]:8080",
            "http://[::1]",
            "http://10.0.0.2:8080",
            "file://",
        ] {
            assert_eq!(origins.check(fine), Ok(()), "{fine:?}");
        }
        for refused in [
            "https://evil.example",
            "https://app.foxglove.dev.evil.example",
            "http://localhost.evil.example",
            "null",
            "",
            "chrome-extension://abc",
            "moz-extension://abc",
            "https://localhost:80@evil.example",
            "http://10.0.0.3",
        ] {
            assert!(origins.check(refused).unwrap_err().contains("foxglove.origins"), "{refused}");
        }
    }
}
