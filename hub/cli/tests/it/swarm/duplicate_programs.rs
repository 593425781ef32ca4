//! Two programs for one robot. On one machine, the second program ends because the first one has locked the body. On
//! two machines, the hub accepts only the first program.

use crate::common::said;
use crate::rig::{Swarm, xpuckd};
use std::time::{Duration, Instant};
use xpuck_wire::Phase;
use xpuck_wire::message::State;

#[test]
fn second_program_of_one_body_ends_with_an_error() {
    let mut swarm = Swarm::of_one_robot();
    swarm.wait_for_robots();
    let first = swarm.id("xp01");
    swarm.start_robot_as("second", "xp01.toml");
    assert_eq!(swarm.wait_for_exit("second").code(), Some(1), "{}", swarm.log("second"));
    let text = swarm.log("second");
    let expected = format!("devices/xp01.spi is held by process {first}, which drives this robot: end it first");
    assert!(text.contains(&expected) && !text.contains("board is connected"), "{text}");
    for arguments in [&["selftest"][..], &["calibrate", "drive"]] {
        let mut command = xpuckd();
        let command = command.args(arguments).args(["--config", "xp01.toml"]).current_dir(swarm.folder.root());
        let output = command.output().unwrap();
        assert!(output.status.code() == Some(1) && said(&output).contains(&expected), "{arguments:?}: {output:?}");
    }
    // The lock is released when the first program is killed.
    swarm.kill("xp01");
    swarm.wait("the end of the robot", |s| !s.robots[0].alive);
    swarm.start_robot("xp01");
    swarm.wait("the next program", |s| s.robots[0].alive);
}

#[test]
fn hub_keeps_first_of_two_programs_with_same_key() {
    let mut swarm = Swarm::of_one_robot();
    let folder = &swarm.folder;
    // A second arena has a body with the same name, and a second robot program uses this body.
    folder.write("arena2.toml", &folder.read("arena.toml"));
    folder.replace("arena2.toml", "\"devices\"", "\"elsewhere\"");
    folder.replace("arena2.toml", &folder.mocap(), "127.0.0.1:0");
    folder.write("copy.toml", &folder.read("xp01.toml"));
    folder.replace("copy.toml", "\"devices\"", "\"elsewhere\"");
    swarm.wait_for_robots();
    assert_eq!(swarm.command(&["start", "e.toml", "--with", "on.bt"]), "");
    swarm.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == State::Run);
    swarm.start_service_as("arena2", crate::rig::xpuck().args(["serve", "arena"]), "arena2.toml");
    swarm.start_robot_as("copy", "copy.toml");
    let warnings =
        |events: &[String]| events.iter().filter(|e| e.contains("two programs with the key of robot xp01")).count();
    swarm.wait("the hub's warning", |s| warnings(&s.events) > 0);
    // The second program tries to connect repeatedly, and the hub rejects it. For three seconds, the test checks that
    // the first program continues the run and that the hub does not repeat its warning.
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        let status = swarm.status();
        let robot = &status.robots[0];
        assert_eq!((robot.alive, robot.state, warnings(&status.events)), (true, State::Run, 1), "{:?}", status.events);
        std::thread::sleep(Duration::from_millis(20));
    }
    let log = swarm.log("xp01");
    // The log may contain only the warning that the program has no permission for real-time priority.
    let others: Vec<&str> = log.lines().filter(|line| !line.contains("real-time priority")).collect();
    assert!(others.is_empty(), "the first program did not hear the hub all the time:\n{log}");
    // When the first program is killed, the second program takes over. The test waits for 4 s, because the hub would
    // report a silent robot as lost after 3 s.
    swarm.kill("xp01");
    std::thread::sleep(Duration::from_secs(4));
    let status = swarm.wait("the second program", |s| s.robots[0].alive && s.robots[0].state == State::Run);
    assert_eq!(warnings(&status.events), 1, "{:?}", status.events);
}
