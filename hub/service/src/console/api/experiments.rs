//! Experiments in the hub's folder, and checks of experiments before they are started.

use super::commands::send;
use super::{json, run_blocking};
use crate::catalogue::Catalogue;
use crate::console::Shared;
use crate::console::visitor::{JsonBody, Operator, refusal};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json as object;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;
use xpuck_experiment::robot_model::{beside, named_robot};
use xpuck_experiment::{Experiment, Plan, sent_name};
use xpuck_record::run_file::RunFile;
use xpuck_wire::file;
use xpuck_wire::message::Request;
use xpuck_wire::signed::Signed;

/// Maximum number of files that are read from the folder.
const MOST: usize = 200;
/// Maximum number of reported differences between an experiment and the last run.
const DIFFERENCES: usize = 100;

/// Experiment, and the files to which it refers by name.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upload {
    text: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Offered {
    file: String,
    name: String,
    about: String,
    minutes: f64,
    phases: usize,
    error: Option<String>,
}

/// Returns the sorted names of the TOML files in a folder, without hidden files.
fn toml_files(folder: &FilePath) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".toml") && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the description of an experiment, which is the comment at the start of its file.
fn about(text: &str) -> String {
    let comment = text.lines().take_while(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let about = comment.collect::<Vec<_>>().join(" ");
    about.chars().take(300).collect()
}

fn offered(folder: &FilePath) -> std::io::Result<Vec<Offered>> {
    let mut found = Vec::new();
    for file in toml_files(folder)?.into_iter().take(MOST) {
        let Ok(text) = file::text(&folder.join(&file), file::MAX_TOML) else { continue };
        let table: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(_) => continue,
        };
        // The folder also contains swarm, hub, arena, robot and world files, which are skipped.
        if !(table.contains_key("name")
            && ["minutes", "phases", "task", "world"].iter().any(|key| table.contains_key(*key)))
        {
            continue;
        }
        let row = match Experiment::parse(&file, &text) {
            Ok(e) => Offered {
                name: e.name.clone(),
                minutes: e.seconds() / 60.0,
                phases: e.phases.len().max(1),
                error: None,
                about: about(&text),
                file,
            },
            Err(error) => Offered {
                name: file.clone(),
                minutes: 0.0,
                phases: 0,
                error: Some(error.to_string()),
                about: about(&text),
                file,
            },
        };
        found.push(row);
    }
    Ok(found)
}

/// Lists the experiments in the hub's folder.
pub async fn list(State(shared): State<Shared>) -> Response {
    let folder = shared.settings.experiments.clone();
    match run_blocking(move || offered(&folder)).await {
        Ok(Ok(found)) => json(&found),
        Ok(Err(error)) => {
            let why = format!("{}: {error}", shared.settings.experiments.display());
            refusal(StatusCode::SERVICE_UNAVAILABLE, &why)
        }
        Err(response) => response,
    }
}

fn read(folder: &FilePath, name: &str) -> Result<serde_json::Value, String> {
    if !toml_files(folder).map_err(|error| error.to_string())?.iter().any(|known| known == name) {
        return Err("the experiment does not exist".into());
    }
    let text = file::text(&folder.join(name), file::MAX_TOML).map_err(|error| error.to_string())?;
    let (mut files, mut missing) = (BTreeMap::new(), Vec::new());
    if let Ok(experiment) = Experiment::parse(name, &text) {
        let mut open: Vec<String> = experiment.files().into_iter().map(str::to_string).collect();
        while let Some(named) = open.pop() {
            match file::text(&folder.join(&named), file::MAX_TOML) {
                Ok(_) if files.contains_key(sent_name(&named)) => {}
                Ok(text) => {
                    open.extend(named_robot(&text).map(|robot| beside(&named, &robot)));
                    files.insert(sent_name(&named).to_string(), text);
                }
                Err(_) => missing.push(named),
            }
        }
    }
    Ok(object!({ "text": text, "files": files, "missing": missing }))
}

/// Returns one experiment, and the files to which it refers.
pub async fn open(State(shared): State<Shared>, Path(name): Path<String>) -> Response {
    let folder = shared.settings.experiments.clone();
    match run_blocking(move || read(&folder, &name)).await {
        Ok(Ok(found)) => json(&found),
        Ok(Err(why)) => refusal(StatusCode::NOT_FOUND, &why),
        Err(response) => response,
    }
}

