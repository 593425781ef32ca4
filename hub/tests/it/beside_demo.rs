//! Commands beside running demos find them by themselves.

use crate::common::{Children, free_ports, said, xpuck};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder of its own for temporary files, so that no other test's demo is found.
fn here(temporary: &Path, line: &str) -> Command {
    let mut command = xpuck();
    command.args(line.split(' ')).current_dir(temporary).env("TMPDIR", temporary).stdin(Stdio::null());
    command
}

#[derive(Default)]
struct Demos(Children);

impl Demos {
    fn start(&mut self, temporary: &Path, ports: u16) {
        let line =
            format!("demo --robots 1 --minutes 60 --speed 4 --population 8 --no-console --out out --ports {ports}");
        self.0.0.push(here(temporary, &line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    }
}

/// Asks until the answer has these words.
fn until(temporary: &Path, line: &str, words: &str) -> String {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let text = said(&here(temporary, line).output().unwrap());
        if text.contains(words) {
            return text;
        }
        assert!(Instant::now() < deadline, "{line}: {text}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn commands_find_the_running_demo_and_two_demos_at_once_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path();
    let none = here(place, "robots").output().unwrap();
    let text = said(&none);
    assert!(
        !none.status.success()
            && text.lines().count() == 1
            && text.contains("xpuck demo")
            && text.contains("xpuck init")
    );
    let (first, second) = (free_ports(), free_ports());
    let mut demos = Demos::default();
    demos.start(place, first);
    until(place, "robots", "RUN ");
    let done = |line: &str| String::from_utf8(here(place, line).output().unwrap().stdout).unwrap();
    // Without a terminal there is nothing to draw on.
    let drawn = here(place, "top").output().unwrap();
    let text = said(&drawn);
    assert!(!drawn.status.success() && text.lines().count() == 1 && text.contains("status --watch"), "{text}");
    let paused = done("pause");
    assert!(paused.starts_with("paused: 1 of 1 robots stand, xp01 after "), "{paused}");
    let resumed: serde_json::Value = serde_json::from_str(&done("resume --json")).unwrap();
    assert_eq!((&resumed["phase"], &resumed["directive"]), (&"running".into(), &"RUN".into()), "{resumed}");
    let robot = &resumed["robots"][0];
    assert!(robot["obeys"] == true && robot["state"] == "RUN" && robot["ms"].is_number(), "{resumed}");
    // Its ports are taken: one line, and no folder.
    let folders = || std::fs::read_dir(place.join("out")).unwrap().count();
    let before = folders();
    let refused = here(place, &format!("demo --out out --ports {first}")).output().unwrap();
    let text = said(&refused);
    assert!(!refused.status.success() && text.lines().count() == 1 && !text.contains("xpuck: xpuck:"), "{text}");
    assert!(text.contains("the demo of") && text.contains("choose other ports: --ports"), "{text}");
    assert_eq!(folders(), before);
    demos.start(place, second);
    let several = until(place, "robots", "2 demos of yours run");
    for ports in [first, second] {
        assert!(several.contains(&format!("--hub tcp://127.0.0.1:{}", ports + 2)), "{several}");
    }
    // One of them, named by its address alone; its hub ends with the run, or before it when that had not begun.
    let stopped = done(&format!("stop --hub tcp://127.0.0.1:{}", second + 2));
    let stands = ["finished: ", "idle: ", "told; "].iter().any(|words| stopped.starts_with(words));
    assert!(stands || stopped.contains("the hub has ended since"), "{stopped}");
    until(place, "robots", "transport");
}

#[test]
fn a_demo_of_a_world_file_runs_its_task_and_a_refused_one_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/worlds/aggregation.toml");
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/trees/attract.bt");
    let common = "demo --robots 2 --minutes 0.2 --speed 32 --no-console --json --out out";
    let line = format!("{common} --ports {} --world {world} --tree {tree}", free_ports());
    let output = here(dir.path(), &line).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let runs = here(dir.path(), "runs list --runs out").output().unwrap();
    assert!(said(&runs).contains("aggregation-"), "{}", said(&runs));
    for (wrong, words) in [(format!("--world {tree}"), "attract.bt"), ("--tree nobody.bt".into(), "nobody.bt")] {
        let refused = here(dir.path(), &format!("demo --out other --ports {} {wrong}", free_ports())).output().unwrap();
        let text = said(&refused);
        assert!(!refused.status.success() && text.contains(words), "{text}");
        assert!(!dir.path().join("other").exists(), "{wrong}");
    }
}
