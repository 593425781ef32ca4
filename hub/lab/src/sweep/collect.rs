//! Collects the results of a sweep's runs into files.

use super::best::{self, Best};
use super::curves::{self, Quality, Times};
use super::evolution::{Run, State};
use super::figure::{self, Setting};
use super::file::Sweep;
use super::folder::{Folder, write};
use super::heatmap::{self, Ends};
use super::page;
use super::printed::{self, Compared, PointResults};
use super::problem::Problem;
use super::summary::{self, Group, Readable, Row};
use super::table_files::Files;
use crate::evolution_run::{Config, GenerationRow};
use serde_json::{Map, Value};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xpuck_record::table::{Column, Table};
use xpuck_wire::output::count;

/// Number of generation rows that are buffered before they are written.
const PIECE: usize = 65_536;

/// Results of a sweep's runs.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Results of the runs of each setting.
    pub settings: Vec<Row>,
    /// Best run of each setting, if there is one.
    pub best: Vec<Best>,
    /// Published numbers, compared with the runs' results.
    pub printed: Vec<Compared>,
    /// Warnings about results that are not comparable.
    pub notes: Vec<String>,
}

impl Collected {
    /// Returns the results as tables for readers.
    pub fn tables(&self) -> Vec<Readable> {
        let printed = (!self.printed.is_empty()).then(|| printed::table(&self.printed));
        summary::tables(&self.settings).into_iter().chain(printed).collect()
    }

    /// Returns the warnings as paragraphs of Markdown; empty if there are none.
    pub fn notes_as_paragraphs(&self) -> String {
        self.notes.iter().map(|note| format!("{note}\n\n")).collect()
    }
}

/// Writes the tables, the curves and the summary of the finished runs, and returns their results. Writes nothing if
/// no run is finished.
///
/// # Errors
/// If a run's file cannot be read, or a file cannot be written.
pub fn collect(sweep: &Sweep, folder: &Folder) -> Result<Collected, Problem> {
    // The runs are sorted by point, then by seed.
    let mut runs: Vec<&Run> = folder.runs().iter().filter(|run| run.state() == State::Done).collect();
    runs.sort_by_key(|run| run.point);
    let mut configs: BTreeMap<usize, Config> = BTreeMap::new();
    let mut found = Vec::with_capacity(runs.len());
    for run in &runs {
        let config = match configs.entry(run.point) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(run.point_config()?),
        };
        run.check_settings(config)?;
        found.push(run.result()?);
    }
    let mut groups: Vec<Group> = sweep.points.iter().map(group).collect();
    for (run, result) in runs.iter().zip(&found) {
        groups[run.point].results.push(result.clone());
    }
    let settings = summary::summarise(&groups);
    if runs.is_empty() {
        return Ok(Collected { settings, ..Collected::default() });
    }
    Files::begin(&folder.join(""), "results", &results(&groups, &runs, &found))?.finish()?;
    let (drawn, told) = generations(sweep, folder, &runs, &found, &configs)?;
    let mut svg = figure::draw(&sweep.name, sweep.axes, &drawn);
    let best = (0..sweep.points.len()).filter_map(|point| {
        let of_point = runs.iter().copied().zip(&found).filter(|(run, _)| run.point == point);
        Best::from_runs(&sweep.points[point].label, of_point)
    });
    let best = best.collect();
    let printed = printed::compare(&sweep.printed, &sweep.points, &told);
    let notes = groups.iter().filter_map(mixed_engines).collect();
    let collected = Collected { settings, best, printed, notes };
    write(&folder.join("curves.svg"), svg.as_bytes())?;
    if let Some(map) = map(sweep, &drawn) {
        write(&folder.join("heatmap.svg"), map.as_bytes())?;
        svg.push_str(&map);
    }
    let tables = collected.tables();
    let lead = format!("{} of {}.", runs.len(), count(folder.runs().len(), "run", "runs"));
    write(&folder.join("curves.html"), page::html(&sweep.name, &lead, &svg, &tables).as_bytes())?;
    let (best, meaning) = (best::markdown(&collected.best, Path::new("")), summary::explanation(&tables));
    let notes = collected.notes_as_paragraphs();
    let text = format!("# {}\n\n{lead}\n\n{notes}{}{best}{meaning}\n", sweep.name, summary::markdown(&tables));
    write(&folder.join("summary.md"), text.as_bytes())?;
    Ok(collected)
}

/// Returns a warning if the runs of a setting were simulated by engines whose results differ.
fn mixed_engines(group: &Group) -> Option<String> {
    let engines = group.results.iter().filter_map(|result| result.get("engine")?.as_str());
    // The results of `reference` and `simd` are identical.
    let engines: BTreeSet<&str> = engines.map(|name| if name == "reference" { "simd" } else { name }).collect();
    let names: Vec<&str> = engines.into_iter().collect();
    (names.len() > 1)
        .then(|| format!("The runs of {} were simulated by different engines ({}).", group.label, names.join(", ")))
}

/// Draws the map of a sweep over two keys. The map shows the remeasured fitness. If any run lacks remeasured fitness,
/// the map shows the estimated fitness of all runs.
fn map(sweep: &Sweep, settings: &[Setting]) -> Option<String> {
    let again = settings.iter().flat_map(|setting| &setting.remeasured).all(Option::is_some);
    let what = match again {
        true => "mean fitness of the champions on fresh seeds (remeasured_mean); n: runs",
        false => "derated fitness of the fittest tree after the last generation, mean of islands; n: runs",
    };
    let ends = |setting: &Setting| Ends {
        fitness: match again {
            true => setting.remeasured.iter().copied().flatten().collect(),
            false => setting.last.clone(),
        },
    };
    let ends: Vec<Ends> = settings.iter().map(ends).collect();
    heatmap::draw(&sweep.name, what, &sweep.points, &ends)
}

