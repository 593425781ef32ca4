//! The experiments of `docs/experiments` from end to end, shortened: real processes evolve and are measured on the task, and
//! what they record is verified.

use crate::common::{free_ports, only, xpuck};
use serde_json::Value;
use std::path::Path;

/// A demo of three robots on one of the experiments, with phases that are a tenth as long, and its result.
fn run(name: &str, more: &[&str]) -> (tempfile::TempDir, Value) {
    let dir = tempfile::tempdir().unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/experiments");
    let text = std::fs::read_to_string(docs.join(name)).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    let world = docs.join(table["world"].as_str().unwrap()).canonicalize().unwrap();
    table.insert("world".into(), world.display().to_string().into());
    // What was measured of the arena travels with the experiment.
    std::fs::write(dir.path().join("calibration.toml"), "[physics]\nnoise = [0.02, 0.03, 0.05]\n").unwrap();
    table.insert("calibration".into(), "calibration.toml".into());
    for phase in table["phase"].as_array_mut().unwrap() {
        for key in ["minutes", "segment_minutes"] {
            let minutes = phase[key].as_float().unwrap();
            phase[key] = (minutes / 10.0).into();
        }
    }
    let file = dir.path().join(name);
    std::fs::write(&file, table.to_string()).unwrap();
    let output = xpuck()
        .args(["demo", "--robots", "3", "--speed", "8", "--population", "16", "--no-console", "--json"])
        .args(["--ports", &free_ports().to_string(), "--experiment"])
        .arg(&file)
        .arg("--out")
        .arg(dir.path())
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let result = serde_json::from_slice(&output.stdout).unwrap();
    (dir, result)
}

/// The record's own account of the run, after its trees were ticked again.
fn verified(dir: &Path, name: &str) -> Value {
    let record = only(&only(dir, "demo-"), name);
    let run: toml::Table = std::fs::read_to_string(record.join("run.toml")).unwrap().parse().unwrap();
    assert!(run["files"].as_table().unwrap().contains_key("calibration.toml"), "{run}");
    let verify = xpuck().args(["runs", "verify", "--json"]).arg(&record).output().unwrap();
    let found: Value = serde_json::from_slice(&verify.stdout).unwrap();
    assert!(verify.status.success() && found["identical"] == true, "{found}");
    assert_eq!(found["robots"].as_object().unwrap().len(), 3, "{found}");
    let tables = dir.join("tables");
    let export = xpuck().args(["runs", "export", "--csv"]).arg(&tables).arg(&record).output().unwrap();
    assert!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
    let logs = std::fs::read_to_string(tables.join("logs.csv")).unwrap();
    assert_eq!(logs.matches("the experiment's calibration measured").count(), 3, "{logs}");
    serde_json::from_slice(&std::fs::read(record.join("result.json")).unwrap()).unwrap()
}

/// Fitness of the segments of each phase.
fn scored(status: &Value, phase: &str) -> Vec<f64> {
    let segments = status["segments"].as_array().unwrap().iter().filter(|s| s["phase"] == phase);
    segments.map(|s| s["fitness"].as_f64().unwrap()).collect()
}

#[test]
fn foraging_evolves_and_is_measured() {
    let (dir, result) = run("foraging.toml", &["--engine", "simd"]);
    assert!(result["generations"].as_u64().unwrap() >= 1 && result["best_fitness"].is_number(), "{result}");
    let status = verified(dir.path(), "foraging-");
    let (evolved, measured) = (scored(&status, "evolve"), scored(&status, "measure"));
    assert!(evolved.len() >= 5 && measured.len() == 5, "{status}");
    assert!(evolved.iter().chain(&measured).all(|fitness| (0.0..=1.5).contains(fitness)), "{status}");
}

#[test]
fn aggregation_evolves_and_is_measured() {
    let (dir, result) = run("aggregation.toml", &["--engine", "simd"]);
    assert!(result["generations"].as_u64().unwrap() >= 1, "{result}");
    let status = verified(dir.path(), "aggregation-");
    let (evolved, measured) = (scored(&status, "evolve"), scored(&status, "measure"));
    assert!(evolved.len() >= 5 && measured.len() == 4, "{status}");
    // One of three is always a cluster.
    assert!(evolved.iter().chain(&measured).all(|fitness| (0.333..=1.0).contains(fitness)), "{status}");
}
