//! Family-aware evolution, after the FAERY algorithms of pyro-corpus. Every founder starts a family, and a child
//! belongs to its parent's family. Only a few members of each family survive a generation, so that one lucky founder
//! does not take over the population while other families still improve.
//!
//! Genomes are accessed only through [`Species`], and the caller supplies the fitness, so the same code evolves
//! bodies and behaviour trees. A population is plain data. A saved and loaded population continues exactly like the
//! original.

mod archive;
mod niches;
mod settings;
mod survivors;
mod trees;

pub use archive::{Archive, Cell};
pub use settings::{FamilySettings, Sharing};
pub use trees::Trees;

use crate::individual::Operator;
use niches::Niches;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use survivors::survivors;
use xpuck_kernels::random::{Draws, Stream};

/// Genome type and its operators.
pub trait Species {
    /// Genotype.
    type Genome: Clone;

    /// Creates the founder of a family.
    fn founder(&self, draws: &mut Draws) -> Self::Genome;
    /// Returns a mutated copy of `parent`.
    fn mutate(&self, parent: &Self::Genome, draws: &mut Draws) -> Self::Genome;
    /// Returns a child of two parents, before mutation. `None` if the species has no crossover operator, or if the
    /// parents are incompatible.
    fn cross(&self, mother: &Self::Genome, father: &Self::Genome, draws: &mut Draws) -> Option<Self::Genome>;
    /// Returns the cell of the genome in the archive (quality diversity).
    fn cell(&self, genome: &Self::Genome) -> Cell;
    /// Returns the form and the size of the genome. The number of survivors with the same form or size is limited.
    fn likeness(&self, genome: &Self::Genome) -> Similarity;
}

/// Form and size of a genome. The number of survivors with the same form, and of those with the same size, is limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Similarity {
    /// Structure without parameters. For example, bodies that differ only in their brains have the same form.
    pub form: String,
    /// Number of parts of a body, or of nodes of a tree.
    pub size: usize,
}

/// Family: the island where it was founded, and its number on that island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Family(pub u16, pub u32);

/// Individual of a family-aware population.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyMember<G> {
    /// Identifier, unique on its island.
    pub id: u32,
    /// Family: the family of the first parent, or a new family for a founder.
    pub family: Family,
    /// Identifiers of the parents: none for a founder or migrant, one for a mutated copy, two after crossover.
    pub parents: Vec<u32>,
    /// Operator that produced the individual.
    pub operator: Operator,
    /// Generation in which the individual was created.
    pub born: u32,
    /// Genotype.
    pub genome: G,
    /// Fitness; `None` before the evaluation.
    pub fitness: Option<f64>,
}

impl<G> FamilyMember<G> {
    /// Returns the fitness for comparisons; negative infinity for an unevaluated individual.
    pub fn worth(&self) -> f64 {
        self.fitness.unwrap_or(f64::NEG_INFINITY)
    }
}

/// Population of one island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyPopulation<G> {
    settings: FamilySettings,
    seed: u64,
    island: u16,
    generation: u32,
    evaluations: u64,
    born: u32,
    /// Survivors of the last generation, the fittest first, followed by unevaluated individuals.
    members: Vec<FamilyMember<G>>,
    archive: Option<Archive<G>>,
}

impl<G: Clone> FamilyPopulation<G> {
    /// Creates a population of unevaluated founders. The settings must have passed [`FamilySettings::check`].
    pub fn new(
        settings: FamilySettings,
        species: &impl Species<Genome = G>,
        island: u16,
        seed: u64,
    ) -> FamilyPopulation<G> {
        let founders = settings.population;
        FamilyPopulation::with_founders(settings, species, island, seed, founders)
    }

    /// Like [`FamilyPopulation::new`], with another number of founders, at most 10 000. The number of survivors does
    /// not change.
    pub fn with_founders(
        settings: FamilySettings,
        species: &impl Species<Genome = G>,
        island: u16,
        seed: u64,
        founders: usize,
    ) -> FamilyPopulation<G> {
        let archive = settings.cells.map(Archive::new);
        let mut population = FamilyPopulation {
            settings,
            seed,
            island,
            generation: 0,
            evaluations: 0,
            born: 0,
            members: Vec::new(),
            archive,
        };
        population.add_founders(species, founders);
        population
    }

