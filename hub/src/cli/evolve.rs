//! `xpuck evolve`: islands without robots.

use anyhow::{Context, Result, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xpuck_evolve::{Algorithm, Individual, Island, Palette, Settings};
use xpuck_hub::geneserver::Geneserver;
use xpuck_hub::measure::{Plan, measure_all};
use xpuck_kernels::engine::{Crew, Evaluator, Job, Simd};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::WorldSpec;

/// Evolve controllers on islands in this process, without robots.
///
/// All islands finish a generation before any starts the next, so the same seed gives the same digits on any number
/// of threads. At the end every island's champion is measured again on fresh seeds, which luck cannot flatter.
#[derive(Args)]
pub struct EvolveArgs {
    /// Number of islands, 1 to 64.
    #[arg(long, default_value_t = 9)]
    islands: u16,
    /// Individuals on each island.
    #[arg(long, default_value_t = 256)]
    population: usize,
    /// Generations.
    #[arg(long, default_value_t = 84)]
    generations: u32,
    /// Robots in each simulation, 1 to 16.
    #[arg(long, default_value_t = 9)]
    robots: usize,
    /// Simulated seconds of each trial.
    #[arg(long, default_value_t = 30.0)]
    seconds: f32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Simulations of 60 s for each champion at the end.
    #[arg(long, default_value_t = 200)]
    remeasure: u32,
    /// Depth of new trees.
    #[arg(long)]
    depth: Option<usize>,
    /// Immigrants that an island takes in each generation.
    #[arg(long)]
    immigrants: Option<usize>,
    /// Part of the population that is elite.
    #[arg(long)]
    elite: Option<f32>,
    /// Probability that a non-elite individual is replaced.
    #[arg(long)]
    replace: Option<f32>,
    /// Probability that a replacement comes from crossover rather than from scratch.
    #[arg(long)]
    crossover: Option<f32>,
    /// Probability that an individual gets a new subtree.
    #[arg(long)]
    mutate_subtree: Option<f32>,
    /// The algorithm as the thesis describes it; it selects luck (see docs/architecture.md).
    #[arg(long)]
    as_published: bool,
    /// Folder for the final trees as text: each island's champion, and its elite from the fittest down.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print one JSON object at the end, and no progress.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Output {
    seed: u64,
    algorithm: &'static str,
    final_mean: f64,
    final_best: f64,
    remeasured_mean: f64,
    remeasured_best: f64,
    #[serde(rename = "generations_to_0.205")]
    generations_to: Option<u32>,
    generations: u32,
    robot_seconds: f64,
    wall_s: f64,
    best_tree: String,
}

/// Runs the command.
pub fn run(args: &EvolveArgs) -> Result<()> {
    if !(1..=64).contains(&args.islands) || !(1..=16).contains(&args.robots) || args.generations == 0 {
        bail!("--islands takes 1 to 64, --robots 1 to 16, --generations at least 1");
    }
    if !(1.0..=3600.0).contains(&args.seconds) || !(1..=100_000).contains(&args.remeasure) {
        bail!("--seconds takes 1 to 3600, --remeasure 1 to 100000");
    }
    let algorithm = if args.as_published { Algorithm::NoiseAware } else { Algorithm::Honest };
    let defaults = Settings::of(algorithm);
    let settings = Settings {
        population: args.population,
        immigrants: args.immigrants.unwrap_or(defaults.immigrants),
        depth: args.depth.unwrap_or(defaults.depth),
        elite: args.elite.unwrap_or(defaults.elite),
        replace: args.replace.unwrap_or(defaults.replace),
        crossover: args.crossover.unwrap_or(defaults.crossover),
        mutate_subtree: args.mutate_subtree.unwrap_or(defaults.mutate_subtree),
        ..defaults
    };
    settings.check()?;
    let started = Instant::now();
    let mut swarm = Swarm {
        islands: (0..args.islands).map(|i| Island::new(settings.clone(), Palette::in_swarm(), i, args.seed)).collect(),
        server: Geneserver::new(algorithm.form(), settings.immigrants),
        updates: (args.seconds * 10.0).round() as u32,
        spec: WorldSpec::benchmark(args.robots),
        seed: args.seed,
        evaluator: Evaluator::default(),
    };
    let bar = if args.json { ProgressBar::hidden() } else { ProgressBar::new(u64::from(args.generations)) };
    bar.set_style(ProgressStyle::with_template("{bar:30.cyan} generation {pos}/{len}  {msg}  {eta} left")?);
    let mut reached = None;
    let mut mean = 0.0;
    for generation in 1..=args.generations {
        swarm.evaluate();
        mean = swarm.mean_derated();
        if mean >= 0.205 && reached.is_none() {
            reached = Some(generation);
        }
        bar.set_message(format!("mean {mean:.3}"));
        bar.inc(1);
        if generation < args.generations {
            swarm.advance();
        }
    }
    bar.finish_and_clear();
    if let Some(folder) = &args.out {
        write_trees(folder, &swarm.islands, settings.elites()).with_context(|| folder.display().to_string())?;
    }
    let champions: Vec<Tree> = swarm.islands.iter().map(|i| i.champion().tree.under_avoiding()).collect();
    let programs: Vec<Program> = champions.iter().map(Program::compile).collect::<Result<_, _>>()?;
    // A seed of its own: none of these worlds has been seen in evolution.
    let seed = !args.seed;
    let plan = Plan { spec: &swarm.spec, seconds: 60.0, runs: args.remeasure, seed };
    let again: Vec<f64> = measure_all(&Simd::default(), &programs, &plan).iter().map(|m| m.mean).collect();
    let best = (0..again.len()).max_by(|a, b| again[*a].total_cmp(&again[*b])).unwrap_or(0);
    let trials = f64::from(args.generations) * f64::from(args.islands) * args.population as f64;
    let output = Output {
        seed: args.seed,
        algorithm: if args.as_published { "noise-aware as published" } else { "noise-aware" },
        final_mean: mean,
        final_best: swarm.islands.iter().map(|i| i.progress().best).fold(f64::NEG_INFINITY, f64::max),
        remeasured_mean: again.iter().sum::<f64>() / again.len() as f64,
        remeasured_best: again[best],
        generations_to: reached,
        generations: args.generations,
        robot_seconds: trials * args.robots as f64 * f64::from(swarm.updates) / 10.0,
        wall_s: started.elapsed().as_secs_f64(),
        best_tree: champions[best].to_string(),
    };
    if args.json {
        println!("{}", serde_json::to_string(&output)?);
        return Ok(());
    }
    println!(
        "evolved fitness, mean of {} islands: {:.3}; best {:.3}",
        args.islands, output.final_mean, output.final_best
    );
    println!("measured again on fresh seeds:       {:.3}; best {:.3}", output.remeasured_mean, output.remeasured_best);
    println!("{:.1} million robot-seconds in {:.1} s", output.robot_seconds / 1e6, output.wall_s);
    println!("\n# the best of the champions\n{}", output.best_tree);
    Ok(())
}

/// Writes the trees of all islands, with their `avoiding` in front, so that every file runs as it is.
fn write_trees(folder: &Path, islands: &[Island], elites: usize) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (i, island) in islands.iter().enumerate() {
        let write = |name: String, individual: &Individual| {
            let (id, n, mean) = (individual.id, individual.samples.n(), individual.samples.mean());
            let text = format!("# {id}: fitness {mean:.3} in {n} trials\n{}", individual.tree.under_avoiding());
            std::fs::write(folder.join(name), text)
        };
        write(format!("champion-{i}.bt"), island.champion())?;
        for (rank, individual) in island.population().iter().take(elites).enumerate() {
            write(format!("elite-{i}-{rank:03}.bt"), individual)?;
        }
    }
    Ok(())
}

