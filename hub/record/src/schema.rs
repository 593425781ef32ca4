//! JSON schema of each topic, generated from the recorded types. Foxglove and the table export use the schemas.

use serde_json::Value;
use std::sync::LazyLock;
use xpuck_hub_core::entry::{Entry, TOPICS};
use xpuck_wire::schema;

/// Returns the text of a topic's schema, or `{}` if the topic is unknown.
pub fn for_topic(topic: &str) -> &'static str {
    static TEXTS: LazyLock<[String; TOPICS.len()]> = LazyLock::new(texts);
    TOPICS.iter().position(|t| *t == topic).map_or("{}", |i| &TEXTS[i])
}

/// Returns the schema texts of all topics, in the order of [`TOPICS`]. The schema of `Entry` has one choice for each
/// topic, in the same order.
fn texts() -> [String; TOPICS.len()] {
    let entry = schema::json_schema::<Entry>().to_value();
    std::array::from_fn(|i| {
        let mut schema = entry["anyOf"][i].clone();
        schema["$schema"] = entry["$schema"].clone();
        schema["title"] = Value::from(&TOPICS[i][1..]);
        schema.to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use xpuck_hub_core::births::Births;
    use xpuck_wire::message::{
        Birth, Emigrant, Estimate, HeardRobot, LogLine, Operator, Population, Sampled, Sensors, Severity, TagSeen,
    };
    use xpuck_wire::{Body, Phase, Segment};

    fn entries() -> [Entry; TOPICS.len()] {
        let gene = Emigrant {
            island: 1,
            number: 2,
            epoch: 0,
            tree: "successl".into(),
            count: [1, 0],
            sum: [0.5, 0.0],
            square: [0.25, 0.0],
        };
        let robot = || String::from("xp01");
        let rows =
            vec![Birth { number: 3, parents: vec![(1, 2), (2, 9)], fitness: 0.5, operator: Operator::Crossover }];
        let births = Births { rows, left_out: 0 };
        [
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
            Entry::event(1.0, "x"),
            Entry::Updates { time: 1.0, robot: robot(), updates: Box::default() },
            Entry::Log { time: 1.0, robot: robot(), line: LogLine::new(Severity::Warn, 1, "x") },
            Entry::Samples {
                time: 1.0,
                robot: robot(),
                generation: 4,
                samples: vec![Sampled { island: 1, number: 3, samples: 2, fitness: 0.5 }],
            },
            Entry::Population { time: 1.0, robot: robot(), population: Population::default(), from: vec![2] },
            Entry::Tags {
                time: 1.0,
                robot: robot(),
                age: 0.1,
                looks: 7,
                doubled: 2,
                look_ms: 24.0,
                tags: vec![TagSeen::default()],
            },
            Entry::Sensors {
                time: 1.0,
                robot: robot(),
                sensors: Box::new(Sensors { heard: vec![HeardRobot::default()], ..Sensors::default() }),
            },
            Entry::Estimates { time: 1.0, robot: robot(), estimates: vec![Estimate::default()] },
        ]
    }

    /// Collects the fields of every object in a value, with their paths.
    fn fields(value: &Value, place: &str, found: &mut BTreeSet<String>) {
        for (key, value) in value.as_object().into_iter().flatten() {
            found.insert(format!("{place}.{key}"));
            fields(value, &format!("{place}.{key}"), found);
        }
        value.as_array().into_iter().flatten().for_each(|item| fields(item, &format!("{place}[]"), found));
    }

    /// Collects the fields of a schema, all of which must be required.
    fn promised(schema: &Value, place: &str, found: &mut BTreeSet<String>) {
        for (key, value) in schema["properties"].as_object().into_iter().flatten() {
            assert!(schema["required"].as_array().unwrap().contains(&Value::from(key.as_str())), "{place}.{key}");
            assert_eq!(schema["additionalProperties"], Value::from(false), "{place}");
            found.insert(format!("{place}.{key}"));
            promised(value, &format!("{place}.{key}"), found);
        }
        if schema["items"].is_object() {
            promised(&schema["items"], &format!("{place}[]"), found);
        }
    }

    #[test]
    fn entries_match_schema_and_round_trip() {
        for (entry, topic) in entries().iter().zip(TOPICS) {
            assert_eq!(entry.topic(), topic);
            let schema: Value = serde_json::from_str(for_topic(topic)).unwrap();
            let value = serde_json::to_value(entry).unwrap();
            let (mut has, mut promises) = (BTreeSet::new(), BTreeSet::new());
            fields(&value, topic, &mut has);
            promised(&schema, topic, &mut promises);
            assert_eq!(has, promises);
            assert_eq!(serde_json::from_value::<Entry>(value).unwrap(), *entry);
        }
    }

    #[test]
    fn schemas_say_what_foxglove_needs_to_know() {
        let schema = |topic: &str| -> Value { serde_json::from_str(for_topic(topic)).unwrap() };
        let telemetry = &schema("/telemetry")["properties"]["telemetry"]["properties"];
        assert_eq!(telemetry["state"]["enum"][2], "RUN");
        assert_eq!(telemetry["power"]["properties"]["soc_c"]["type"], serde_json::json!(["number", "null"]));
        assert!(telemetry["control"]["properties"]["late_us"]["description"].as_str().unwrap().contains("us"));
        assert_eq!(schema("/run")["title"], "run");
        for topic in TOPICS {
            assert!(!for_topic(topic).contains("$ref") && for_topic(topic).contains("draft-07"), "{topic}");
        }
        assert_eq!(for_topic("/camera"), "{}");
    }
}
