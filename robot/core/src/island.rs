//! Interface between the robot's control loop and its island: the plan of the island, the conditions of its trials,
//! the events of the island, and the results of a generation.

use crate::probe::ProbeResult;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use xpuck_evolve::Operator as Bred;
use xpuck_evolve::{Id, Individual, Island, Migrant, Progress, Trial};
use xpuck_experiment::{Plan, PlannedPhase, Step};
use xpuck_kernels::engine::{Job, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::task::Task;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Birth, Emigrant, MAX_SAMPLE_SUMMARIES, Operator, Population, RobotMessage, Sampled};

/// Time for which an island waits for genes of other robots after a completed generation, in wall time.
pub const MIGRATION_WAIT: Duration = Duration::from_millis(250);

/// Data from which an island is created.
#[derive(Clone, Debug, PartialEq)]
pub struct IslandPlan {
    /// Plan of the experiment.
    pub plan: Arc<Plan>,
    /// SHA-256 digest of the experiment's manifest. It identifies the experiment in checkpoints.
    pub digest: String,
    /// Number of the experiment.
    pub number: u64,
    /// Seed of the run. All islands use the same seed.
    pub seed: u64,
    /// Number of the island, from 1.
    pub island: u16,
}

impl IslandPlan {
    /// Creates the island in its state before the first trials.
    pub fn create(&self) -> Island {
        Island::new(self.plan.settings.clone(), self.plan.primitive_set.clone(), self.island, self.seed)
    }

    /// Returns the simulation job for one of the island's trials. `trials` are the conditions of the trial, and `team`
    /// defines the program of each robot.
    pub fn job<'a>(&self, trial: &Trial, trials: &'a Trials, team: Team) -> Job<'a> {
        Job {
            spec: &trials.world,
            start: trial.stratum,
            team,
            seed: self.seed ^ u64::from(self.island) << 32,
            world: trial.world,
            updates: trial.last_update(trials.updates),
        }
    }
}

/// Conditions of an island's trials: the world, the assigned trees of the robots, and the length of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Trials {
    /// World of the trials.
    pub world: Arc<WorldSpec>,
    /// Assigned tree of each robot. `None`: the robot runs the individual that is evaluated.
    pub given: Vec<Option<Arc<Tree>>>,
    /// Number of controller updates in a trial of length 1.
    pub updates: u32,
}

impl Trials {
    /// Returns the trials of a phase of an experiment.
    pub fn from_phase(plan: &Plan, phase: &PlannedPhase) -> Trials {
        Trials { world: phase.world.clone(), given: phase.given.clone(), updates: updates(plan.trial_seconds) }
    }

    /// Returns the trials of a step of the curriculum. In these trials, all robots run the individual that is
    /// evaluated.
    pub fn from_step(plan: &Plan, step: &Step) -> Trials {
        let updates = updates(step.seconds.unwrap_or(plan.trial_seconds));
        Trials { world: step.spec.clone(), given: Vec::new(), updates }
    }
}

/// Returns the number of controller updates in this simulated time (s).
fn updates(seconds: f32) -> u32 {
    (seconds / CONTROL_PERIOD).round() as u32
}

/// Event of an island.
#[derive(Clone, Debug)]
pub enum IslandEvent {
    /// A generation is complete.
    Generation(Box<Generation>),
    /// The island has resumed from a checkpoint.
    Resumed {
        /// Progress of the island.
        progress: Progress,
        /// Fittest individual of the island. Its tree can be loaded to control the robot.
        champion: Box<Migrant>,
    },
    /// A line for the log.
    Say(Line),
}

/// A completed generation.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Progress of the island.
    pub progress: Progress,
    /// Individual to offer to other islands.
    pub emigrant: Migrant,
    /// Fittest individual of the island. Its tree can be loaded to control the robot.
    pub champion: Migrant,
    /// Individuals born in this generation.
    pub births: Vec<Birth>,
    /// Individuals from earlier generations or other islands that were sampled in this generation.
    pub samples: Vec<Sampled>,
    /// Statistics of the population.
    pub population: Population,
    /// Estimates of the real world's parameters, in experiments that adapt the simulated world.
    pub found: Option<ProbeResult>,
}

