//! `xpuck serve population-manager`: evolves networks that external robot simulators evaluate.

use super::evolution_files::{self, Files};
use crate::guests::gateway::address::{self, Place};
use crate::terminal::report_json;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use xpuck_gateway::evaluation::population::evolution::{Settings, Summary};
use xpuck_gateway::evaluation::population::manager::{Counts, MOST_SIMULATORS, Manager};
use xpuck_gateway::evaluation::population::variation::Variation;
use xpuck_wire::{event_at, log, shutdown};

/// Interval for checking for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// Evolve networks that robot simulators of any maker evaluate.
///
/// The command asks each robot simulator for the networks that it accepts (SendNetParameters). It keeps as many
/// individuals in flight as the simulator evaluates at once. It breeds the next generation when all fitness values
/// have arrived (Individual, Fitness). Robot simulators may connect, disconnect and be late: individuals without a
/// fitness are then sent to other simulators. The same seed and the same fitness values give the same generations, in
/// any order of arrival. The command ends after --generations or at Ctrl-C, and keeps the best individual. See
/// docs/gateway.md.
#[derive(Args)]
pub struct PopulationManagerArgs {
    /// Address of a robot simulator; may be repeated, for up to 64 simulators that accept the same networks.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7720")]
    robot_sim: Vec<Place>,
    /// Number of generations, 1 to 1000000 [default: until Ctrl-C].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    generations: Option<u32>,
    /// Number of individuals in a generation, 2 to 100000.
    #[arg(long, default_value_t = 30)]
    population: u32,
    /// Number of best individuals that stay in the next generation and are evaluated again; less than --population.
    #[arg(long, default_value_t = 2)]
    elites: u32,
    /// Number of individuals in a tournament; the best of them becomes a parent.
    #[arg(long, default_value_t = 3)]
    tournament: u32,
    /// Fraction of children that take neurons from a second parent.
    #[arg(long, default_value_t = 0.5)]
    crossover: f64,
    /// Fraction of a child's values that are mutated.
    #[arg(long, default_value_t = 0.3)]
    mutation: f64,
    /// Initial standard deviation of mutations, as a fraction of a value's range, 0.001 to 0.5. Children inherit this
    /// step size, and it evolves.
    #[arg(long, default_value_t = 0.1)]
    step: f64,
    /// Fraction of children that gain a hidden neuron; the same fraction of children loses a hidden neuron.
    #[arg(long, default_value_t = 0.05)]
    growth: f64,
    /// Seed of all random numbers of this command.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Time after which a missing fitness is requested again, from another simulator if possible (s), 1 to 1000000.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    timeout: u32,
    /// Folder for the history (CSV, and a plot as SVG) and the best individual; it is created if it is missing.
    #[arg(short, long = "output", alias = "out", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON objects, one on each line: every generation, and at the end the best individual and the counts.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
}

/// Runs the command.
pub fn run(args: &PopulationManagerArgs) -> Result<()> {
    let settings = settings(args)?;
    if args.robot_sim.len() > MOST_SIMULATORS {
        bail!("{} robot simulators are given, but at most {MOST_SIMULATORS} are allowed", args.robot_sim.len());
    }
    let simulators = args.robot_sim.iter().map(address::resolve).collect::<Result<Vec<_>>>()?;
    let mut files = args.out.as_deref().map(Files::new).transpose()?;
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let mut manager = Manager::new(settings, &simulators, Duration::from_secs(args.timeout.into()));
    if let Some(generations) = args.generations {
        manager.end_after(generations);
    }
    let mut began = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let turn = manager.turn(LOOK).map_err(|error| anyhow!("{error}"))?;
        for line in turn.told {
            event_at!(line.level, target: "population-manager", "{}", line.text);
        }
        let Some((summary, champion)) = turn.generation else { continue };
        print_generation(args, &summary, began.elapsed());
        began = Instant::now();
        let best = manager.evolution().and_then(|evolution| evolution.best().cloned());
        if let Some(files) = &mut files {
            files.add(summary, champion, best)?;
        }
        if args.generations.is_some_and(|generations| summary.generation >= generations) {
            break;
        }
    }
    end(args, &mut manager, files)
}

