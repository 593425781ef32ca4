//! `xpuckd wifi`: looks at the connection to the access point, and does what [`super::wifi_keeper`] says about it.
//!
//! It works with what a minimal Debian has: `wpa_cli` of wpa_supplicant, `ip`, `networkctl` and `ping`. None of them may take
//! longer than some seconds.

use super::wifi_keeper::{Keeper, Link, Remedy};
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
use xpuck_wire::shutdown::{Ends, service_flag};

/// Longest that one program may take, s, in the words of `timeout`.
const LIMIT: &str = "15";
/// The signal to end is looked at so often.
const NAP: Duration = Duration::from_millis(200);
/// Longest name that the kernel gives an interface, bytes.
const NAME_LIMIT: usize = 15;

/// Keep the connection to the access point: look at it every 5 s, and come back to it with growing pauses.
///
/// A radio that is not at its access point, or whose gateway does not answer three times in a row, is told to look again,
/// then switched off and on, then logged in anew; after that from the beginning, at most once a minute. Takes root.
#[derive(Args)]
pub struct WifiArgs {
    /// The radio's interface [default: the first one that there is].
    #[arg(long, value_name = "NAME", value_parser = interface_name)]
    interface: Option<String>,
    /// Whom to ask for an answer [default: the gateway of that interface; without one, being at the access point is enough].
    #[arg(long, value_name = "IP")]
    target: Option<IpAddr>,
    /// Where the kernel's files are.
    #[arg(long, value_name = "DIR", default_value = "/sys")]
    sysfs: PathBuf,
    /// Look so often and end; without it, until told to.
    #[arg(long, value_name = "TIMES", hide = true)]
    looks: Option<u32>,
}

fn interface_name(text: &str) -> Result<String> {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) && !text.starts_with(['-', '.']);
    ensure!(plain && (1..=NAME_LIMIT).contains(&text.len()), "is no name of an interface, such as wlan0");
    Ok(text.into())
}

/// Runs the command until a signal ends it.
///
/// # Errors
/// Signals cannot be taken.
pub fn run(args: &WifiArgs) -> Result<()> {
    let stop = service_flag(Ends { with_stdin: false, at_second_signal: true })?;
    let (mut keeper, mut manager, started) = (Keeper::default(), Notifier::from_environment(), Instant::now());
    let mut looks = 0;
    while !stop.load(Ordering::Relaxed) && args.looks.is_none_or(|limit| looks < limit) {
        looks += 1;
        let radio = radio(args);
        let link = radio.as_ref().map_or(Link::NoRadio, |radio| look(radio, args.target));
        manager.ready();
        manager.status(&format!("{}: {link:?}", radio.as_deref().unwrap_or("no radio")));
        debug!(target: "wifi", "{link:?}");
        let step = keeper.look(started.elapsed(), link);
        if let Some(line) = step.say {
            event_at!(line.level, target: "wifi", "{}", line.text);
        }
        if let Some((remedy, radio)) = step.remedy.zip(radio.as_ref()) {
            help(remedy, radio);
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
        std::thread::sleep(left.min(NAP));
    }
}

/// The radio's interface, if it is there.
fn radio(args: &WifiArgs) -> Option<String> {
    let folder = args.sysfs.join("class/net");
    match &args.interface {
        Some(name) => folder.join(name).exists().then(|| name.clone()),
        None => first_radio(&folder),
    }
}

/// The first interface by name that belongs to a radio.
fn first_radio(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let radios = entries.filter(|entry| ["wireless", "phy80211"].iter().any(|name| entry.path().join(name).exists()));
    radios.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| interface_name(name).is_ok()).min()
}

fn look(radio: &str, target: Option<IpAddr>) -> Link {
    let status = wpa_cli(radio, "status").unwrap_or_default();
    if !status.lines().any(|line| line == "wpa_state=COMPLETED") {
        return Link::Apart;
    }
    let target =
        target.or_else(|| gateway(&call("ip", &["-4", "route", "show", "default", "dev", radio]).unwrap_or_default()));
    match target.map(|target| call("ping", &["-n", "-q", "-c", "1", "-W", "2", "-I", radio, &target.to_string()])) {
        Some(None) => Link::Silent,
        Some(Some(_)) | None => Link::Good,
    }
}

/// The gateway in a line such as `default via 192.168.1.1 proto dhcp`.
fn gateway(routes: &str) -> Option<IpAddr> {
    let mut words = routes.lines().next()?.split_whitespace();
    words.find(|&word| word == "via")?;
    words.next()?.parse().ok()
}

fn help(remedy: Remedy, radio: &str) {
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
        warn!(target: "wifi", "{radio}: {}: this did not work", remedy.words());
    }
}

/// Asks wpa_supplicant. The client's end of the socket must lie where wpa_supplicant sees it.
fn wpa_cli(radio: &str, word: &str) -> Option<String> {
    match std::env::var("RUNTIME_DIRECTORY") {
        Ok(folder) => call("wpa_cli", &["-s", &folder, "-i", radio, word]),
        Err(_) => call("wpa_cli", &["-i", radio, word]),
    }
}

/// What a program says, if it succeeds in time.
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
    fn the_gateway_is_found_in_what_ip_says() {
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
    fn the_first_radio_is_found_among_interfaces() {
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
