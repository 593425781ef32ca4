//! Helpers for tests of saved runs.

use crate::common::xpuck;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use xpuck_lab::evolution_run::RECORD;

/// Names of the two checkpoint files. The program writes them alternately, so they contain the last two generations.
pub const CHECKPOINTS: [&str; 2] = ["checkpoint-0", "checkpoint-1"];

/// Number of islands of [`small`].
pub const ISLANDS: usize = 2;

/// Returns the arguments of a run whose generations take one or two milliseconds. Saving then takes a large part of the
/// time.
pub fn small(generations: u32) -> Vec<String> {
    let text = format!(
        "--islands {ISLANDS} --population 12 --generations {generations} --seconds 1 --count 2 --remeasure 2 --json"
    );
    text.split(' ').map(String::from).collect()
}

/// Builds the command `xpuck evolve` that writes to the folder `out`.
pub fn evolve(arguments: &[String], out: &Path) -> Command {
    let mut command = xpuck();
    command.arg("evolve").args(arguments).arg("--out").arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Builds the command `xpuck evolve --resume` for the folder `out`.
pub fn resume(out: &Path) -> Command {
    let mut command = xpuck();
    command.args(["evolve", "--json", "--resume"]).arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Checks that a process succeeded, and returns its output.
pub fn finished(output: Output) -> Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Returns the contents of a run's files except the checkpoints, by file name. Removes the wall time and the speed from
/// `result.json`, because they depend on the clock.
pub fn contents(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in ["run.toml", "generations.csv", RECORD] {
        files.insert(name.to_string(), std::fs::read(out.join(name)).unwrap());
    }
    for entry in std::fs::read_dir(out.join("trees")).unwrap() {
        let path = entry.unwrap().path();
        files.insert(path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap());
    }
    let mut result: Value = serde_json::from_slice(&std::fs::read(out.join("result.json")).unwrap()).unwrap();
    assert!(result.as_object_mut().unwrap().remove("wall_s").unwrap().as_f64().unwrap() > 0.0);
    // The speed is 0 if the last process only remeasured the champions.
    assert!(result.as_object_mut().unwrap().remove("r_acc").unwrap().as_f64().unwrap() >= 0.0);
    files.insert("result.json".into(), result.to_string().into_bytes());
    files
}

/// Checks that the files of a run equal `expected`, a return value of [`contents`].
pub fn assert_same(out: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    let found = contents(out);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{name} differs");
    }
}

/// Returns the number of generations whose lines are complete in the table.
pub fn in_table(out: &Path) -> u32 {
    let lines = std::fs::read_to_string(out.join("generations.csv")).unwrap_or_default().matches('\n').count();
    (lines.saturating_sub(1) / ISLANDS) as u32
}
