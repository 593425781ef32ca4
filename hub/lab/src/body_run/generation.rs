//! Islands of creatures, generation by generation.

use super::config::Config;
use super::creature::{Creature, Creatures};
use super::fitness::Fitness;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xpuck_evolve::families::FamilyPopulation;

/// What is kept of a run between generations.
pub type State = Vec<FamilyPopulation<Creature>>;

/// A run.
pub struct BodyRun {
    config: Config,
    /// What the configuration says of creatures, read once.
    creatures: Creatures,
    fitness: Fitness,
    islands: State,
    /// Whether the last generation had fewer bodies than it would have in a longer run.
    cut: bool,
}

/// A generation of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// From 1.
    pub generation: u32,
    /// From 0.
    pub island: usize,
    /// Bodies evaluated so far on it.
    pub evaluations: u64,
    /// The longest way so far, m.
    pub best: f64,
    /// The mean way of the survivors, m.
    pub mean: f64,
    /// Different families among them.
    pub families: usize,
    /// Parts of the best body.
    pub parts: usize,
}

impl BodyRun {
    /// A run at its beginning.
    pub fn new(config: Config) -> BodyRun {
        let creatures = config.creatures();
        let island = |number| FamilyPopulation::new(config.families.clone(), &creatures, number, config.seed);
        let islands = (0..config.islands).map(island).collect();
        BodyRun { fitness: config.fitness(), creatures, islands, config, cut: false }
    }

    pub(super) fn resumed(config: Config, islands: State) -> BodyRun {
        BodyRun { fitness: config.fitness(), creatures: config.creatures(), islands, config, cut: false }
    }

    /// What it is.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its populations.
    pub fn islands(&self) -> &State {
        &self.islands
    }

    /// Bodies evaluated on each island; all have as many.
    pub fn evaluations(&self) -> u64 {
        self.islands.first().map_or(0, FamilyPopulation::evaluations)
    }

    /// True when all evaluations are made.
    pub fn is_done(&self) -> bool {
        self.islands.iter().all(|island| island.evaluations() >= self.config.evaluations)
    }

    /// True if the budget cut the last generation short, so that a longer run is to begin with the one before.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Evaluates all that wait, lets islands exchange their best, and makes the next generation; returns a row for each island.
    pub fn step(&mut self) -> Vec<Row> {
        let Config { evaluations, exchange_every, .. } = self.config;
        let (creatures, fitness) = (&self.creatures, &self.fitness);
        for island in &mut self.islands {
            let waiting = island.waiting().count();
            island.limit(evaluations.saturating_sub(island.evaluations()));
            self.cut |= island.waiting().count() < waiting;
        }
        let mut jobs: Vec<(&Creature, f64)> = Vec::new();
        for island in &self.islands {
            // Before the first generation nobody has survived.
            let least = island.members().iter().filter_map(|member| member.fitness).reduce(f64::min).unwrap_or(0.0);
            jobs.extend(island.waiting().map(|one| (&one.genome, least)));
        }
        let ways: Vec<f64> = jobs.into_par_iter().map(|(creature, least)| fitness.of(creature, least)).collect();
        let mut rest = ways.as_slice();
        for island in &mut self.islands {
            let (mine, others) = rest.split_at(island.waiting().count());
            rest = others;
            island.record(creatures, mine);
        }
        let rows = self.islands.iter().enumerate().map(|(number, island)| Row::of(number, island)).collect();
        let generation = self.islands.first().map_or(0, FamilyPopulation::generation);
        if self.islands.len() > 1 && exchange_every > 0 && generation.is_multiple_of(exchange_every) {
            let best: Vec<_> = self.islands.iter().map(|island| island.best().cloned()).collect();
            for (to, island) in self.islands.iter_mut().enumerate() {
                let from = (to + best.len() - 1) % best.len();
                best[from].clone().into_iter().for_each(|migrant| {
                    island.immigrate(migrant);
                });
            }
        }
        self.islands.iter_mut().for_each(|island| island.breed(creatures));
        rows
    }
}

impl Row {
    fn of(number: usize, island: &FamilyPopulation<Creature>) -> Row {
        let known: Vec<f64> = island.members().iter().filter_map(|one| one.fitness).filter(|f| f.is_finite()).collect();
        let families: std::collections::BTreeSet<_> = island.members().iter().map(|one| one.family).collect();
        let best = island.best();
        let plan = best.and_then(|one| xpuck_bodies::Plan::new(&one.genome.prif).ok());
        Row {
            generation: island.generation(),
            island: number,
            evaluations: island.evaluations(),
            best: best.and_then(|one| one.fitness).unwrap_or(0.0),
            mean: known.iter().sum::<f64>() / known.len().max(1) as f64,
            families: families.len(),
            parts: plan.map_or(0, |plan| plan.parts().len()),
        }
    }
}
