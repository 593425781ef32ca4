//! Islands of creatures, evolved generation by generation.

use super::config::Config;
use super::creature::{Creature, CreatureSpecies};
use super::fitness::{Evaluation, Fitness, HEAT_RATIO};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xpuck_evolve::families::FamilyPopulation;

/// State of a run between two generations.
pub type State = Vec<Island>;

/// Population and the number of steps simulated for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Island {
    /// Population of creatures, in families.
    pub population: FamilyPopulation<Creature>,
    /// Number of steps that were simulated for the creatures.
    pub steps: u64,
}

/// Run of body evolution.
pub struct BodyRun {
    config: Config,
    /// Rules for the creation and variation of creatures, from the configuration.
    creatures: CreatureSpecies,
    fitness: Fitness,
    islands: State,
    /// Whether the budget cut the last generation short. No generation follows such a generation.
    cut: bool,
}

/// Row of the run's table: one generation of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Number of the island, from 0.
    pub island: usize,
    /// Number of steps simulated so far on the island, divided by the steps of an evaluation.
    pub evaluations: f64,
    /// Number of bodies whose evaluation was started so far on the island.
    pub bodies: u64,
    /// Longest distance so far on the island (m).
    pub best: f64,
    /// Mean distance of the survivors (m).
    pub mean: f64,
    /// Number of different families among the survivors.
    pub families: usize,
    /// Number of parts of the best body.
    pub parts: usize,
}

impl BodyRun {
    /// Creates a run at its start.
    pub fn new(config: Config) -> BodyRun {
        let creatures = config.creatures();
        let islands = (0..config.islands).map(|number| Island {
            population: FamilyPopulation::with_founders(
                config.families.clone(),
                &creatures,
                number,
                config.seed,
                config.first_founders(),
            ),
            steps: 0,
        });
        BodyRun { islands: islands.collect(), fitness: config.fitness(), creatures, config, cut: false }
    }

    pub(super) fn resumed(config: Config, islands: State) -> BodyRun {
        BodyRun { fitness: config.fitness(), creatures: config.creatures(), islands, config, cut: false }
    }

    /// Returns the configuration of the run.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the islands of the run.
    pub fn islands(&self) -> &State {
        &self.islands
    }

    /// Returns the number of simulated steps of the island with the most steps, divided by the steps of an evaluation.
    pub fn evaluations(&self) -> f64 {
        let most = self.islands.iter().map(|island| island.steps).max().unwrap_or(0);
        most as f64 / f64::from(self.config.steps)
    }

    /// Returns whether the budget is used up.
    pub fn is_done(&self) -> bool {
        self.cut || self.left() == 0
    }

    /// Returns the number of complete evaluations that are left to each island.
    fn left(&self) -> u64 {
        let made =
            self.islands.iter().map(|island| island.steps.div_ceil(u64::from(self.config.steps))).max().unwrap_or(0);
        self.config.evaluations.saturating_sub(made)
    }

    /// Returns whether the budget cut the last generation short. A longer run must then repeat the last generation.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Evaluates all waiting creatures, exchanges the best creatures between islands, and breeds the next generation.
    /// Returns a table row for each island.
    pub fn step(&mut self) -> Vec<Row> {
        let most = self.affordable();
        for island in &mut self.islands {
            self.cut |= island.population.unevaluated().count() > most;
            island.population.limit(most as u64);
        }
        let mut evaluations = self.evaluate();
        self.try_again(&mut evaluations);
        let mut rest = evaluations.as_slice();
        for island in &mut self.islands {
            let (mine, others) = rest.split_at(island.population.unevaluated().count());
            rest = others;
            island.steps += mine.iter().map(|one| u64::from(one.steps)).sum::<u64>();
            let fitness: Vec<f64> = mine.iter().map(|one| one.fitness).collect();
            island.population.record(&self.creatures, &fitness);
        }
        let rows = self.islands.iter().enumerate().map(|(number, island)| self.row(number, island)).collect();
        self.exchange();
        self.islands.iter_mut().for_each(|island| island.population.breed(&self.creatures));
        rows
    }

    fn generation(&self) -> u32 {
        self.islands.first().map_or(0, |island| island.population.generation())
    }

