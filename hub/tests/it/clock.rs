//! A hub that starts again after the clock of its machine went back.

use crate::common::xpuck;
use crate::lab::Lab;
use std::process::Command;
use xpuck_wire::Phase;
use xpuck_wire::message::State;

const OPERATOR: &str = "keys/operators/operator.key";

/// The library that fakes the clock of a program with threads. The command itself would stand between us and the hub.
fn faketime() -> Option<String> {
    let output = Command::new("faketime").args(["-m", "-f", "-1h", "env"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("LD_PRELOAD=")).map(str::to_owned)
}

/// The robot heard a hub an hour from now: it runs for this one all the same, and the hub says what is wrong.
#[test]
fn a_hub_whose_clock_went_back_is_obeyed_and_says_so() {
    let Some(library) = faketime() else {
        return xpuck_testing::skipped("there is no faketime (make deps-time)");
    };
    let mut lab = Lab::start();
    let running = |lab: &Lab| {
        lab.wait("the robot", |s| s.robots[0].alive && s.tracking);
        assert_eq!(lab.tell(OPERATOR, &["start", "e.toml", "--with", "on.bt"]), "");
        lab.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == State::Run)
    };
    let events = running(&lab).events;
    assert!(!events.iter().any(|e| e.contains("clock")), "{events:?}");
    // It ends its run, so that there is nothing to go on with.
    assert_eq!(lab.tell(OPERATOR, &["stop"]), "");
    lab.wait("STOP", |s| s.robots[0].state == State::Stop);
    for hours in [1, 3] {
        lab.kill(1);
        let mut command = xpuck();
        command.env("LD_PRELOAD", &library).env("FAKETIME", format!("-{hours}h"));
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        lab.serve_as(command, "hub", "hub.toml");
        let hub = lab.children.pop().unwrap();
        lab.children.insert(1, hub);
        let events = running(&lab).events;
        let told: Vec<&String> = events.iter().filter(|e| e.contains("one of the two clocks is wrong")).collect();
        assert!(told.len() == 1 && told[0].contains("robot xp01") && told[0].contains("NTP"), "{events:?}");
        // Settings are numbered from the clock, too.
        assert_eq!(lab.tell(OPERATOR, &["stop"]), "");
        lab.wait("STOP", |s| s.robots[0].state == State::Stop);
        std::fs::write(lab.path().join("new.toml"), format!("[calibration.drive]\nleft = 1.0{hours}\n")).unwrap();
        assert_eq!(lab.tell(OPERATOR, &["push", "new.toml", "--robots", "xp01"]), "");
        let file = std::fs::read_to_string(lab.path().join("xp01.toml")).unwrap();
        assert!(file.contains(&format!("left = 1.0{hours}")), "{file}");
    }
}
