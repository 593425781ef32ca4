//! `xpuck dev fuzz-swarm`: deterministic simulation testing of the swarm.

use crate::files::tree_file::print;
use crate::terminal::json;
use crate::terminal::progress::Progress;
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;
use xpuck_simtest::{Campaign, Mutant, Outcome, Settings, campaign, run as run_seed};
use xpuck_wire::output::count;

/// Number of trace lines shown for a failure without --trace.
const LAST: usize = 30;

/// Test the swarm by simulation: hub and nine robots in one thread, with faults injected.
///
/// The core logic of the programs runs with a simulated clock, a simulated network, and the physics of the simulator.
/// Links lose, delay, duplicate and reorder messages. Robots and hub crash and restart, and control threads hang.
/// Motion capture freezes or reports false poses. Operators issue commands. Independent checkers verify four rules:
/// wheels stop when required, robots run only verified trees, nothing is counted twice, and roster and record are
/// correct. In the last 20 s no faults are injected, and the swarm must complete a run.
///
/// All results depend only on the seed, so failures are reproducible. Exit code 1 if a rule is broken for any seed.
#[derive(Args)]
pub struct FuzzSwarmArgs {
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of seeds, 1 to 10000000.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    seeds: u64,
    /// Simulated time of each seed (s), 30 to 90000.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(30..=90_000))]
    seconds: u32,
    /// Print the whole trace of the first seed that breaks a rule. If no seed breaks a rule, print the trace of the
    /// first seed.
    #[arg(long)]
    trace: bool,
    /// Print one JSON object and no progress.
    #[arg(long)]
    json: bool,
    /// Insert a known bug, to verify that the tests find it.
    #[arg(long, alias = "plant", value_name = "BUG", help_heading = "Mutation testing")]
    mutant: Option<Mutant>,
}

/// Runs the command.
pub fn run(args: &FuzzSwarmArgs) -> Result<ExitCode> {
    let first = Settings { seed: args.seed, seconds: args.seconds, mutant: args.mutant, trace: false };
    let progress = Progress::steps("seed", args.seeds, args.json);
    let found = campaign(first, args.seeds, || progress.inc());
    drop(progress);
    let mut text = String::new();
    if args.json {
        writeln!(text, "{}", json(&found)?)?;
    } else {
        let shown = found.violations.first().map(|outcome| outcome.seed).or(args.trace.then_some(args.seed));
        if let Some(seed) = shown {
            let outcome = run_seed(Settings { seed, trace: true, ..first });
            let lines = if args.trace { outcome.trace.len() } else { LAST };
            let skipped = outcome.trace.len().saturating_sub(lines);
            outcome.trace.iter().skip(skipped).try_for_each(|line| writeln!(text, "{line}"))?;
        }
        found.violations.iter().try_for_each(|outcome| writeln!(text, "{}", complaint(args, outcome)))?;
        writeln!(text, "{}", summary(&found))?;
    }
    print(text.as_bytes())?;
    Ok(if found.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn complaint(args: &FuzzSwarmArgs, outcome: &Outcome) -> String {
    let Some(violation) = &outcome.violation else { return String::new() };
    let mutant = args.mutant.and_then(|mutant| clap::ValueEnum::to_possible_value(&mutant));
    let mutant = mutant.map(|value| format!(" --mutant {}", value.get_name())).unwrap_or_default();
    format!(
        "seed {}: {:.3} s: {}: {}: {}\n  again: xpuck dev fuzz-swarm --seed {} --seconds {} --trace{mutant}",
        outcome.seed,
        f64::from(violation.at) / 1000.0,
        violation.rule,
        violation.who,
        violation.what,
        outcome.seed,
        args.seconds
    )
}

fn summary(c: &Campaign) -> String {
    let memory = c.memory_mib.map(|mib| format!("{mib:.1}")).join(", ");
    format!(
        "{} of {} s: {} broke a rule; {} events, {} messages ({} lost), wheels turned for {:.0} s; a seed \
         takes {:.0} ms (median), {:.0} ms at most; memory {memory} MiB at the \
         start and after each quarter",
        count(c.seeds as usize, "seed", "seeds"),
        c.seconds,
        c.broken,
        c.happenings,
        c.messages.0,
        c.messages.1,
        c.wheel_seconds,
        c.median_ms,
        c.max_ms
    )
}
