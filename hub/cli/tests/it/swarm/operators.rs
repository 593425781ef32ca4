//! Operators and observers at a terminal: orders for single robots, notes, the log, and the screen of `xpuck swarm
//! top`.

use crate::common::said;
use crate::rig::{Swarm, processes, send_signal};
use nix::sys::signal::Signal;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;
use xpuck_wire::message::State;

/// Control sequences that switch a terminal to its alternate screen, and back to its usual screen.
const ALTERNATE: &str = "\x1b[?1049h";
const USUAL: &str = "\x1b[?1049l";

#[test]
fn orders_and_notes_name_their_operator_and_observers_give_none() {
    let swarm = Swarm::of_one_robot();
    swarm.wait_for_robots();
    let done = |line: &str| {
        let output = swarm.folder.run(&line.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{line}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(done("swarm note the lamp is off"), "noted\n");
    assert_eq!(done("identify all"), "xp01: blinks\n");
    let held = done("robot hold xp01");
    assert!(held.starts_with("xp01: held: it stopped after ") && held.lines().count() == 1, "{held}");
    let status: serde_json::Value = serde_json::from_str(&done("status --json")).unwrap();
    assert_eq!((&status["robots"][0]["held"], &status["phase"]), (&true.into(), &"idle".into()));
    let rows: serde_json::Value = serde_json::from_str(&done("robot release all --json")).unwrap();
    assert_eq!((&rows[0]["robot"], &rows[0]["done"]), (&"xp01".into(), &true.into()), "{rows}");
    assert_eq!(done("release all"), "no robot is held\n");
    let log = done("log");
    for words in ["operator: note: the lamp is off\n", "robot xp01 is held by operator", "robot xp01 is here\n"] {
        assert!(log.contains(words), "{words}: {log}");
    }
    let events: Vec<serde_json::Value> =
        done("swarm log --json --robot xp01").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let held = events.iter().find(|event| event["text"].as_str().unwrap().contains("held")).unwrap();
    assert_eq!((&held["who"], &held["level"]), (&"operator".into(), &"INFO".into()), "{events:?}");
    let later = done(&format!("swarm log --after {}", held["number"]));
    assert!(!later.contains("held by") && later.contains("released by"), "{later}");

    let nobody = swarm.folder.run(&["robot", "identify", "xp01", "xp99"]);
    let text = said(&nobody);
    assert!(
        !nobody.status.success() && text.contains("xp01: blinks") && text.contains("`xp99` is not in the swarm file"),
        "{text}"
    );
    assert!(text.contains("not done by 1 of 2 robots: xp99"), "{text}");
    assert!(swarm.folder.run(&["keys", "make", "guest"]).status.success());
    assert!(swarm.folder.run(&["keys", "enrol", "guest.pub", "--role", "observer"]).status.success());
    swarm.wait("enrolment", |s| s.events.iter().any(|e| e.contains("enrolled: observer guest")));
    std::fs::rename(swarm.folder.path("guest.key"), swarm.folder.path("keys/observers/guest.key")).unwrap();
    let guest = "keys/observers/guest.key";
    assert_eq!(swarm.command_with_key(guest, &["status"]), "");
    assert_eq!(swarm.command_with_key(guest, &["swarm", "log"]), "");
    for line in [&["swarm", "note", "x"][..], &["pause"]] {
        let told = swarm.command_with_key(guest, line);
        assert!(told.contains("is an observer and must not change anything") && told.lines().count() == 1, "{told}");
    }
    assert!(swarm.command_with_key(guest, &["robot", "hold", "xp01"]).contains("not done by 1 of 1 robot"));
}

/// `xpuck swarm top` on a pseudo-terminal.
struct Terminal {
    script: Child,
    shown: Arc<Mutex<String>>,
}

impl Terminal {
    /// Starts `xpuck swarm top` on a pseudo-terminal, and waits until it shows xp01. Returns `None` on a machine
    /// without the program `script`.
    fn open(swarm: &Swarm) -> Option<Terminal> {
        let line =
            format!("stty rows 24 cols 80; exec {} top --hub {}", env!("CARGO_BIN_EXE_xpuck"), swarm.folder.operator);
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(swarm.folder.root()).env("TERM", "xterm");
        let mut script = match command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            script => script.unwrap(),
        };
        let (mut output, shown) = (script.stdout.take().unwrap(), Arc::<Mutex<String>>::default());
        let to = shown.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                *to.lock().unwrap() += &String::from_utf8_lossy(&bytes[..length]);
            }
        });
        let terminal = Terminal { script, shown };
        terminal.until("xp01");
        Some(terminal)
    }

    fn until(&self, words: &str) {
        let shown = || self.shown.lock().unwrap();
        let check = || shown().contains(words).then_some(());
        wait_within(patience(), check, || format!("{words}: {}", shown().escape_debug()));
    }

    fn press(&mut self, keys: &str) {
        self.script.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `xpuck swarm top` has ended. Checks that it has restored the terminal.
    fn ended(mut self) {
        assert!(self.script.wait().unwrap().success());
        self.until(USUAL);
        let shown = self.shown.lock().unwrap();
        assert!(
            shown.find(ALTERNATE).unwrap() < shown.find(USUAL).unwrap() && shown.ends_with("\x1b[?25h"),
            "{shown:?}"
        );
    }
}

#[test]
fn top_stops_the_swarm_by_a_key_and_restores_the_terminal() {
    let swarm = Swarm::of_one_robot();
    swarm.wait_for_robots();
    let Some(mut terminal) = Terminal::open(&swarm) else {
        return xpuck_testing::skipped("`xpuck swarm top` on a terminal: there is no `script` here");
    };
    terminal.press(" ");
    let status = swarm.wait("STOP", |s| s.directive.state == State::Stop && s.robots[0].obeys);
    assert_eq!(status.robots[0].state, State::Stop);
    terminal.press("q");
    terminal.ended();

    let terminal = Terminal::open(&swarm).unwrap();
    let top = processes(&["xpuck", " top ", &swarm.folder.operator])
        .into_iter()
        .find(|id| std::fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|name| name.trim() == "xpuck"));
    send_signal(top.unwrap(), Signal::SIGTERM);
    terminal.ended();
}
