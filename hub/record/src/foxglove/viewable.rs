//! Converts schemas to the form for viewers. Foxglove and Lichtblick support objects, lists of a single type,
//! numbers, strings and booleans. They reject a topic whose schema contains anything else.

use serde_json::{Map, Value};

/// Returns the schema of an object in the form for viewers. Nullable values keep only their other type. Unsupported
/// values such as lists of lists are left out of the schema, but messages still contain them.
pub fn viewable(schema: &Value) -> Value {
    simple(schema).unwrap_or_else(|| serde_json::json!({ "type": "object", "properties": {} }))
}

fn simple(schema: &Value) -> Option<Value> {
    let kind = kind(schema);
    if kind.is_none() {
        // A choice between one type and null becomes this type.
        let mut choices = schema["anyOf"].as_array()?.iter().filter(|choice| choice["type"] != "null");
        return choices.next().filter(|_| choices.next().is_none()).and_then(simple);
    }
    let mut plain = schema.as_object()?.clone();
    plain.remove("oneOf");
    plain.insert("type".into(), kind?.into());
    match kind? {
        "object" => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let known = properties.filter_map(|(name, inner)| Some((name.clone(), simple(inner)?)));
            let known: Map<String, Value> = known.collect();
            if let Some(required) = plain.get_mut("required").and_then(Value::as_array_mut) {
                required.retain(|name| name.as_str().is_some_and(|name| known.contains_key(name)));
            }
            plain.insert("properties".into(), Value::Object(known));
        }
        "array" => drop(plain.insert("items".into(), item(&schema["items"])?)),
        _ => {}
    }
    Some(Value::Object(plain))
}

/// Returns the item type of a list. `None` unless the items have a single type that is not a list.
fn item(items: &Value) -> Option<Value> {
    let all = items.as_array().map_or_else(|| std::slice::from_ref(items), Vec::as_slice);
    let first = simple(all.first()?)?;
    (first["type"] != "array" && all.iter().all(|other| kind(other) == kind(&all[0]))).then_some(first)
}

/// Returns the type of a value, ignoring null. `None` if several types remain.
fn kind(schema: &Value) -> Option<&str> {
    let of_all = |choices: &'_ Value| -> bool {
        choices.as_array().is_some_and(|choices| choices.iter().all(|choice| choice["type"] == "string"))
    };
    match &schema["type"] {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.next().filter(|_| kinds.next().is_none())
        }
        _ if of_all(&schema["oneOf"]) => Some("string"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{channels, schema_of};
    use super::*;
    use xpuck_hub_core::entry::TOPICS;

    /// Returns the paths of the parts of a schema that Lichtblick 1.28 rejects (its parser is `parseJsonSchema.ts`).
    fn refused(schema: &Value, place: &str) -> Vec<String> {
        if schema["type"] != "object" {
            return vec![format!("{place} is not an object")];
        }
        let mut found = Vec::new();
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{place}.{name}");
            let of = if inner["type"] == "array" { &inner["items"] } else { inner };
            match of["type"].as_str() {
                Some("object") => found.extend(refused(of, &place)),
                Some("boolean" | "string" | "number" | "integer") if inner.get("oneOf").is_none() => {}
                other => found.push(format!("{place}: {other:?}")),
            }
        }
        found
    }

    #[test]
    fn viewers_take_the_schema_of_every_topic() {
        let drawn = channels().iter().map(|channel| channel.topic);
        for topic in TOPICS.into_iter().chain(drawn) {
            let schema: Value = serde_json::from_str(schema_of(topic).unwrap()).unwrap();
            assert_eq!(refused(&schema, topic), Vec::<String>::new());
            assert!(!schema["properties"].as_object().unwrap().is_empty(), "{topic}");
        }
    }

    #[test]
    fn nullable_keeps_type_nested_lists_are_omitted() {
        let of = |topic: &str| -> Value { serde_json::from_str(schema_of(topic).unwrap()).unwrap() };
        let telemetry = &of("/telemetry")["properties"];
        assert_eq!(telemetry["round_trip_ms"]["type"], "number");
        assert_eq!(telemetry["telemetry"]["properties"]["state"]["enum"][2], "RUN");
        assert_eq!(telemetry["telemetry"]["properties"]["power"]["properties"]["soc_c"]["type"], "number");
        assert_eq!(of("/genes")["properties"]["births"]["properties"]["fitness"]["items"]["type"], "number");
        let lists = serde_json::json!({ "type": "object", "required": ["a", "b"], "properties": {
            "a": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } },
            "b": { "type": "array", "items": [{ "type": "number" }, { "type": "number" }] },
        } });
        let known = viewable(&lists);
        assert_eq!(known["required"], serde_json::json!(["b"]));
        assert_eq!(known["properties"], serde_json::json!({ "b": { "type": "array", "items": { "type": "number" } } }));
    }
}
