//! The JSON schema of each topic: what Foxglove shows, and what tables are made from. A test checks every kind of entry
//! against them, so that a field that one has and the other has not is found.

use serde_json::Value;

/// The schema's text; an empty object for a topic that is not there.
pub fn of(topic: &str) -> &'static str {
    match topic {
        "/poses" => include_str!("schemas/poses.json"),
        "/telemetry" => include_str!("schemas/telemetry.json"),
        "/genes" => include_str!("schemas/genes.json"),
        "/loaded" => include_str!("schemas/loaded.json"),
        "/run" => include_str!("schemas/run.json"),
        "/events" => include_str!("schemas/events.json"),
        _ => "{}",
    }
}

/// Why a value does not fit a schema: the place and what is wrong; none if it fits.
///
/// It knows what the schemas here use: `type`, `properties`, `required`, `additionalProperties`, `items`, `minItems`,
/// `maxItems` and `enum`.
pub fn misfit(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    if !kinds.iter().any(|kind| is(kind, value)) {
        return Some(format!("{place}: {value} is none of {kinds:?}"));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        return Some(format!("{place}: {value} is none of {allowed:?}"));
    }
    match value {
        Value::Object(fields) => {
            let known = schema["properties"].as_object()?;
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let missing = required.into_iter().find(|key| !fields.contains_key(*key));
            if let Some(key) = missing {
                return Some(format!("{place}: {key} is missing"));
            }
            fields.iter().find_map(|(key, value)| match known.get(key) {
                Some(schema) => misfit(schema, value, &format!("{place}.{key}")),
                None => Some(format!("{place}: {key} is not in the schema")),
            })
        }
        Value::Array(items) => {
            let bound = |key: &str| schema[key].as_u64().map(|n| n as usize);
            let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
            if !(least..=most).contains(&items.len()) {
                return Some(format!("{place}: {} items", items.len()));
            }
            items.iter().zip(0..).find_map(|(item, i)| misfit(&schema["items"], item, &format!("{place}[{i}]")))
        }
        _ => None,
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_hub_core::entry::{Entry, TOPICS};
    use xpuck_wire::message::{Birth, Gene};
    use xpuck_wire::{Body, Phase, Segment};

    #[test]
    fn every_kind_of_entry_fits_its_schema_and_reads_back() {
        let gene = Gene {
            island: 1,
            number: 2,
            epoch: 0,
            tree: "successl".into(),
            count: [1, 0],
            sum: [0.5, 0.0],
            square: [0.25, 0.0],
        };
        let robot = || String::from("xp01");
        let births = vec![Birth { number: 3, parents: vec![(1, 2), (2, 9)], fitness: 0.5 }];
        let entries = [
            Entry::Poses { time: 1.0, bodies: vec![Body { name: "xp01".into(), pose: [0.0, 1.0, 2.0] }] },
            Entry::Telemetry { time: 1.0, robot: robot(), round_trip_ms: Some(1.5), telemetry: Box::default() },
            Entry::Genes { time: 1.0, robot: robot(), generation: 4, emigrant: gene.clone(), births },
            Entry::Loaded { time: 1.0, robot: robot(), segment: 2, gene },
            Entry::Run {
                time: 1.0,
                phase: Phase::Running,
                run_seconds: 0.5,
                segment: 0,
                segments: vec![Segment::default()],
                evolved: 0.1,
                slow_round_trips: 0.0,
                dead: 0,
            },
            Entry::Event { time: 1.0, text: "x".into() },
        ];
        assert_eq!(entries.each_ref().map(Entry::topic), TOPICS);
        for entry in entries {
            let schema: Value = serde_json::from_str(of(entry.topic())).unwrap();
            let value = serde_json::to_value(&entry).unwrap();
            assert_eq!(misfit(&schema, &value, entry.topic()), None);
            assert_eq!(serde_json::from_value::<Entry>(value.clone()).unwrap(), entry);
            // And the test can fail: every field that is left out is missed, and one more is noticed.
            for key in value.as_object().unwrap().keys() {
                let mut less = value.clone();
                less.as_object_mut().unwrap().remove(key);
                assert!(misfit(&schema, &less, "").is_some(), "{key}");
            }
            let mut more = value.clone();
            more["more"] = 1.into();
            assert!(misfit(&schema, &more, "").is_some());
        }
    }
}
