//! Calls of Python packages that serve as references in tests.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs a script with `input` as JSON on its standard input, and returns the JSON on its standard output. If
/// XPUCK_ANALYSIS_PYTHON is not set (see make deps-record), prints a skip message and returns `None`.
pub(crate) fn run(script: &str, input: &serde_json::Value) -> Option<serde_json::Value> {
    let Ok(python) = std::env::var("XPUCK_ANALYSIS_PYTHON") else {
        xpuck_testing::skipped("nothing is compared with Python packages (make deps-record)");
        return None;
    };
    let mut command = Command::new(python);
    command.args(["-W", "ignore", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Writing fails if the script ends early. The assertion below then reports the error output of the script.
    let _ = child.stdin.take().unwrap().write_all(input.to_string().as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Converts a JSON list to numbers.
pub(crate) fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}
