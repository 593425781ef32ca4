//! Validates the JSON that commands print against the schemas that `xpuck dev schema` publishes.

use super::xpuck;
use serde_json::Value;

/// Parses the values that `xpuck COMMAND --json` printed, one on each line, and validates each. Returns the last value.
pub fn valid_json(command: &str, printed: &[u8]) -> Value {
    let printed = std::str::from_utf8(printed).unwrap();
    let schema = xpuck().args(["dev", "schema"]).args(command.split(' ')).output().unwrap();
    assert!(schema.status.success(), "{command}: {}", String::from_utf8_lossy(&schema.stderr));
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let values = printed.lines().map(|line| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{command}: {line}: {error}"));
        if let Err(error) = validator.validate(&value) {
            panic!("xpuck {command}: {}: {error}\n{line}", error.instance_path());
        }
        value
    });
    let values: Vec<Value> = values.collect();
    assert!(schema["title"].as_str().unwrap().contains("each line") || values.len() == 1, "{command}: {printed}");
    values.into_iter().next_back().unwrap_or_else(|| panic!("xpuck {command} printed nothing"))
}
