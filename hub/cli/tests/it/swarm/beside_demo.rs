//! Commands that find the running demos of the same user.

use crate::common::said;
use crate::rig::{Children, command_in, free_ports, valid_json};
use std::path::Path;
use std::process::{Command, Stdio};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;

fn here(folder: &Path, line: &str) -> Command {
    let mut command = command_in(folder);
    command.args(line.split(' '));
    command
}

/// Demos in one folder.
#[derive(Default)]
struct Demos(Children);

impl Demos {
    fn start(&mut self, temporary: &Path, ports: u16) {
        let line = format!("demo --count 1 --minutes 60 --speed 4 --population 8 --output out --ports {ports}");
        self.0.0.push(here(temporary, &line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    }
}

/// Runs a command repeatedly until its output contains `words`. Returns this output.
fn until(temporary: &Path, line: &str, words: &str) -> String {
    let output = || said(&here(temporary, line).output().unwrap());
    let check = || Some(output()).filter(|text| text.contains(words));
    wait_within(patience(), check, || format!("{line}: {}", output()))
}

#[test]
fn commands_find_running_demos_and_ask_which_of_two() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path();
    let none = here(place, "robot list").output().unwrap();
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
    until(place, "robot list", "RUN ");
    let done = |line: &str| String::from_utf8(here(place, line).output().unwrap().stdout).unwrap();
    // `xpuck swarm top` needs a terminal, which the test does not have, so the command fails.
    let drawn = here(place, "swarm top").output().unwrap();
    let text = said(&drawn);
    assert!(!drawn.status.success() && text.lines().count() == 1 && text.contains("status --watch"), "{text}");
    let paused = done("pause");
    assert!(paused.starts_with("paused: 1 of 1 robots stand, xp01 after "), "{paused}");
    let valid = |command: &str, line: &str| valid_json(command, &here(place, line).output().unwrap().stdout);
    let json = |line: &str| valid(line.trim_end_matches(" --json"), line);
    let resumed = json("resume --json");
    assert_eq!((&resumed["phase"], &resumed["directive"]), (&"running".into(), &"RUN".into()), "{resumed}");
    let robot = &resumed["robots"][0];
    assert!(robot["obeys"] == true && robot["state"] == "RUN" && robot["ms"].is_number(), "{resumed}");
    assert_eq!(json("status --json")["phase"], "running");
    assert_eq!(json("robot list --json")["robots"][0]["id"], "xp01");
    assert_eq!(valid("robot hold", "robot hold xp01 --json")[0]["robot"], "xp01");
    assert_eq!(valid("robot release", "robot release xp01 --json")[0]["robot"], "xp01");
    assert!(json("swarm log --json")["text"].is_string());
    assert!(json("swarm console --json")["link"].as_str().unwrap().starts_with("http"));
    // A second demo on the same ports prints one line and makes no folder.
    let folders = || std::fs::read_dir(place.join("out")).unwrap().count();
    let before = folders();
    let refused = here(place, &format!("demo --output out --ports {first}")).output().unwrap();
    let text = said(&refused);
    assert!(!refused.status.success() && text.lines().count() == 1 && !text.contains("xpuck: xpuck:"), "{text}");
    assert!(text.contains("the demo in") && text.contains("choose other ports: --ports"), "{text}");
    assert_eq!(folders(), before);
    demos.start(place, second);
    let several = until(place, "robot list", "2 of your demos are running");
    for ports in [first, second] {
        assert!(several.contains(&format!("--hub tcp://127.0.0.1:{}", ports + 2)), "{several}");
    }
    // With two demos, a command must contain the address of a hub. STOP ends the run, and the hub of a demo ends with
    // its run. A STOP that arrives before the demo's own START does not prevent the run, so the test repeats STOP.
    let stop = || done(&format!("stop --hub tcp://127.0.0.1:{}", second + 2));
    let stopped = Some(stop()).filter(|told| !told.starts_with("running: ")).unwrap_or_else(stop);
    let stands = ["finished: ", "idle: ", "sent; "].iter().any(|words| stopped.starts_with(words));
    assert!(stands || stopped.contains("the hub has ended; wheels stop"), "{stopped}");
    until(place, "robot list", "transport");
}

#[test]
fn demo_of_a_world_runs_its_task_and_a_wrong_one_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds/aggregation.toml");
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/attract.bt");
    let common = "demo --count 2 --minutes 0.2 --speed 32 --no-console --json --output out";
    let line = format!("{common} --ports {} --world {world} --tree {tree}", free_ports());
    let output = here(dir.path(), &line).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let runs = here(dir.path(), "runs list --folder out").output().unwrap();
    assert!(said(&runs).contains("aggregation-"), "{}", said(&runs));
    for (wrong, words) in [(format!("--world {tree}"), "attract.bt"), ("--tree nobody.bt".into(), "nobody.bt")] {
        let refused =
            here(dir.path(), &format!("demo --output other --ports {} {wrong}", free_ports())).output().unwrap();
        let text = said(&refused);
        assert!(!refused.status.success() && text.contains(words), "{text}");
        assert!(!dir.path().join("other").exists(), "{wrong}");
    }
}
