//! One island: the noise-aware algorithm (thesis 8.2.2) and the island's side of migration (8.3.1).
//!
//! A generation is: every individual tried once more ([`Island::trials`], [`Island::record`]), the fittest offered
//! to the other islands ([`Island::emigrant`]), then immigrants taken in and the next population made
//! ([`Island::advance`]).

use crate::generate::{full, grow, ramped};
use crate::individual::{Id, Individual, Migrant, Operator};
use crate::palette::Palette;
use crate::samples::Samples;
use crate::settings::{Form, Settings};
use crate::variation::{crossover, mutate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::Tree;

/// How many standard errors below the mean the 95 % likelihood fitness lies.
const LIKELIHOOD_95: f64 = 1.96;
/// How many samples of fitness 0 the prior about a genotype counts for. A trial's noise is about 0.1, and true
/// fitness differs by about 0.03 among those worth comparing: (0.1 / 0.03)^2.
const PRIOR_SAMPLES: f64 = 12.0;
/// What a node costs in fitness in the honest form: of two equally good trees the smaller one is kept.
const NODE_COST: f64 = 5e-5;
/// Attempts to make a tree that the population does not hold yet, by variation and then from scratch.
const NEW_TREE_TRIES: usize = 16;

/// One simulation that the island wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Index of the individual in the population.
    pub individual: usize,
    /// Which kind of trial: 0 or 1.
    pub stratum: usize,
    /// Number of the world, never used twice on an island; with the island's seed it fixes the simulation.
    pub world: u32,
}

/// Where an island stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Generations evaluated so far.
    pub generation: u32,
    /// The champion's estimated fitness.
    pub best: f64,
    /// The same, scaled down below 8 evaluations (Eq. 8.1).
    pub derated: f64,
    /// The champion's number of evaluations.
    pub evaluations: u32,
    /// The population's mean fitness.
    pub mean: f64,
}

/// A population that evolves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Island {
    settings: Settings,
    palette: Palette,
    island: u16,
    seed: u64,
    generation: u32,
    born: u32,
    /// Fittest first once the generation has been recorded.
    population: Vec<Individual>,
    epoch: u32,
    /// Generation in which the epoch began.
    epoch_began: u32,
    /// The best champion of earlier epochs.
    kept: Option<Individual>,
    rejected: u64,
}

impl Island {
    /// An island with a ramped half-and-half population. The settings must have passed [`Settings::check`].
    pub fn new(settings: Settings, palette: Palette, island: u16, seed: u64) -> Island {
        let mut new = Island {
            settings,
            palette,
            island,
            seed,
            generation: 0,
            born: 0,
            population: Vec::new(),
            epoch: 0,
            epoch_began: 0,
            kept: None,
            rejected: 0,
        };
        new.populate();
        new
    }

    /// A ramped half-and-half population.
    fn populate(&mut self) {
        self.population.clear();
        let mut keys = BTreeSet::new();
        let (count, depth) = (self.settings.population, self.settings.depth);
        for i in 0..count {
            let mut draws = self.draws(i as u32, self.generation);
            let tree = self.unseen(&mut keys, &mut draws, |p, d| ramped(p, i, count, depth, d));
            let individual = self.newborn(tree, None, Operator::Random);
            self.population.push(individual);
        }
    }

    fn draws(&self, individual: u32, generation: u32) -> Draws {
        Draws::new(self.seed, u32::from(self.island), individual, generation, Stream::Evolution)
    }

    fn newborn(&mut self, tree: Tree, parents: Option<[Id; 2]>, operator: Operator) -> Individual {
        let id = Id { island: self.island, number: self.born };
        self.born += 1;
        Individual { id, parents, operator, born: self.generation, tree, samples: Samples::default() }
    }

    /// Makes trees until one is not in `keys` yet (in the honest form), and notes it there.
    fn unseen(
        &self,
        keys: &mut BTreeSet<Vec<u8>>,
        draws: &mut Draws,
        make: impl Fn(&Palette, &mut Draws) -> Tree,
    ) -> Tree {
        let mut tree = make(&self.palette, draws);
        if self.settings.form == Form::AsPublished {
            return tree;
        }
        for attempt in 0..2 * NEW_TREE_TRIES {
            if keys.insert(tree.key()) {
                break;
            }
            // Parents that have nothing new to give make room for a tree from scratch.
            let exhausted = attempt >= NEW_TREE_TRIES;
            tree = if exhausted { grow(&self.palette, self.settings.depth, draws) } else { make(&self.palette, draws) };
        }
        tree
    }

