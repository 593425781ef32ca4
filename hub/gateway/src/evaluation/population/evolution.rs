//! Generational evolution: tournament selection, elitism, and children produced by mutation and crossover.
//!
//! All individuals of a generation are evaluated, including the elites. Offspring depend only on the seed and the
//! fitness values, and not on the order in which fitness values arrive.

use super::super::individual::Individual;
use super::super::parameters::NetParameters;
use super::super::random::Random;
use super::genotype::Genotype;
use super::variation::Variation;

/// Maximum total number of genome values in a population.
const MAX_VALUES: usize = 1 << 25;

/// Parameters of the evolution.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Number of individuals per generation, 2 to 100 000.
    pub population: u32,
    /// Number of best individuals that survive unchanged, less than `population`.
    pub elites: u32,
    /// Number of individuals in a tournament, >= 1. The best of them becomes a parent.
    pub tournament: u32,
    /// Parameters of mutation and crossover.
    pub variation: Variation,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { population: 30, elites: 2, tournament: 3, variation: Variation::default(), seed: 1 }
    }
}

/// Individual with its fitness and its generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Generation of the individual.
    pub generation: u32,
    /// Number of the individual in its generation.
    pub number: u32,
    /// Fitness.
    pub fitness: f64,
    /// Genotype of the individual.
    pub genotype: Genotype,
}

impl Best {
    /// Returns the individual in the form in which it is transmitted.
    pub fn individual(&self) -> Individual {
        self.genotype.individual(self.generation, self.number)
    }
}

/// Statistics of a generation whose individuals are all evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Generation number, from 1.
    pub generation: u32,
    /// Best fitness.
    pub best: f64,
    /// Mean fitness.
    pub mean: f64,
    /// Worst fitness.
    pub worst: f64,
    /// Mean number of hidden neurons per individual.
    pub hidden: f64,
    /// Mean mutation step size, as a fraction of each value's range.
    pub step: f64,
}

/// Population that evolves over generations.
pub struct Evolution {
    parameters: NetParameters,
    settings: Settings,
    generation: u32,
    members: Vec<Genotype>,
    fitness: Vec<Option<f64>>,
    missing: usize,
    best: Option<Best>,
}

impl Settings {
    /// Checks the settings.
    ///
    /// # Errors
    /// A setting is invalid; the error names it and its allowed range.
    pub fn check(&self) -> Result<(), String> {
        let range = |what: &str, value: u32, low: u32, high: u32| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(format!("{what} is {value}, but must be {low} to {high}")),
        };
        range("the population", self.population, 2, 100_000)?;
        range("the number of elites", self.elites, 0, self.population - 1)?;
        range("the size of tournaments", self.tournament, 1, self.population)?;
        self.variation.check()
    }
}

impl Evolution {
    /// Creates a random first generation. Settings and parameters must have been checked.
    ///
    /// # Errors
    /// The population is too large for networks of this size.
    pub fn new(parameters: NetParameters, settings: Settings) -> Result<Evolution, String> {
        let most = MAX_VALUES / parameters.value_count(parameters.hidden.max).max(1);
        if settings.population as usize > most {
            return Err(format!(
                "the population is {}; at most {most} are allowed for networks of this size",
                settings.population
            ));
        }
        let mut random = Random::with_stream(settings.seed, &[0]);
        let member = |_| Genotype::random(&mut random, &parameters, settings.variation.step);
        let members: Vec<Genotype> = (0..settings.population).map(member).collect();
        let missing = members.len();
        let fitness = vec![None; missing];
        Ok(Evolution { parameters, settings, generation: 1, members, fitness, missing, best: None })
    }

    /// Returns the parameters of the evolved networks.
    pub fn parameters(&self) -> &NetParameters {
        &self.parameters
    }

    /// Returns the number of the generation in evaluation, from 1.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the number of individuals per generation. Individuals are numbered from 1.
    pub fn population(&self) -> u32 {
        self.settings.population
    }

