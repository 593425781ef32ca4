//! Access check of the console. Only the console's own pages and programs that use its name get an answer. A page of
//! another site must neither read the hub's data nor send commands, even if that site's name resolves to this hub
//! (DNS rebinding).
//!
//! A numeric address or a name of this machine cannot be the name of another site. Any other name has to be listed in
//! `hub.toml`. A browser sends the origin of the requesting page in `Origin`, which has to be the console itself.

use axum::http::{HeaderMap, StatusCode, Uri, header};
use std::net::IpAddr;
use xpuck_wire::{host_of, is_authority};

/// Names of this hub that requests may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Vec<String>);

impl Names {
    /// Creates the list from the names of this machine, the host of the listening address, and the `listed` names.
    pub fn new(address: &str, listed: &[String]) -> Names {
        let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let local = format!("{machine}.local");
        let all = [machine, local, host_of(address).into()].into_iter().chain(listed.iter().cloned());
        Names(all.map(|name| name.trim_end_matches('.').to_ascii_lowercase()).filter(|name| !name.is_empty()).collect())
    }

    /// Returns whether the host is a numeric address or an accepted name, so that it cannot be another site's name.
    fn knows(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let name = host.trim_end_matches('.').to_ascii_lowercase();
        bare.parse::<IpAddr>().is_ok() || name == "localhost" || name.ends_with(".localhost") || self.0.contains(&name)
    }
}

/// Returns the address for a browser: a wildcard address is replaced by this machine's name.
pub fn reachable(address: &str) -> String {
    let name = || rustix::system::uname().nodename().to_string_lossy().into_owned();
    let all = ["0.0.0.0:", "[::]:", "*:"].into_iter().find_map(|all| address.strip_prefix(all));
    all.map_or_else(|| address.into(), |port| format!("{}:{port}", name()))
}

fn text(value: &header::HeaderValue) -> String {
    value.to_str().unwrap_or_default().to_string()
}

/// Returns the authority (host and port) to which a request is addressed, if its host is an accepted name of the hub.
///
/// # Errors
/// If the host is another name. The error contains the HTTP status and a reason of one line.
pub fn called(names: &Names, uri: &Uri, headers: &HeaderMap) -> Result<String, (StatusCode, String)> {
    let hosts: Vec<String> = headers.get_all(header::HOST).iter().map(text).collect();
    let asked = match (hosts.as_slice(), uri.authority()) {
        // A request in absolute form, as sent to a proxy, contains the host in its target.
        ([_], Some(authority)) => authority.as_str().to_string(),
        ([host], None) => host.clone(),
        _ => return Err((StatusCode::BAD_REQUEST, "exactly one Host header is required\n".into())),
    };
    if !is_authority(&asked) || !names.knows(host_of(&asked)) {
        let why = format!(
            "{:?} is not a name of this hub; use its numeric address, or add the name to console.names in hub.toml\n",
            host_of(&asked)
        );
        return Err((StatusCode::MISDIRECTED_REQUEST, why));
    }
    Ok(asked)
}

/// Checks whether the console may answer a request.
///
/// # Errors
/// If the request is addressed to another name, or comes from another site's page. The error contains the HTTP status
/// and a reason of one line.
pub fn check(names: &Names, uri: &Uri, headers: &HeaderMap) -> Result<(), (StatusCode, String)> {
    let asked = called(names, uri, headers)?;
    let own = |origin: &str| {
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| authority.eq_ignore_ascii_case(&asked))
    };
    if headers.get_all(header::ORIGIN).iter().all(|origin| own(&text(origin))) {
        return Ok(());
    }
    Err((StatusCode::FORBIDDEN, "requests from pages of other sites are rejected\n".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(host: &[&str], origin: Option<&str>) -> u16 {
        let names = Names::new("hub.lab:7600", &["Console.Example.org".into()]);
        let mut headers = HeaderMap::new();
        let given = host.iter().map(|host| (header::HOST, *host)).chain(origin.map(|origin| (header::ORIGIN, origin)));
        for (name, value) in given {
            headers.append(name, value.parse().unwrap());
        }
        check(&names, &Uri::from_static("/api/status"), &headers).map_or_else(|(code, _)| code.as_u16(), |()| 200)
    }

    #[test]
    fn its_own_names_are_answered_and_others_are_not() {
        let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
        for host in
            ["127.0.0.1:7600", "[::1]:7600", "[::1]", "192.168.1.2", "localhost:7600", "LOCALHOST", "hub.lab:80"]
                .into_iter()
                .chain(["console.example.org", "console.example.org.:7600", machine.as_str()])
        {
            assert_eq!(ask(&[host], None), 200, "{host}");
        }
        for host in
            ["evil.example.com", "evil.example.com:7600", "127.0.0.1.evil.example.com", "", "localhost.evil.com"]
                .into_iter()
                .chain(["127.0.0.1:7600, evil.com", "localhost:evil.com", "localhost:80@evil.com"])
        {
            assert_eq!(ask(&[host], None), 421, "{host}");
        }
        assert_eq!((ask(&[], None), ask(&["localhost", "evil.example.com"], None)), (400, 400));
    }

    #[test]
    fn only_own_pages_may_send_requests() {
        let here = |origin| ask(&["127.0.0.1:7600"], Some(origin));
        assert_eq!((here("http://127.0.0.1:7600"), here("https://127.0.0.1:7600")), (200, 200));
        for other in ["http://evil.example.com", "null", "http://127.0.0.1:7601", "http://127.0.0.1", "file://", ""] {
            assert_eq!(here(other), 403, "{other}");
        }
        assert_eq!(ask(&["evil.example.com"], Some("http://evil.example.com")), 421);
    }
}
