//! JSON Schemas of user files and recordings, generated from the types that read and write them.
//!
//! The schemas use draft 7, which TOML editors support. Subschemas are inlined, so that a schema contains no
//! references.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// Generates the schema of a TOML file that is parsed as `T`.
pub fn file_schema<T: JsonSchema>() -> Schema {
    settings().with_transform(without_null).with_transform(tidy_numbers).into_generator().into_root_schema_for::<T>()
}

/// Generates the schema of a `T` that is serialised as JSON.
pub fn json_schema<T: JsonSchema>() -> Schema {
    settings().for_serialize().with_transform(listed).into_generator().into_root_schema_for::<T>()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true)
}

/// Removes null from a schema, because TOML has no null. Optional keys remain optional, because they are missing in the
/// schema's list `required`.
fn without_null(schema: &mut Schema) {
    transform_subschemas(&mut without_null, schema);
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(default) = object.get_mut("default") {
        drop_null(default);
    }
    object.retain(|key, value| key != "default" || !value.is_null());
    for key in ["type", "enum", "anyOf"] {
        if let Some(Value::Array(choices)) = object.get_mut(key) {
            choices.retain(|choice| !choice.is_null() && choice != "null" && choice["type"] != "null");
        }
    }
    if let Some(Value::Array(kinds)) = object.get("type")
        && let [kind] = &kinds[..]
    {
        let kind = kind.clone();
        object.insert("type".into(), kind);
    }
    if let Some(Value::Array(choices)) = object.get("anyOf")
        && let [Value::Object(only)] = &choices[..]
    {
        let only = only.clone();
        object.remove("anyOf");
        merge(object, only);
    }
}

fn drop_null(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(drop_null);
    }
}

/// Adds the keys of `more` that are missing in `object`.
fn merge(object: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        object.entry(key).or_insert(value);
    }
}

/// Rounds the defaults and bounds that are exact `f32` values to the shortest decimal notation. Without this step, an
/// `f32` of 0.1 would be written as 0.10000000149011612.
fn tidy_numbers(schema: &mut Schema) {
    transform_subschemas(&mut tidy_numbers, schema);
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["default", "minimum", "maximum"] {
        object.get_mut(key).into_iter().for_each(tidy);
    }
}

fn tidy(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let exact = number.as_f64().filter(|n| f64::from(*n as f32) == *n);
            if let Some(written) = exact.and_then(|n| (n as f32).to_string().parse::<f64>().ok()) {
                *value = json!(written);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(fields) => fields.values_mut().for_each(tidy),
        _ => {}
    }
}

/// Converts a choice between constant strings to one `enum` list, because Foxglove shows no other form.
fn listed(schema: &mut Schema) {
    transform_subschemas(&mut listed, schema);
    let Some(object) = schema.as_object_mut() else { return };
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let texts = |choice: &Value| match (&choice["const"], &choice["enum"]) {
        (text @ Value::String(_), _) => Some(vec![text.clone()]),
        (_, Value::Array(texts)) => Some(texts.clone()),
        _ => None,
    };
    let Some(texts) = choices.iter().map(texts).collect::<Option<Vec<_>>>() else { return };
    object.remove("oneOf");
    object.insert("type".into(), json!("string"));
    object.insert("enum".into(), json!(texts.concat()));
}
