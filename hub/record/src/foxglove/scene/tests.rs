//! Tests of the messages for viewers with a small swarm.

use super::*;
use crate::foxglove::{channels, schema_of};
use serde_json::Value;
use xpuck_kernels::world::task::Region;
use xpuck_wire::message::LogLine;
use xpuck_wire::telemetry::Telemetry;

fn poses(names: &[&str]) -> Entry {
    let body = |(i, name): (usize, &&str)| Body { name: (*name).into(), pose: [0.25 * i as f32, -0.5, 1.0] };
    Entry::Poses { time: 1.0, bodies: names.iter().enumerate().map(body).collect() }
}

fn swarm() -> Scene {
    Scene::new(&["xp01".into(), "xp02".into()], Arena::default())
}

fn json(message: &Message) -> Value {
    serde_json::from_slice(&message.data).unwrap()
}

/// Asserts that a value has exactly the fields of its schema.
fn fits(value: &Value, schema: &Value, place: &str) {
    if let Some(properties) = schema["properties"].as_object() {
        let fields: Vec<&String> = value.as_object().unwrap_or_else(|| panic!("{place}")).keys().collect();
        assert_eq!(fields, properties.keys().collect::<Vec<_>>(), "{place}");
        assert_eq!(schema["required"].as_array().map_or(0, Vec::len), properties.len(), "{place}");
        properties.iter().for_each(|(key, schema)| fits(&value[key], schema, &format!("{place}.{key}")));
    }
    if let Some(items) = value.as_array() {
        items.iter().for_each(|item| fits(item, &schema["items"], &format!("{place}[]")));
    }
}

#[test]
fn messages_match_schemas_with_foxglove_names() {
    let mut scene = swarm();
    let mut messages = vec![scene.world(Some(&WorldSpec::benchmark(2)), 7)];
    messages.extend(scene.on_entry(&poses(&["xp01", "xp02", "frisbee"]), 8));
    messages.extend(scene.on_entry(&Entry::event(1.0, "x"), 9));
    let topics: Vec<&str> = messages.iter().map(|message| message.topic).collect();
    assert_eq!(topics, [ARENA, TRANSFORMS, BODIES, LOG]);
    for message in &messages {
        let schema: Value = serde_json::from_str(schema_of(message.topic).unwrap()).unwrap();
        fits(&json(message), &schema, message.topic);
        assert!(!schema.to_string().contains("$ref"), "viewers read none");
    }
    for channel in channels() {
        let schema: Value = serde_json::from_str(&channel.schema).unwrap();
        assert_eq!(schema["title"], channel.schema_name);
    }
    let schema: Value = serde_json::from_str(schema_of(TRANSFORMS).unwrap()).unwrap();
    assert_eq!(schema["properties"]["transforms"]["items"]["properties"]["timestamp"]["title"], "time");
}

#[test]
fn frame_sends_transforms_and_changed_shapes_only() {
    let mut scene = swarm();
    let all = ["xp01", "xp02", "frisbee"];
    let first = scene.on_entry(&poses(&all), 1_500_000_000);
    let transforms = json(&first[0]);
    assert_eq!(transforms["transforms"][1]["translation"], serde_json::json!({ "x": 0.25, "y": -0.5, "z": 0.0 }));
    assert_eq!(transforms["transforms"][1]["timestamp"], serde_json::json!({ "sec": 1, "nsec": 500_000_000 }));
    let turned = transforms["transforms"][1]["rotation"]["z"].as_f64().unwrap();
    assert!((turned - 0.5f64.sin()).abs() < 1e-6, "{turned}");
    let looks = json(&first[1]);
    let ids: Vec<&str> = looks["entities"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["frisbee", "xp01", "xp02"]);
    assert!((looks["entities"][0]["cylinders"][0]["size"]["x"].as_f64().unwrap() - 0.21).abs() < 1e-6);
    assert!(looks["entities"][0]["arrows"] == serde_json::json!([]) && looks["entities"][1]["arrows"][0].is_object());
    // Without changes, only transforms are sent.
    assert_eq!(scene.on_entry(&poses(&all), 2).len(), 1);
    let telemetry = Telemetry { state: State::Run, ..Telemetry::default() };
    let told = |telemetry: &Telemetry| Entry::Telemetry {
        time: 1.0,
        robot: "xp02".into(),
        round_trip_ms: None,
        telemetry: Box::new(telemetry.clone()),
    };
    assert!(scene.on_entry(&told(&telemetry), 3).is_empty());
    let run = json(&scene.on_entry(&poses(&all), 4)[1]);
    assert_eq!(run["entities"][2]["metadata"][0]["value"], "RUN");
    assert!(scene.on_entry(&told(&telemetry), 5).is_empty() && scene.on_entry(&poses(&all), 6).len() == 1);
    // A body that is no longer observed stays and turns pale.
    let lost = json(&scene.on_entry(&poses(&["xp01", "frisbee"]), 7)[1]);
    assert_eq!(lost["entities"][2]["cylinders"][0]["color"]["a"], 0.3);
    assert_eq!(lost["deletions"][0]["type"], 1);
}