    /// Returns the best individual of all generations up to the last call of [`Self::update_best`]; `None` before the
    /// first call.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// Returns the best evaluated individual of the current generation; `None` before the first fitness.
    pub fn champion(&self) -> Option<Best> {
        let at = *self.ranking().first()?;
        let fitness = self.fitness[at]?;
        Some(Best { generation: self.generation, number: at as u32 + 1, fitness, genotype: self.members[at].clone() })
    }

    /// Returns an individual of the current generation in the form in which it is transmitted; `None` if `number`
    /// does not exist.
    pub fn individual(&self, number: u32) -> Option<Individual> {
        let genotype = self.members.get((number as usize).checked_sub(1)?)?;
        Some(genotype.individual(self.generation, number))
    }

    /// Records the fitness of an individual. Returns false if the fitness is already known or `number` does not
    /// exist.
    pub fn record_fitness(&mut self, number: u32, fitness: f64) -> bool {
        let Some(at) = (number as usize).checked_sub(1).filter(|at| *at < self.members.len()) else { return false };
        if self.fitness[at].is_some() {
            return false;
        }
        self.fitness[at] = Some(fitness);
        self.missing -= 1;
        true
    }

    /// Returns whether the fitness of an individual of the current generation is known.
    pub fn is_known(&self, number: u32) -> bool {
        (number as usize).checked_sub(1).and_then(|at| self.fitness.get(at)).is_some_and(Option::is_some)
    }

    /// Creates the next generation, and returns the statistics and the best individual of the evaluated generation.
    /// Returns `None` if some individuals have not been evaluated yet.
    pub fn advance(&mut self) -> Option<(Summary, Best)> {
        if self.missing > 0 {
            return None;
        }
        let (summary, champion) = (self.summary(), self.champion()?);
        self.update_best();
        let ranking = self.ranking();
        let settings = &self.settings;
        let mut random = Random::with_stream(settings.seed, &[u64::from(self.generation)]);
        let elites = ranking.iter().take(settings.elites as usize);
        let mut members: Vec<Genotype> = elites.map(|at| self.members[*at].clone()).collect();
        // The winner of a tournament is the member with the best rank. Rank 0 is the best.
        let parent = |random: &mut Random| {
            let ranks = (0..settings.tournament).map(|_| random.below(ranking.len()));
            &self.members[ranking[ranks.min().unwrap_or(0)]]
        };
        while members.len() < self.members.len() {
            let (first, second) = (parent(&mut random), parent(&mut random));
            members.push(settings.variation.child(&mut random, &self.parameters, first, second));
        }
        self.members = members;
        self.fitness.fill(None);
        self.missing = self.fitness.len();
        self.generation += 1;
        Some((summary, champion))
    }

    /// Updates the best individual of all generations. Call it at the end of each generation and of the run.
    pub fn update_best(&mut self) {
        let Some(champion) = self.champion() else { return };
        if self.best.as_ref().is_none_or(|best| champion.fitness > best.fitness) {
            self.best = Some(champion);
        }
    }

    /// Returns the indices of the evaluated individuals by descending fitness. Individuals of equal fitness are
    /// ordered by number.
    fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.members.len()).filter(|at| self.fitness[*at].is_some()).collect();
        let fitness = |at: usize| self.fitness[at].unwrap_or(f64::NEG_INFINITY);
        ranking.sort_by(|a, b| fitness(*b).total_cmp(&fitness(*a)));
        ranking
    }

    fn summary(&self) -> Summary {
        let count = self.members.len() as f64;
        let known = || self.fitness.iter().flatten().copied();
        Summary {
            generation: self.generation,
            best: known().fold(f64::NEG_INFINITY, f64::max),
            // Divides each term by the count before the summation, because a sum of huge values could overflow.
            mean: known().map(|fitness| fitness / count).sum(),
            worst: known().fold(f64::INFINITY, f64::min),
            hidden: self.members.iter().map(|member| member.hidden.len() as f64).sum::<f64>() / count,
            step: self.members.iter().map(|member| member.step).sum::<f64>() / count,
        }
    }
}

#[cfg(test)]
mod tests;