    /// The population; fittest first after [`Island::record`].
    pub fn population(&self) -> &[Individual] {
        &self.population
    }

    /// Generations recorded so far.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Fresh starts so far.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Samples that were not finite and counted as -1.
    pub fn rejected_samples(&self) -> u64 {
        self.rejected
    }

    /// One trial for every individual.
    pub fn trials(&self) -> Vec<Trial> {
        let first = self.generation * self.settings.population as u32;
        let trial = |(i, individual): (usize, &Individual)| Trial {
            individual: i,
            stratum: individual.samples.next_stratum(),
            world: first + i as u32,
        };
        self.population.iter().enumerate().map(trial).collect()
    }

    /// Takes the fitness of each trial in order, and sorts the population.
    ///
    /// # Panics
    /// If there are not as many results as trials.
    pub fn record(&mut self, fitness: &[f32]) {
        assert_eq!(fitness.len(), self.population.len(), "one result for each trial");
        for (individual, f) in self.population.iter_mut().zip(fitness) {
            let sound = f.is_finite();
            self.rejected += u64::from(!sound);
            let stratum = individual.samples.next_stratum();
            individual.samples.add(stratum, if sound { f64::from(*f) } else { -1.0 });
        }
        self.generation += 1;
        self.sort();
    }

    fn sort(&mut self) {
        let mut population = std::mem::take(&mut self.population);
        population.sort_by_cached_key(|i| (Descending(self.worth(i)), i.id));
        self.population = population;
    }

    /// The estimate that elites, tournaments and the champion are chosen by.
    ///
    /// Honest: the posterior mean under a prior about 0 that weighs [`PRIOR_SAMPLES`], so few samples count little.
    /// As published: the mean orders the population, and tournaments compare the 95 % likelihood fitness, or half the
    /// only sample (see [`Island::likelihood`]).
    fn estimate(&self, samples: &Samples) -> f64 {
        match self.settings.form {
            Form::AsPublished => samples.mean(),
            Form::Honest => {
                let n = f64::from(samples.n());
                samples.mean() * n / (n + PRIOR_SAMPLES)
            }
        }
    }

    /// What orders the population: the estimate, and in the honest form a little less for every node.
    fn worth(&self, individual: &Individual) -> f64 {
        let estimate = self.estimate(&individual.samples);
        match self.settings.form {
            Form::AsPublished => estimate,
            Form::Honest => estimate - NODE_COST * individual.tree.nodes().len() as f64,
        }
    }

    /// What a tournament compares.
    fn likelihood(&self, individual: &Individual) -> f64 {
        let samples = &individual.samples;
        match self.settings.form {
            Form::Honest => self.worth(individual),
            Form::AsPublished if samples.n() < 2 => samples.mean() / 2.0,
            Form::AsPublished => samples.mean() - LIKELIHOOD_95 * samples.deviation() / f64::from(samples.n()).sqrt(),
        }
    }

    fn derated(&self, samples: &Samples) -> f64 {
        let full = self.settings.full_evaluations;
        samples.mean() * f64::from(samples.n().min(full)) / f64::from(full)
    }

    /// The individual to drive the robot: highest estimate, of earlier epochs too, or highest derated fitness as
    /// published.
    pub fn champion(&self) -> &Individual {
        let value = |i: &Individual| match self.settings.form {
            Form::AsPublished => self.derated(&i.samples),
            Form::Honest => self.worth(i),
        };
        // The first of equals, so that the order of the population decides.
        let mut best = self.kept.as_ref().unwrap_or(&self.population[0]);
        for individual in &self.population {
            if value(individual) > value(best) {
                best = individual;
            }
        }
        best
    }

    /// Where the island stands.
    pub fn progress(&self) -> Progress {
        let champion = self.champion();
        let total: f64 = self.population.iter().map(|i| i.samples.mean()).sum();
        Progress {
            generation: self.generation,
            best: champion.samples.mean(),
            derated: self.derated(&champion.samples),
            evaluations: champion.samples.n(),
            mean: total / self.population.len() as f64,
        }
    }

