//! Tests of the schemas. Each schema must accept the repository's own files and have the bounds that the programs
//! check. Each command with `--json` must have a schema.

use super::outputs;
use crate::files::file_kind::kinds;
use serde_json::Value;
use std::path::Path;
use toml::Table;
use xpuck_experiment::{Experiment, Plan};
use xpuck_hub_core::config::HubFile;
use xpuck_lab::evolution_run::file::load;
use xpuck_wire::file;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const HUB: &str = "swarm = \"s\"\n[mocap]\naddress = \"a:1\"\nfrisbee = \"f\"\n[record]\ndirectory = \"d\"\n";
const EXPERIMENT: &str = "name = \"x\"\nminutes = 0.05\nsegment_minutes = 0.01\ntask = \"transport\"\n";

fn schema(name: &str) -> Value {
    let kind = kinds().into_iter().find(|kind| kind.name == name).expect("a kind of file");
    (kind.schema)().to_value()
}

/// Returns the paths of all keys in a value that its schema does not define.
fn unknown(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let choices = ["oneOf", "anyOf"].iter().flat_map(|key| schema[key].as_array().into_iter().flatten());
    let mut parts: Vec<&Value> = choices.filter(|choice| is_meant(choice, value)).collect();
    parts.push(schema);
    match value {
        Value::Object(fields) => {
            let look = |(key, value): (&String, &Value)| {
                let place = format!("{place}.{key}");
                let known = parts.iter().filter_map(|part| {
                    let rest = part.get("additionalProperties").filter(|rest| rest.is_object());
                    part["properties"].get(key).or(rest)
                });
                known.map(|inner| unknown(inner, value, &place)).min_by_key(Vec::len).unwrap_or(vec![place])
            };
            fields.iter().flat_map(look).collect()
        }
        Value::Array(items) => {
            items.iter().flat_map(|item| parts.iter().flat_map(|part| unknown(&part["items"], item, place))).collect()
        }
        _ => vec![],
    }
}

/// Returns whether the value has the tags of `choice`, an alternative in `oneOf` or `anyOf`. A tag is a key for which
/// the schema requires a constant value.
fn is_meant(choice: &Value, value: &Value) -> bool {
    let mut tags =
        choice["properties"].as_object().into_iter().flatten().filter(|(_, inner)| inner["const"] != Value::Null);
    tags.all(|(key, inner)| inner["const"] == value[key])
}

fn value(text: &str) -> Value {
    serde_json::to_value(text.parse::<Table>().expect("TOML")).expect("TOML fits in JSON")
}

