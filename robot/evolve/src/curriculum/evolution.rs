//! Evolution of one step of a curriculum.

use super::momentum::{GainOver, first_momentum, next_momentum};
use super::select::Wheel;
use super::settings::StepSettings;
use super::{Species, Statistics, Variables};
use std::collections::HashMap;
use xpuck_kernels::random::{Draws, Stream};

/// Minimum number of generations between two re-initialisations.
const MIN_REINIT_INTERVAL: u32 = 8;

/// Result of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation<U> {
    /// Fitness without the bonus or penalty for size.
    pub fitness: f64,
    /// Parts of the genotype that were used.
    pub usage: U,
}

/// Individual of a step's population.
#[derive(Debug)]
pub struct Member<S: Species> {
    /// Genotype.
    pub genome: S::Genome,
    /// Fitness, with the bonus or penalty for size.
    pub fitness: f64,
    /// Operators that produced the member. `None` if the member is not a child, or if the statistics have already
    /// counted it.
    origin: Option<Origin>,
}

/// Operators that produced a child.
#[derive(Clone, Copy, Debug)]
struct Origin {
    /// Index of the mutation in [`Species::operators`]; `None` if the child was not mutated.
    mutation: Option<usize>,
    /// Whether the parents were crossed.
    crossed: bool,
    /// Fitness of the parent with which the child is compared.
    parent: f64,
}

impl<S: Species> Member<S> {
    /// Creates an individual with a known fitness.
    pub fn new(genome: S::Genome, fitness: f64) -> Member<S> {
        Member { genome, fitness, origin: None }
    }
}

impl<S: Species> Clone for Member<S> {
    fn clone(&self) -> Member<S> {
        Member { genome: self.genome.clone(), ..*self }
    }
}

/// State of a step after a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// The step continues.
    Goes,
    /// The end formula holds.
    Done,
    /// The curriculum has reached its maximum number of generations.
    Exhausted,
}

/// Pooled results of an evaluated genotype.
#[derive(Clone)]
struct PooledResult<U> {
    /// Sum of the fitness values of all evaluations, without the bonus or penalty for size. Evaluations of larger
    /// genotypes that were trimmed to this genotype are included.
    sum: f64,
    evaluations: u32,
    /// Used parts; `None` if the genotype has been trimmed already.
    usage: Option<U>,
}

impl<U> PooledResult<U> {
    fn fitness(&self) -> f64 {
        self.sum / f64::from(self.evaluations)
    }
}

/// A step in progress.
pub struct Evolution<S: Species> {
    species: S,
    settings: StepSettings,
    seed: u64,
    step: u32,
    members: Vec<Member<S>>,
    cache: HashMap<S::Genome, PooledResult<S::Usage>>,
    variables: Variables,
    /// Reference fitness for the gain of the next generation.
    last_best: f64,
    /// Whether the population is new, so that no gain can be measured yet.
    begun: bool,
    /// Number of generations of this step at the last re-initialisation or restart.
    last_reinitialised: u32,
    /// Number of generations of this step at the last restart, and the number of restarts.
    last_restart: u32,
    restarts: u32,
    statistics: Statistics,
}

impl<S: Species> Evolution<S> {
    /// Starts a step with its first genomes. `variables` contains the variables at the end of the previous step. `step`
    /// is the number of the step, which selects its random streams.
    pub fn new(
        species: S,
        settings: StepSettings,
        genomes: Vec<S::Genome>,
        variables: Variables,
        seed: u64,
        step: u32,
    ) -> Evolution<S> {
        let member = |genome| Member::new(genome, f64::NEG_INFINITY);
        Evolution {
            seed,
            step,
            members: genomes.into_iter().map(member).collect(),
            cache: HashMap::new(),
            variables: Variables {
                step_generation: 0,
                step_evaluations: 0,
                total_generations: settings.total_generations,
                ..variables
            },
            last_best: 0.0,
            begun: true,
            last_reinitialised: 0,
            last_restart: 0,
            restarts: 0,
            statistics: Statistics::new(species.operators()),
            settings,
            species,
        }
    }

    /// Returns the genotypes that need an evaluation, without duplicates.
    pub fn unknown(&self) -> Vec<S::Genome> {
        let mut seen = std::collections::HashSet::new();
        let unknown = self.members.iter().map(|member| &member.genome);
        unknown.filter(|genome| !self.cache.contains_key(*genome) && seen.insert(*genome)).cloned().collect()
    }

    /// Records the results for the genotypes of [`Evolution::unknown`], in the same order. Sorts the population, the
    /// fittest first, and returns the state of the step. `seconds` is the time since the start of the curriculum (s),
    /// which an end formula may use.
    pub fn learn(&mut self, worths: Vec<Evaluation<S::Usage>>, seconds: f64) -> StepState {
        let unknown = self.unknown();
        self.variables.evaluations += worths.len() as u64;
        self.variables.step_evaluations += worths.len() as u64;
        for (genome, worth) in unknown.into_iter().zip(worths) {
            self.cache.insert(genome, PooledResult { sum: worth.fitness, evaluations: 1, usage: Some(worth.usage) });
        }
        self.judge();
        self.members.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        self.count_generation(seconds)
    }

