//! A curriculum on robots as real processes. Each robot's island passes through the steps independently, also when its
//! process restarts.

use crate::common::{only, record};
use crate::rig::{Demo, Process, has_open_files, send_signal, xpuckd};
use crate::swarm::experiments::{run, verify};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xpuck_testing::patience;
use xpuck_testing::patience::{scaled, wait_until, wait_within};

/// Returns the number of completed steps in each recorded generation of a robot, in order.
fn steps(messages: &[(String, Value)], robot: &str) -> Vec<u64> {
    let mine = messages.iter().filter(|(topic, m)| topic == "/populations" && m["robot"] == robot);
    mine.map(|(_, m)| m["population"]["step"].as_u64().unwrap()).collect()
}

/// Returns the log lines of a robot about completed steps.
fn step_lines(messages: &[(String, Value)], robot: &str) -> Vec<String> {
    let mine = messages.iter().filter(|(topic, m)| topic == "/logs" && m["robot"] == robot);
    let texts = mine.map(|(_, m)| m["line"]["text"].as_str().unwrap().to_string());
    texts.filter(|text| text.contains("of evolution ended")).collect()
}

#[test]
fn islands_of_a_demo_pass_through_the_steps_of_the_example() {
    let (demo, _) = run("one-robot-first.toml", "8", |table, _| {
        for step in table["steps"].as_array_mut().unwrap() {
            step["end"] = "gennum-thisstep >= 2".into();
        }
    });
    let run = verify(&demo, "one-robot-first-");
    let messages = record(&run.join("run.mcap"));
    for robot in ["xp01", "xp02", "xp03"] {
        let steps = steps(&messages, robot);
        assert_eq!(steps[..5], [0, 0, 1, 1, 2], "{robot}: {steps:?}");
        assert!(steps[4..].iter().all(|step| *step == 2), "{robot}: {steps:?}");
        let lines = step_lines(&messages, robot);
        assert!(
            lines.len() == 2 && lines[0].contains(": step \"alone\"") && lines[1].contains("own world"),
            "{lines:?}"
        );
    }
}

/// Starts the program of xp02 in a demo. Retries until the previous program has released the devices.
fn start_robot(demo: &Path, log: PathBuf) -> Process {
    let start = || {
        let mut command = xpuckd();
        command.arg("--config").arg(demo.join("config/robots/xp02.toml")).arg("--end-with-stdin");
        let mut robot = Process::start(&mut command, log.clone());
        std::thread::sleep(Duration::from_millis(300));
        (!robot.has_ended()).then_some(robot)
    };
    wait_within(patience(), start, || std::fs::read_to_string(&log).unwrap())
}

fn wait_for_log(robot: &Process, text: &str) {
    let found = || robot.log().contains(text).then_some(());
    wait_within(2 * patience(), found, || format!("{text:?} in {}", robot.log()));
}

#[test]
fn killed_robot_continues_in_its_step() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("steps.toml");
    let text = "name = \"steps\"\nminutes = 90.0\nsegment_minutes = 1.0\ntask = \"transport\"\n\
        [[steps]]\nname = \"alone\"\nrobots = 1\nseconds = 2.0\nend = \"gennum-thisstep >= 2\"\n\
        [[steps]]\nname = \"pairs\"\nrobots = 2\nseconds = 2.0\nend = \"gennum-thisstep >= 100000\"\n";
    std::fs::write(&file, text).unwrap();
    // The run would take 90 minutes of arena time, long enough for a slow machine. The test stops it earlier.
    let mut demo = Demo::start("90", &["--engine", "simd", "--experiment", file.to_str().unwrap()]);
    demo.wait_for_run();
    let directory = demo.directory();
    // Robots of a demo save no state. The configuration of the new program for xp02 adds a state folder.
    let killed = demo.process(&["xpuckd", "xp02"]);
    send_signal(killed, Signal::SIGKILL);
    // A killed process loses its command line before its devices are closed.
    wait_until("the devices are free", || !has_open_files(killed));
    let config = directory.join("config/robots/xp02.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains("\n[evolution]\n"), "{text}");
    std::fs::write(&config, text.replace("\n[evolution]\n", "\n[evolution]\nstate = \"xp02-state\"\n")).unwrap();
    let robot = start_robot(&directory, dir.path().join("first.log"));
    wait_for_log(&robot, "step \"alone\" of evolution ended after 2 generations");
    // Waits for another generation. Then both checkpoint files of xp02 contain the second step.
    std::thread::sleep(scaled(Duration::from_secs(4)));
    drop(robot);
    let robot = start_robot(&directory, dir.path().join("second.log"));
    wait_for_log(&robot, ", in step \"pairs\"");
    let log = robot.log();
    assert!(log.contains("evolution continues after generation ") && !log.contains("alone"), "{log}");
    std::thread::sleep(scaled(Duration::from_secs(1)));
    demo.send_signal(Signal::SIGINT);
    let (_, text) = demo.end();
    drop(robot);
    let messages = record(&only(&directory, "steps-").join("run.mcap"));
    for robot in ["xp01", "xp02"] {
        let steps = steps(&messages, robot);
        assert!(steps.contains(&0) && steps.last() == Some(&1), "{robot}: {steps:?} {text}");
    }
    demo.assert_nobody_left();
}
