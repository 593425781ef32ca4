//! Tests `xpuckd wifi`. Shell scripts replace the programs that it calls.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Writes a stub of a program: a shell script that logs its calls and then executes `text`.
fn program(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\necho {name} \"$@\" >>\"$CALLS\"\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs `xpuckd wifi` for `looks` checks. Returns its output, and the calls of the stubs.
fn keep(folder: &Path, looks: u32, arguments: &[&str]) -> (String, Vec<String>) {
    let calls = folder.join("calls");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xpuckd"));
    command.args(["wifi", "--looks", &looks.to_string(), "--sysfs"]).arg(folder.join("sys")).args(arguments);
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display())).env("CALLS", &calls);
    command.env_remove("JOURNAL_STREAM").env_remove("NOTIFY_SOCKET").env("XPUCK_LOG", "info");
    let Output { stderr, status, .. } = command.env("RUNTIME_DIRECTORY", folder).output().unwrap();
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert!(status.success(), "{said}");
    let called = std::fs::read_to_string(&calls).unwrap_or_default();
    (said, called.lines().map(|line| line.replace(&folder.display().to_string(), "RUN")).collect())
}

#[test]
fn disconnected_radio_is_reassociated() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::create_dir_all(folder.join("sys/class/net/wlan0/wireless")).unwrap();
    // The stub of `wpa_cli` reports a connection after the first `reassociate`.
    let there = folder.join("there").display().to_string();
    let wpa = format!(
        "case \"$*\" in *reassociate) touch {there};; *status) [ -e {there} ] && echo wpa_state=COMPLETED || echo wpa_state=SCANNING;; esac"
    );
    program(folder, "wpa_cli", &wpa);
    program(folder, "ip", "echo default via 192.168.1.1 proto static");
    program(folder, "ping", "");
    let (said, called) = keep(folder, 2, &[]);
    let expected = [
        "wpa_cli -s RUN -i wlan0 status",
        "wpa_cli -s RUN -i wlan0 reassociate",
        "wpa_cli -s RUN -i wlan0 status",
        "ip -4 route show default dev wlan0",
        "ping -n -q -c 1 -W 2 -I wlan0 192.168.1.1",
    ];
    assert_eq!(called, expected);
    assert!(said.contains("WARN") && said.contains("no access point for 0 s; try 1"), "{said}");
    assert!(said.contains("the access point is connected again after 4 s and 1 try"), "{said}");
}

#[test]
fn one_missed_ping_is_ignored_and_missing_tools_logged() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    std::fs::create_dir_all(folder.join("sys/class/net/radio7")).unwrap();
    program(folder, "wpa_cli", "echo wpa_state=COMPLETED; case \"$*\" in *reassociate) exit 1;; esac");
    program(folder, "ping", "exit 1");
    let (said, called) = keep(folder, 3, &["--interface", "radio7", "--target", "10.0.0.1"]);
    let pings = called.iter().filter(|line| line.ends_with("-I radio7 10.0.0.1")).count();
    assert_eq!((pings, called.iter().filter(|line| line.ends_with("reassociate")).count()), (3, 1), "{called:?}");
    assert!(said.contains("does not answer") && said.contains("radio7: reassociating: failed"), "{said}");
}

#[test]
fn board_without_radio_waits() {
    let dir = tempfile::tempdir().unwrap();
    let (said, called) = keep(dir.path(), 1, &[]);
    assert_eq!(called, Vec::<String>::new());
    assert!(said.contains("this board has no radio"), "{said}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xpuckd"));
    let output = command.args(["wifi", "--interface", "wlan0; reboot"]).output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("not an interface name"));
}