#[test]
fn repository_files_use_only_schema_keys() {
    let folders = [
        ("world", "docs/worlds"),
        ("sweep", "docs/sweeps"),
        ("machine", "docs/trees/machines"),
        ("bodies", "docs/bodies"),
        ("primitive-set", "robot/evolve/src/primitive_set"),
        ("robot-model", "docs/robot-models"),
    ];
    let mut texts = vec![
        ("hub", "HUB".into(), toml::to_string(&file::parse::<HubFile>("HUB", HUB).unwrap()).unwrap()),
        ("swarm", "SWARM".into(), "robots = [\"xp01\"]\nspeed = 1.0\n[hub]\nrobots = \"r\"\noperator = \"o\"\n".into()),
    ];
    for (name, folder) in folders {
        let before = texts.len();
        for entry in std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                texts.push((name, path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
        assert!(texts.len() > before, "{folder}");
    }
    for entry in std::fs::read_dir(Path::new(ROOT).join("docs/experiments")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let kind = match name.split(['-', '.']).next() {
            _ if !name.ends_with(".toml") => continue,
            Some("fig") => "sweep",
            Some("chapter") => "primitive-set",
            Some("table") => continue,
            Some("kilobot") => "kilobots",
            _ => "experiment",
        };
        texts.push((kind, path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
    }
    for entry in std::fs::read_dir(Path::new(ROOT).join("docs/curricula")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("cargo-") && name.ends_with(".toml") {
            texts.push(("curriculum", path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    let pages =
        [("evolution", "docs/evolution.md"), ("sweep", "docs/sweeps.md"), ("calibration", "docs/calibration.md")];
    for (name, page) in pages {
        let text = std::fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
        let example = text.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
        let example = example.split_once('\n').map_or("", |(_, rest)| rest);
        texts.push((name, page.into(), example.into()));
    }
    for (name, file, text) in &texts {
        assert_eq!(unknown(&schema(name), &value(text), ""), Vec::<String>::new(), "{file}");
    }
    let is_tried = |kind: &str| kind == "arena" || texts.iter().any(|(name, ..)| *name == kind);
    assert!(kinds().iter().all(|kind| is_tried(kind.name)));
}

#[test]
fn unknown_keys_are_found_at_any_depth() {
    for (name, text, place) in [
        ("world", "robts = 1", ".robts"),
        ("world", "[task]\nkind = \"coverage\"\nrange_m = 1", ".task.range_m"),
        ("world", "[[start]]\npose = [{ at = [0, 0] }]", ".start.pose.at"),
        ("evolution", "[settings]\nalgorithm = \"racing\"", ".settings.algorithm"),
        ("kilobots", "[world]\nrobot = 25", ".world.robot"),
        ("sweep", "[base.migration]\nevry = 2", ".base.migration.evry"),
        ("sweep", "[[points]]\nlable = \"a\"", ".points.lable"),
        ("curriculum", "[worlds.a]\nlike = \"b\"\nlamp = 1", ".worlds.a.lamp"),
        ("bodies", "[families]\ncell = 8", ".families.cell"),
        ("curriculum", "[[steps]]\n[[steps.blend]]\nrows = 1", ".steps.blend.rows"),
    ] {
        assert_eq!(unknown(&schema(name), &value(text), ""), [place]);
    }
}

/// Collects the bounded numbers of a schema: path of the key, whether the number is an integer, minimum and maximum.
fn bounds(schema: &Value, place: &str, found: &mut Vec<(String, bool, [Option<f64>; 2])>) {
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        let ends = ["minimum", "maximum"].map(|end| inner[end].as_f64());
        if ends.iter().any(Option::is_some) {
            found.push((place.clone(), inner["type"] == "integer", ends));
        }
        bounds(inner, &place, found);
    }
}

fn with(text: &str, place: &str, number: toml::Value) -> Table {
    let mut table: Table = text.parse().unwrap();
    let (last, way) = place.rsplit_once('.').map_or((place, ""), |(way, last)| (last, way));
    let mut at = &mut table;
    for key in way.split('.').filter(|key| !key.is_empty()) {
        at = at.entry(key).or_insert(Table::new().into()).as_table_mut().unwrap();
    }
    at.insert(last.into(), number);
    table
}

/// Keys whose bounds are not tested, because the programs check them only in combination with other keys.
const ELSEWHERE: [&str; 3] = ["migration.range_m", "overhead.frames_per_second", "silence.drive_seconds"];

#[test]
fn bounds_of_schemas_are_those_that_are_checked() {
    type Check = fn(Table) -> Result<(), String>;
    let checks: [(&str, &str, Check); 4] = [
        ("hub", HUB, |table| {
            let hub: HubFile = table.try_into().map_err(|error: toml::de::Error| error.to_string())?;
            hub.check("hub").map_err(|error| error.to_string())
        }),
        ("experiment", EXPERIMENT, |table| {
            let experiment = Experiment::parse("e", &table.to_string()).map_err(|error| error.to_string())?;
            Plan::new(&experiment, &Default::default(), None).map(drop).map_err(|error| error.to_string())
        }),
        ("bodies", "[families]\nnewcomers = 0\nper_family = 1\n", |table| {
            xpuck_hub_bodies::Config::load(None, table).map(drop).map_err(|error| error.to_string())
        }),
        ("evolution", "", |table| load(None, table).map(drop).map_err(|error| error.to_string())),
    ];
    for (name, text, check) in checks {
        let mut found = Vec::new();
        bounds(&schema(name), "", &mut found);
        assert!(found.len() > 5, "{name}: {found:?}");
        for (place, whole, ends) in found.into_iter().filter(|(place, ..)| !ELSEWHERE.contains(&place.as_str())) {
            for (end, outwards) in ends.into_iter().zip([-1.0, 1.0]) {
                let Some(end) = end else { continue };
                let number = |n: f64| if whole { toml::Value::Integer(n as i64) } else { toml::Value::Float(n) };
                let beyond = if whole { end + outwards } else { end + outwards * (1e-4 + 1e-3 * end.abs()) };
                // The tested value is slightly inside the bound, because the nearest `f32` to the bound may lie outside
                // the bound.
                let within = if whole { end } else { end - outwards * 1e-6 * end.abs() };
                assert_eq!(check(with(text, &place, number(within))), Ok(()), "{name}: {place} = {within}");
                assert!(check(with(text, &place, number(beyond))).is_err(), "{name}: {place} = {beyond}");
            }
        }
    }
}

#[test]
fn schemas_are_made_for_editors() {
    for kind in kinds() {
        let text = (kind.schema)().to_value().to_string();
        for not in ["$ref", "null", "[`"] {
            assert!(!text.contains(not), "{}: {not} in {text}", kind.name);
        }
    }
    let hub = schema("hub");
    assert_eq!(hub["properties"]["record"]["properties"]["budget_gib"]["type"], "number");
    assert_eq!(hub["properties"]["messages"]["properties"]["gain_spread"]["maximum"], 0.9);
    assert_eq!(hub["additionalProperties"], false);
    let evolution = schema("evolution");
    assert_eq!(evolution["properties"]["settings"]["required"], Value::Null);
}

/// Collects the paths of all subcommands, at any depth, that have the option `--json`.
fn commands_with_json(command: &clap::Command, path: &str, found: &mut Vec<String>) {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let path = format!("{path} {}", sub.get_name()).trim_start().to_string();
        if sub.get_arguments().any(|argument| argument.get_id() == "json") {
            found.push(path.clone());
        }
        commands_with_json(sub, &path, found);
    }
}

#[test]
fn each_command_with_json_has_one_schema() {
    let mut commands = Vec::new();
    commands_with_json(&crate::program(), "", &mut commands);
    assert!(commands.len() > 60, "{commands:?}");
    let outputs: Vec<&str> = outputs::all().iter().map(|output| output.command).collect();
    for command in &commands {
        let schema = outputs::schema(command).unwrap_or_else(|| panic!("{command} has no schema"));
        assert!(schema["title"].as_str().unwrap().contains(command.as_str()), "{schema}");
    }
    // These commands print JSON without the option `--json`.
    let always = ["runs replay", "robot drive", "serve arena"];
    for output in outputs {
        assert!(commands.iter().any(|command| command == output) || always.contains(&output), "{output}");
    }
}
