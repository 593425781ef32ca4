//! Comparison of paths of gene exchange by the fitness that nine robots reach. Each run simulates all trials of the
//! robots' evolution. The paths are the hub's geneserver, direct exchange between robots in range, direct exchange
//! with a hub that dies, and no exchange.

use super::mutants::Mutant;
use super::plan::{Event, FAULT_FREE_LINK, Plan, Traits};
use super::robot::Robot;
use super::run::{Settings, Swarm};
use super::text::signed;
use super::{ROBOTS, STEP};
use serde::Serialize;
use xpuck_evolve::{Algorithm, Island};
use xpuck_kernels::engine::{Engine, Job, Simd, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::message::Request;

/// Number of trials in the final measurement of each island's fittest tree, in worlds not used in evolution.
const TEST_TRIALS: u32 = 64;
/// Maximum duration of a run per generation (s of simulated time). A run ends after this duration times the number of
/// generations, even if some islands are not finished.
const MAX_SECONDS_PER_GENERATION: u32 = 20;

/// Path of gene exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GenePath {
    /// Exchange through the hub's geneserver.
    Hub,
    /// Direct exchange between robots in range.
    Peers,
    /// Direct exchange between robots in range. The hub dies permanently when all robots have completed a quarter of
    /// the generations.
    WithoutHub,
    /// No exchange.
    None,
}

impl GenePath {
    /// All paths.
    pub const ALL: [GenePath; 4] = [GenePath::Hub, GenePath::Peers, GenePath::WithoutHub, GenePath::None];
}

/// Settings of a transfer run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TransferSettings {
    /// Seed of the first run.
    pub seed: u64,
    /// Population size on each robot.
    pub population: usize,
    /// Number of generations of each island.
    pub generations: u32,
    /// Duration of a trial (s).
    pub trial_seconds: f32,
    /// Evolutionary algorithm of the islands.
    pub algorithm: Algorithm,
}

/// Outcome of a transfer run.
#[derive(Clone, Copy, Debug, Serialize, schemars::JsonSchema)]
pub struct Transfer {
    /// Seed of the run.
    pub seed: u64,
    /// Path of gene exchange.
    pub way: GenePath,
    /// Measured fitness of the fittest tree of each island, averaged over the islands.
    pub fitness: f64,
    /// Maximum of the measured fitness over the islands.
    pub best: f64,
    /// Number of generations, summed over the islands.
    pub generations: u32,
    /// Number of genes received directly from other robots, over all robots.
    pub genes: u64,
    /// Mean number of robots in range of a robot, over robots and time.
    pub in_range: f64,
    /// Simulated duration of the run (s).
    pub seconds: f64,
}

fn text(settings: TransferSettings, way: GenePath) -> String {
    let TransferSettings { population, trial_seconds, algorithm, .. } = settings;
    let head = match way {
        GenePath::Hub => "",
        GenePath::Peers => "genes = \"peers\"\n",
        GenePath::WithoutHub => "genes = \"peers\"\nsilence = { then = \"evolve\" }\n",
        GenePath::None => "migration = { policy = \"none\" }\n",
    };
    format!(
        "{head}name = \"transfer\"\ntask = \"transport\"\nminutes = 1440.0\nsegment_minutes = 0.5\n\
         [evolution]\nalgorithm = \"{algorithm}\"\npopulation = {population}\ntrial_seconds = {trial_seconds}\n"
    )
}

/// Simulates a run with the given path of gene exchange. The hub and the robots run their real decision code, the links
/// have no faults, and the robots' bodies move.
pub fn transfer(settings: TransferSettings, way: GenePath) -> Transfer {
    let TransferSettings { seed, generations, .. } = settings;
    let traits = vec![Traits { boots: 0, drift: 0.0, link: FAULT_FREE_LINK }; ROBOTS];
    let plan = Plan { happenings: Vec::new(), traits, calm: u32::MAX / 2, end: u32::MAX / 2 };
    let mut swarm = Swarm::new(Settings { seed, seconds: 0, mutant: None::<Mutant>, trace: false }, &plan);
    swarm.robots = std::mem::take(&mut swarm.robots).into_iter().map(Robot::with_real_trials).collect();
    let end = 1_000 * MAX_SECONDS_PER_GENERATION * generations;
    let (mut asked, mut killed, mut looks, mut in_range) = (false, false, 0u64, 0u64);
    let mut champions: [Option<Tree>; ROBOTS] = Default::default();
    while swarm.now < end && champions.iter().any(Option::is_none) {
        swarm.now += STEP;
        if !asked && swarm.now >= 500 {
            asked = true;
            swarm.hub.ask(Request::Start { signed: signed(text(settings, way)), seed });
        }
        swarm.step(plan.calm);
        let done = |robot: &Robot| robot.stands().map_or(0, |(_, generation)| generation);
        if way == GenePath::WithoutHub
            && !killed
            && swarm.robots.iter().all(|robot| done(robot) >= generations.div_ceil(4))
        {
            killed = true;
            swarm.apply_event(&Event::HubCrash(end, false, 0));
        }
        for (robot, champion) in swarm.robots.iter().zip(&mut champions) {
            if champion.is_none() && done(robot) >= generations {
                *champion = robot.island().map(|island: &Island| island.champion().tree.clone());
            }
        }
        if swarm.now.is_multiple_of(1_000) {
            let now = f64::from(swarm.now) / 1000.0;
            let reports = swarm.robots.iter().filter_map(|robot| robot.peers(now));
            (looks, in_range) = (looks + ROBOTS as u64, in_range + reports.map(|r| u64::from(r.in_range)).sum::<u64>());
        }
    }
    let fitness: Vec<f64> = champions.iter().flatten().map(|tree| measured(settings, tree)).collect();
    let now = f64::from(swarm.now) / 1000.0;
    Transfer {
        seed,
        way,
        fitness: fitness.iter().sum::<f64>() / ROBOTS as f64,
        best: fitness.iter().copied().fold(f64::MIN, f64::max),
        generations: swarm.robots.iter().filter_map(Robot::stands).map(|(_, generation)| generation).sum(),
        genes: swarm.robots.iter().filter_map(|robot| robot.peers(now)).map(|report| report.genes).sum(),
        in_range: in_range as f64 / looks.max(1) as f64,
        seconds: now,
    }
}

/// Returns the mean fitness of a tree that drives all robots, in trials that evolution has not used.
fn measured(settings: TransferSettings, tree: &Tree) -> f64 {
    let spec = WorldSpec::benchmark(ROBOTS);
    // Compilation does not fail, because trees of robots have passed the size check.
    let Ok(program) = Program::compile(&tree.under_avoiding()) else { return 0.0 };
    let updates = (settings.trial_seconds / CONTROL_PERIOD).round() as u32;
    let job = |world| Job {
        spec: &spec,
        start: world as usize % spec.starts.len().max(1),
        team: Team::all(0),
        seed: !settings.seed,
        world,
        updates,
    };
    let jobs: Vec<Job<'_>> = (0..TEST_TRIALS).map(job).collect();
    let outcomes = Simd::default().run(&[program], &jobs);
    outcomes.iter().map(|outcome| f64::from(outcome.fitness)).sum::<f64>() / f64::from(TEST_TRIALS)
}
