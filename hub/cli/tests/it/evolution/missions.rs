//! Missions: the raw value beside the fitness, and notes on times after the end of a run.

use crate::common::xpuck;
use serde_json::Value;
use std::path::Path;

/// Writes a mission in which 3 robots have a value of 6, which is fitness 0.1. Returns its path.
fn world(dir: &Path, score: &str) -> String {
    let path = dir.join("mission.toml");
    let text = format!(
        "robots = 3\n[task]\nkind = \"objective\"\nscore = \"{score}\"\nworst = 0\nbest = 60\n\
        [[start]]\nx_m = [-0.5, 0.5]\ny_m = [-0.5, 0.5]\n"
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().into()
}

fn output(arguments: &[&str]) -> (String, String) {
    let output = xpuck().args(arguments).output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{error}");
    (out, error)
}

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/explore.bt");

#[test]
fn simulate_prints_value_of_missions_only() {
    let dir = tempfile::tempdir().unwrap();
    let world = world(dir.path(), "2 * mean(n(arena))");
    let simulate = ["simulate", TREE, "--world", &world, "--runs", "4", "--seconds", "2"];
    let (text, error) = output(&simulate);
    assert!(text.contains("objective: fitness 0.1000 +- 0.0000"), "{text}");
    assert!(text.contains("\nvalue 6 +- 0 (sd 0); a value of 0 is fitness 0, and 60 is fitness 1\n"), "{text}");
    assert!(!error.contains("the formula has"), "{error}");
    let json: Value = serde_json::from_str(&output(&[&simulate[..], &["--json"]].concat()).0).unwrap();
    assert!((json["value_mean"].as_f64().unwrap() - 6.0).abs() < 1e-5 && json["value_sd"].is_number(), "{json}");
    let (text, _) = output(&["simulate", TREE, "--runs", "2", "--seconds", "2", "--json"]);
    assert!(!text.contains("value"), "{text}");
}

#[test]
fn evolve_prints_value_beside_fitness() {
    let dir = tempfile::tempdir().unwrap();
    let world = world(dir.path(), "2 * mean(n(arena))");
    let small = "--islands 2 --population 8 --generations 2 --seconds 2 --remeasure 2";
    let evolve: Vec<&str> = ["evolve", "--world", &world].into_iter().chain(small.split(' ')).collect();
    let (text, _) = output(&evolve);
    assert!(text.contains("measured again on fresh seeds: mean 0.100 (value 6), best 0.100 (value 6)\n"), "{text}");
    let json: Value = serde_json::from_str(&output(&[&evolve[..], &["--json"]].concat()).0).unwrap();
    for value in
        [&json["remeasured_mean_value"], &json["remeasured_best_value"], &json["champions"][0]["remeasured_value"]]
    {
        assert!((value.as_f64().unwrap() - 6.0).abs() < 1e-5, "{json}");
    }
    assert!(json["final_best_value"].is_number(), "{json}");
}

#[test]
fn window_after_the_end_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    let world = world(dir.path(), "mean(n(arena), 30, 60)");
    let (_, error) = output(&["simulate", TREE, "--world", &world, "--runs", "2", "--seconds", "20"]);
    let note = "xpuck: the formula has `mean` from 30 s to 60 s, but it counts no update and is 0: runs last 20 s; change \
                the times or --seconds\n";
    assert!(error.contains(note), "{error}");
    let small = "--islands 1 --population 8 --generations 1 --seconds 2 --remeasure 1 --json";
    let evolve: Vec<&str> = ["evolve", "--world", &world].into_iter().chain(small.split(' ')).collect();
    let (_, error) = output(&evolve);
    assert!(error.contains("is 0: the shortest trials last 2 s; change the times or --seconds\n"), "{error}");
}
