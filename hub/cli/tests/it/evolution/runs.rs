//! What the tests of runs that are kept share.

use crate::common::xpuck;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use xpuck_lab::evolution_run::RECORD;

/// The two last generations, in turns.
pub const CHECKPOINTS: [&str; 2] = ["checkpoint-0", "checkpoint-1"];

/// Islands of [`small`].
pub const ISLANDS: usize = 2;

/// A run whose generations take a millisecond or two, so that much of the time is spent on keeping them.
pub fn small(generations: u32) -> Vec<String> {
    let text = format!(
        "--islands {ISLANDS} --population 12 --generations {generations} --seconds 1 --count 2 --remeasure 2 --json"
    );
    text.split(' ').map(String::from).collect()
}

/// `xpuck evolve` with `--output`, not started yet.
pub fn evolve(arguments: &[String], out: &Path) -> Command {
    let mut command = xpuck();
    command.arg("evolve").args(arguments).arg("--out").arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `xpuck evolve --resume`, not started yet.
pub fn resume(out: &Path) -> Command {
    let mut command = xpuck();
    command.args(["evolve", "--json", "--resume"]).arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The output of a process that did well.
pub fn finished(output: Output) -> Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Every file that a run leaves behind, except checkpoints; in the result the wall time and the speed apart.
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
    // Nothing was evolved by the process that only measured again.
    assert!(result.as_object_mut().unwrap().remove("r_acc").unwrap().as_f64().unwrap() >= 0.0);
    files.insert("result.json".into(), result.to_string().into_bytes());
    files
}

/// Fails if a folder holds anything else than `expected`, which [`contents`] gave.
pub fn assert_same(out: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    let found = contents(out);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{name} differs");
    }
}

/// Generations whose lines are all in the table.
pub fn in_table(out: &Path) -> u32 {
    let lines = std::fs::read_to_string(out.join("generations.csv")).unwrap_or_default().matches('\n').count();
    (lines.saturating_sub(1) / ISLANDS) as u32
}
