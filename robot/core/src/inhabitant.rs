//! The robot's island as its control loop sees it: how it is made, what comes of a generation, its fittest tree, and a
//! tree that is still owed.

use crate::core::Core;
use std::collections::BTreeSet;
use xpuck_evolve::{Algorithm, Id, Island, Migrant, PrimitiveSet, Progress, Settings};
use xpuck_kernels::tree::CompileError;
use xpuck_wire::Experiment;
use xpuck_wire::message::{Birth, Gene, RobotMessage};

/// The island that an experiment asks for; `island` counts from 1, `seed` is the run's.
pub fn found(experiment: &Experiment, algorithm: Algorithm, island: u16, seed: u64) -> Island {
    let population = experiment.evolution.population;
    let immigrants = experiment.migration.receive.min(population / 2);
    let exchange_every = experiment.migration.every;
    let settings = Settings { population, immigrants, exchange_every, ..Settings::of(algorithm) };
    Island::new(settings, PrimitiveSet::in_swarm(), island, seed)
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
}

impl Generation {
    /// Gives an island the fitness of its trials, one for each. It then waits for the others' genes.
    pub fn finish(island: &mut Island, fitness: &[f32]) -> Generation {
        let newborn: BTreeSet<Id> = island.population().iter().filter(|i| i.samples.n() == 0).map(|i| i.id).collect();
        island.record(fitness);
        let births = island.population().iter().filter(|i| newborn.contains(&i.id)).map(|i| Birth {
            number: i.id.number,
            parents: i.parents.iter().flatten().map(|p| (p.island, p.number)).collect(),
            fitness: i.samples.mean() as f32,
        });
        let births = births.collect();
        let best = island.champion();
        let champion = Migrant { id: best.id, tree: best.tree.clone(), samples: best.samples, epoch: island.epoch() };
        Generation { progress: island.progress(), emigrant: island.emigrant(), champion, births }
    }

    /// What the hub is told of it.
    pub fn message(&self) -> RobotMessage {
        let (generation, births) = (self.progress.generation, self.births.clone());
        RobotMessage::Genes { generation, emigrant: Gene::of(self.emigrant.values()), births }
    }
}

/// The island's fittest, which is to drive the robot.
#[derive(Clone, Debug, Default)]
pub struct Inhabitant {
    champion: Option<Migrant>,
    /// A segment whose tree could not be loaded yet, because no generation is done.
    owed: Option<u32>,
    progress: Progress,
}

impl Inhabitant {
    /// Where the island stands.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Takes the fittest of a finished generation, and loads it if a segment waits for one.
    ///
    /// # Errors
    /// As [`Inhabitant::load`].
    pub fn take(
        &mut self,
        core: &mut Core,
        progress: Progress,
        champion: Migrant,
    ) -> Result<Option<RobotMessage>, CompileError> {
        (self.progress, self.champion) = (progress, Some(champion));
        self.owed.map_or(Ok(None), |segment| self.load(core, segment))
    }

    /// Puts the fittest tree in control for a segment and says what to tell the hub; before the first generation is done
    /// that waits until it is.
    ///
    /// # Errors
    /// If the tree does not fit the robot: the one before stays in control.
    pub fn load(&mut self, core: &mut Core, segment: u32) -> Result<Option<RobotMessage>, CompileError> {
        let Some(champion) = &self.champion else {
            self.owed = Some(segment);
            return Ok(None);
        };
        self.owed = None;
        core.load(&champion.tree)?;
        Ok(Some(RobotMessage::Loaded { segment, gene: Gene::of(champion.values()) }))
    }
}
