//! Section `[overhead]` of `hub.toml`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Valid range of the picture rate (Hz).
const RATES: std::ops::RangeInclusive<f64> = 0.1..=15.0;
/// Required prefix of the address. Encrypted connections (https) are not supported.
const SCHEME: &str = "http://";

/// Camera above the arena. Its pictures are shown and recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    /// HTTP address of the pictures, such as `http://192.168.1.9:8080/stream`. The server sends either an MJPEG
    /// stream (multipart/x-mixed-replace) or one JPEG per request.
    pub url: String,
    /// Maximum rate of stored pictures (0.1..=15 Hz; default 2).
    #[serde(default = "rate")]
    #[schemars(range(min = 0.1, max = 15.0))]
    pub frames_per_second: f64,
}

fn rate() -> f64 {
    2.0
}

impl Overhead {
    /// Creates the settings of a camera at `url`, with the default rate.
    pub fn at(url: String) -> Overhead {
        Overhead { url, frames_per_second: rate() }
    }

    /// Returns the host with its port, and the path of the address. Returns `None` if the address is invalid.
    pub fn target(&self) -> Option<(String, String)> {
        let rest = self.url.strip_prefix(SCHEME)?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic());
        let host = match host.rsplit_once(':') {
            Some((name, after)) if !name.is_empty() && port(after) => host.to_string(),
            None if !host.is_empty() => format!("{host}:80"),
            _ => return None,
        };
        let path = if path.is_empty() { "/" } else { path };
        (plain(&host) && plain(path) && !host.contains('@')).then(|| (host, path.into()))
    }

    /// Returns a description of the first error, if any.
    pub(super) fn fault(&self) -> Option<String> {
        if self.target().is_none() {
            let url = self.url.escape_debug();
            return Some(format!("overhead.url = \"{url}\" must look like http://192.168.1.9:8080/stream"));
        }
        let rate = self.frames_per_second;
        (!RATES.contains(&rate)).then(|| format!("overhead.frames_per_second = {rate} is outside {RATES:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_parsed_into_host_port_and_path() {
        let target = |url: &str| Overhead::at(url.into()).target();
        let is = |host: &str, path: &str| Some((host.into(), path.into()));
        assert_eq!(target("http://10.0.0.9:8080/stream?fps=5"), is("10.0.0.9:8080", "/stream?fps=5"));
        assert_eq!(target("http://camera"), is("camera:80", "/"));
        for wrong in ["", "rtsp://a/b", "https://a/", "http://", "http://:80/", "http://a:0/", "http://a:99999/"] {
            assert_eq!(target(wrong), None, "{wrong}");
        }
        assert_eq!(
            (target("http://a/b c"), target("http://a/\r\nX: y"), target("http://me:pw@a/")),
            (None, None, None)
        );
        let fault = |rate| Overhead { frames_per_second: rate, ..Overhead::at("http://a/".into()) }.fault();
        assert!(fault(2.0).is_none() && fault(f64::NAN).unwrap().contains("frames_per_second = NaN"));
    }
}