/// Generation while its rounds are evaluated.
#[derive(Clone, Debug)]
pub struct PendingGeneration {
    generation: u32,
    /// Number of samples of each individual before the generation.
    samples: BTreeMap<Id, u32>,
    /// Number of simulations begun in the generation.
    simulations: u64,
}

impl PendingGeneration {
    /// Begins a generation, before its first round.
    pub fn begin(island: &Island) -> PendingGeneration {
        let samples = island.population().iter().map(|i| (i.id, i.samples.n())).collect();
        PendingGeneration { generation: island.generation(), samples, simulations: 0 }
    }

    /// Records the fitness of each trial of a round in a world with this task. Returns the completed generation after
    /// its last round. The island then waits for genes of other robots.
    pub fn record(&mut self, island: &mut Island, task: &Task, fitness: &[f32]) -> Option<Generation> {
        self.simulations += island.trials().iter().filter(|trial| trial.begin == 0).count() as u64;
        island.record_for(task, fitness).then(|| Generation::completed(island, self))
    }

    /// Returns the number of simulations begun in the rounds so far.
    pub fn simulations(&self) -> u64 {
        self.simulations
    }
}

impl Generation {
    fn completed(island: &Island, begun: &PendingGeneration) -> Generation {
        let PendingGeneration { generation, samples: before, .. } = begun;
        // Migrants are excluded, because they were born on another island. Individuals that were re-evaluated in a new
        // world are excluded, because they were born earlier.
        let newborn =
            |i: &&Individual| before.get(&i.id) == Some(&0) && i.operator != Bred::Migration && i.born == *generation;
        let births = island.population().iter().filter(newborn).map(|i| Birth {
            number: i.id.number,
            parents: i.parents.iter().flatten().map(|p| (p.island, p.number)).collect(),
            fitness: i.samples.mean() as f32,
            operator: match i.operator {
                Bred::Random => Operator::Random,
                Bred::Crossover => Operator::Crossover,
                Bred::Mutation => Operator::Mutation,
                Bred::Migration => Operator::Unknown,
            },
        });
        let births = births.collect();
        let more = |i: &&Individual| !newborn(i) && before.get(&i.id) != Some(&i.samples.n());
        let samples = island.population().iter().filter(more).take(MAX_SAMPLE_SUMMARIES).map(|i| Sampled {
            island: i.id.island,
            number: i.id.number,
            samples: i.samples.n(),
            fitness: i.samples.mean() as f32,
        });
        let samples = samples.collect();
        let best = island.champion();
        let champion = Migrant { id: best.id, tree: best.tree.clone(), samples: best.samples, epoch: island.epoch() };
        let (progress, population) = (island.progress(), population(island));
        Generation { progress, emigrant: island.emigrant(), champion, births, samples, population, found: None }
    }

    /// Returns the message to the hub about the births and the emigrant of this generation.
    pub fn message(&self) -> RobotMessage {
        let (generation, births) = (self.progress.generation, self.births.clone());
        RobotMessage::Genes { generation, emigrant: Emigrant::from_values(self.emigrant.values()), births }
    }
}

/// Returns statistics of an island's population.
fn population(island: &Island) -> Population {
    let trees = || island.population().iter().map(|individual| &individual.tree);
    let distinct: BTreeSet<Vec<u8>> = trees().map(Tree::key).collect();
    let nodes: usize = trees().map(|tree| tree.nodes().len()).sum();
    let size = trees().count();
    Population {
        generation: island.progress().generation,
        size: size as u32,
        distinct: distinct.len() as u32,
        mean_nodes: nodes as f32 / size.max(1) as f32,
        step: 0,
    }
}
