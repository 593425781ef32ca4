//! `xpuck dev bench genes`: compares the channels by which genes travel.

use crate::files::tree_file::print;
use crate::terminal::json;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use xpuck_evolve::Algorithm;
use xpuck_simtest::{GenePath, Transfer, TransferSettings, transfer};
use xpuck_stats::statistics::mean_and_sd;

/// Compare the channels by which genes travel between robots: hub, direct, direct with a hub that fails, none.
///
/// The core logic of nine robots and the hub runs on a simulated clock and a simulated network without faults. Bodies
/// move, so that the robots in radio range change, and trials are fully simulated. At the end, each island's fittest
/// tree is measured in worlds that no island has used. The same seed gives identical results.
#[derive(Args)]
pub struct GenesBenchArgs {
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of seeds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=1_000))]
    seeds: u64,
    /// Number of individuals on each robot.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u64).range(8..=4096))]
    population: u64,
    /// Number of generations of each island.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    generations: u32,
    /// Simulated seconds of a trial, 1 to 600.
    #[arg(long, default_value_t = 10.0, value_parser = trial)]
    trial_seconds: f32,
    /// Algorithm of the islands; algorithms differ in their use of immigrants.
    #[arg(long, default_value = "racing")]
    algorithm: Algorithm,
    /// Print one JSON object; hide the progress.
    #[arg(long)]
    json: bool,
}

fn trial(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|s| (1.0..=600.0).contains(s)).ok_or_else(|| "must be 1 to 600 seconds".into())
}

/// Results of all runs with one channel.
#[derive(Serialize, JsonSchema)]
pub struct Row {
    way: GenePath,
    /// Mean fitness over the seeds; `error` is its standard error.
    mean: f64,
    error: f64,
    /// Mean difference between the fitness with this channel and the fitness with the channel through the hub, for the
    /// same seeds. `difference_error` is its standard error.
    difference: f64,
    difference_error: f64,
    in_range: f64,
    runs: Vec<Transfer>,
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let (mean, sd) = mean_and_sd(values);
    (mean, sd / (values.len() as f64).sqrt())
}

/// Runs `xpuck dev bench genes`.
pub fn run(args: &GenesBenchArgs) -> Result<()> {
    let Some(end) = args.seed.checked_add(args.seeds) else {
        bail!("--seed {} --seeds {}: the last seed is too large; use a lower --seed", args.seed, args.seeds);
    };
    let GenesBenchArgs { generations, trial_seconds, algorithm, .. } = *args;
    let population = args.population as usize;
    let progress = Progress::steps("run", args.seeds * GenePath::ALL.len() as u64, args.json);
    let mut rows: Vec<Row> = Vec::new();
    for way in GenePath::ALL {
        let runs: Vec<Transfer> = (args.seed..end)
            .map(|seed| {
                let done = transfer(TransferSettings { seed, population, generations, trial_seconds, algorithm }, way);
                progress.inc();
                done
            })
            .collect();
        let fitness: Vec<f64> = runs.iter().map(|run| run.fitness).collect();
        let hub = rows.first().map_or_else(|| fitness.clone(), |row| row.runs.iter().map(|run| run.fitness).collect());
        let differences: Vec<f64> = fitness.iter().zip(&hub).map(|(own, hub)| own - hub).collect();
        let ((mean, error), (difference, difference_error)) = (mean_and_error(&fitness), mean_and_error(&differences));
        let in_range = runs.iter().map(|run| run.in_range).sum::<f64>() / runs.len() as f64;
        rows.push(Row { way, mean, error, difference, difference_error, in_range, runs });
    }
    drop(progress);
    let text = if args.json { json(&rows)? + "\n" } else { table(&rows) };
    print(text.as_bytes())?;
    Ok(())
}

fn table(rows: &[Row]) -> String {
    let mut text =
        String::from("channel      fitness            against the hub's   in range  genes direct  generations\n");
    for row in rows {
        let name = match row.way {
            GenePath::Hub => "hub",
            GenePath::Peers => "peers",
            GenePath::WithoutHub => "without hub",
            GenePath::None => "none",
        };
        let sum = |of: fn(&Transfer) -> u64| row.runs.iter().map(of).sum::<u64>() / row.runs.len() as u64;
        let (genes, generations) = (sum(|run| run.genes), sum(|run| u64::from(run.generations)));
        let Row { mean, error, difference, difference_error, in_range, .. } = row;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{name:<12} {mean:.4} +- {error:.4}   {difference:+.4} +- {difference_error:.4}   {in_range:>8.1}  {genes:>12}  {generations:>11}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: GenesBenchArgs,
    }

    #[test]
    fn seeds_beyond_the_last_are_refused() {
        let line = Line::parse_from(["x", "--seed", "18446744073709551615", "--seeds", "2"]);
        assert!(run(&line.args).unwrap_err().to_string().contains("use a lower --seed"));
    }
}