#[test]
fn walls_goal_and_regions_are_those_of_the_world() {
    let mut scene = swarm();
    let texts = |message: &Message| {
        let entity = json(message)["entities"][0].clone();
        entity["texts"].as_array().unwrap().iter().map(|t| t["text"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&scene.world(None, 0)), ["goal"]);
    let at = |x: f32, y: f32| xpuck_kernels::math::Vec2 { x, y };
    let mut world = WorldSpec::benchmark(2);
    world.physics.walls.push(xpuck_kernels::world::wall::Wall { from: at(0.0, -0.3), to: at(0.0, 0.3) });
    world.task = xpuck_kernels::world::Task::Foraging {
        nest: Region::Rectangle { at: at(-0.5, 0.0), half: at(0.1, 0.2) },
        food: Region::Beyond { at: at(0.0, 0.0), radius: 0.4 },
    };
    let message = scene.world(Some(&world), 0);
    assert_eq!(texts(&message), ["nest", "food: outside this circle"]);
    let entity = json(&message)["entities"][0].clone();
    // The cubes are four walls, the floor and the inner wall.
    assert_eq!(entity["cubes"].as_array().unwrap().len(), 6);
    assert!((entity["cubes"][5]["size"]["x"].as_f64().unwrap() - 0.6).abs() < 1e-6);
    // The lines are the border of the nest, and for the food those of the arena and of the circle.
    let lines = entity["lines"].as_array().unwrap();
    let corners: Vec<usize> = lines.iter().map(|line| line["points"].as_array().unwrap().len()).collect();
    assert_eq!(corners, [4, 4, 48]);
    assert_eq!(entity["triangles"], serde_json::json!([]));
}

#[test]
fn paint_is_drawn_as_triangles() {
    use xpuck_kernels::world::floor::{Floor, Paint};
    use xpuck_kernels::world::zone::{Zone, ZoneShape};
    let at = |x: f32, y: f32| xpuck_kernels::math::Vec2 { x, y };
    let mut world = WorldSpec::benchmark(2);
    let shapes = vec![ZoneShape::Simple(Region::Rectangle { at: at(0.5, 0.0), half: at(0.1, 0.2) })];
    let zone = Zone { name: "spot".into(), shapes, without: Vec::new() };
    let paint = vec![Paint { zone, level: 1.0, condition: None }];
    world.floor = Floor { paint, ..Floor::default() }.into();
    let message = swarm().world(Some(&world), 0);
    fits(&json(&message), &serde_json::from_str(schema_of(ARENA).unwrap()).unwrap(), ARENA);
    let entity = json(&message)["entities"][0].clone();
    let white = serde_json::json!({ "r": 0.95, "g": 0.95, "b": 0.95, "a": 1.0 });
    assert_eq!(entity["triangles"][0]["color"], white);
    assert_eq!(entity["triangles"][0]["indices"], serde_json::json!([0, 1, 2, 0, 2, 3]));
    let point = |i: usize| ["x", "y"].map(|axis| entity["triangles"][0]["points"][i][axis].as_f64().unwrap());
    assert_eq!([0, 1, 2, 3].map(point), [[0.4, -0.2], [0.6, -0.2], [0.6, 0.2], [0.4, 0.2]]);
    assert_eq!(entity["cubes"][4]["color"]["a"], 1.0, "the floor is opaque");
}

#[test]
fn lines_say_who_speaks_and_how_much_it_matters() {
    let mut scene = swarm();
    let mut take = |entry: &Entry| json(&scene.on_entry(entry, 0)[0]);
    let event = Entry::Event { time: 1.0, text: "the lamp is off".into(), level: Severity::Warn, who: "ada".into() };
    let told = take(&event);
    assert_eq!(
        (&told["name"], &told["level"], &told["message"]),
        (&"ada".into(), &3.into(), &"the lamp is off".into())
    );
    assert_eq!(take(&Entry::event(1.0, "x"))["name"], "hub");
    let log = Entry::Log { time: 1.0, robot: "xp01".into(), line: LogLine::new(Severity::Error, 1, "no camera") };
    assert_eq!((&take(&log)["name"], &take(&log)["level"]), (&"xp01".into(), &4.into()));
}
