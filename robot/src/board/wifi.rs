//! `xpuckd wifi`: checks the connection to the access point, and applies the remedies of [`super::wifi_keeper`].
//!
//! The command uses programs of a minimal Debian system: `wpa_cli` of wpa_supplicant, `ip`, `networkctl` and `ping`.
//! Each call of a program has a time limit (`LIMIT`).

use super::wifi_keeper::{Link, Remedy, WifiRecovery};
use anyhow::{Result, ensure};
use clap::Args;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tracing::{debug, warn};
use xpuck_wire::event_at;
use xpuck_wire::notify::Notifier;
use xpuck_wire::shutdown::{ShutdownTriggers, service_flag};

/// Time limit of a program call (s), as text for the command `timeout`.
const LIMIT: &str = "15";
/// Interval at which the program checks the stop flag while it waits.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum length of a kernel interface name (bytes).
const NAME_LIMIT: usize = 15;

/// Keep the connection to the access point: check it every 5 s, and reconnect with growing pauses.
///
/// If the radio is not connected, or its gateway misses three pings in a row, the remedies run in this order:
/// reassociate (twice), switch the radio off and on, restart wpa_supplicant. The sequence repeats, with pauses that
/// grow from 4 s to 60 s. Requires root.
#[derive(Args)]
pub struct WifiArgs {
    /// Network interface of the radio [default: the first wireless interface].
    #[arg(long, value_name = "NAME", value_parser = interface_name)]
    interface: Option<String>,
    /// Address to ping [default: the gateway of the interface; without a gateway, the connection to the access point
    /// is enough].
    #[arg(long, value_name = "IP")]
    target: Option<IpAddr>,
    /// Directory of the kernel's sysfs files.
    #[arg(long, value_name = "DIR", default_value = "/sys")]
    sysfs: PathBuf,
    /// Number of checks before the program ends [default: runs until a signal].
    #[arg(long, value_name = "TIMES", hide = true)]
    looks: Option<u32>,
}

fn interface_name(text: &str) -> Result<String> {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) && !text.starts_with(['-', '.']);
    ensure!(plain && (1..=NAME_LIMIT).contains(&text.len()), "not an interface name; use a name such as wlan0");
    Ok(text.into())
}

/// Runs the command until a signal ends it, or until the configured number of checks.
///
/// # Errors
/// If signal handlers cannot be installed.
pub fn run(args: &WifiArgs) -> Result<()> {
    let stop = service_flag(ShutdownTriggers { with_stdin: false, at_second_signal: true })?;
    let (mut keeper, mut manager, started) = (WifiRecovery::default(), Notifier::from_environment(), Instant::now());
    let mut looks = 0;
    while !stop.load(Ordering::Relaxed) && args.looks.is_none_or(|limit| looks < limit) {
        looks += 1;
        let radio = radio(args);
        let link = radio.as_ref().map_or(Link::NoRadio, |radio| check_link(radio, args.target));
        manager.ready();
        manager.status(&format!("{}: {link:?}", radio.as_deref().unwrap_or("no radio")));
        debug!(target: "wifi", "{link:?}");
        let step = keeper.look(started.elapsed(), link);
        if let Some(line) = step.log {
            event_at!(line.level, target: "wifi", "{}", line.text);
        }
        if let Some((remedy, radio)) = step.remedy.zip(radio.as_ref()) {
            apply_remedy(remedy, radio);
        }
        manager.alive(Instant::now());
        if args.looks != Some(looks) {
            nap(step.wait, &stop);
        }
    }
    manager.stopping();
    Ok(())
}

fn nap(wait: Duration, stop: &AtomicBool) {
    let until = Instant::now() + wait;
    while !stop.load(Ordering::Relaxed) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(STOP_CHECK_INTERVAL));
    }
}

