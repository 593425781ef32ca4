//! `xpuck world new` with answers on standard input, and `xpuck world import` of missions.

use crate::common::xpuck;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use xpuck_experiment::world_file;

/// Runs a command in a folder with answers on standard input.
fn run(folder: &Path, line: &str, answers: &str) -> Output {
    let mut child = xpuck()
        .args(line.split(' '))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end before it reads all answers.
    let _ = child.stdin.take().unwrap().write_all(answers.as_bytes());
    child.wait_with_output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Parses a world file.
fn check(path: &Path) -> xpuck_kernels::world::WorldSpec {
    world_file::read(path).unwrap()
}

#[test]
fn answers_become_a_world_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.toml");
    let output = run(folder.path(), "world new --ask -o world.toml", "gather\n3\n12\n2\n3\n2.5\nend\n60\n");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("What are the robots to do?\n  1 gather "), "{}", stderr(&output));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("score = \"last(max(max(share(spot-1), share(spot-2)), share(spot-3)))\""), "{text}");
    assert!(text.contains("length_m = 3.0\nwidth_m = 2.5") && text.contains("--seconds 60"), "{text}");
    assert_eq!(check(&path).robots, 12);
    let again = run(folder.path(), "world new --ask -o world.toml", "\n\n\n\n\n\n\n\n");
    assert!(stderr(&again).contains("world.toml: already exists; choose another file"), "{}", stderr(&again));
    // Empty answers select the usual values.
    let output = run(folder.path(), "world new --ask -o usual.toml", &"\n".repeat(8));
    assert!(output.status.success(), "{}", stderr(&output));
    let usual = check(&folder.path().join("usual.toml"));
    assert_eq!((usual.robots, usual.physics.walls.len()), (20, 12));
}

#[test]
fn invalid_or_missing_answers_write_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("", "xpuck: the answers end before an answer to: What are the robots to do? No file was written"),
        ("forage\n2\n", "xpuck: the answers end before an answer to: How many robots? No file was written"),
        (
            "forage\n2\n0\n1000\n1e1\nnan\n20\n",
            "xpuck: How many robots? `nan` is not a whole number from 1 to 256; no file was written",
        ),
        (
            "dance\n9\n-1\n0\n1\n",
            "xpuck: What are the robots to do? `0` is not a name, or a number from 1 to 8; no file was written",
        ),
    ];
    for (answers, expected) in cases {
        let output = run(folder.path(), "world new --ask -o world.toml", answers);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().last(), Some(expected));
        assert!(output.stdout.is_empty() && !folder.path().join("world.toml").exists());
    }
    let output = run(folder.path(), "world new", "gather\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no mission, and no terminal to ask; name a mission"), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
}

const MISSIONS: &str = "--m homing --a hexagon --as 1.29 --el 120 --r 18 --l 'on' --ip 'uniform' --tof 'anytime' --colhome \
                        white --coldistration black --np 1 --p0 Circle --ps0 0.3 --pcx0 0 --pcy0 0.8 --pc0 white\n\
                        --m homing --a hexagon\n\
                        --m aggXOR --a tetragon --as 1.94 --el 60 --r 20 --l 'off' --ip 'notpatches' --tof 'endtime' \
                        --colhome black --coldistraction white --nh 2 --np 2 --p0 Circle --ps0 0.3 --pcx0 0.9 --pcy0 0 --pc0 \
                        black --p1 Circle --ps1 0.3 --pcx1 -0.9 --pcy1 0 --pc1 black\n";

#[test]
fn missions_become_one_world_each() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("all.txt"), MISSIONS).unwrap();
    let output = run(folder.path(), "world import all.txt -o worlds", "");
    let errors = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("all.txt:2: --np is missing; the line may be cut off"), "{errors}");
    assert!(errors.contains("all.txt: 1 of 3 missions were not imported"), "{errors}");
    assert_eq!(errors.matches("mission lines contain no obstacles").count(), 1, "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "worlds: 2 worlds\n");
    assert_eq!(check(&at("worlds/mission-001.toml")).robots, 18);
    assert_eq!(check(&at("worlds/mission-003.toml")).robots, 20);
    assert!(!at("worlds/mission-002.toml").exists());
    let again = run(folder.path(), "world import all.txt -o worlds", "");
    assert!(stderr(&again).contains("mission-001.toml: already exists"), "{}", stderr(&again));

    let one = run(folder.path(), "world import all.txt --mission 3 -o one.toml", "");
    assert!(one.status.success(), "{}", stderr(&one));
    assert_eq!(std::fs::read(at("one.toml")).unwrap(), std::fs::read(at("worlds/mission-003.toml")).unwrap());
    for (line, code, expected) in [
        ("world import all.txt", 1, "all.txt: has 3 missions; choose one with --mission N, or a folder"),
        ("world import all.txt --mission 4", 2, "--mission 4: all.txt has 3 missions"),
        ("world import all.txt --mission 0", 2, "--mission 0: all.txt has 3 missions"),
        ("world import all.txt --mission 2", 1, "all.txt:2: --np is missing"),
        ("world import one.toml --mission 1", 2, "--mission: one.toml is not a file with mission lines"),
        ("world import one.toml", 1, "one.toml: neither an ARGoS experiment (XML) nor mission lines of MG1"),
    ] {
        let output = run(folder.path(), line, "");
        assert_eq!(output.status.code(), Some(code), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{line}: {}", stderr(&output));
    }
}
