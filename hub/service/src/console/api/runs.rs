//! Recorded runs: the list of runs, the details of a run, and the ancestry of its best tree.

use super::robots::lines;
use super::run_cache::CachedRun;
use super::{json, run_blocking};
use crate::catalogue::{Catalogue, short_ids};
use crate::console::Shared;
use crate::console::feed::{Feed, HubEvent};
use crate::console::visitor::refusal;
use axum::extract::{Path as UrlPath, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json as object};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xpuck_evolve::Id;
use xpuck_record::RecordError;
use xpuck_record::lineage::LineageIndex;
use xpuck_record::run_file::RunState;
use xpuck_views::world;

/// Maximum number of individuals in a reported ancestry.
const ANCESTORS: usize = 200;
/// Maximum number of generations between an individual and its reported ancestors.
const STEPS: usize = 40;
/// Maximum number of events that are reported for a run.
const EVENTS: usize = 1000;
/// Maximum number of listed errors about unreadable runs.
const UNREAD: usize = 20;
/// Error text for a run that is missing from the catalogue.
const NONE: &str = "the run does not exist";

fn unreadable(error: &RecordError) -> Response {
    refusal(StatusCode::SERVICE_UNAVAILABLE, &error.to_string())
}

/// Returns the rows of the catalogue in the format for pages, with the short ids of the runs.
fn rows(catalogue: &Catalogue) -> Result<Vec<Value>, RecordError> {
    let rows = catalogue.rows()?;
    let mut values: Vec<Value> = rows.iter().map(|row| object!(row)).collect();
    values.iter_mut().zip(short_ids(&rows)).for_each(|(value, short)| value["short"] = short.into());
    Ok(values)
}

/// Returns the rows of the catalogue, the newest first, and an error for each unreadable run. Both lists are empty if
/// the folder does not exist.
fn newest_first(runs: &Path) -> Result<(Vec<Value>, Vec<String>), RecordError> {
    if matches!(runs.try_exists(), Ok(false)) {
        return Ok(Default::default());
    }
    let catalogue = Catalogue::open(runs)?;
    let mut values = rows(&catalogue)?;
    values.reverse();
    Ok((values, first_lines(catalogue.errors())))
}

/// Lists all runs, the newest first.
pub async fn list(State(shared): State<Shared>) -> Response {
    let runs = shared.settings.runs.clone();
    match run_blocking(move || newest_first(&runs)).await {
        Ok(Ok((rows, _))) => json(&rows),
        Ok(Err(error)) => unreadable(&error),
        Err(response) => response,
    }
}

/// Returns the folder of the runs, the rows of the catalogue, and an error for each unreadable run. The row of an
/// unreadable run is missing or has its previous values.
pub async fn catalogue(State(shared): State<Shared>) -> Response {
    let runs = shared.settings.runs.clone();
    let read = move || -> Result<Value, RecordError> {
        let (rows, unread) = newest_first(&runs)?;
        let folder = runs.canonicalize().unwrap_or(runs);
        Ok(object!({ "folder": folder.display().to_string(), "runs": rows, "unread": unread }))
    };
    match run_blocking(read).await {
        Ok(Ok(told)) => json(&told),
        Ok(Err(error)) => unreadable(&error),
        Err(response) => response,
    }
}

/// Returns the first lines. If lines are omitted, the result ends with their number.
fn first_lines(lines: &[String]) -> Vec<String> {
    let more = lines.len().saturating_sub(UNREAD);
    lines.iter().take(UNREAD).cloned().chain((more > 0).then(|| format!("and {more} more"))).collect()
}

