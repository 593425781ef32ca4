//! Tests docs/set-up.md: `xpuck init` makes a working folder, and `xpuck check` lists all missing and wrong parts of a
//! folder.

use crate::commands::arena_page::keys;
use crate::common::said;
use crate::rig::{Process, free_ports, xpuck};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the lines of all code blocks in docs/set-up.md that start with "```sh" and this kind.
fn lines(kind: &str) -> Vec<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/set-up.md")).unwrap();
    let fence = format!("```sh {kind}\n");
    let blocks = page.split(&fence).skip(1).map(|block| block.split("```").next().unwrap());
    let found: Vec<String> = blocks.flat_map(str::lines).map(String::from).collect();
    assert!(!found.is_empty(), "{kind}");
    found
}

fn command(line: &str, folder: &Path) -> Command {
    let mut words = line.split(' ');
    let program = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name(words.next().unwrap());
    let mut command = Command::new(program);
    command.args(words).current_dir(folder);
    command
}

/// Starts a program of the page. For a service of `xpuck`, waits until the service is ready.
fn start(line: &str, folder: &Path) -> Process {
    let mut command = command(line, folder);
    command.arg("--end-with-stdin");
    let log = folder.join("test.log");
    if line.starts_with("xpuck ") { Process::serve(&mut command, log).0 } else { Process::start(&mut command, log) }
}

