//! Validates the JSON that commands print against the schemas that `xpuck dev schema` publishes.

use super::xpuck;
use serde_json::Value;

/// Parses the printed output of `xpuck COMMAND --json`, with one value per line, and validates each value. Returns the
/// last value.
pub fn valid_json(command: &str, printed: &[u8]) -> Value {
    let printed = std::str::from_utf8(printed).unwrap();
    let schema = xpuck().args(["dev", "schema"]).args(command.split(' ')).output().unwrap();
    assert!(schema.status.success(), "{command}: {}", String::from_utf8_lossy(&schema.stderr));
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let values = printed.lines().map(|line| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{command}: {line}: {error}"));
        let faults = faults(&schema, &schema, &value, "");
        assert!(faults.is_empty(), "xpuck {command}: {faults:?}\n{line}");
        value
    });
    let values: Vec<Value> = values.collect();
    assert!(schema["title"].as_str().unwrap().contains("each line") || values.len() == 1, "{command}: {printed}");
    values.into_iter().next_back().unwrap_or_else(|| panic!("xpuck {command} printed nothing"))
}

/// Returns a message for each part of a value that does not match a schema. Supports the keywords that the crate
/// `schemars` writes. A key that the schema does not describe is also a fault. Otherwise a schema without properties
/// would accept everything.
fn faults(root: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/definitions/")) {
        return faults(root, &root["definitions"][name], value, place);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array() {
            let of_choices: Vec<_> = choices.iter().map(|choice| faults(root, choice, value, place)).collect();
            return of_choices.into_iter().min_by_key(Vec::len).unwrap_or_default();
        }
    }
    let mut found = Vec::new();
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_of_type(value, kind)) {
        found.push(format!("{place}: {value} is not of type {kinds:?}"));
    }
    if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value))
        || schema.get("const").is_some_and(|constant| constant != value)
    {
        found.push(format!("{place}: {value} is not among the allowed values"));
    }
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            found.extend(required.filter(|key| !fields.contains_key(*key)).map(|key| format!("{place}: no {key}")));
            for (key, inner) in fields {
                let place = format!("{place}.{key}");
                // A schema may describe numeric keys by a pattern. A schema for the tables of a file may allow any key.
                let pattern = schema["patternProperties"].as_object().and_then(|patterns| patterns.values().next());
                let others = schema.get("additionalProperties").filter(|others| others.is_object());
                match schema["properties"].get(key).or(pattern).or(others) {
                    Some(known) => found.extend(faults(root, known, inner, &place)),
                    None if schema["additionalProperties"] == true => {}
                    None => found.push(format!("{place}: is not in the schema")),
                }
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let place = format!("{place}[{i}]");
                let of_place = schema["prefixItems"].get(i).or(schema["items"].as_array().and_then(|all| all.get(i)));
                found.extend(faults(root, of_place.unwrap_or(&schema["items"]), item, &place));
            }
        }
        _ => {}
    }
    found
}

fn is_of_type(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}
