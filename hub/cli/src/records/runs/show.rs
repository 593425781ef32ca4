//! `xpuck runs show`.

use super::{print, print_problems};
use crate::swarm::operator::engine;
use crate::terminal::print_json;
use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use xpuck_hub_service::catalogue::Row;
use xpuck_hub_service::catalogue::results::Results;
use xpuck_kernels::world::Task;
use xpuck_lab::report::collect;
use xpuck_record::run_file::RunFile;
use xpuck_record::verify;
use xpuck_stats::figure::Figure;
use xpuck_wire::output;

/// A run and its results, as `--json` prints them.
#[derive(Serialize, JsonSchema)]
pub struct RunOutput<'a> {
    /// Summary of the run, as in the catalogue.
    run: &'a Row,
    /// Results by robot and by segment.
    results: &'a Results,
}

/// Prints the results of a run.
pub fn show(directory: &Path, as_json: bool) -> Result<()> {
    let root = directory.parent().unwrap_or(directory);
    let row = Row::read(root, directory)?.current(root);
    let results = Results::read(directory)?;
    print_problems(&results.damage);
    if as_json {
        return print_json(&RunOutput { run: &row, results: &results });
    }
    let off = !evolves(directory);
    let mut text = String::new();
    let minutes = row.length_s / 60.0;
    writeln!(text, "{}  {}  {minutes:.1} min  seed {}", row.id, row.state, row.seed)?;
    writeln!(text, "version {}  commit {}\n", row.version, row.git_commit)?;
    let (generations, fitness) = if off { ("", "") } else { ("  generations", "  fitness (n)") };
    writeln!(text, "robot    segment{generations}{fitness}  battery J  round trip  slow %  loaded  silent since")?;
    for r in &results.robots {
        let or_dash = |value: Option<f64>, unit: &str| value.map_or("-".into(), |v| format!("{v:.1}{unit}"));
        writeln!(
            text,
            "{:<8} {:>7}{}  {:>9}  {:>10}  {:>6.2}  {:>6}  {:>10}",
            r.robot,
            r.segment,
            match off {
                true => String::new(),
                false => {
                    let fitness = format!("{:.3} ({})", Figure(r.fitness), r.evaluations);
                    format!("  {:>11}  {fitness:>11}", r.generations)
                }
            },
            or_dash(r.battery_j, ""),
            or_dash(r.round_trip_ms, " ms"),
            r.slow_round_trips * 100.0,
            r.loaded,
            or_dash(r.dead_since, " s"),
        )?;
    }
    for r in results.robots.iter().filter(|r| !r.engine.name.is_empty()) {
        writeln!(text, "{} evolved on {} robot-s/s", r.robot, engine(&r.engine))?;
    }
    if let Some(ms) = results.round_trip_ms {
        let slow = 100.0 * row.slow_round_trips;
        writeln!(
            text,
            "all round trips of the run: mean {ms:.1} ms, {slow:.1} % above 100 ms; the column above covers only the \
             recorded telemetry, five a second"
        )?;
    }
    writeln!(text, "\nsegment  seconds  real fitness")?;
    for s in &results.segments {
        let value = output::value_note(s.value);
        writeln!(text, "{:>7}  {:>7.1}  {:>12.3}{value}", s.number, s.seconds, Figure(s.fitness))?;
    }
    if let Some(description) = mission(directory) {
        writeln!(text, "{description}")?;
    }
    match off {
        true => writeln!(text, "evolution was off: every robot ran the tree of the experiment")?,
        false => {
            let when = if row.state == "running" { "so far" } else { "at the end" };
            writeln!(text, "evolved fitness {when}: {:.3}", Figure(row.evolved_fitness))?;
        }
    }
    match results.quality.is_empty() {
        true => writeln!(text, "quality: no robot was lost, and at most 5 % of the round trips took above 100 ms")?,
        false => results.quality.iter().try_for_each(|line| writeln!(text, "quality {line}"))?,
    }
    print(&text)
}

/// Returns the description of the value in the run's last phase. `None` if its task is not a mission, or if the run's
/// file cannot be read.
fn mission(directory: &Path) -> Option<String> {
    let plan = verify::plan(&RunFile::read(directory).ok()?).ok()?;
    match &plan.phase(usize::MAX).world.task {
        Task::Objective(objective) => Some(objective.description()),
        _ => None,
    }
}

/// Returns whether robots evolved in the run ([`collect::evolves`]). Returns true if the run's file cannot be read.
fn evolves(directory: &Path) -> bool {
    RunFile::read(directory).map_or(true, |run| collect::evolves(&run))
}
