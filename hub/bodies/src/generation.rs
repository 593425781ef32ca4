//! Islands of creatures, generation by generation.

use super::config::Config;
use super::creature::{Creature, Creatures};
use super::fitness::{Evaluation, Fitness, HEAT};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xpuck_evolve::families::FamilyPopulation;

/// What is kept of a run between generations.
pub type State = Vec<Island>;

/// A population and what it took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Island {
    /// The creatures.
    pub population: FamilyPopulation<Creature>,
    /// Steps that were simulated for them.
    pub steps: u64,
}

/// A run.
pub struct BodyRun {
    config: Config,
    /// What the configuration says of creatures, read once.
    creatures: Creatures,
    fitness: Fitness,
    islands: State,
    /// Whether the last generation had fewer bodies than it would have in a longer run, which is then the last.
    cut: bool,
}

/// A generation of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// From 1.
    pub generation: u32,
    /// From 0.
    pub island: usize,
    /// Steps simulated so far on it, in evaluations of a whole walk each.
    pub evaluations: f64,
    /// Bodies begun so far on it.
    pub bodies: u64,
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
        let islands = (0..config.islands).map(|number| Island {
            population: FamilyPopulation::of_founders(
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

    /// What it is.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its islands.
    pub fn islands(&self) -> &State {
        &self.islands
    }

    /// Evaluations of a whole walk that the simulated steps come to, on the island that made the most.
    pub fn evaluations(&self) -> f64 {
        let most = self.islands.iter().map(|island| island.steps).max().unwrap_or(0);
        most as f64 / f64::from(self.config.steps)
    }

    /// True when no evaluation is left.
    pub fn is_done(&self) -> bool {
        self.cut || self.left() == 0
    }

    /// Whole evaluations that are left to each island.
    fn left(&self) -> u64 {
        let made =
            self.islands.iter().map(|island| island.steps.div_ceil(u64::from(self.config.steps))).max().unwrap_or(0);
        self.config.evaluations.saturating_sub(made)
    }

    /// True if the budget cut the last generation short, so that a longer run is to begin with the one before.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Evaluates all that wait, lets islands exchange their best, and makes the next generation; returns a row for each island.
    pub fn step(&mut self) -> Vec<Row> {
        let most = self.affordable();
        for island in &mut self.islands {
            self.cut |= island.population.waiting().count() > most;
            island.population.limit(most as u64);
        }
        let mut evaluations = self.evaluate();
        self.try_again(&mut evaluations);
        let mut rest = evaluations.as_slice();
        for island in &mut self.islands {
            let (mine, others) = rest.split_at(island.population.waiting().count());
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

    /// Whether the generation in hand is of founders that run a heat before some of them are evaluated.
    fn has_heats(&self) -> bool {
        let population = self.config.families.population;
        self.generation() == 0 && self.config.first_founders() > population && self.left() as usize > population
    }

    /// How many bodies an island can evaluate with what is left, whatever they take.
    fn affordable(&self) -> usize {
        let left = self.left() as usize;
        // All run the heat, and as many as the population has are evaluated.
        if self.has_heats() { (left - self.config.families.population) * HEAT as usize } else { left }
    }

    /// What those that wait are worth, island by island.
    fn evaluate(&self) -> Vec<Evaluation> {
        let mut jobs: Vec<(&Creature, Option<f64>)> = Vec::new();
        for Island { population, .. } in &self.islands {
            let creatures = population.waiting().map(|one| &one.genome);
            jobs.extend(creatures.zip(population.hurdles(&self.creatures)));
        }
        if !self.has_heats() {
            return jobs.into_par_iter().map(|(creature, hurdle)| self.fitness.of(creature, hurdle)).collect();
        }
        let mut heats: Vec<Evaluation> = jobs.par_iter().map(|(creature, _)| self.fitness.heat(creature)).collect();
        let mut winners: Vec<usize> = Vec::new();
        let mut first = 0;
        for Island { population, .. } in &self.islands {
            let next = first + population.waiting().count();
            let mut ranks: Vec<usize> = (first..next).collect();
            ranks.sort_by(|a, b| heats[*b].fitness.total_cmp(&heats[*a].fitness));
            winners.extend(ranks.into_iter().take(self.config.families.population));
            first = next;
        }
        let whole: Vec<Evaluation> = winners.par_iter().map(|winner| self.fitness.of(jobs[*winner].0, None)).collect();
        for (winner, Evaluation { fitness, steps }) in winners.into_iter().zip(whole) {
            heats[winner] = Evaluation { fitness, steps: steps + heats[winner].steps };
        }
        heats
    }

    /// Tries those again that would be the best of their islands: what counts is the lesser of both ways, so that no walk that hangs on
    /// its last digits leads the search.
    fn try_again(&self, evaluations: &mut [Evaluation]) {
        if !self.fitness.twice {
            return;
        }
        let mut first = 0;
        for Island { population, .. } in &self.islands {
            let mut best = population.best().map_or(0.0, |one| one.worth());
            for one in population.waiting() {
                let evaluation = &mut evaluations[first];
                first += 1;
                if evaluation.fitness > best {
                    let again = self.fitness.again(&one.genome);
                    evaluation.fitness = evaluation.fitness.min(again.fitness);
                    evaluation.steps += again.steps;
                    best = best.max(evaluation.fitness);
                }
            }
        }
    }

    /// The best of each island goes to the next one, in generations that are for that.
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
