//! Two programs for one robot: on one machine the second finds the body held, on two the hub keeps to the first.

use crate::lab::{Lab, PATIENCE};
use std::time::{Duration, Instant};
use xpuck_wire::Phase;
use xpuck_wire::message::State;

const OPERATOR: &str = "keys/operators/operator.key";

fn ended(child: &mut std::process::Child) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

#[test]
fn a_body_that_is_held_is_not_driven_by_another_program() {
    let mut lab = Lab::start();
    lab.wait("the robot", |s| s.robots[0].alive);
    let first = lab.children[2].id();
    assert_eq!(ended(lab.robot_as("xp01.toml", "second")), Some(1), "{}", lab.log("second"));
    lab.children.pop();
    let said = lab.log("second");
    let expected = format!("devices/xp01.spi is held by process {first}, which drives this robot: end it first");
    assert!(said.contains(&expected) && !said.contains("board connected"), "{said}");
    for arguments in [&["selftest"][..], &["calibrate", "drive"]] {
        let mut command =
            std::process::Command::new(std::path::Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd"));
        let command = command.args(arguments).args(["--config", "xp01.toml"]).current_dir(lab.path());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(&expected), "{arguments:?}: {said}");
    }
    // One that was killed holds nothing.
    lab.kill(2);
    lab.wait("its end", |s| !s.robots[0].alive);
    lab.robot();
    lab.wait("its successor", |s| s.robots[0].alive);
}

#[test]
fn of_two_programs_with_one_key_the_first_is_heard_and_the_hub_says_so() {
    let mut lab = Lab::start();
    let arena = std::fs::read_to_string(lab.path().join("arena.toml")).unwrap();
    let mocap = arena.lines().find(|line| line.starts_with("mocap")).unwrap();
    let other =
        arena.replace("\"devices\"", "\"elsewhere\"").replace(mocap, &format!("mocap = \"127.0.0.1:{}\"", lab.port()));
    std::fs::write(lab.path().join("arena2.toml"), other).unwrap();
    let robot = std::fs::read_to_string(lab.path().join("xp01.toml")).unwrap();
    std::fs::write(lab.path().join("copy.toml"), robot.replace("\"devices\"", "\"elsewhere\"")).unwrap();
    lab.wait("the robot", |s| s.robots[0].alive && s.tracking);
    assert_eq!(lab.tell(OPERATOR, &["start", "e.toml", "--with", "on.bt"]), "");
    lab.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == State::Run);
    lab.serve_as(crate::common::xpuck(), "arena", "arena2.toml");
    lab.robot_as("copy.toml", "copy");
    let two =
        |events: &[String]| events.iter().filter(|e| e.contains("two programs with the key of robot xp01")).count();
    lab.wait("the hub's word", |s| two(&s.events) > 0);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        let status = lab.wait("a status", |_| true);
        let robot = &status.robots[0];
        assert_eq!((robot.alive, robot.state, two(&status.events)), (true, State::Run, 1), "{:?}", status.events);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(lab.log("xpuckd"), "", "the first one heard the hub all the time");
    // The second takes over when the first is gone: without it the robot would be lost after 3 s.
    lab.kill(2);
    std::thread::sleep(Duration::from_secs(4));
    let status = lab.wait("the second", |s| s.robots[0].alive && s.robots[0].state == State::Run);
    assert_eq!(two(&status.events), 1, "{:?}", status.events);
}
