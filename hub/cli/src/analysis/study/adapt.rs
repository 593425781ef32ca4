//! `xpuck study adapt`.

use super::Output;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use std::fmt::Write;
use std::sync::atomic::Ordering;
use xpuck_lab::evolution_run::file::{keys, load};
use xpuck_lab::study::Budget;
use xpuck_lab::study::adapt::{AdaptPlan, AdaptStudy, STRATEGIES, study};
use xpuck_stats::figure::Figure;
use xpuck_wire::shutdown::service_flag;

/// Adaptivity: measure how soon a working swarm detects a change of its world, and the benefit of adapting to it.
///
/// For each seed, a swarm evolves and works for a while in the planned world. Then a parameter of the world changes.
/// From there, three swarms are compared. The first compares its robots' behaviour with simulations, agrees on the new
/// value, and continues evolution in simulations with that value. The second continues as before. The third knows the
/// change and starts evolution again. All three are measured in the changed world after each generation. Settings of
/// evolution are those of `xpuck evolve --set`.
#[derive(Args)]
pub struct AdaptArgs {
    /// Parameter that changes, and its new value: frisbee-mass (kg), frisbee-friction, robot-friction, left-edge,
    /// right-edge, bottom-edge, top-edge (m from the centre), left-wheel, right-wheel (fraction of the usual speed, for
    /// one robot).
    #[arg(long, value_name = "PARAMETER=VALUE", default_value = "frisbee-mass=0.28")]
    change: String,
    /// Number of seeds, 1 to 1000.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// First seed.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1 << 62))]
    seed: u64,
    /// Number of generations before the change, 1 to 10000.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    before: u32,
    /// Number of generations after the change, 1 to 10000.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    after: u32,
    /// Work time of the robots per generation (s). Robots load new trees every 60 s, or every generation if that is
    /// longer.
    #[arg(long, default_value_t = 20.0)]
    pace: f64,
    /// Setting of evolution, as in a file for `xpuck evolve`; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Number of simulations (60 s each) of each swarm after each generation.
    #[arg(long, default_value_t = 200)]
    runs: u32,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study adapt`.
pub fn run(args: &AdaptArgs) -> Result<()> {
    args.output.check([])?;
    let (parameter, value) = change(&args.change)?;
    let generations = [args.before, args.after];
    let plan = AdaptPlan::new(parameter, value, generations, args.pace, args.seeds as usize)?;
    let mut set = keys(&args.set)?;
    // Values given with --set take precedence over these defaults.
    set.entry("generations").or_insert(i64::from(args.before + args.after).into());
    set.entry("seed").or_insert((args.seed as i64).into());
    let config = load(None, set)?;
    let budget = Budget::new(60.0, args.runs, config.seed)?;
    let engine = args.output.open(&[&config.spec])?;
    let stop = service_flag(Default::default())?;
    let total = u64::from(args.seeds) * u64::from(2 * args.before + 4 * args.after);
    let progress = Progress::steps("generation", total, args.output.json);
    let found = study(&engine, &config, plan, budget, || {
        progress.inc();
        stop.load(Ordering::Relaxed)
    })?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

/// Parses the value of `--change`: a parameter's name and its new value.
fn change(text: &str) -> Result<(&str, f32)> {
    let halves = text.split_once('=').map(|(name, value)| (name.trim(), value.trim().parse()));
    match halves {
        Some((name, Ok(value))) => Ok((name, value)),
        _ => bail!("--change {text}: expected PARAMETER=VALUE, such as frisbee-mass=0.28"),
    }
}

fn text(found: &AdaptStudy) -> String {
    let mut text = String::from(
        "seed   before    after   evolved for it  detected   estimated after 2 min   90 % again: adaptive  unaware  \
         restart\n",
    );
    let time = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.0} s"));
    for seed in &found.seeds {
        let low = seed.found.iter().copied().fold(f32::INFINITY, f32::min);
        let high = seed.found.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let held = if seed.found.is_empty() { "-".into() } else { format!("{low:.3} to {high:.3}") };
        let [adaptive, unaware, restart] = STRATEGIES.map(|way| time(*seed.regained.get(way)));
        let _ = writeln!(
            text,
            "{:<4}  {:>7.3}  {:>7.3}  {:>15.3}  {:>8}  {held:>22}   {adaptive:>20}  {unaware:>7}  {restart:>7}",
            seed.seed,
            Figure(seed.before),
            Figure(seed.at_once),
            Figure(seed.evolved_for_it),
            time(seed.noticed),
        );
    }
    text.push_str(
        "\n\
         before: fitness in the planned world; after: right after the change. 90 % again: time until a swarm reaches \
         90 % of the\n\
         fitness of a swarm that evolved in the new world from the start.\n",
    );
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}