    /// Returns the settings.
    pub fn settings(&self) -> &FamilySettings {
        &self.settings
    }

    /// Returns the number of generations evaluated so far.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the number of genotypes evaluated so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Returns the survivors of the last generation, the fittest first, followed by unevaluated individuals.
    pub fn members(&self) -> &[FamilyMember<G>] {
        &self.members
    }

    /// Returns the archive of the best individual per cell, if the settings enable it.
    pub fn archive(&self) -> Option<&Archive<G>> {
        self.archive.as_ref()
    }

    /// Iterates over the individuals that need an evaluation.
    pub fn unevaluated(&self) -> impl Iterator<Item = &FamilyMember<G>> {
        self.members.iter().filter(|member| member.fitness.is_none())
    }

    /// Removes all unevaluated individuals except the first `most`, for a limited evaluation budget.
    pub fn limit(&mut self, most: u64) {
        let mut left = most;
        self.members.retain(|member| {
            let stays = member.fitness.is_some() || left > 0;
            left -= u64::from(member.fitness.is_none() && left > 0);
            stays
        });
    }

    /// For each unevaluated individual, in order, returns the fitness that it must exceed to survive. The individual
    /// belongs to four groups: all survivors, its family, its form and its size. It must exceed the least fitness in
    /// each group that is full. `None` if no group is full.
    pub fn hurdles(&self, species: &impl Species<Genome = G>) -> Vec<Option<f64>> {
        let mut niches = Niches::new(&self.settings);
        let known = self.members.iter().filter(|member| member.fitness.is_some());
        known.for_each(|member| niches.add(member.family, species.likeness(&member.genome), member.worth()));
        self.unevaluated().map(|one| niches.hurdle(one.family, &species.likeness(&one.genome))).collect()
    }

    /// Returns the fittest individual so far; `None` before the first evaluation.
    pub fn best(&self) -> Option<&FamilyMember<G>> {
        self.members.first().filter(|member| member.fitness.is_some())
    }

    /// Records the fitness of each unevaluated individual, in order, and creates the next generation. NaN counts as
    /// negative infinity.
    ///
    /// # Panics
    /// Panics if the number of results differs from the number of unevaluated individuals.
    pub fn record_and_breed(&mut self, species: &impl Species<Genome = G>, fitness: &[f64]) {
        self.record(species, fitness);
        self.breed(species);
    }

    /// Records the fitness of each unevaluated individual, in order, and selects the survivors. Islands exchange
    /// individuals after this function and before [`FamilyPopulation::breed`].
    ///
    /// # Panics
    /// Panics if the number of results differs from the number of unevaluated individuals.
    pub fn record(&mut self, species: &impl Species<Genome = G>, fitness: &[f64]) {
        assert_eq!(fitness.len(), self.unevaluated().count(), "one result for each that waits");
        let mut told = fitness.iter().map(|f| if f.is_nan() { f64::NEG_INFINITY } else { *f });
        for member in self.members.iter_mut().filter(|member| member.fitness.is_none()) {
            member.fitness = told.next();
            if let Some(archive) = &mut self.archive {
                archive.add(species.cell(&member.genome), member);
            }
        }
        self.evaluations += fitness.len() as u64;
        self.generation += 1;
        let pool = std::mem::take(&mut self.members);
        self.members = survivors(species, pool, &self.settings);
    }