#[test]
fn commands_of_the_page_make_a_swarm_that_runs() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder: PathBuf = dir.path().into();
    let run = |line: &str, folder: &Path| {
        let output = command(line, folder).output().unwrap();
        assert!(output.status.success(), "{line}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let mut made = String::new();
    for line in lines("set-up") {
        match line.strip_prefix("cd ") {
            Some(name) => folder.push(name),
            None if line.starts_with("xpuck init") => made = run(&format!("{line} --ports {}", free_ports()), &folder),
            None => drop(run(&line, &folder)),
        }
    }
    let services = lines("services");
    for line in services.iter().chain(&lines("operate")[..2]) {
        assert!(made.contains(&format!("  {line}\n")), "`xpuck init` does not say `{line}`: {made}");
    }
    let mut running = Vec::new();
    // The last robot starts later than the other services, during the commands of the block `operate`.
    let (late, first) = services.split_last().unwrap();
    running.extend(first.iter().map(|line| start(line, &folder)));
    for line in lines("operate") {
        let output = run(&line, &folder);
        match line.as_str() {
            "xpuck robot list" => {
                let last = output.lines().find(|line| line.starts_with("xp02")).unwrap();
                assert!(last.contains("absent") && !output.contains("lost"), "{output}");
                running.push(start(late, &folder));
            }
            "xpuck start transport.toml" => {
                assert!(output.starts_with("running: transport on 2 of 2 robots, 16.0 minutes"), "{output}");
            }
            "xpuck pause" => assert!(output.starts_with("paused: 2 of 2 robots stand, the last after "), "{output}"),
            "xpuck resume" => assert!(output.starts_with("running: 2 of 2 robots run, the last after "), "{output}"),
            "xpuck stop" => {
                assert!(output.starts_with("finished: 2 of 2 robots stand, the last after "), "{output}");
                let rows: Vec<&str> = output.lines().skip(1).map(str::trim).collect();
                let row = |row: &str, id: &str| row.starts_with(id) && row.ends_with(" ms");
                assert!(rows.len() == 2 && row(rows[0], "xp01") && row(rows[1], "xp02"), "{output}");
            }
            "xpuck status" => {
                let has = |words: &str| assert!(output.contains(words), "{words}: {output}");
                has("experiment  transport, task transport, started by operator\n");
                has("phase       running: the robots drive\n");
                has("robots      2 of 2 present\n");
                has("directive   RUN: 2 of 2 robots run");
                has("all 2 robots are ready: RUN");
            }
            "xpuck robot hold xp02" => assert!(output.starts_with("xp02: held: it stopped after "), "{output}"),
            "xpuck robot release xp02" => {
                assert!(output.starts_with("xp02: released: it follows the swarm again"), "{output}")
            }
            "xpuck swarm log" => {
                for words in ["INFO   operator: note: the lamp is off\n", "robot xp02 is held by operator", "RUN"] {
                    assert!(output.contains(words), "{words}: {output}");
                }
            }
            "xpuck runs list" => {
                let rows: Vec<&str> = output.lines().collect();
                assert!(rows.len() == 2 && rows[0].starts_with("run "), "{output}");
                let column = rows[0].find("state").unwrap();
                assert!(rows[1][column..].starts_with("finished") && rows[1].contains(" 20"), "{output}");
                let short = rows[1].split(' ').next().unwrap();
                assert!(run(&format!("xpuck runs show {short}"), &folder).contains("finished"), "{short}");
            }
            _ => {}
        }
    }
}

#[test]
fn files_of_every_kind_of_robot_are_valid_and_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    for kind in ["virtual", "xpuck", "e-puck1", "e-puck2"] {
        let init = command(&format!("xpuck init {kind} --kind {kind} --count 3 --address 192.168.1.2"), here)
            .output()
            .unwrap();
        assert!(init.status.success(), "{}", said(&init));
        let check = command(&format!("xpuck check {kind}"), here).output().unwrap();
        let text = said(&check);
        assert!(
            check.status.success() && text.contains("a swarm of 3") && text.contains("xp03.toml: a robot"),
            "{text}"
        );
        assert_eq!(here.join(kind).join("arena.toml").exists(), kind == "virtual");
        for name in ["swarm.toml", "hub.toml", "transport.toml", "robots/xp01.toml"] {
            let text = std::fs::read_to_string(here.join(kind).join(name)).unwrap();
            assert!(
                text.starts_with("# ") && text.contains("# Change this first: ") || name.starts_with("robots"),
                "{text}"
            );
        }
    }
    for line in lines("kinds") {
        assert!(command(&line, here).output().unwrap().status.success(), "{line}");
    }
    let file = here.join("virtual/hub.toml");
    std::fs::write(&file, "mine").unwrap();
    let again = command("xpuck init virtual", here).output().unwrap();
    let text = said(&again);
    assert!(!again.status.success() && text.lines().count() == 1, "{text}");
    assert!(text.contains("hub.toml") && text.contains("choose another folder"), "{text}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn robots_page_documents_every_robot_key() {
    let xpuckd = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
    let output = Command::new(xpuckd).arg("schema").output().unwrap();
    let mut all = Vec::new();
    keys(&serde_json::from_slice(&output.stdout).unwrap(), "", &mut all);
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/robots.md")).unwrap();
    // The check skips the calibration keys, which the page documents in a separate table.
    let missing: Vec<&String> =
        all.iter().filter(|key| !key.starts_with("calibration") && !page.contains(&format!("`{key}`"))).collect();
    assert!(all.len() > 12 && missing.is_empty(), "docs/robots.md lacks {missing:?} of {all:?}");
}

#[test]
fn all_that_is_missing_or_wrong_is_listed_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let init = command("xpuck init s --count 2", here).output().unwrap();
    assert!(init.status.success(), "{}", said(&init));
    let at = |name: &str| here.join("s").join(name);
    let change = |name: &str, old: &str, new: &str| {
        let text = std::fs::read_to_string(at(name)).unwrap();
        assert!(text.contains(old), "{name}: {text}");
        std::fs::write(at(name), text.replace(old, new)).unwrap();
    };
    change("arena.toml", ":7603", ":7604");
    change("arena.toml", "width = 160", "width = 320");
    change("robots/xp02.toml", "threads = 1", "threads = 100");
    change("transport.toml", "population", "populaton");
    std::fs::remove_file(at("robots/xp01.toml")).unwrap();
    std::fs::remove_file(at("keys/robots/xp01.pub")).unwrap();
    std::fs::remove_file(at("keys/hub.key")).unwrap();
    let check = command("xpuck check s", here).output().unwrap();
    assert_eq!(check.status.code(), Some(1));
    let told = String::from_utf8(check.stderr).unwrap();
    for words in [
        "s/robots/xp01.toml: is missing; swarm.toml lists xp01",
        "evolution.threads = 100 is outside 1 to 64",
        "mocap is 127.0.0.1:7604, but mocap.address in hub.toml is 127.0.0.1:7603",
        "robots/xp02.toml: camera_width and camera_height are 160 and 120, but arena.toml has 320 and 120",
        "s/keys/hub.key: is missing; delete s/keys/hub.pub, then `xpuck keys new --dir s/keys --swarm s/swarm.toml` makes it again",
        "s/keys/robots/xp01.pub: is missing",
        "unknown field `populaton`; did you mean `population`?",
        "s: 7 items are missing or wrong",
    ] {
        assert!(told.contains(words), "`{words}` is not in\n{told}");
    }
    assert_eq!(told.lines().count(), 8, "{told}");
    // The remedy that the output suggests either works or reports its own error.
    let remedy = command("xpuck keys new --dir s/keys --swarm s/swarm.toml", here).output().unwrap();
    assert!(said(&remedy).contains("made keys for xp01") || !remedy.status.success(), "{}", said(&remedy));
    std::fs::remove_dir_all(at("keys")).unwrap();
    let without = said(&command("xpuck check s", here).output().unwrap());
    assert!(without.contains("s/keys: is missing; it is the folder of keys; `xpuck keys new"), "{without}");
    let nothing = xpuck().args(["check", "."]).current_dir(tempfile::tempdir().unwrap().path()).output().unwrap();
    assert!(
        said(&nothing).contains("swarm.toml: is missing; is this the swarm's folder? `xpuck init`"),
        "{}",
        said(&nothing)
    );
}