    /// Assigns a fitness to each member, and replaces each genome that the species can trim by the trimmed genome.
    fn judge(&mut self) {
        let mut draws = self.draws(0);
        for member in &mut self.members {
            let Some(known) = self.cache.get(&member.genome).cloned() else { continue };
            member.fitness = known.fitness() + self.species.size_worth(&member.genome);
            if let Some(Origin { mutation, crossed, parent }) = member.origin.take() {
                self.statistics.count(mutation, crossed, parent, member.fitness);
            }
            let trimmed = known.usage.as_ref().and_then(|usage| self.species.trim(&member.genome, usage, &mut draws));
            if let Some(trimmed) = trimmed {
                // Unused parts do not affect the result, so an evaluation of the whole genotype also counts for the
                // trimmed genotype. Earlier evaluations of the trimmed genotype, with other random numbers, count too.
                let mut pooled = PooledResult { usage: None, ..known };
                if let Some(before) = self.cache.get(&trimmed) {
                    pooled.sum += before.sum;
                    pooled.evaluations += before.evaluations;
                }
                member.fitness = pooled.fitness() + self.species.size_worth(&trimmed);
                self.cache.insert(trimmed.clone(), pooled.clone());
                self.cache.insert(std::mem::replace(&mut member.genome, trimmed), pooled);
            }
        }
    }

    fn count_generation(&mut self, seconds: f64) -> StepState {
        let best = self.members[0].fitness;
        let variables = &mut self.variables;
        variables.momentum = match std::mem::take(&mut self.begun) {
            true => first_momentum(best),
            false => next_momentum(self.settings.phi, variables.momentum, best - self.last_best),
        };
        self.last_best = match self.settings.gain_over {
            GainOver::Record if variables.step_generation > self.last_restart => best.max(self.last_best),
            _ => best,
        };
        variables.generation += 1;
        variables.step_generation += 1;
        variables.best = best;
        variables.mean = self.members.iter().map(|member| member.fitness).sum::<f64>() / self.members.len() as f64;
        variables.seconds = seconds;
        if self.settings.end.holds(variables) {
            StepState::Done
        } else if variables.generation >= variables.total_generations {
            StepState::Exhausted
        } else {
            StepState::Goes
        }
    }

    /// Returns the number of the restart that is due, from 1. `None` if no restart is configured, or if fewer than the
    /// configured number of generations have passed.
    pub fn restart_due(&self) -> Option<u32> {
        let since = self.variables.step_generation - self.last_restart;
        self.settings.restart_after.filter(|&after| since >= after).map(|_| self.restarts + 1)
    }

    /// Restarts the step with other genomes. The caller calls this method instead of [`Evolution::breed`]. Generation
    /// counters, evaluation counters and known results are kept.
    pub fn restart(&mut self, genomes: Vec<S::Genome>) {
        self.members = genomes.into_iter().map(|genome| Member::new(genome, f64::NEG_INFINITY)).collect();
        self.begun = true;
        self.restarts += 1;
        self.last_restart = self.variables.step_generation;
        self.last_reinitialised = self.variables.step_generation;
    }

    /// Creates the next generation. The results of the current generation must have been passed to
    /// [`Evolution::learn`].
    pub fn breed(&mut self) {
        let mut draws = self.draws(1);
        let n = self.members.len();
        let replaced = ((self.settings.replace * n as f32).round() as usize).clamp(1, n - 1);
        let kept = n - replaced;
        let stagnates = self.variables.momentum < self.settings.reinitialise_below
            && self.variables.step_generation >= self.last_reinitialised + MIN_REINIT_INTERVAL;
        if stagnates {
            self.last_reinitialised = self.variables.step_generation;
            let anew = (self.settings.reinitialise * n as f32) as usize;
            for member in &mut self.members[n - anew.min(n - 1)..] {
                *member = Member::new(self.species.random(&mut draws), f64::NEG_INFINITY);
            }
            return;
        }
        let wheel = Wheel::new(self.settings.selection, self.members.iter().map(|member| member.fitness).collect());
        let mut children = Vec::with_capacity(replaced + 1);
        while children.len() < replaced {
            let parents = [&self.members[wheel.choose(&mut draws)], &self.members[wheel.choose(&mut draws)]];
            let [mut mother, mut father] = parents.map(|parent| parent.genome.clone());
            let crossed = draws.unit() < self.settings.crossover;
            if crossed {
                self.species.cross(&mut mother, &mut father, &mut draws);
            }
            for (mut genome, parent) in [mother, father].into_iter().zip(parents) {
                let mutated = draws.unit() < self.settings.mutation;
                let mutation = mutated.then(|| self.species.mutate(&mut genome, &mut draws));
                let origin = Some(Origin { mutation, crossed, parent: parent.fitness });
                self.species.repair(&mut genome, &mut draws);
                children.push(Member { genome, fitness: f64::NEG_INFINITY, origin });
            }
        }
        children.truncate(replaced);
        self.members.truncate(kept);
        self.members.extend(children);
    }

    /// Returns a random stream of this generation. `use_` is 0 for trimming and 1 for breeding.
    fn draws(&self, use_: u32) -> Draws {
        Draws::new(self.seed, self.step, use_, self.variables.step_generation, Stream::Evolution)
    }

    /// Returns the species.
    pub fn species(&self) -> &S {
        &self.species
    }

    /// Returns the current values of the step's variables.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Returns the population. After [`Evolution::learn`] it is sorted, the fittest first.
    pub fn members(&self) -> &[Member<S>] {
        &self.members
    }

    /// Returns the statistics of all operators so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}
