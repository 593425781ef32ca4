//! Table of the single runs: `xpuck simulate --csv`.

use crate::common::xpuck;
use serde_json::Value;
use std::path::Path;
use std::process::Output;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn simulate(line: &str, table: &Path) -> Output {
    let mut command = xpuck();
    command.args(["simulate", "docs/trees/explore.bt", "--seconds", "5", "--engine", "simd"]).current_dir(ROOT);
    command.args(line.split(' ')).arg("--csv").arg(table).output().unwrap()
}

/// Returns the names of the columns and the rows of a table.
fn rows(table: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let text = std::fs::read_to_string(table).unwrap();
    let mut lines = text.lines().map(|line| line.split(','));
    let names = lines.next().unwrap().map(str::to_owned).collect();
    (names, lines.map(|row| row.map(|number| number.parse().unwrap()).collect()).collect())
}

#[test]
fn table_of_a_mission_has_fitness_value_and_lots() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("runs.csv");
    let line = "--world docs/worlds/missions/decision.toml --runs 40 --seed 3 --json";
    let output = simulate(line, &table);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let (names, rows) = rows(&table);
    assert_eq!(names, ["run", "seed", "fitness", "value", "lot_white"]);
    assert!(rows.len() == 40 && rows.iter().zip(0..).all(|(row, run)| row[..2] == [f64::from(run), 3.0]), "{rows:?}");
    let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / 40.0;
    for (column, key) in [(2, "mean"), (3, "value_mean")] {
        assert!((mean(column) - found[key].as_f64().unwrap()).abs() < 1e-5, "{key}: {} {found}", mean(column));
    }
    assert!(rows.iter().any(|row| row[4] == 0.0) && rows.iter().any(|row| row[4] == 1.0), "{rows:?}");
    assert!(rows.iter().any(|row| row[2] != rows[0][2]), "{rows:?}");
}

#[test]
fn table_of_a_built_in_task_has_fitness_only() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("runs.csv");
    let output = simulate("--runs 2", &table);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with(&format!("\nfitness of each of 2 runs: {}\n", table.display())), "{text}");
    let (names, rows) = rows(&table);
    assert_eq!((names.join(","), rows.len()), ("run,seed,fitness".into(), 2));
    let page = dir.path().join("page.html");
    let output = simulate(&format!("--runs 2 --html {}", page.display()), &page);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("--csv and a picture name the same file"), "{error}");
    let output = simulate("--runs 2", &dir.path().join("none/runs.csv"));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("cannot be written"), "{error}");
}