fn settings(args: &PopulationManagerArgs) -> Result<Settings> {
    let &PopulationManagerArgs { population, elites, tournament, crossover, mutation, step, growth, seed, .. } = args;
    let variation = Variation { crossover, mutation, step, growth };
    let settings = Settings { population, elites, tournament, variation, seed };
    settings.check().map_err(|error| anyhow!("{error}"))?;
    Ok(settings)
}

/// Line that `xpuck serve population-manager --json` prints.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report {
    /// After each generation: statistics of its fitness values and of its networks.
    Generation {
        /// Number of the generation, from 1.
        generation: u32,
        /// Best fitness.
        best: f64,
        /// Mean fitness.
        mean: f64,
        /// Worst fitness.
        worst: f64,
        /// Mean number of hidden neurons.
        hidden: f64,
        /// Mean step size of mutations, as a fraction of a value's range.
        step: f64,
        /// Wall time of the generation (s).
        seconds: f64,
    },
    /// At the end: the best individual, and counts of the whole session.
    End {
        /// Best individual; `null` if no individual was evaluated.
        best: Option<BestIndividual>,
        /// Number of evaluated individuals.
        evaluated: u64,
        /// Number of individuals that were sent again after a timeout.
        overdue: u64,
        /// Number of fitness values that arrived after the timeout.
        late: u64,
        /// Number of fitness values that were received without a request.
        unknown: u64,
        /// Number of lost connections to simulators.
        lost: u64,
    },
}

/// Best individual of a session.
#[derive(Serialize, JsonSchema)]
pub struct BestIndividual {
    /// Generation in which the individual was born.
    generation: u32,
    /// Number of the individual in its generation.
    number: u32,
    /// Fitness.
    fitness: f64,
    /// Number of hidden neurons.
    hidden: usize,
}

fn print_generation(args: &PopulationManagerArgs, summary: &Summary, took: Duration) {
    let Summary { generation, best, mean, worst, hidden, step } = summary;
    let seconds = took.as_secs_f64();
    match args.json {
        true => report_json(&Report::Generation {
            generation: *generation,
            best: *best,
            mean: *mean,
            worst: *worst,
            hidden: *hidden,
            step: *step,
            seconds,
        }),
        false => log::print(format_args!(
            "generation {generation}: best {best:.4}, mean {mean:.4}, {hidden:.1} hidden neurons, {seconds:.1} s"
        )),
    }
}

/// Prints and saves the best individual of the session, which may belong to an incomplete generation.
fn end(args: &PopulationManagerArgs, manager: &mut Manager, files: Option<Files>) -> Result<()> {
    let best = manager.evolution().and_then(|evolution| {
        evolution.update_best();
        evolution.best().cloned()
    });
    let counts = manager.counts();
    if let Err(error) = files.map_or(Ok(()), |mut files| files.end(best.as_ref())) {
        // If the files cannot be written, the individual is printed, so that it is not lost.
        if let Some(best) = &best {
            log::print(evolution_files::line(best)?);
        }
        return Err(error);
    }
    if args.json {
        let best = best.map(|best| BestIndividual {
            generation: best.generation,
            number: best.number,
            fitness: best.fitness,
            hidden: best.genotype.hidden.len(),
        });
        let Counts { evaluated, overdue, late, unknown, lost } = counts;
        report_json(&Report::End { best, evaluated, overdue, late, unknown, lost });
        return Ok(());
    }
    match best {
        Some(best) => log::print(format_args!(
            "best of {} evaluations: {:.4} by individual {} of generation {}, with {} hidden neurons",
            counts.evaluated,
            best.fitness,
            best.number,
            best.generation,
            best.genotype.hidden.len()
        )),
        None => log::print("no individual was evaluated"),
    }
    if let Some(out) = &args.out {
        log::print(format_args!("saved in {}", out.display()));
    }
    Ok(())
}
