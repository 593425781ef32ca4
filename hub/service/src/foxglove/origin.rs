//! Whose pages may look: a browser lets any site's page connect to this machine, and names that site in `Origin`.

use xpuck_wire::{host_of, is_authority, is_local};

/// Sites whose pages may look.
pub struct Origins {
    /// The host at which viewers are served.
    own: String,
    listed: Vec<String>,
}

impl Origins {
    /// Those that are `listed`, and pages of this machine and of the host of `address`.
    pub fn new(address: &str, listed: &[String]) -> Origins {
        let plain = |origin: &String| origin.trim_end_matches('/').to_ascii_lowercase();
        Origins { own: host_of(address).into(), listed: listed.iter().map(plain).collect() }
    }

    /// Nothing if a page of this origin may look; a viewer that is installed names no site.
    ///
    /// # Errors
    /// A sentence with the remedy.
    pub fn check(&self, origin: &str) -> Result<(), String> {
        let lower = origin.trim_end_matches('/').to_ascii_lowercase();
        let Some(site) = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://")) else {
            // Installed viewers are pages of files, or of a scheme of their own; no site can be that, but a browser's extension.
            let of_browser = ["", "null"].contains(&lower.as_str()) || lower.contains("-extension:");
            return if of_browser { Err(refusal(origin)) } else { Ok(()) };
        };
        let here = is_authority(site) && (is_local(site) || host_of(site) == self.own);
        if here || self.listed.contains(&lower) { Ok(()) } else { Err(refusal(origin)) }
    }
}

fn refusal(origin: &str) -> String {
    let origin: String = origin.chars().take(100).collect();
    format!("pages of {origin:?} may not look: list it in foxglove.origins of hub.toml\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_pages_installed_viewers_and_listed_sites_may_look_and_no_other_page() {
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
