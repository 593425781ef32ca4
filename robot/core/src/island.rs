//! The robot's island as its control loop sees it: what it is made from, what comes of a generation, and what it tells.

use crate::probe::Found;
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
use xpuck_wire::log::Line;
use xpuck_wire::message::{Birth, Emigrant, MAX_SAMPLED, Operator, Population, RobotMessage, Sampled};

/// How long a finished generation waits for the others' genes, wall time.
pub const MIGRATION_WAIT: Duration = Duration::from_millis(250);

/// What an island is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct IslandPlan {
    /// The experiment.
    pub plan: Arc<Plan>,
    /// SHA-256 of its manifest, by which checkpoints know it.
    pub digest: String,
    /// Its number.
    pub number: u64,
    /// Seed of the run, the same for all islands.
    pub seed: u64,
    /// The island, from 1.
    pub island: u16,
}

impl IslandPlan {
    /// The island before its first trials.
    pub fn found(&self) -> Island {
        Island::new(self.plan.settings.clone(), self.plan.primitive_set.clone(), self.island, self.seed)
    }

    /// The simulation that one of the island's trials is, there and with these robots.
    pub fn job<'a>(&self, trial: &Trial, trials: &'a Trials, team: Team) -> Job<'a> {
        Job {
            spec: &trials.world,
            start: trial.stratum,
            team,
            seed: self.seed ^ u64::from(self.island) << 32,
            world: trial.world,
            updates: trial.length * trials.updates,
        }
    }
}

/// Where an island tries its trees: the world, the robots in it that run trees as written, and how long a trial is.
#[derive(Clone, Debug, PartialEq)]
pub struct Trials {
    /// The world.
    pub world: Arc<WorldSpec>,
    /// Of each robot the tree that it is given; the others run the individual that is tried.
    pub given: Vec<Option<Arc<Tree>>>,
    /// Controller updates in a trial of length one.
    pub updates: u32,
}

impl Trials {
    /// Those of a phase of an experiment.
    pub fn of(plan: &Plan, phase: &PlannedPhase) -> Trials {
        Trials { world: phase.world.clone(), given: phase.given.clone(), updates: updates(plan.trial_seconds) }
    }

    /// Those of a step of its curriculum, in which all robots run the individual that is tried.
    pub fn of_step(plan: &Plan, step: &Step) -> Trials {
        let updates = updates(step.seconds.unwrap_or(plan.trial_seconds));
        Trials { world: step.spec.clone(), given: Vec::new(), updates }
    }
}

/// Controller updates in so many simulated seconds.
fn updates(seconds: f32) -> u32 {
    (seconds / CONTROL_PERIOD).round() as u32
}

/// What the island tells.
#[derive(Clone, Debug)]
pub enum News {
    /// A generation is done.
    Generation(Box<Generation>),
    /// The island goes on from a checkpoint.
    Resumed {
        /// Where it stands.
        progress: Progress,
        /// The individual to drive the robot.
        champion: Box<Migrant>,
    },
    /// A line for the log.
    Say(Line),
}

/// A finished generation.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Where the island stands.
    pub progress: Progress,
    /// The individual to offer to others.
    pub emigrant: Migrant,
    /// The individual to drive the robot.
    pub champion: Migrant,
    /// Who was born in it.
    pub births: Vec<Birth>,
    /// Who else was sampled in it.
    pub samples: Vec<Sampled>,
    /// What the population looks like.
    pub population: Population,
    /// What was found out about the world, in experiments that adapt.
    pub found: Option<Found>,
}

impl Generation {
    /// Gives an island the fitness of its trials, one for each. It then waits for the others' genes.
    pub fn finish(island: &mut Island, fitness: &[f32]) -> Generation {
        let before: BTreeMap<Id, u32> = island.population().iter().map(|i| (i.id, i.samples.n())).collect();
        let generation = island.generation();
        island.record(fitness);
        // Who came from another island was born there, and who begins anew in another world was born before.
        let newborn =
            |i: &&Individual| before.get(&i.id) == Some(&0) && i.operator != Bred::Migration && i.born == generation;
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
        let samples = island.population().iter().filter(more).take(MAX_SAMPLED).map(|i| Sampled {
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

    /// What the hub is told of it.
    pub fn message(&self) -> RobotMessage {
        let (generation, births) = (self.progress.generation, self.births.clone());
        RobotMessage::Genes { generation, emigrant: Emigrant::of(self.emigrant.values()), births }
    }
}

/// What an island's population looks like.
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
