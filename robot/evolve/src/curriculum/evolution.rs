//! One step of a curriculum.

use super::momentum::{GainOver, first_momentum, next_momentum};
use super::select::Wheel;
use super::settings::StepSettings;
use super::{Species, Statistics, Variables};
use std::collections::HashMap;
use xpuck_kernels::random::{Draws, Stream};

/// Generations after a re-initialisation in which there is no other.
const REST: u32 = 8;

/// What an evaluation says of a genotype, without what its size is worth.
#[derive(Clone, Debug)]
pub struct Worth<U> {
    /// Fitness.
    pub fitness: f64,
    /// What of it was used.
    pub usage: U,
}

/// An individual.
#[derive(Debug)]
pub struct Member<S: Species> {
    /// Its genotype.
    pub genome: S::Genome,
    /// Its fitness.
    pub fitness: f64,
    /// How it was made, if that is still to be counted.
    origin: Option<Origin>,
}

/// How a child was made.
#[derive(Clone, Copy, Debug)]
struct Origin {
    /// The number of the mutation, if there was one.
    mutation: Option<usize>,
    /// Whether its parents were crossed.
    crossed: bool,
    /// The fitness of the parent in whose place it is.
    parent: f64,
}

impl<S: Species> Member<S> {
    /// An individual that was evaluated before.
    pub fn new(genome: S::Genome, fitness: f64) -> Member<S> {
        Member { genome, fitness, origin: None }
    }
}

impl<S: Species> Clone for Member<S> {
    fn clone(&self) -> Member<S> {
        Member { genome: self.genome.clone(), ..*self }
    }
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It goes on.
    Goes,
    /// Its end formula holds.
    Done,
    /// The curriculum's generations are used up.
    Exhausted,
}

/// A genotype that was evaluated.
#[derive(Clone)]
struct Known<U> {
    /// Fitness without size, summed over so many evaluations: of itself, and of genotypes that were trimmed to it.
    sum: f64,
    evaluations: u32,
    /// None if nothing of it can be trimmed.
    usage: Option<U>,
}

impl<U> Known<U> {
    fn fitness(&self) -> f64 {
        self.sum / f64::from(self.evaluations)
    }
}

/// A step that goes on.
pub struct Evolution<S: Species> {
    species: S,
    settings: StepSettings,
    seed: u64,
    step: u32,
    members: Vec<Member<S>>,
    cache: HashMap<S::Genome, Known<S::Usage>>,
    variables: Variables,
    /// What the next best's gain counts from.
    last_best: f64,
    /// Whether the population was just made, so that nothing was learnt in it yet.
    begun: bool,
    /// Generations of the step at the last re-initialisation or restart.
    last_reinitialised: u32,
    /// The same at the last restart, and how many there were.
    last_restart: u32,
    restarts: u32,
    statistics: Statistics,
}

impl<S: Species> Evolution<S> {
    /// Begins a step with its first genomes; `variables` are those at the end of the step before, `step` numbers it for draws.
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

    /// Genotypes that have to be evaluated, each once.
    pub fn unknown(&self) -> Vec<S::Genome> {
        let mut seen = std::collections::HashSet::new();
        let unknown = self.members.iter().map(|member| &member.genome);
        unknown.filter(|genome| !self.cache.contains_key(*genome) && seen.insert(*genome)).cloned().collect()
    }

    /// Takes what [`Evolution::unknown`] said are worth, in that order, counts them as evaluations, and sorts the population,
    /// the fittest first. `seconds` since the curriculum began are for end formulas that ask for them.
    pub fn learn(&mut self, worths: Vec<Worth<S::Usage>>, seconds: f64) -> Progress {
        let unknown = self.unknown();
        self.variables.evaluations += worths.len() as u64;
        self.variables.step_evaluations += worths.len() as u64;
        for (genome, worth) in unknown.into_iter().zip(worths) {
            self.cache.insert(genome, Known { sum: worth.fitness, evaluations: 1, usage: Some(worth.usage) });
        }
        self.judge();
        self.members.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        self.count_generation(seconds)
    }

    /// Gives each member its fitness, and trims those that are to be.
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
                // What was not used makes no difference, so that an evaluation of the whole is one of the trimmed genotype: where
                // that was evaluated before, with other luck, both count.
                let mut pooled = Known { usage: None, ..known };
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

    fn count_generation(&mut self, seconds: f64) -> Progress {
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
            Progress::Done
        } else if variables.generation >= variables.total_generations {
            Progress::Exhausted
        } else {
            Progress::Goes
        }
    }

    /// Which restart of the step is due, from 1; none before so many generations as the settings say.
    pub fn restart_due(&self) -> Option<u32> {
        let since = self.variables.step_generation - self.last_restart;
        self.settings.restart_after.filter(|&after| since >= after).map(|_| self.restarts + 1)
    }

    /// Begins again with other genomes in place of [`Evolution::breed`]. Generations, evaluations and what is known of genotypes
    /// stay.
    pub fn restart(&mut self, genomes: Vec<S::Genome>) {
        self.members = genomes.into_iter().map(|genome| Member::new(genome, f64::NEG_INFINITY)).collect();
        self.begun = true;
        self.restarts += 1;
        self.last_restart = self.variables.step_generation;
        self.last_reinitialised = self.variables.step_generation;
    }

    /// Makes the next generation of one that was judged by [`Evolution::learn`].
    pub fn breed(&mut self) {
        let mut draws = self.draws(1);
        let n = self.members.len();
        let replaced = ((self.settings.replace * n as f32).round() as usize).clamp(1, n - 1);
        let kept = n - replaced;
        let stagnates = self.variables.momentum < self.settings.reinitialise_below
            && self.variables.step_generation >= self.last_reinitialised + REST;
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

    /// Draws of this generation.
    fn draws(&self, use_: u32) -> Draws {
        Draws::new(self.seed, self.step, use_, self.variables.step_generation, Stream::Evolution)
    }

    /// The species.
    pub fn species(&self) -> &S {
        &self.species
    }

    /// Where the step is.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// The population: after [`Evolution::learn`] with its fitness, the fittest first.
    pub fn members(&self) -> &[Member<S>] {
        &self.members
    }

    /// What each operator contributed so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}
