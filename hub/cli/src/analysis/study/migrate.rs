//! `xpuck study migrate`.

use super::Output;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use std::fmt::Write;
use xpuck_lab::evolution_run::file::{keys, load};
use xpuck_lab::study::Budget;
use xpuck_lab::study::migrate::{MigrateStudy, study, words};
use xpuck_stats::figure::Figure;
use xpuck_wire::shutdown::service_flag;

/// Migration: measure the loss of fitness when islands exchange genes rarely and robots run different trees.
///
/// For each rate and seed, one evolution runs, in which each robot is an island. Then the champions of all islands run
/// in one swarm, each on its own robot. Each champion also runs alone on all robots. Settings of evolution are those of
/// `xpuck evolve --set`.
#[derive(Args)]
pub struct MigrateArgs {
    /// Numbers of generations between exchanges, separated by commas; 0 for no exchange.
    #[arg(long, value_name = "EVERY,...", value_delimiter = ',', default_value = "1,2,4,8,16,0")]
    rates: Vec<u32>,
    /// Number of seeds for each rate, 2 to 1000.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=1000))]
    seeds: u32,
    /// First seed of evolution.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1 << 62))]
    seed: u64,
    /// Number of generations of each run.
    #[arg(long, default_value_t = 28)]
    generations: u32,
    /// Setting of evolution, as in a file for `xpuck evolve`; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Number of simulations (60 s each) of each swarm at the end.
    #[arg(long, default_value_t = 400)]
    runs: u32,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study migrate`.
pub fn run(args: &MigrateArgs) -> Result<()> {
    args.output.check([])?;
    let rates = distinct(&args.rates)?;
    let mut set = keys(&args.set)?;
    // Values given with --set take precedence over these defaults.
    set.entry("generations").or_insert(i64::from(args.generations).into());
    set.entry("seed").or_insert((args.seed as i64).into());
    let config = load(None, set)?;
    let budget = Budget::new(60.0, args.runs, config.seed)?;
    let engine = args.output.open(&[&config.spec])?;
    let stop = service_flag(Default::default())?;
    let total = rates.len() as u64 * u64::from(args.seeds) * u64::from(config.generations);
    let progress = Progress::steps("generation", total, args.output.json);
    let found = study(&engine, &config, &rates, args.seeds as usize, budget, &stop, || progress.inc())?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

/// Returns the rates without duplicates, in the given order. Fails if a rate exceeds 1000 generations.
fn distinct(rates: &[u32]) -> Result<Vec<u32>> {
    let mut seen = Vec::new();
    for rate in rates {
        if *rate > 1000 {
            bail!("--rates {rate}: must be 1 to 1000 generations, or 0 for never");
        }
        if !seen.contains(rate) {
            seen.push(*rate);
        }
    }
    Ok(seen)
}

fn text(found: &MigrateStudy) -> String {
    let mut text = String::from("rate                     mixed    alone   mixed - alone, 95 %     different trees\n");
    for rate in &found.rates {
        let [low, high] = rate.difference.interval.map(Figure);
        let _ = writeln!(
            text,
            "{:<22}  {:>7.4}  {:>7.4}  {:>+7.4} ({low:+.4} to {high:+.4})  {:>6.1}",
            words(rate.every),
            Figure(rate.mixed.mean),
            Figure(rate.alone.mean),
            Figure(rate.difference.mean),
            rate.different
        );
    }
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}
