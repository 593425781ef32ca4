//! Conversions of trees by `xpuck tree convert`: to trees without memory, to and from state machines, and to the format
//! `rasp`.

use crate::common::xpuck;
use serde_json::Value;
use std::path::Path;

const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees");

fn output(arguments: &[&str]) -> Result<String, String> {
    let output = xpuck().arg("tree").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() {
        return Ok(text(output.stdout));
    }
    assert!(output.stdout.is_empty(), "{arguments:?}");
    Err(text(output.stderr))
}

fn stdout(arguments: &[&str]) -> String {
    output(arguments).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn memory_is_listed_in_comments() {
    let form = stdout(&["memoryless", &format!("{TREES}/explore.bt")]);
    assert!(form.starts_with("# 10 nodes with subtrees expanded, "), "{form}");
    assert!(form.contains("\n# repeatr 20 (node 4): s3: its state, c3: remaining successes\n"), "{form}");
    let lines = form.lines().filter(|line| !line.starts_with('#'));
    let memory = ["seqm", "selm", "par", "repeati", "repeatr"];
    assert!(lines.into_iter().all(|line| !memory.contains(&line.split_whitespace().next().unwrap())), "{form}");
    // A tree without memory is unchanged.
    let plain = stdout(&["memoryless", &format!("{TREES}/bfront.bt")]);
    assert_eq!(
        plain,
        format!(
            "# 1 node with subtrees expanded, 1 without memory\n{}",
            stdout(&["fmt", &format!("{TREES}/bfront.bt")])
        )
    );
}

#[test]
fn state_machine_round_trip() {
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("rest.bt");
    let machine = format!("{TREES}/machines/rest.toml");
    assert_eq!(stdout(&["from-fsm", &machine, "-o", text(&tree)]), "");
    let written = std::fs::read_to_string(&tree).unwrap();
    assert_eq!(stdout(&["from-fsm", &machine]), written);
    assert!(written.starts_with("# state `explore` is current if `ifsect v_scr 0deg 0deg`\n"), "{written}");
    let achieved = "# state `explore`, transition 1 to `rest`: probability 0.1 is rounded to 0.0995\n";
    assert!(written.contains(achieved), "{written}");
    assert!(stdout(&["check", text(&tree)]).contains("a tree of 36 nodes"));
    let simulated = xpuck().args(["simulate", text(&tree), "--runs", "2"]).output().unwrap();
    assert!(simulated.status.success());

    let states = stdout(&["to-fsm", text(&tree)]);
    // The tree has a group of transitions and a group of actions. Both groups query the current state, and transitions
    // lead to actions.
    assert_eq!(states.matches(" ifsect v_scr 0deg 0deg: ").count(), 2, "{states}");
    assert!(states.contains("\ntick > 1\n") && states.contains(" movcv v_scr 0deg: success > 28\n"), "{states}");
    assert!(states.contains(" mulav v_goal v_zero 0 v_zero: success > success, running > running\n"), "{states}");
    let json: Value = serde_json::from_str(&stdout(&["to-fsm", text(&tree), "--to", "json"])).unwrap();
    let all = json["states"].as_array().unwrap();
    assert_eq!(all.len(), states.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count());
    assert_eq!(json["tick"], 1);
    for state in all {
        for (_, to) in state["results"].as_object().unwrap() {
            let exit = to.as_str().is_some_and(|name| ["success", "failure", "running"].contains(&name));
            assert!(exit || to.as_u64() > state["state"].as_u64(), "{state} leads forward or out");
        }
    }
    let dot = stdout(&["to-fsm", text(&tree), "--to", "dot"]);
    let edges: usize = all.iter().map(|state| state["results"].as_object().unwrap().len()).sum();
    assert!(dot.starts_with("digraph machine {\n") && dot.ends_with("}\n"));
    assert_eq!(dot.matches(" -> ").count(), edges + 1, "one edge a result and the tick");
}

#[test]
fn wrong_machines_are_one_error_that_names_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("m.toml");
    let good = "initial = \"a\"\n[[state]]\nname = \"a\"\naction = \"explore 3\"\n";
    let cases = [
        (good.replace("initial = \"a\"", "initial = \"b\""), "m.toml: initial: state `b` does not exist"),
        (
            good.replace("explore 3", "bsearch 3"),
            "m.toml: state `a`, action: `bsearch 4deg` uses v_scr, which holds the",
        ),
        (good.replace("explore 3", "explor 3"), "m.toml: state `a`, action: line 1, column 1: unknown node `explor`"),
        (
            format!("{good}[[state.transition]]\nto = \"a\"\nprobability = 2\n"),
            "the probability is 2; it must be above 0",
        ),
        (format!("{good}entry = 1\n"), "m.toml: line 5: unknown field `entry`"),
        ("initial = \"a\"\n".into(), "m.toml: the machine has 0 states; 1 to 129 are allowed"),
    ];
    for (machine, expected) in cases {
        std::fs::write(&file, &machine).unwrap();
        let error = output(&["from-fsm", text(&file)]).unwrap_err();
        assert!(error.starts_with("xpuck: ") && error.contains(expected), "{error}");
    }
    assert!(output(&["from-fsm", "/nowhere.toml"]).unwrap_err().contains("/nowhere.toml: cannot be read"));
}

#[test]
fn programs_run_on_the_tree_that_is_printed() {
    let tree = stdout(&["rasp"]);
    assert!(tree.starts_with("sel\n  seq\n    sel\n      seq\n        opcode 1\n        load\n"), "{tree}");
    let report = stdout(&["rasp", &format!("{TREES}/machines/multiply.rasp")]);
    assert!(report.starts_with("halted after 69 instructions\nA = 0\n"), "{report}");
    assert!(report.contains("\nX(-3) = 42\n"), "{report}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.rasp");
    let cases = [
        ("ldi 1 bp 0", "p.rasp: the program did not halt within 1000 instructions"),
        ("ldi 1\nmul 3", "p.rasp: line 2: `mul` is not a 64-bit integer or one of halt, ldi, add, sub, st, bp"),
        ("st 9999", "p.rasp: PC = 0: register X(9999) does not exist; valid are X(-4096) to X(4095)"),
    ];
    for (program, expected) in cases {
        std::fs::write(&file, program).unwrap();
        let error = output(&["rasp", text(&file), "--steps", "1000"]).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn every_subcommand_has_help() {
    for command in [&["tree", "convert"], &["dev", "rasp"]] {
        let help = xpuck().args(command).arg("--help").output().unwrap().stdout;
        let help = String::from_utf8(help).unwrap();
        assert!(help.len() > 300 && help.contains("xpuck "), "{command:?} --help");
    }
}
