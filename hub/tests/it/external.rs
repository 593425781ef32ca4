//! Programs in Python drive a robot of a demo.

use crate::common::{Children, free_ports, only, record, said, xpuck};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../robot/python");

/// Drives ahead for ever.
const AHEAD: &str = "import xpuck
with xpuck.connect('xp01', name='ahead', rate=20) as robot:
    for senses in robot:
        robot.drive(0.04, 0.03)
";

/// Tells what the robot says, and never drives.
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

/// A command of the tool beside the demo.
fn beside(temporary: &Path, line: &str) -> String {
    let output = xpuck().args(line.split(' ')).current_dir(temporary).env("TMPDIR", temporary).output().unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{line}: {text}");
    text
}

/// What the watcher told last. It is read by a thread of its own: a program that does not read is cut off.
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

    /// Waits until what it tells is as wanted.
    fn until(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let latest = self.0.lock().unwrap().clone();
            if wanted(&latest) {
                return latest;
            }
            assert!(Instant::now() < deadline, "{what}: {latest}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn stands(senses: &Value) -> bool {
    senses["wheels"] == serde_json::json!([0.0, 0.0])
}

fn driven(senses: &Value) -> bool {
    senses["driver"] == "program" && !stands(senses)
}

#[test]
fn programs_in_python_drive_a_robot_and_whatever_becomes_of_them_its_wheels_stand() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut children = Children::default();
    let line = format!(
        "demo --robots 1 --minutes 60 --population 8 --no-console --speed 2 --out out --ports {}",
        free_ports()
    );
    let mut demo = xpuck();
    demo.args(line.split(' ')).current_dir(here).env("TMPDIR", here);
    children.0.push(demo.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let socket = || only(here, "xpuck-").join("xp01.sock");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !std::fs::read_dir(here).unwrap().any(|e| e.unwrap().path().join("xp01.sock").exists()) {
        assert!(Instant::now() < deadline, "the robot makes no socket");
        std::thread::sleep(Duration::from_millis(50));
    }
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
    assert!(said(&second).contains("xpuck.Refused: `ahead` has the wheels"), "{}", said(&second));

    beside(here, "pause");
    watcher.until("a pause stops it", |senses| senses["state"] == "PAUSE" && stands(senses));
    beside(here, "resume");
    let before = watcher.until("it drives again by itself", driven);

    // One that hangs: its last command ends.
    signal(&first, "STOP");
    let hung = before["time"].as_f64().unwrap() + 2.0;
    let after = watcher.until("a program that hangs", |senses| {
        stands(senses) && senses["time"].as_f64().is_some_and(|time| time > hung)
    });
    assert_eq!(after["driver"], "program");
    signal(&first, "CONT");
    watcher.until("it goes on", driven);
    first.kill().unwrap();
    first.wait().unwrap();
    let gone = watcher.until("a program that is killed", |senses| senses["driver"] == "nobody");
    assert!(stands(&gone) && gone["odometry"] != before["odometry"]);
    let mut third = ahead();
    watcher.until("the next takes the wheels", driven);
    assert!(socket().exists());
    beside(here, "stop");
    let end = Instant::now() + Duration::from_secs(60);
    while children.0[0].try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "the demo goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!third.wait().unwrap().success(), "its robot has ended");

    let run = only(&only(&here.join("out"), "demo-"), "transport");
    let messages = record(&run.join("run.mcap"));
    let lines: Vec<String> =
        messages.iter().filter(|(topic, _)| topic == "/logs").map(|(_, line)| line.to_string()).collect();
    for words in [
        "`wander.py` takes the wheels",
        "`wander.py` gives the wheels back",
        "`ahead` said nothing for 0.25 s",
        "`ahead` is gone",
    ] {
        assert!(lines.iter().any(|line| line.contains(words)), "{words}: {lines:?}");
    }
    let verified = beside(here, &format!("runs verify {}", run.display()));
    assert!(verified.contains("ticks"), "{verified}");
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn the_bridge_to_ros_converts_as_its_tests_say() {
    let folder = tempfile::tempdir().unwrap();
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../robot/ros2/test");
    let output = python(folder.path()).args(["-m", "unittest", "discover", tests]).output().unwrap();
    assert!(output.status.success() && said(&output).contains("Ran 3 tests"), "{}", said(&output));
}
