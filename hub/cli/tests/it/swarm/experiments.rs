//! Shortened experiments of `docs/experiments` as real processes. Robots evolve and are scored on the task, and the
//! records are verified.

use crate::common::only;
use crate::rig::{Demo, xpuck};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Runs a demo of three robots with the experiment `name` of `docs/experiments`. Reduces the length of each phase to a
/// tenth. `change` may edit the experiment before the start. Returns the demo and its result.
pub fn run(name: &str, population: &str, change: impl FnOnce(&mut toml::Table, &Path)) -> (Demo, Value) {
    let dir = tempfile::tempdir().unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/experiments");
    let text = std::fs::read_to_string(docs.join(name)).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    if let Some(world) = table.get("world") {
        let world = docs.join(world.as_str().unwrap()).canonicalize().unwrap();
        table.insert("world".into(), world.display().to_string().into());
    }
    for phase in table["phase"].as_array_mut().unwrap() {
        for key in ["minutes", "segment_minutes"] {
            let minutes = phase[key].as_float().unwrap();
            phase[key] = (minutes / 10.0).into();
        }
    }
    change(&mut table, dir.path());
    let file = dir.path().join(name);
    std::fs::write(&file, table.to_string()).unwrap();
    let mut demo = Demo::with(
        &[
            &["--count", "3", "--speed", "8", "--population", population, "--engine", "simd"][..],
            &["--no-console", "--json", "--experiment", file.to_str().unwrap()],
        ]
        .concat(),
    );
    let (output, text) = demo.end();
    assert!(output.status.success(), "{name}: {text}");
    (demo, serde_json::from_slice(&output.stdout).unwrap())
}

/// Verifies the record of a demo: `xpuck runs verify` ticks the robots' trees again. Returns the folder of the run.
pub fn verify(demo: &Demo, name: &str) -> PathBuf {
    let run = only(&demo.directory(), name);
    let verify = xpuck().args(["runs", "verify", "--json"]).arg(&run).output().unwrap();
    let found: Value = serde_json::from_slice(&verify.stdout).unwrap();
    assert!(verify.status.success() && found["identical"] == true, "{found}");
    assert_eq!(found["robots"].as_object().unwrap().len(), 3, "{found}");
    run
}

/// Runs an experiment with a calibration of the arena, and verifies the record. Returns the demo's result and the run's
/// final status.
fn run_calibrated(name: &str) -> (Value, Value) {
    let (demo, result) = run(&format!("{name}.toml"), "16", |table, folder| {
        std::fs::write(folder.join("calibration.toml"), "[physics]\nnoise = [0.02, 0.03, 0.05]\n").unwrap();
        table.insert("calibration".into(), "calibration.toml".into());
    });
    let record = verify(&demo, &format!("{name}-"));
    // The record contains a copy of the experiment's calibration.
    let run: toml::Table = std::fs::read_to_string(record.join("run.toml")).unwrap().parse().unwrap();
    assert!(run["files"].as_table().unwrap().contains_key("calibration.toml"), "{run}");
    let tables = demo.folder().join("tables");
    let export = xpuck().args(["runs", "export", "--csv"]).arg(&tables).arg(&record).output().unwrap();
    assert!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
    let logs = std::fs::read_to_string(tables.join("logs.csv")).unwrap();
    assert_eq!(logs.matches("simulated with the experiment's calibration").count(), 3, "{logs}");
    (result, serde_json::from_slice(&std::fs::read(record.join("result.json")).unwrap()).unwrap())
}

/// Returns the fitness of each segment of a phase.
fn fitness(status: &Value, phase: &str) -> Vec<f64> {
    let segments = status["segments"].as_array().unwrap().iter().filter(|s| s["phase"] == phase);
    segments.map(|s| s["fitness"].as_f64().unwrap()).collect()
}

#[test]
fn foraging_evolves_and_is_measured() {
    let (result, status) = run_calibrated("foraging");
    assert!(result["generations"].as_u64().unwrap() >= 1 && result["best_fitness"].is_number(), "{result}");
    let (evolved, measured) = (fitness(&status, "evolve"), fitness(&status, "measure"));
    assert!(evolved.len() >= 5 && measured.len() == 5, "{status}");
    assert!(evolved.iter().chain(&measured).all(|fitness| (0.0..=1.5).contains(fitness)), "{status}");
}

#[test]
fn aggregation_evolves_and_is_measured() {
    let (result, status) = run_calibrated("aggregation");
    assert!(result["generations"].as_u64().unwrap() >= 1, "{result}");
    let (evolved, measured) = (fitness(&status, "evolve"), fitness(&status, "measure"));
    assert!(evolved.len() >= 5 && measured.len() == 4, "{status}");
    // The fitness is the share of robots in the largest cluster. It is at least 1/3, because one of the three robots
    // already counts as a cluster.
    assert!(evolved.iter().chain(&measured).all(|fitness| (0.333..=1.0).contains(fitness)), "{status}");
}