    /// The individual to offer to the others: from the top half of the elite, the fittest of those with 8 evaluations,
    /// or failing that with 7, and so on.
    pub fn emigrant(&self) -> Migrant {
        let top = &self.population[..(self.settings.elites() / 2).max(1)];
        let most = top.iter().map(|i| i.samples.n().min(self.settings.full_evaluations)).max().unwrap_or(0);
        let best = top.iter().find(|i| i.samples.n() >= most).unwrap_or(&self.population[0]);
        Migrant { id: best.id, tree: best.tree.clone(), samples: best.samples, epoch: self.epoch }
    }

    /// Takes immigrants in and makes the next population.
    pub fn advance(&mut self, immigrants: &[Migrant]) {
        if self.settings.epoch > 0 && self.generation - self.epoch_began >= self.settings.epoch {
            self.kept = Some(self.champion().clone());
            self.epoch += 1;
            self.epoch_began = self.generation;
            self.populate();
            return;
        }
        self.immigrate(immigrants);
        self.breed();
    }

    /// Immigrants replace the least fit; in the honest form a tree that is already here is dropped.
    fn immigrate(&mut self, immigrants: &[Migrant]) {
        let mut keys: BTreeSet<Vec<u8>> = match self.settings.form {
            Form::Honest => self.population.iter().map(|i| i.tree.key()).collect(),
            Form::AsPublished => BTreeSet::new(),
        };
        let mut worst = self.population.len();
        for migrant in immigrants.iter().take(self.settings.immigrants) {
            if !self.palette.allows(&migrant.tree) || migrant.epoch != self.epoch {
                continue;
            }
            if self.settings.form == Form::Honest && !keys.insert(migrant.tree.key()) {
                continue;
            }
            worst -= 1;
            self.population[worst] = Individual {
                id: migrant.id,
                parents: None,
                operator: Operator::Migration,
                born: self.generation,
                tree: migrant.tree.clone(),
                // Samples that made it the best of its island flatter it; here it has to show itself again.
                samples: match self.settings.form {
                    Form::Honest => Samples::default(),
                    Form::AsPublished => migrant.samples,
                },
            };
        }
        self.sort();
    }

    fn breed(&mut self) {
        let elites = self.settings.elites();
        let mut keys: BTreeSet<Vec<u8>> = self.population.iter().map(|i| i.tree.key()).collect();
        let rest = self.population.len() - elites;
        let kept = elites + ((1.0 - self.settings.replace) * rest as f32).round() as usize;
        for i in elites..self.population.len() {
            let mut draws = self.draws(i as u32, self.generation);
            let leaves = match self.settings.form {
                Form::AsPublished => draws.unit() < self.settings.replace,
                // Another sample of one that is known to be bad is wasted; an immigrant is not known yet.
                Form::Honest => i >= kept && self.population[i].samples.n() > 0,
            };
            if !leaves {
                continue;
            }
            if draws.unit() < self.settings.crossover {
                let mother = self.tournament(&mut draws);
                let father = self.tournament(&mut draws);
                let (a, b) = (&self.population[mother], &self.population[father]);
                let parents = [a.id, b.id];
                let settings = &self.settings;
                let tree = self.unseen(&mut keys, &mut draws, |palette, d| {
                    mutate(&crossover(&a.tree, &b.tree, d), palette, settings, d)
                });
                self.population[i] = self.newborn(tree, Some(parents), Operator::Crossover);
            } else {
                let depth = self.settings.depth;
                let tree = self.unseen(&mut keys, &mut draws, |palette, d| {
                    let level = d.below(depth as u32) as usize;
                    if d.unit() < 0.5 { full(palette, level, d) } else { grow(palette, level, d) }
                });
                self.population[i] = self.newborn(tree, None, Operator::Random);
            }
        }
    }

    /// Index of the winner of a tournament among the elite.
    fn tournament(&self, draws: &mut Draws) -> usize {
        let elites = self.settings.elites() as u32;
        let mut best = draws.below(elites) as usize;
        for _ in 1..self.settings.tournament {
            let other = draws.below(elites) as usize;
            if self.likelihood(&self.population[other]) > self.likelihood(&self.population[best]) {
                best = other;
            }
        }
        best
    }
}

/// Orders floats from high to low.
#[derive(PartialEq)]
struct Descending(f64);

impl Eq for Descending {}

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Descending) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Descending) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0)
    }
}