/// Returns the number of the line that causes an error; `None` if it is unknown. If the message does not contain the
/// number, the line is found by the key that the message names. If several lines have this key, the first one in the
/// named table is preferred.
fn line_of(error: &str, text: &str) -> Option<usize> {
    if let Some((_, rest)) = error.split_once("line ") {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        return digits.parse().ok();
    }
    let of_a_file = error.split_once(": ").is_some_and(|(name, _)| name.ends_with(".toml"));
    let path = key_of(error).filter(|_| !of_a_file)?;
    let (table, key) = path.rsplit_once('.').unwrap_or(("", &path));
    let (mut inside, mut found) = (String::new(), None);
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if let Some(name) = line.strip_prefix('[') {
            inside = name.trim_start_matches('[').split(']').next().unwrap_or_default().trim().into();
        } else if line.split_once('=').is_some_and(|(name, _)| name.trim() == key) {
            // An error may name a phase, but the header of a phase's table lacks the name. Therefore, the first line
            // with the key is used if no table matches.
            if inside == table {
                return Some(number);
            }
            found = found.or(Some(number));
        }
    }
    found
}

/// Returns the key that an error names, or `None`. The key is in backticks, or precedes ` = ` as in `minutes = 0 is
/// outside 1..=2`.
fn key_of(error: &str) -> Option<String> {
    if let Some((_, rest)) = error.split_once('`') {
        return rest.split_once('`').map(|(key, _)| key.to_string());
    }
    let (before, _) = error.split_once(" = ")?;
    before.rsplit(' ').next().filter(|key| !key.is_empty()).map(str::to_string)
}

/// Returns the JSON response for an experiment that cannot be run: the reason, and its line and key in the text.
fn refused(why: &str, text: &str) -> serde_json::Value {
    let why = why.strip_prefix("experiment: ").unwrap_or(why);
    object!({ "ok": false, "error": { "text": why, "line": line_of(why, text), "key": key_of(why) } })
}

/// Collects the keys of a table with their values. Keys of inner tables get a prefix: `a.b` is the key `b` of the
/// table `a`.
fn flat(prefix: &str, value: &toml::Value, to: &mut BTreeMap<String, String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flat(&name, value, to);
            }
        }
        toml::Value::Array(list) if list.iter().any(toml::Value::is_table) => {
            for (i, value) in list.iter().enumerate() {
                flat(&format!("{prefix}[{}]", i + 1), value, to);
            }
        }
        value => drop(to.insert(prefix.into(), value.to_string())),
    }
}

/// Returns the differences between an experiment and the last run. Keys are compared after defaults are applied;
/// files are compared by content.
fn differences(experiment: &toml::Table, files: &BTreeMap<String, String>, last: &RunFile) -> Vec<serde_json::Value> {
    let keys = |table: &toml::Table| {
        let mut found = BTreeMap::new();
        flat("", &toml::Value::Table(table.clone()), &mut found);
        found
    };
    let (before, now) = (keys(&last.experiment), keys(experiment));
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = names.into_iter().filter(|key| before.get(*key) != now.get(*key));
    let mut rows: Vec<_> =
        changed.map(|key| object!({ "key": key, "last": before.get(key), "now": now.get(key) })).collect();
    let names: BTreeSet<&String> = last.files.keys().chain(files.keys()).collect();
    for name in names.into_iter().filter(|name| last.files.get(*name) != files.get(*name)) {
        let size = |text: Option<&String>| text.map(|text| format!("{} bytes", text.len()));
        rows.push(object!({ "key": format!("file {name}"), "last": size(last.files.get(name)), "now": size(files.get(name)) }));
    }
    rows.truncate(DIFFERENCES);
    rows
}

fn look(shared: &Shared, upload: Upload) -> serde_json::Value {
    let Upload { text, files } = upload;
    let experiment = match Experiment::parse("experiment", &text) {
        Ok(experiment) => experiment,
        Err(error) => return refused(&error.to_string(), &text),
    };
    let needs: Vec<&str> = experiment.files().into_iter().filter(|name| !files.contains_key(sent_name(name))).collect();
    if !needs.is_empty() {
        let why = format!("the experiment refers to files that do not exist: {}", needs.join(", "));
        let mut answer = refused(&why, &text);
        answer["needs"] = object!(needs);
        return answer;
    }
    let robots = shared.live.with(|feed| feed.robots().len());
    let plan = match Plan::new(&experiment, &files, Some(robots)) {
        Ok(plan) => plan,
        Err(error) => return refused(&error.to_string(), &text),
    };
    let signed = match Signed::new(text.clone(), files.clone(), None) {
        Ok(signed) => signed,
        Err(error) => return refused(&error.to_string(), &text),
    };
    let last = Catalogue::open(&shared.settings.runs).and_then(|catalogue| catalogue.rows()).ok().and_then(|rows| {
        let row = rows.into_iter().next_back()?;
        RunFile::read(&shared.settings.runs.join(&row.id)).ok()
    });
    let table = toml::Table::try_from(&experiment).unwrap_or_default();
    let differences = last.as_ref().map(|last| differences(&table, &files, last));
    let phases = plan.phases.iter().map(|phase| {
        object!({
            "name": phase.name,
            "kind": phase.kind.name(),
            "minutes": phase.seconds / 60.0,
            "segment_minutes": phase.segment_seconds / 60.0,
            "task": phase.world.task.name(),
            "given": phase.given.iter().flatten().count(),
        })
    });
    object!({
        "ok": true,
        "error": null,
        "plan": {
            "name": plan.name,
            "task": plan.phases[0].world.task.name(),
            "minutes": plan.seconds() / 60.0,
            "segments": plan.phases.iter().map(|phase| (phase.seconds / phase.segment_seconds).ceil()).sum::<f64>(),
            "robots": robots,
            "phases": phases.collect::<Vec<_>>(),
            "algorithm": experiment.evolution.algorithm(),
            "population": experiment.evolution.population,
            "engine": experiment.engine,
            "evolves": plan.evolves(robots),
            "needs": [],
        },
        "manifest": signed.manifest,
        "differences": differences.unwrap_or_default(),
        "last": last.map(|last| last.name),
    })
}

