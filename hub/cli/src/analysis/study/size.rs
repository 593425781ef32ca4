//! `xpuck study size`.

use super::{Output, World, program};
use crate::terminal::progress::Progress;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_lab::study::size::{SizeStudy, study};
use xpuck_lab::study::{Budget, Worlds, probability, with_size};
use xpuck_stats::figure::Figure;

/// Swarm size: measure fitness against the number of robots.
///
/// Each size is measured in the same number of runs and compared with n f(1), the fitness of n robots that neither help
/// nor hinder one another. A model of cooperation and interference, a n^b exp(-c n) (Hamann 2013), is fitted to the
/// means. A value of b above 1 shows that robots help one another, and c is the cost of each robot to the others. The
/// benchmark's arena has the same size for up to 16 robots. For more robots, its area grows in proportion.
#[derive(Args)]
pub struct SizeArgs {
    /// File with the tree that all robots run as written.
    tree: PathBuf,
    /// Swarm sizes: a range such as 1..16, or a list such as 1,2,4,9.
    #[arg(long, value_name = "SIZES", default_value = "1..16")]
    sizes: Sizes,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Number of runs of each size.
    #[arg(long, default_value_t = 1000)]
    runs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    world: World,
    #[command(flatten)]
    output: Output,
}

/// Swarm sizes, parsed from a range such as 1..16 or a list such as 1,2,4,9.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<usize>);

impl FromStr for Sizes {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Sizes> {
        let number = |part: &str| part.trim().parse::<usize>().ok();
        let range = text.split_once("..").map(|(from, to)| (number(from), number(to.trim_start_matches('='))));
        let sizes: Option<Vec<usize>> = match range {
            Some((Some(from), Some(to))) if to <= MAX_ROBOTS => Some((from..=to).collect()),
            Some(_) => None,
            None => text.split(',').map(number).collect(),
        };
        let sizes =
            sizes.with_context(|| format!("`{text}`: expected a range such as 1..16 or a list such as 1,2,4,9"))?;
        if sizes.is_empty() || sizes.iter().any(|size| !(1..=MAX_ROBOTS).contains(size)) {
            bail!("`{text}`: each size must be 1 to {MAX_ROBOTS} robots");
        }
        Ok(Sizes(sizes))
    }
}

/// Runs `xpuck study size`.
pub fn run(args: &SizeArgs) -> Result<()> {
    args.output.check([&args.tree].into_iter().chain(&args.world.world))?;
    let budget = Budget::new(args.seconds, args.runs, args.seed)?;
    let (_, program) = program(&args.tree)?;
    let sizes = with_size(&args.sizes.0, 1);
    let worlds = Worlds::from_sizes(&sizes, |size| args.world.spec(Some(size)))?;
    let engine = args.output.open(&worlds.all())?;
    let progress = Progress::steps("size", sizes.len() as u64, args.output.json);
    let found = study(&engine, &program, &sizes, |size| worlds.of_size(size), budget, || progress.inc())?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &SizeStudy) -> String {
    let mut text = String::from("robots  fitness  95 % interval   per robot   n f(1)        p\n");
    for size in &found.sizes {
        let [low, high] = size.fitness.interval.map(Figure);
        let _ = writeln!(
            text,
            "{:>6}  {:>7.4}  {low:.4} to {high:.4}  {:>7.4}  {:>7.4}  {:>7}  {}",
            size.robots,
            Figure(size.fitness.mean),
            Figure(size.fitness.mean / size.robots as f64),
            Figure(size.linear),
            probability(size.p),
            if size.robots == 1 { "" } else { size.scaling.words() }
        );
    }
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_ranges_or_lists() {
        let sizes = |text: &str| text.parse::<Sizes>().map(|sizes| sizes.0);
        assert_eq!(sizes("2..4").unwrap(), [2, 3, 4]);
        assert_eq!(sizes("2..=3").unwrap(), [2, 3]);
        assert_eq!(sizes("1, 9").unwrap(), [1, 9]);
        for wrong in ["", "a", "4..2", "0..3", "1,,2", "1..", "257", "1..18446744073709551615"] {
            assert!(sizes(wrong).is_err(), "{wrong}");
        }
    }
}