/// Returns the name of the radio's network interface; `None` if this interface does not exist.
fn radio(args: &WifiArgs) -> Option<String> {
    let folder = args.sysfs.join("class/net");
    match &args.interface {
        Some(name) => folder.join(name).exists().then(|| name.clone()),
        None => first_radio(&folder),
    }
}

/// Returns the name of the first wireless interface in alphabetical order; `None` if there is no wireless interface.
fn first_radio(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let radios = entries.filter(|entry| ["wireless", "phy80211"].iter().any(|name| entry.path().join(name).exists()));
    radios.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| interface_name(name).is_ok()).min()
}

fn check_link(radio: &str, target: Option<IpAddr>) -> Link {
    let status = wpa_cli(radio, "status").unwrap_or_default();
    if !status.lines().any(|line| line == "wpa_state=COMPLETED") {
        return Link::Disconnected;
    }
    let target =
        target.or_else(|| gateway(&call("ip", &["-4", "route", "show", "default", "dev", radio]).unwrap_or_default()));
    match target.map(|target| call("ping", &["-n", "-q", "-c", "1", "-W", "2", "-I", radio, &target.to_string()])) {
        Some(None) => Link::Unresponsive,
        Some(Some(_)) | None => Link::Connected,
    }
}

/// Returns the gateway's address from the first line of `routes`, such as `default via 192.168.1.1 proto dhcp`. Returns
/// `None` if the line does not contain an address after `via`.
fn gateway(routes: &str) -> Option<IpAddr> {
    let mut words = routes.lines().next()?.split_whitespace();
    words.find(|&word| word == "via")?;
    words.next()?.parse().ok()
}

fn apply_remedy(remedy: Remedy, radio: &str) {
    let done = match remedy {
        Remedy::Reassociate => wpa_cli(radio, "reassociate").is_some(),
        Remedy::Renew => {
            let off = call("ip", &["link", "set", radio, "down"]).is_some();
            let on = call("ip", &["link", "set", radio, "up"]).is_some();
            off && on && call("networkctl", &["reconfigure", radio]).is_some()
        }
        Remedy::RestartLogin => {
            call("systemctl", &["try-restart", &format!("wpa_supplicant@{radio}.service"), "wpa_supplicant.service"])
                .is_some()
        }
    };
    if !done {
        warn!(target: "wifi", "{radio}: {}: failed", remedy.description());
    }
}

/// Calls wpa_cli with the command `word` for the interface `radio`. The socket of wpa_cli must be in a folder that
/// wpa_supplicant can access.
fn wpa_cli(radio: &str, word: &str) -> Option<String> {
    match std::env::var("RUNTIME_DIRECTORY") {
        Ok(folder) => call("wpa_cli", &["-s", &folder, "-i", radio, word]),
        Err(_) => call("wpa_cli", &["-i", radio, word]),
    }
}

/// Runs a program and returns its standard output. Returns `None` if the program fails or exceeds the time limit.
fn call(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=1", LIMIT, program]).args(arguments);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gateway_is_parsed_from_ip_output() {
        let is = |text: &str| gateway(text).map(|address| address.to_string());
        assert_eq!(
            is("default via 192.168.1.1 proto dhcp src 192.168.1.7 metric 600\n").as_deref(),
            Some("192.168.1.1")
        );
        assert_eq!(is("default scope link\n"), None);
        assert_eq!(is("default via nobody\n"), None);
        assert_eq!(is(""), None);
    }

    #[test]
    fn first_radio_is_found_among_interfaces() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(first_radio(dir.path()), None);
        for interface in ["eth0", "wlan1/phy80211", "wlan0/wireless", "lo"] {
            std::fs::create_dir_all(dir.path().join(interface)).unwrap();
        }
        assert_eq!(first_radio(dir.path()).as_deref(), Some("wlan0"));
        assert!(interface_name("wlan0").is_ok());
        for wrong in ["", "-i", "a b", "sixteen-letters-", "../x"] {
            assert!(interface_name(wrong).is_err(), "{wrong}");
        }
    }
}
