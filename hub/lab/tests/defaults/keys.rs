//! Optional keys of a TOML file, from its schema.

use serde_json::Value;
use xpuck_lab::schemas::KINDS;

/// Returns the schema of the file kind `name`.
pub fn schema(name: &str) -> Value {
    let kind = KINDS.iter().find(|kind| kind.name == name).unwrap_or_else(|| panic!("no kind of file {name}"));
    (kind.schema)().to_value()
}

/// Returns a row for each optional key: key with the prefix `lead`, default, range, description. Keys that begin with
/// an element of `without` are omitted, because another table contains them.
pub fn rows(schema: &Value, lead: &str, without: &[&str]) -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let key = format!("{lead}{name}");
        if without.iter().any(|other| key.starts_with(other)) {
            continue;
        }
        if property["properties"].is_object() {
            rows.extend(self::rows(property, &format!("{key}."), without));
        } else if property["items"]["properties"].is_object() {
            rows.extend(self::rows(&property["items"], &format!("{key}[]."), without));
        } else if !required.contains(&name.as_str()) {
            let description = property["description"].as_str().unwrap_or("").replace('\n', " ").replace('|', "\\|");
            rows.push([format!("`{key}`"), default(&property["default"]), range(property), description]);
        }
    }
    rows
}

fn default(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) if text.is_empty() => "empty".into(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) => items.iter().map(default).collect::<Vec<_>>().join(", "),
        Value::Number(number) => number_word(number),
        other => other.to_string(),
    }
}

/// Returns the valid values of a key: a range, or a choice of words. The text is empty without a restriction.
pub fn range(property: &Value) -> String {
    let choices = ["oneOf", "anyOf"].iter().flat_map(|key| property[key].as_array().into_iter().flatten());
    let words: Vec<String> = choices
        .flat_map(|choice| {
            let listed = choice["enum"].as_array().into_iter().flatten().chain(&[]);
            listed
                .chain(Some(&choice["const"]))
                .filter_map(Value::as_str)
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
        })
        .collect();
    if !words.is_empty() {
        return words.join(", ");
    }
    let number = |key: &str| property[key].as_number().map(number_word);
    match (number("minimum"), number("maximum")) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("{low} and more"),
        (None, Some(high)) => format!("at most {high}"),
        (None, None) => String::new(),
    }
}

/// Formats whole numbers without a point, and multiples of a million in exponential form.
fn number_word(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(x) if x.abs() >= 1e6 && x % 1e6 == 0.0 => format!("{x:e}"),
        Some(x) if x == x.trunc() => format!("{x:.0}"),
        _ => number.to_string(),
    }
}