fn group(point: &super::Point) -> Group {
    // JSON can represent every TOML value.
    let json = |value: &toml::Value| serde_json::to_value(value).unwrap_or_default();
    let parameters = point.values.iter().map(|(key, value)| (key.clone(), json(value))).collect();
    Group { label: point.label.clone(), parameters, results: Vec::new() }
}

/// Returns a table with one row for each run: point of the sweep, parameters that differ between points, seed, and
/// result.
fn results(groups: &[Group], runs: &[&Run], found: &[Map<String, Value>]) -> Table {
    let mut table: Table = vec![
        ("point".into(), Column::Integers(runs.iter().map(|run| Some(run.point as i64 + 1)).collect())),
        ("label".into(), Column::Texts(runs.iter().map(|run| Some(groups[run.point].label.clone())).collect())),
    ];
    let of_points: Vec<&Map<String, Value>> = runs.iter().map(|run| &groups[run.point].parameters).collect();
    add(&mut table, groups.iter().map(|group| &group.parameters), &of_points);
    table.push(("seed".into(), Column::Integers(runs.iter().map(|run| i64::try_from(run.seed).ok()).collect())));
    add(&mut table, found.iter(), &found.iter().collect::<Vec<_>>());
    table
}

/// Adds a column for each key in `all`, with the values in `rows`. Existing columns are unchanged.
fn add<'a>(table: &mut Table, all: impl Iterator<Item = &'a Map<String, Value>>, rows: &[&Map<String, Value>]) {
    for key in all.flat_map(Map::keys) {
        if table.iter().all(|(name, _)| name != key) {
            let values: Vec<&Value> = rows.iter().map(|row| row.get(key).unwrap_or(&Value::Null)).collect();
            table.push((key.clone(), Column::from_values(&values)));
        }
    }
}

/// Writes a table with the generations of all runs. Returns the data for the figures, and the data for the comparison
/// with published numbers.
fn generations(
    sweep: &Sweep,
    folder: &Folder,
    runs: &[&Run],
    found: &[Map<String, Value>],
    configs: &BTreeMap<usize, Config>,
) -> Result<(Vec<Setting>, Vec<PointResults>), Problem> {
    let simulation = |config: &Config| config.spec.robots as f64 * f64::from(config.seconds);
    let setting = |(i, point): (usize, &super::Point)| Setting {
        label: point.label.clone(),
        simulation: configs.get(&i).map_or(0.0, simulation),
        ..Setting::default()
    };
    let mut settings: Vec<Setting> = sweep.points.iter().enumerate().map(setting).collect();
    let mut told = vec![PointResults::default(); settings.len()];
    let mut files = Files::begin(&folder.join(""), "generations", &piece(sweep, &[]))?;
    let mut held: Vec<(&Run, GenerationRow)> = Vec::new();
    for (run, result) in runs.iter().zip(found) {
        let lines = run.generations(result)?;
        let times = if sweep.axes.y == Quality::Seconds { run.times()? } else { Times::new() };
        let (setting, told) = (&mut settings[run.point], &mut told[run.point]);
        setting.seeds.push(run.seed);
        setting.courses.push(curves::of_run(&lines, &times, sweep.axes.y));
        let means = curves::of_run(&lines, &Times::new(), Quality::Mean);
        let derated = curves::of_run(&lines, &Times::new(), Quality::Derated);
        setting.last.extend(derated.last().map(|step| step.value));
        told.populations.extend(means.last().map(|step| step.value));
        told.results.push(result.clone());
        setting.remeasured.push(result.get("remeasured_mean").and_then(Value::as_f64));
        held.extend(lines.into_iter().map(|line| (*run, line)));
        if held.len() >= PIECE {
            files.write(&piece(sweep, &held))?;
            held.clear();
        }
    }
    if !held.is_empty() {
        files.write(&piece(sweep, &held))?;
    }
    files.finish()?;
    for (told, setting) in told.iter_mut().zip(&settings) {
        told.courses.clone_from(&setting.courses);
    }
    Ok((settings, told))
}

fn piece(sweep: &Sweep, rows: &[(&Run, GenerationRow)]) -> Table {
    let integers = |value: &dyn Fn(&Run, &GenerationRow) -> i64| {
        Column::Integers(rows.iter().map(|(run, line)| Some(value(run, line))).collect())
    };
    let numbers =
        |value: fn(&GenerationRow) -> f64| Column::Numbers(rows.iter().map(|(_, line)| Some(value(line))).collect());
    let labels = rows.iter().map(|(run, _)| Some(sweep.points[run.point].label.clone())).collect();
    vec![
        ("point".into(), integers(&|run, _| run.point as i64 + 1)),
        ("label".into(), Column::Texts(labels)),
        ("seed".into(), integers(&|run, _| run.seed as i64)),
        ("generation".into(), integers(&|_, line| line.generation.into())),
        ("island".into(), integers(&|_, line| line.island.into())),
        ("robot_seconds".into(), numbers(|line| line.robot_seconds)),
        ("best".into(), numbers(|line| line.best)),
        ("derated".into(), numbers(|line| line.derated)),
        ("evaluations".into(), integers(&|_, line| line.evaluations.into())),
        ("mean".into(), numbers(|line| line.mean)),
        ("distinct".into(), numbers(|line| line.distinct)),
    ]
}
