//! Tests `xpuck dev fuzz-swarm`, the simulation test of the swarm: runs with many seeds, and the report about a mutant.

use crate::common::xpuck;
use crate::rig::valid_json;
use std::process::Output;

fn fuzz(arguments: &[&str]) -> Output {
    xpuck().args(["dev", "fuzz-swarm"]).args(arguments).output().unwrap()
}

/// Number of seeds in `make test`.
const SEEDS: &str = "300";

#[test]
fn seeds_break_no_rule() {
    let output = fuzz(&["--seeds", SEEDS, "--seconds", "40", "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let found = valid_json("dev fuzz-swarm", text.as_bytes());
    let [median, p95, max] = ["median_ms", "p95_ms", "max_ms"].map(|key| found[key].as_f64().unwrap());
    println!("{SEEDS} seeds: a seed takes {median:.0} ms (median), {p95:.0} ms (95 %), {max:.0} ms at most");
    assert!(output.status.success(), "{:#}", found["violations"]);
    assert!(found["wheel_seconds"].as_f64().unwrap() > 1_000.0, "robots hardly moved: {text}");
}

#[test]
fn mutant_failure_names_rule_and_trace_command() {
    for option in ["--mutant", "--plant"] {
        let output = fuzz(&["--seeds", "2", "--seconds", "40", option, "drops-entry"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let rule = "the record contains each event once";
        assert!(!output.status.success() && text.lines().any(|l| l.starts_with("seed ") && l.contains(rule)), "{text}");
        assert!(text.contains("--seconds 40 --trace --mutant drops-entry"), "{text}");
    }
}

#[test]
fn bad_input_is_one_clear_line() {
    for arguments in [["--seconds", "5"], ["--seeds", "0"], ["--mutant", "nothing"]] {
        let output = fuzz(&arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.starts_with("error: invalid value"), "{text}");
    }
}