/// Checks an experiment without starting it, and returns its plan or the error.
pub async fn check(State(shared): State<Shared>, upload: JsonBody<Upload>) -> Response {
    match run_blocking(move || look(&shared, upload.0)).await {
        Ok(found) => json(&found),
        Err(response) => response,
    }
}

/// Experiment to start. It is either signed in the browser, or sent as plain text for the hub to sign.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Start {
    Signed {
        manifest: String,
        signer: String,
        signature: String,
        files: BTreeMap<String, String>,
        seed: u64,
        #[serde(default)]
        anyway: bool,
    },
    Plain {
        text: String,
        files: BTreeMap<String, String>,
        seed: u64,
        #[serde(default)]
        anyway: bool,
    },
}

/// Starts an experiment.
pub async fn start(State(shared): State<Shared>, Operator(person): Operator, asked: JsonBody<Start>) -> Response {
    let (signed, seed, anyway) = match asked.0 {
        Start::Signed { manifest, signer, signature, files, seed, anyway } => {
            (Ok(Signed { manifest, signer, signature, files }), seed, anyway)
        }
        Start::Plain { text, files, seed, anyway } => {
            let settings = &shared.settings;
            if settings.signer.is_none() && !settings.dev_mode {
                let why = "experiments are signed: log in with your key file, or start with `xpuck start`";
                return refusal(StatusCode::FORBIDDEN, why);
            }
            (Signed::new(text, files, settings.signer.as_ref()), seed, anyway)
        }
    };
    match signed {
        Ok(signed) if anyway => send(&shared, person.name, Request::StartAnyway { signed, seed }).await,
        Ok(signed) => send(&shared, person.name, Request::Start { signed, seed }).await,
        Err(error) => json(&object!({ "ok": false, "error": error.to_string() })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_is_located_by_line_and_key() {
        let error = Experiment::parse("experiment", "name = \"x\"\nminuts = 3.0\n").unwrap_err().to_string();
        assert_eq!((line_of(&error, ""), key_of(&error).as_deref()), (Some(2), Some("minuts")), "{error}");
        assert_eq!((line_of("nothing", "nothing = 1"), key_of("nothing")), (None, None));
        let text = "minutes = 3\n[evolution]\nname = 2\nminutes = 4\n[[phases]]\n seconds= 4\n";
        for (error, line, key) in [
            ("minutes = 3 is outside 0.05..=1", Some(1), "minutes"),
            ("evolution.minutes = 4 is outside 0.05..=1", Some(4), "evolution.minutes"),
            ("phase 1: seconds = 4 is outside 0.05..=1", Some(6), "seconds"),
            ("phase 1: hours = 4 is outside 0.05..=1", None, "hours"),
            ("c.toml: evolution.name = 2 is outside 0.05..=1", None, "evolution.name"),
        ] {
            assert_eq!((line_of(error, text), key_of(error).as_deref()), (line, Some(key)), "{error}");
        }
    }

    #[test]
    fn changes_since_last_run_are_listed_by_key() {
        let text = "name = \"x\"\nstate = \"finished\"\nversion = \"0\"\nstarted_unix_ms = 1\nseed = 1\nrobots = []\nspeed = 1.0\n\
            [experiment]\nname = \"x\"\nminutes = 2.0\n[experiment.evolution]\npopulation = 8\n[hub]\n[files]\na = \"1\"\n";
        let last: RunFile = toml::from_str(text).unwrap();
        let now: toml::Table = "name = \"x\"\nminutes = 4.0\n[evolution]\npopulation = 8\nwhat = 1\n".parse().unwrap();
        let found = differences(&now, &BTreeMap::from([("a".into(), "22".into())]), &last);
        let expected = serde_json::json!([
            { "key": "evolution.what", "last": null, "now": "1" },
            { "key": "minutes", "last": "2.0", "now": "4.0" },
            { "key": "file a", "last": "1 bytes", "now": "2 bytes" },
        ]);
        assert_eq!(object!(found), expected);
    }
}
