//! `xpuck study transfer`.

use super::Output;
use crate::terminal::progress::Progress;
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_lab::evolution_run::file::keys;
use xpuck_lab::study::Budget;
use xpuck_lab::study::p_value;
use xpuck_lab::study::transfer::{TransferStudy, levels, measured, study};
use xpuck_stats::figure::Figure;
use xpuck_wire::shutdown::service_flag;

/// Transfer: measure which setting of evolution gives the best trees in another world, and its cost.
///
/// Settings are evolution files. They may differ in the fidelity of the simulation (`calibration = FILE`: noise,
/// delayed cameras and messages), in the primitives of trees (`primitive_set = FILE`), or in any other key. One
/// evolution runs for each file and seed. Then a swarm of the islands' champions runs in the world of the evolution,
/// and in the world that represents reality. docs/transfer/ has studies of two questions that the thesis leaves open:
/// levels of fidelity, and polar against Cartesian goal vectors.
#[derive(Args)]
pub struct TransferArgs {
    /// Evolution files; the first is the reference for the others.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Calibration file of the real world [default: the world of the first file].
    #[arg(long, value_name = "FILE")]
    real: Option<PathBuf>,
    /// Number of seeds for each file, 2 to 1000.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    seeds: u32,
    /// Number of generations of each run, unless --set contains another number.
    #[arg(long, default_value_t = 40)]
    generations: u32,
    /// Setting for all files, such as seed=101 for the first seed; it takes precedence over the files.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Number of simulations (60 s each) of each swarm in each world.
    #[arg(long, default_value_t = 400)]
    runs: u32,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study transfer`.
pub fn run(args: &TransferArgs) -> Result<()> {
    args.output.check(args.files.iter().chain(&args.real))?;
    let mut set = keys(&args.set)?;
    set.entry("generations").or_insert(i64::from(args.generations).into());
    let levels = levels(&args.files, &set)?;
    let config = &levels[0].config;
    let real = args.real.as_ref().map(|file| measured(&levels, file)).transpose()?;
    let budget = Budget::new(60.0, args.runs, config.seed)?;
    let mut specs: Vec<_> = levels.iter().map(|level| &level.config.spec).collect();
    specs.extend(&real);
    let engine = args.output.open(&specs)?;
    let stop = service_flag(Default::default())?;
    let generations: u64 = levels.iter().map(|level| u64::from(level.config.generations)).sum();
    let progress = Progress::steps("generation", generations * u64::from(args.seeds), args.output.json);
    let found = study(&engine, &levels, real.as_ref(), args.seeds as usize, budget, &stop, || progress.inc())?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &TransferStudy) -> String {
    // If simulated and real fitness are equal in all runs, both worlds are the same, and one column is enough.
    if found.runs.iter().all(|run| run.simulated == run.real) {
        return in_one_world(found);
    }
    let mut text = String::from(
        "setting                  simulated     real   gap, 95 %                    s per million robot-s   against the first\n",
    );
    for level in &found.levels {
        let [low, high] = level.gap.interval.map(Figure);
        let gap = format!("{:+.4} ({low:+.4} to {high:+.4})", Figure(level.gap.mean));
        let _ = writeln!(
            text,
            "{:<24} {:>9.4}  {:>7.4}   {gap:<28} {:>21.2}   {}",
            level.level,
            Figure(level.simulated.mean),
            Figure(level.real.mean),
            Figure(level.cost),
            level.p.map_or("-".into(), p_value),
        );
    }
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}

fn in_one_world(found: &TransferStudy) -> String {
    let mut text = String::from(
        "setting                    fitness, 95 %                s per million robot-s   against the first\n",
    );
    for level in &found.levels {
        let [low, high] = level.real.interval.map(Figure);
        let fitness = format!("{:.4} ({low:.4} to {high:.4})", Figure(level.real.mean));
        let against = level.p.map_or("-".into(), p_value);
        let _ = writeln!(text, "{:<24}   {fitness:<28} {:>21.2}   {against}", level.level, Figure(level.cost));
    }
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}
