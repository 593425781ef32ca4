//! Python programs that control a robot of a demo.

use crate::common::{only, record, said};
use crate::rig::{Children, Demo, send_signal};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use xpuck_testing::patience;
use xpuck_testing::patience::{wait_until, wait_within};

const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot/python");

/// Python program that drives ahead until it is killed.
const AHEAD: &str = "import xpuck
with xpuck.connect('xp01', name='ahead', rate=20) as robot:
    for senses in robot:
        robot.drive(0.04, 0.03)
";

/// Python program that prints the robot's messages and never drives.
const WATCH: &str = "import json, xpuck
with xpuck.connect('xp01', name='watch', rate=50, take=False) as robot:
    for senses in robot:
        print(json.dumps(senses), flush=True)
";

fn python(temporary: &Path) -> Command {
    let mut command = Command::new("python3");
    command.env("TMPDIR", temporary).env("PYTHONPATH", PYTHON).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
    command
}

/// Runs a command of the operator in the folder of the demo. The command must succeed. Returns its output.
fn beside(demo: &Demo, line: &str) -> String {
    let output = demo.command(line).output().unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{line}: {text}");
    text
}

/// Latest line of the program [`WATCH`]. A thread reads the lines continuously, because the robot disconnects a program
/// that does not read.
struct Watcher(Arc<Mutex<Value>>);

impl Watcher {
    fn new(out: ChildStdout) -> Watcher {
        let latest = Arc::new(Mutex::new(Value::Null));
        let theirs = latest.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                *theirs.lock().unwrap() = serde_json::from_str(&line).unwrap();
            }
        });
        Watcher(latest)
    }

    /// Waits until the latest line satisfies a condition, and returns the line.
    fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let latest = || self.0.lock().unwrap().clone();
        wait_within(patience(), || Some(latest()).filter(&wanted), || format!("{what}: {}", latest()))
    }
}

fn stands(senses: &Value) -> bool {
    senses["wheels"] == serde_json::json!([0.0, 0.0])
}

fn driven(senses: &Value) -> bool {
    senses["driver"] == "program" && !stands(senses)
}

#[test]
fn python_programs_drive_a_robot_that_stands_after_them() {
    let mut demo =
        Demo::with(&"--count 1 --minutes 60 --population 8 --no-console --speed 2".split(' ').collect::<Vec<_>>());
    let here = demo.folder().to_path_buf();
    let here = here.as_path();
    let socket = || only(here, "xpuck-").join("xp01.sock");
    wait_until("the socket of the robot", || {
        std::fs::read_dir(here).unwrap().any(|entry| entry.unwrap().path().join("xp01.sock").exists())
    });
    let mut children = Children::default();
    let mut watching = python(here).args(["-c", WATCH]).stdout(Stdio::piped()).spawn().unwrap();
    let watcher = Watcher::new(watching.stdout.take().unwrap());
    children.0.push(watching);
    watcher.until("the run begins", |senses| senses["state"] == "RUN");

    let example = python(here).arg(format!("{PYTHON}/examples/wander.py")).args(["xp01", "6"]).output().unwrap();
    let text = said(&example);
    assert!(example.status.success() && text.contains("'trips': "), "{text}");
    watcher.until("the tree has the wheels again", |senses| senses["driver"] == "tree");

    let pipe = [env!("CARGO_BIN_EXE_xpuck"), "drive", "--pipe", "--rate", "20"];
    let circle = python(here).arg(format!("{PYTHON}/examples/circle.py")).arg("4").args(pipe).spawn().unwrap();
    let turning =
        watcher.until("the swarm's program drives", |senses| senses["driver"] == "operator" && !stands(senses));
    assert!(turning["wheels"][0].as_f64() < turning["wheels"][1].as_f64(), "{turning}");
    let circle = circle.wait_with_output().unwrap();
    assert!(circle.status.success(), "{}", said(&circle));
    watcher.until("the tree drives after the swarm's program", |senses| senses["driver"] == "tree");

    let ahead = || python(here).args(["-c", AHEAD]).stderr(Stdio::null()).spawn().unwrap();
    let mut first = ahead();
    watcher.until("a program drives", driven);
    let second = python(here).arg("-c").arg(AHEAD).output().unwrap();
    assert!(said(&second).contains("xpuck.Refused: `ahead` controls the wheels"), "{}", said(&second));

    beside(&demo, "pause");
    watcher.until("a pause stops it", |senses| senses["state"] == "PAUSE" && stands(senses));
    beside(&demo, "resume");
    let before = watcher.until("it drives again by itself", driven);

    // When SIGSTOP stops a program, the program's last wheel command expires, and the wheels stop.
    send_signal(first.id(), Signal::SIGSTOP);
    let hung = before["time"].as_f64().unwrap() + 2.0;
    let after = watcher.until("a program that hangs", |senses| {
        stands(senses) && senses["time"].as_f64().is_some_and(|time| time > hung)
    });
    assert_eq!(after["driver"], "program");
    send_signal(first.id(), Signal::SIGCONT);
    watcher.until("it goes on", driven);
    first.kill().unwrap();
    first.wait().unwrap();
    let gone = watcher.until("a program that is killed", |senses| senses["driver"] == "nobody");
    assert!(stands(&gone) && gone["odometry"] != before["odometry"]);
    let mut third = ahead();
    watcher.until("the next takes the wheels", driven);
    assert!(socket().exists());
    beside(&demo, "stop");
    demo.end();
    assert!(!third.wait().unwrap().success(), "its robot has ended");

    let run = only(&demo.directory(), "transport");
    let messages = record(&run.join("run.mcap"));
    let lines: Vec<String> =
        messages.iter().filter(|(topic, _)| topic == "/logs").map(|(_, line)| line.to_string()).collect();
    for words in [
        "`wander.py` takes the wheels",
        "`wander.py` releases the wheels",
        "`ahead` sent no command for 0.25 s; wheels stopped",
        "connection of program `ahead` ended while it controlled the wheels",
    ] {
        assert!(lines.iter().any(|line| line.contains(words)), "{words}: {lines:?}");
    }
    let verified = beside(&demo, &format!("runs verify {}", run.display()));
    assert!(verified.contains("ticks"), "{verified}");
}

#[test]
fn bridge_to_ros_passes_its_tests() {
    let folder = tempfile::tempdir().unwrap();
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot/ros2/test");
    let output = python(folder.path()).args(["-m", "unittest", "discover", tests]).output().unwrap();
    assert!(output.status.success() && said(&output).contains("Ran 3 tests"), "{}", said(&output));
}
