//! A curriculum on robots: real processes whose islands go through its steps, each by itself, also over the end of a process.

use crate::common::{free_ports, only, record, xpuck};
use crate::demo::{Demo, signal};
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How many steps were over in each generation that a robot told of, in order.
fn steps(messages: &[(String, Value)], robot: &str) -> Vec<u64> {
    let mine = messages.iter().filter(|(topic, m)| topic == "/populations" && m["robot"] == robot);
    mine.map(|(_, m)| m["population"]["step"].as_u64().unwrap()).collect()
}

/// What a robot's log said of steps.
fn said(messages: &[(String, Value)], robot: &str) -> Vec<String> {
    let mine = messages.iter().filter(|(topic, m)| topic == "/logs" && m["robot"] == robot);
    let texts = mine.map(|(_, m)| m["line"]["text"].as_str().unwrap().to_string());
    texts.filter(|text| text.contains("of evolution is over")).collect()
}

#[test]
fn islands_of_a_demo_go_through_the_steps_of_the_example() {
    let dir = tempfile::tempdir().unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/experiments/one-robot-first.toml");
    let mut table: toml::Table = std::fs::read_to_string(docs).unwrap().parse().unwrap();
    for step in table["steps"].as_array_mut().unwrap() {
        step["end"] = "gennum-thisstep >= 2".into();
    }
    for phase in table["phase"].as_array_mut().unwrap() {
        for key in ["minutes", "segment_minutes"] {
            let minutes = phase[key].as_float().unwrap();
            phase[key] = (minutes / 10.0).into();
        }
    }
    let file = dir.path().join("first.toml");
    std::fs::write(&file, table.to_string()).unwrap();
    let output = xpuck()
        .args(["demo", "--robots", "3", "--speed", "8", "--population", "8", "--engine", "simd", "--no-console"])
        .args(["--json", "--ports", &free_ports().to_string(), "--experiment"])
        .arg(&file)
        .arg("--out")
        .arg(dir.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = only(&only(dir.path(), "demo-"), "one-robot-first-");
    let messages = record(&run.join("run.mcap"));
    for robot in ["xp01", "xp02", "xp03"] {
        let steps = steps(&messages, robot);
        assert_eq!(steps[..5], [0, 0, 1, 1, 2], "{robot}: {steps:?}");
        assert!(steps[4..].iter().all(|step| *step == 2), "{robot}: {steps:?}");
        let said = said(&messages, robot);
        assert!(said.len() == 2 && said[0].contains(": step \"alone\"") && said[1].contains("own world"), "{said:?}");
    }
    let verified = xpuck().args(["runs", "verify"]).arg(&run).output().unwrap();
    let text = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success() && text.contains("identical"), "{text}");
}

/// A robot's program in a demo, started again by the test.
struct Robot(Child);

impl Robot {
    /// Starts it as soon as the one before has let its devices go.
    fn start(demo: &Path, log: &Path) -> Robot {
        for _ in 0..100 {
            let mut robot = Robot::spawn(demo, log);
            std::thread::sleep(Duration::from_millis(300));
            if robot.0.try_wait().unwrap().is_none() {
                return robot;
            }
        }
        panic!("{}", std::fs::read_to_string(log).unwrap());
    }

    fn spawn(demo: &Path, log: &Path) -> Robot {
        let child = Command::new(Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd"))
            .arg("--config")
            .arg(demo.join("config/robots/xp02.toml"))
            .arg("--end-with-stdin")
            .stdin(Stdio::piped())
            .stderr(File::create(log).unwrap())
            .spawn();
        Robot(child.unwrap())
    }

    fn wait_for(&self, log: &Path, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(120);
        while !std::fs::read_to_string(log).unwrap().contains(text) {
            assert!(Instant::now() < deadline, "no {text:?} in {}", std::fs::read_to_string(log).unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_robot_that_was_killed_goes_on_in_its_step() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("steps.toml");
    let text = "name = \"steps\"\nminutes = 9.0\nsegment_minutes = 1.0\ntask = \"transport\"\n\
        [[steps]]\nname = \"alone\"\nrobots = 1\nseconds = 2.0\nend = \"gennum-thisstep >= 2\"\n\
        [[steps]]\nname = \"pairs\"\nrobots = 2\nseconds = 2.0\nend = \"gennum-thisstep >= 100000\"\n";
    std::fs::write(&file, text).unwrap();
    let mut demo = Demo::start("9", &["--engine", "simd", "--experiment", file.to_str().unwrap()]);
    demo.wait_for_run();
    let directory = demo.directory();
    // The demo's robots keep nothing; this one does from now on.
    signal("-KILL", demo.process(&["xpuckd", "xp02"]));
    let config = directory.join("config/robots/xp02.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains("\n[evolution]\n"), "{text}");
    std::fs::write(&config, text.replace("\n[evolution]\n", "\n[evolution]\nstate = \"xp02-state\"\n")).unwrap();
    let [first, second] = ["first.log", "second.log"].map(|name| dir.path().join(name));
    let robot = Robot::start(&directory, &first);
    robot.wait_for(&first, "step \"alone\" of evolution is over after 2 generations");
    // A generation more, after which the step is in both checkpoints.
    std::thread::sleep(Duration::from_secs(2));
    drop(robot);
    let robot = Robot::start(&directory, &second);
    robot.wait_for(&second, ", in step \"pairs\"");
    let again = std::fs::read_to_string(&second).unwrap();
    assert!(again.contains("evolution goes on after generation ") && !again.contains("alone"), "{again}");
    std::thread::sleep(Duration::from_secs(1));
    signal("-INT", demo.id());
    let (_, text) = demo.end();
    drop(robot);
    let messages = record(&only(&directory, "steps-").join("run.mcap"));
    for robot in ["xp01", "xp02"] {
        let steps = steps(&messages, robot);
        assert!(steps.contains(&0) && steps.last() == Some(&1), "{robot}: {steps:?} {text}");
    }
    demo.assert_nobody_left();
}
