//! The hub is restarted after the clock of its machine was set back.

use crate::rig::{Swarm, xpuck};
use std::process::Command;
use xpuck_wire::Phase;
use xpuck_wire::message::State;

/// Returns the path of the library with which `faketime` shifts a program's clock, or `None` if `faketime` is missing.
/// The test uses the library directly, because the command `faketime` would start the hub as its own child process.
fn faketime() -> Option<String> {
    let output = Command::new("faketime").args(["-m", "-f", "-1h", "env"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("LD_PRELOAD=")).map(str::to_owned)
}

/// Checks that a robot obeys a hub whose clock is behind the clock of the previous hub, and that the hub reports the
/// clock error.
#[test]
fn hub_whose_clock_went_back_is_obeyed_and_warns() {
    let Some(library) = faketime() else {
        return xpuck_testing::skipped("there is no faketime (make deps-time)");
    };
    let mut swarm = Swarm::of_one_robot();
    let start_run = |swarm: &Swarm| {
        swarm.wait_for_robots();
        assert_eq!(swarm.command(&["start", "e.toml", "--with", "on.bt"]), "");
        swarm.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == State::Run)
    };
    let stop_run = |swarm: &Swarm| {
        assert_eq!(swarm.command(&["stop"]), "");
        swarm.wait("STOP", |s| s.robots[0].state == State::Stop);
    };
    let events = start_run(&swarm).events;
    assert!(!events.iter().any(|e| e.contains("clock")), "{events:?}");
    // The run is stopped, so that the restarted hub does not resume it.
    stop_run(&swarm);
    for hours in [1, 3] {
        swarm.kill("hub");
        let mut command = xpuck();
        command.args(["serve", "hub"]).env("LD_PRELOAD", &library).env("FAKETIME", format!("-{hours}h"));
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        swarm.start_service_as("hub", &mut command, "hub.toml");
        let events = start_run(&swarm).events;
        let warnings: Vec<&String> = events.iter().filter(|e| e.contains("one of the two clocks is wrong")).collect();
        assert!(warnings.len() == 1 && warnings[0].contains("robot xp01") && warnings[0].contains("NTP"), "{events:?}");
        // The numbers of pushed settings also come from the hub's clock. The robot must accept lower numbers too.
        stop_run(&swarm);
        swarm.folder.write("new.toml", &format!("[calibration.drive]\nleft = 1.0{hours}\n"));
        assert_eq!(swarm.command(&["robot", "push", "new.toml", "--robots", "xp01"]), "");
        let file = swarm.folder.read("xp01.toml");
        assert!(file.contains(&format!("left = 1.0{hours}")), "{file}");
    }
}
