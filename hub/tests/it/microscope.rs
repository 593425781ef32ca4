//! The swarm under the microscope, many seeds at once, and the faults that are planted to see whether they are found.

use crate::common::xpuck;
use std::process::Output;

fn fuzz(arguments: &[&str]) -> Output {
    xpuck().arg("fuzz-swarm").args(arguments).output().unwrap()
}

/// Seeds of `make test`.
const SEEDS: &str = "200";
/// Seeds with a planted fault, from 1; two of them must find it.
const PLANTED: &str = "20";

#[test]
fn two_hundred_seeds_are_clean() {
    let output = fuzz(&["--seeds", SEEDS, "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let [median, p95, max] = ["median_ms", "p95_ms", "max_ms"].map(|key| found[key].as_f64().unwrap());
    println!("{SEEDS} seeds: a seed takes {median:.0} ms (median), {p95:.0} ms (95 %), {max:.0} ms at most");
    assert!(output.status.success(), "{:#}", found["violations"]);
    assert!(found["wheel_seconds"].as_f64().unwrap() > 1_000.0, "robots hardly moved: {text}");
}

#[test]
fn planted_faults_are_found_and_the_same_seeds_are_clean_without_them() {
    let plants = [
        ("deaf-to-silence", "silen"),
        ("old-run", "silen"),
        ("endless-lease", "control thread hangs"),
        ("no-time-out", "wheels stand when the"),
        ("trusts-genes", "a tree that was not verified"),
        ("trusts-signatures", "a tree that was not verified"),
        ("counts-twice", "given once"),
        ("drops-entry", "the record tells what happened"),
        ("falling-numbers", "the swarm converges"),
    ];
    for (plant, complaint) in plants {
        let output = fuzz(&["--seeds", PLANTED, "--plant", plant]);
        let text = String::from_utf8(output.stdout).unwrap();
        let found = text.lines().filter(|line| line.starts_with("seed ") && line.contains(complaint)).count();
        assert!(!output.status.success() && found >= 2, "{plant} is found by {found} seeds:\n{text}");
        assert!(text.contains(&format!("--trace --plant {plant}")), "{text}");
    }
    let clean = fuzz(&["--seeds", PLANTED]);
    assert!(clean.status.success(), "{}", String::from_utf8_lossy(&clean.stdout));
}

#[test]
fn bad_input_is_one_clear_line() {
    for arguments in [["--seconds", "5"], ["--seeds", "0"], ["--plant", "nothing"]] {
        let output = fuzz(&arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.starts_with("error: invalid value"), "{text}");
    }
}