struct Swarm {
    islands: Vec<Island>,
    server: Geneserver,
    updates: u32,
    spec: WorldSpec,
    seed: u64,
    evaluator: Evaluator,
}

impl Swarm {
    fn evaluate(&mut self) {
        let mut trees: Vec<&Tree> = Vec::new();
        let mut jobs = Vec::new();
        for (i, island) in self.islands.iter().enumerate() {
            let first = trees.len();
            trees.extend(island.population().iter().map(|p| &p.tree));
            jobs.extend(island.trials().into_iter().map(|trial| Job {
                spec: &self.spec,
                start: trial.stratum,
                crew: Crew::all(first + trial.individual),
                seed: self.seed ^ (i as u64 + 1) << 32,
                world: trial.world,
                updates: trial.updates.unwrap_or(self.updates),
            }));
        }
        self.evaluator.prepare(&trees);
        let fitness = self.evaluator.fitness(&Simd::default(), &jobs);
        let mut rest = fitness.as_slice();
        for island in &mut self.islands {
            let (mine, others) = rest.split_at(island.trials().len());
            island.record(mine);
            rest = others;
        }
    }

    fn advance(&mut self) {
        for (i, island) in self.islands.iter_mut().enumerate() {
            let immigrants = self.server.exchange(i as u16, island.emigrant());
            island.advance(&immigrants);
        }
    }

    fn mean_derated(&self) -> f64 {
        self.islands.iter().map(|i| i.progress().derated).sum::<f64>() / self.islands.len() as f64
    }
}