/// Returns the folder of the run with this id. The error is one line.
pub fn folder(shared: &Shared, id: &str) -> Result<PathBuf, String> {
    let known = |catalogue: Catalogue| catalogue.rows().map(|rows| rows.iter().any(|row| row.id == id));
    match Catalogue::open(&shared.settings.runs).and_then(known) {
        Ok(true) => Ok(shared.settings.runs.join(id)),
        Ok(false) => Err(NONE.into()),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the contents of the run with this id. The error is one line.
pub fn cached_run(shared: &Shared, id: &str) -> Result<Arc<CachedRun>, String> {
    read(shared, &folder(shared, id)?)
}

/// Returns the contents of the run in a folder, from the cache if possible.
fn read(shared: &Shared, folder: &Path) -> Result<Arc<CachedRun>, String> {
    shared.cache.get(folder).map_err(|error| error.to_string())
}

/// Returns the world of a run in the phase with this name, or else in its first phase.
pub fn world_of(run: &CachedRun, phase: Option<&str>) -> Value {
    let plan = run.plan.as_ref();
    let phases = plan.map_or(&[][..], |plan| &plan.phases[..]);
    let found = phases.iter().find(|known| phase == Some(known.name.as_str())).or(phases.first());
    let arena = |key: &str, usual: f64| {
        let arena = run.run.hub.get("arena").and_then(|arena| arena.get(key));
        arena.and_then(toml::Value::as_float).unwrap_or(usual) as f32
    };
    let half = [arena("length_m", 2.0) / 2.0, arena("width_m", 1.5) / 2.0];
    object!(world(found.map(|phase| &*phase.world), half, arena("frisbee_radius_m", 0.105), &run.run.robots))
}

fn shown(shared: &Shared, id: &str) -> Result<Value, String> {
    let rows = Catalogue::open(&shared.settings.runs).and_then(|catalogue| rows(&catalogue));
    let rows = rows.map_err(|error| error.to_string())?;
    let row = rows.into_iter().find(|row| row["id"] == id).ok_or(NONE)?;
    let folder = shared.settings.runs.join(id);
    let run = read(shared, &folder)?;
    // The last file of a run in progress is incomplete, which is not damage.
    let damage = if run.run.state == RunState::Running { &[][..] } else { &run.index.damage[..] };
    let result = xpuck_record::result(&folder).unwrap_or_default();
    let (begin, end) = run.index.span();
    let events = run.with(|feed| feed.events(EVENTS));
    let note = |event: &HubEvent| Some(HubEvent { text: event.text.strip_prefix("note: ")?.into(), ..event.clone() });
    let notes: Vec<HubEvent> = events.iter().filter_map(note).collect();
    Ok(object!({
        "row": row,
        "result": result,
        "experiment": run.run.experiment,
        "experiment_text": toml::to_string(&run.run.experiment).unwrap_or_default(),
        "files": run.run.files,
        "notes": notes,
        "events": events,
        "begin_t": begin,
        "end_t": end,
        "speed": run.run.speed,
        "gaps": run.index.gaps,
        "damage": damage,
        "history": run.with(|feed| object!(feed.history.shown())),
        "robots": run.run.robots,
        "world": world_of(&run, None),
    }))
}

/// Returns the details of one run: its result, its events, and the history of its evolution.
pub async fn details(State(shared): State<Shared>, UrlPath(id): UrlPath<String>) -> Response {
    answer(run_blocking(move || shown(&shared, &id)).await)
}

fn answer(found: Result<Result<Value, String>, Response>) -> Response {
    match found {
        Ok(Ok(value)) => json(&value),
        Ok(Err(why)) => refusal(StatusCode::NOT_FOUND, &why),
        Err(response) => response,
    }
}

/// Returns the data of one robot of a run: the last ten minutes of its telemetry, and its log.
pub async fn robot(State(shared): State<Shared>, UrlPath((id, robot)): UrlPath<(String, String)>) -> Response {
    let look = move || {
        let run = cached_run(&shared, &id)?;
        run.with(|feed| {
            let history = feed.robot_history(&robot).ok_or("the robot does not exist")?;
            let log = feed.robot_log(&robot).unwrap_or_default();
            Ok(object!({ "history": history, "log": lines(&log) }))
        })
    };
    answer(run_blocking(look).await)
}

fn best(feed: &mut Feed) -> Option<String> {
    feed.history.best().map(|best| best.gene().to_string())
}

/// Returns the individual `best` and its ancestors, from the births in a record. `best` has the form `3.4711` (island
/// and number).
fn ancestors(record: &Path, best: Option<&str>) -> Result<Value, String> {
    let none = || object!({ "nodes": [], "truncated": false });
    let Some((island, number)) = best.and_then(|gene| gene.split_once('.')) else { return Ok(none()) };
    let (Ok(island), Ok(number)) = (island.parse(), number.parse()) else { return Ok(none()) };
    if !record.is_dir() {
        return Ok(none());
    }
    let births = LineageIndex::read(record).map_err(|error| error.to_string())?;
    // The record may not contain the best individual yet. In this case, a recorded individual of the latest
    // generation is used.
    let newest = Id { island, number };
    let known = births.get(newest).filter(|individual| individual.generation > 0).map(|_| newest);
    let at_least = || births.fittest.values().copied().max_by_key(|id| births.get(*id).map(|i| i.generation));
    let found = births.ancestry(known.or_else(at_least).unwrap_or(newest), STEPS);
    let name = |id: &Id| format!("{}.{}", id.island, id.number);
    let nodes = found.iter().take(ANCESTORS).map(|(step, id)| {
        let known = births.get(*id);
        object!({
            "gene": name(id),
            "island": id.island,
            "number": id.number,
            "step": step,
            "generation": known.map(|i| i.generation),
            "operator": known.map(|i| i.operator),
            "fitness": known.and_then(|i| i.fitness),
            "parents": known.map(|i| i.parents.iter().map(name).collect::<Vec<_>>()).unwrap_or_default(),
            "drove": known.map(|i| &i.drove),
        })
    });
    Ok(object!({ "nodes": nodes.collect::<Vec<_>>(), "truncated": found.len() > ANCESTORS }))
}

/// Looks up an ancestry. Only one request at a time is served, because the whole record is read.
async fn run_ancestry_lookup(
    shared: Shared,
    look: impl FnOnce(&Shared) -> Result<Value, String> + Send + 'static,
) -> Response {
    let Ok(permit) = shared.slow.clone().try_acquire_owned() else {
        return refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            "another request is reading the record; try again in a moment",
        );
    };
    let look = move || {
        let _permit = permit;
        look(&shared)
    };
    answer(run_blocking(look).await)
}

/// Returns the ancestry of the best tree of the swarm in the current run.
pub async fn lineage(State(shared): State<Shared>) -> Response {
    run_ancestry_lookup(shared, |shared| {
        let record = shared.live.status().map(|status| PathBuf::from(&status.record)).unwrap_or_default();
        ancestors(&record, shared.live.with(best).as_deref())
    })
    .await
}

/// Returns the ancestry of the best tree of a recorded run.
pub async fn lineage_of(State(shared): State<Shared>, UrlPath(id): UrlPath<String>) -> Response {
    run_ancestry_lookup(shared, move |shared| {
        let folder = folder(shared, &id)?;
        ancestors(&folder, read(shared, &folder)?.with(best).as_deref())
    })
    .await
}