    /// Creates children of the survivors and of the archive's individuals, and new founders. The survivors must have
    /// been selected by [`FamilyPopulation::record`].
    pub fn breed(&mut self, species: &impl Species<Genome = G>) {
        let parents = self.members.clone();
        let from_archive: Vec<FamilyMember<G>> = match &self.archive {
            Some(archive) => archive.elites().filter(|one| parents.iter().all(|p| p.id != one.id)).cloned().collect(),
            None => Vec::new(),
        };
        let mut children = Vec::new();
        for (place, parent) in parents.iter().enumerate() {
            for child in 0..self.settings.children {
                let mut draws = self.draws(place * self.settings.children + child);
                // The best individuals of some archive cells do not survive in the population. Half of the children, on
                // average, have one of these individuals as parent.
                let from = match from_archive.as_slice() {
                    [] => parent,
                    _ if draws.unit() < 0.5 => parent,
                    elites => &elites[draws.below(elites.len() as u32) as usize],
                };
                children.push(self.child(species, from, &parents, &mut draws));
            }
        }
        if self.settings.sharing == Sharing::Published {
            // As in the published pyro-corpus program, the n-th children of all parents of a family share one name,
            // and only the last child with each name is kept.
            let name = |at: usize, child: &FamilyMember<G>| (child.family, at % self.settings.children);
            let last: BTreeMap<_, _> = children.iter().enumerate().map(|(at, child)| (name(at, child), at)).collect();
            let kept = children.into_iter().enumerate().filter(|(at, child)| last[&name(*at, child)] == *at);
            children = kept.map(|(_, child)| child).collect();
        }
        for mut child in children {
            child.id = self.born;
            self.born += 1;
            self.members.push(child);
        }
        let newcomers = self.settings.population - parents.len().min(self.settings.population);
        self.add_founders(species, newcomers);
    }

    /// Inserts a migrant with its fitness and its family, and returns whether it was inserted. A migrant is rejected if
    /// it has no fitness, or if the population is empty or already contains its family. A full population also rejects
    /// a migrant that is not fitter than its least fit member.
    pub fn immigrate(&mut self, migrant: FamilyMember<G>) -> bool {
        let full = self.members.len() >= self.settings.survivors();
        let (Some(fitness), Some(least)) = (migrant.fitness, self.members.last().map(FamilyMember::worth)) else {
            return false;
        };
        if self.members.iter().any(|m| m.family == migrant.family) || (full && fitness <= least) {
            return false;
        }
        if full {
            self.members.pop();
        }
        let place = self.members.partition_point(|m| m.worth() >= fitness);
        let mut migrant = FamilyMember { id: self.born, parents: Vec::new(), operator: Operator::Migration, ..migrant };
        migrant.born = self.generation;
        self.born += 1;
        self.members.insert(place, migrant);
        true
    }

    fn child(
        &self,
        species: &impl Species<Genome = G>,
        parent: &FamilyMember<G>,
        mates: &[FamilyMember<G>],
        draws: &mut Draws,
    ) -> FamilyMember<G> {
        let mate = (draws.unit() < self.settings.crossover).then(|| &mates[draws.below(mates.len() as u32) as usize]);
        let crossed = mate
            .filter(|mate| mate.id != parent.id)
            .and_then(|mate| Some((mate.id, species.cross(&parent.genome, &mate.genome, draws)?)));
        let (parents, operator, genome) = match crossed {
            Some((mate, genome)) => (vec![parent.id, mate], Operator::Crossover, species.mutate(&genome, draws)),
            None => (vec![parent.id], Operator::Mutation, species.mutate(&parent.genome, draws)),
        };
        FamilyMember { id: 0, family: parent.family, parents, operator, born: self.generation, genome, fitness: None }
    }

    fn add_founders(&mut self, species: &impl Species<Genome = G>, count: usize) {
        for place in 0..count {
            let genome = species.founder(&mut self.draws(FOUNDERS + place));
            self.members.push(FamilyMember {
                id: self.born,
                family: Family(self.island, self.born),
                parents: Vec::new(),
                operator: Operator::Random,
                born: self.generation,
                genome,
                fitness: None,
            });
            self.born += 1;
        }
    }

    fn draws(&self, place: usize) -> Draws {
        Draws::new(self.seed, u32::from(self.island), place as u32, self.generation, Stream::Evolution)
    }
}

/// First index of founders in the random streams. It is greater than all indices of children.
const FOUNDERS: usize = 1 << 15;

#[cfg(test)]
mod tests;
