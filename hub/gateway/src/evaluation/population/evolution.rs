//! From generation to generation: tournaments choose parents, the best stay, and the rest are children.
//!
//! All individuals of a generation are evaluated, also those that stayed. What is bred depends on the seed and the fitness values alone,
//! not on the order in which these came.

use super::super::individual::Individual;
use super::super::parameters::NetParameters;
use super::super::random::Random;
use super::genotype::Genotype;
use super::variation::Variation;

/// Values of all individuals together.
const MAX_VALUES: usize = 1 << 25;

/// How a population evolves.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Individuals of a generation, 2 to 100000.
    pub population: u32,
    /// The best that stay, fewer than all.
    pub elites: u32,
    /// Individuals of a tournament, 1 or more; the best becomes a parent.
    pub tournament: u32,
    /// How children come about.
    pub variation: Variation,
    /// Seed of all that is random.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { population: 30, elites: 2, tournament: 3, variation: Variation::default(), seed: 1 }
    }
}

/// An individual and its fitness.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its generation.
    pub generation: u32,
    /// Its number there.
    pub number: u32,
    /// Its fitness.
    pub fitness: f64,
    /// What it inherited.
    pub genotype: Genotype,
}

impl Best {
    /// As it was sent.
    pub fn individual(&self) -> Individual {
        self.genotype.individual(self.generation, self.number)
    }
}

/// A generation that was evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Its number, from 1.
    pub generation: u32,
    /// The best fitness.
    pub best: f64,
    /// The mean fitness.
    pub mean: f64,
    /// The least fitness.
    pub worst: f64,
    /// The mean number of hidden neurons.
    pub hidden: f64,
    /// The mean step size of mutations.
    pub step: f64,
}

/// One population.
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
    /// Looks for what makes no sense.
    ///
    /// # Errors
    /// What is wrong and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        let range = |what: &str, value: u32, low: u32, high: u32| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(format!("{what} is {value}, and {low} to {high} is allowed")),
        };
        range("the population", self.population, 2, 100_000)?;
        range("the number of elites", self.elites, 0, self.population - 1)?;
        range("the size of tournaments", self.tournament, 1, self.population)?;
        self.variation.check()
    }
}

impl Evolution {
    /// The first generation, which is random. Settings and parameters were checked.
    ///
    /// # Errors
    /// Networks so large that a population of them is too much.
    pub fn new(parameters: NetParameters, settings: Settings) -> Result<Evolution, String> {
        let most = MAX_VALUES / parameters.value_count(parameters.hidden.max).max(1);
        if settings.population as usize > most {
            return Err(format!(
                "the population is {}, and for networks as large as these {most} is allowed",
                settings.population
            ));
        }
        let mut random = Random::of(settings.seed, &[0]);
        let member = |_| Genotype::random(&mut random, &parameters, settings.variation.step);
        let members: Vec<Genotype> = (0..settings.population).map(member).collect();
        let missing = members.len();
        let fitness = vec![None; missing];
        Ok(Evolution { parameters, settings, generation: 1, members, fitness, missing, best: None })
    }

    /// The nets that it breeds.
    pub fn parameters(&self) -> &NetParameters {
        &self.parameters
    }

    /// The generation that is evaluated, from 1.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Individuals of a generation; their numbers are 1 to this.
    pub fn population(&self) -> u32 {
        self.settings.population
    }

    /// The best of all generations.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// The best of this generation so far.
    pub fn champion(&self) -> Option<Best> {
        let at = *self.ranking().first()?;
        let fitness = self.fitness[at]?;
        Some(Best { generation: self.generation, number: at as u32 + 1, fitness, genotype: self.members[at].clone() })
    }

    /// An individual of this generation as it is sent.
    pub fn individual(&self, number: u32) -> Option<Individual> {
        let genotype = self.members.get((number as usize).checked_sub(1)?)?;
        Some(genotype.individual(self.generation, number))
    }

    /// Takes a fitness; false if it is known already or nobody has that number.
    pub fn take(&mut self, number: u32, fitness: f64) -> bool {
        let Some(at) = (number as usize).checked_sub(1).filter(|at| *at < self.members.len()) else { return false };
        if self.fitness[at].is_some() {
            return false;
        }
        self.fitness[at] = Some(fitness);
        self.missing -= 1;
        true
    }

    /// Whether an individual of this generation has its fitness.
    pub fn is_known(&self, number: u32) -> bool {
        (number as usize).checked_sub(1).and_then(|at| self.fitness.get(at)).is_some_and(Option::is_some)
    }

    /// Breeds the next generation once all of this one are evaluated; gives what this one was like, and its best.
    pub fn advance(&mut self) -> Option<(Summary, Best)> {
        if self.missing > 0 {
            return None;
        }
        let (summary, champion) = (self.summary(), self.champion()?);
        self.note_best();
        let ranking = self.ranking();
        let settings = &self.settings;
        let mut random = Random::of(settings.seed, &[u64::from(self.generation)]);
        let elites = ranking.iter().take(settings.elites as usize);
        let mut members: Vec<Genotype> = elites.map(|at| self.members[*at].clone()).collect();
        // A tournament's winner is whoever of it ranks first.
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

    /// Remembers the best of all; for the end of a generation, or of the run within one.
    pub fn note_best(&mut self) {
        let Some(champion) = self.champion() else { return };
        if self.best.as_ref().is_none_or(|best| champion.fitness > best.fitness) {
            self.best = Some(champion);
        }
    }

    /// Those with a fitness, the best first, equal ones by their numbers.
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
            // Shares are added, as the sum of huge values may be no number.
            mean: known().map(|fitness| fitness / count).sum(),
            worst: known().fold(f64::INFINITY, f64::min),
            hidden: self.members.iter().map(|member| member.hidden.len() as f64).sum::<f64>() / count,
            step: self.members.iter().map(|member| member.step).sum::<f64>() / count,
        }
    }
}

#[cfg(test)]
mod tests;