    /// Returns whether the current generation consists of founders that are selected by heats. Only the founders with
    /// the longest distances are then evaluated completely.
    fn has_heats(&self) -> bool {
        let population = self.config.families.population;
        self.generation() == 0 && self.config.first_founders() > population && self.left() as usize > population
    }

    /// Returns the number of bodies that an island can evaluate with the remaining budget, in the worst case.
    fn affordable(&self) -> usize {
        let left = self.left() as usize;
        // All founders run the heat. Only the founders that fill the population are then evaluated completely. These
        // evaluations are reserved here.
        if self.has_heats() { (left - self.config.families.population) * HEAT_RATIO as usize } else { left }
    }

    /// Evaluates the waiting creatures of all islands, in the order of the islands.
    fn evaluate(&self) -> Vec<Evaluation> {
        let mut jobs: Vec<(&Creature, Option<f64>)> = Vec::new();
        for Island { population, .. } in &self.islands {
            let creatures = population.unevaluated().map(|one| &one.genome);
            jobs.extend(creatures.zip(population.hurdles(&self.creatures)));
        }
        if !self.has_heats() {
            return jobs.into_par_iter().map(|(creature, hurdle)| self.fitness.evaluate(creature, hurdle)).collect();
        }
        let mut heats: Vec<Evaluation> =
            jobs.par_iter().map(|(creature, _)| self.fitness.preliminary(creature)).collect();
        let mut winners: Vec<usize> = Vec::new();
        let mut first = 0;
        for Island { population, .. } in &self.islands {
            let next = first + population.unevaluated().count();
            let mut ranks: Vec<usize> = (first..next).collect();
            ranks.sort_by(|a, b| heats[*b].fitness.total_cmp(&heats[*a].fitness));
            winners.extend(ranks.into_iter().take(self.config.families.population));
            first = next;
        }
        let whole: Vec<Evaluation> =
            winners.par_iter().map(|winner| self.fitness.evaluate(jobs[*winner].0, None)).collect();
        for (winner, Evaluation { fitness, steps }) in winners.into_iter().zip(whole) {
            heats[winner] = Evaluation { fitness, steps: steps + heats[winner].steps };
        }
        heats
    }

    /// Repeats the walks of creatures that would become the best of their islands. The smaller distance counts. A
    /// walk that depends on rounding errors therefore does not determine the search.
    fn try_again(&self, evaluations: &mut [Evaluation]) {
        if !self.fitness.twice {
            return;
        }
        let mut first = 0;
        for Island { population, .. } in &self.islands {
            let mut best = population.best().map_or(0.0, |one| one.worth());
            for one in population.unevaluated() {
                let evaluation = &mut evaluations[first];
                first += 1;
                if evaluation.fitness > best {
                    let again = self.fitness.second_walk(&one.genome);
                    evaluation.fitness = evaluation.fitness.min(again.fitness);
                    evaluation.steps += again.steps;
                    best = best.max(evaluation.fitness);
                }
            }
        }
    }

    /// Copies the best creature of each island to the next island, if migrations are due in this generation.
    fn exchange(&mut self) {
        let every = self.config.exchange_every;
        if self.islands.len() < 2 || every == 0 || !self.generation().is_multiple_of(every) {
            return;
        }
        let best: Vec<_> = self.islands.iter().map(|island| island.population.best().cloned()).collect();
        for (to, island) in self.islands.iter_mut().enumerate() {
            let from = (to + best.len() - 1) % best.len();
            best[from].clone().into_iter().for_each(|migrant| {
                island.population.immigrate(migrant);
            });
        }
    }

    fn row(&self, number: usize, Island { population, steps }: &Island) -> Row {
        let known: Vec<f64> =
            population.members().iter().filter_map(|one| one.fitness).filter(|f| f.is_finite()).collect();
        let families: BTreeSet<_> = population.members().iter().map(|one| one.family).collect();
        let best = population.best();
        let plan = best.and_then(|one| xpuck_bodies::Plan::new(&one.genome.prif).ok());
        Row {
            generation: population.generation(),
            island: number,
            evaluations: *steps as f64 / f64::from(self.config.steps),
            bodies: population.evaluations(),
            best: best.and_then(|one| one.fitness).unwrap_or(0.0),
            mean: known.iter().sum::<f64>() / known.len().max(1) as f64,
            families: families.len(),
            parts: plan.map_or(0, |plan| plan.parts().len()),
        }
    }
}
