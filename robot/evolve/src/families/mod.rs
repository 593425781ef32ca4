//! Family-aware evolution, after the FAERY algorithms of pyro-corpus: every founder begins a family, a child belongs to its
//! parent's, and of each family only a few survive a generation, so that one lucky founder does not take the population
//! over while the others are still learning.
//!
//! It knows genomes by a [`Species`] alone, and evaluations by the fitness that the caller tells: bodies and behaviour trees
//! evolve by it alike. A population is plain data: with its seed it goes on bit for bit where it was saved.

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

/// A kind of genome and its operators.
pub trait Species {
    /// Genotypes.
    type Genome: Clone;

    /// A founder of a family.
    fn founder(&self, draws: &mut Draws) -> Self::Genome;
    /// A mutated child.
    fn mutate(&self, parent: &Self::Genome, draws: &mut Draws) -> Self::Genome;
    /// A child of two parents, before mutation; `None` where the kind has no crossover or the two do not fit.
    fn cross(&self, mother: &Self::Genome, father: &Self::Genome, draws: &mut Draws) -> Option<Self::Genome>;
    /// Where it belongs in an archive of kinds of genotypes (quality diversity).
    fn cell(&self, genome: &Self::Genome) -> Cell;
    /// What it has in common with others, of which some survive at most.
    fn likeness(&self, genome: &Self::Genome) -> Likeness;
}

/// What individuals have in common beside their family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// Their structure, without its parameters: bodies that differ in brains alone have one form.
    pub form: String,
    /// How large it is.
    pub size: usize,
}

/// A family: the island where it was founded, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Family(pub u16, pub u32);

/// An individual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relative<G> {
    /// Unique on its island.
    pub id: u32,
    /// Its family, which is its parent's or, of a founder, a new one.
    pub family: Family,
    /// Numbers of its parents; none of a founder, one after mutation alone.
    pub parents: Vec<u32>,
    /// How it came to be.
    pub operator: Operator,
    /// The generation of its birth.
    pub born: u32,
    /// Its genotype.
    pub genome: G,
    /// Its fitness; `None` before it was told.
    pub fitness: Option<f64>,
}

impl<G> Relative<G> {
    /// Fitness for comparisons: nothing that was told is above not told.
    pub fn worth(&self) -> f64 {
        self.fitness.unwrap_or(f64::NEG_INFINITY)
    }
}

/// A population on one island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyPopulation<G> {
    settings: FamilySettings,
    seed: u64,
    island: u16,
    generation: u32,
    evaluations: u64,
    born: u32,
    /// The survivors, the fittest first, and behind them those that wait for their fitness.
    members: Vec<Relative<G>>,
    archive: Option<Archive<G>>,
}

impl<G: Clone> FamilyPopulation<G> {
    /// Founders alone, which wait for their fitness. The settings must have passed [`FamilySettings::check`].
    pub fn new(
        settings: FamilySettings,
        species: &impl Species<Genome = G>,
        island: u16,
        seed: u64,
    ) -> FamilyPopulation<G> {
        let founders = settings.population;
        FamilyPopulation::of_founders(settings, species, island, seed, founders)
    }

    /// The same with another number of founders, at most 10 000; no more survive than of other generations.
    pub fn of_founders(
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
        population.found(species, founders);
        population
    }

    /// The settings.
    pub fn settings(&self) -> &FamilySettings {
        &self.settings
    }

    /// Generations told so far.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Genotypes evaluated so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Survivors, the fittest first, and then those that wait for their fitness.
    pub fn members(&self) -> &[Relative<G>] {
        &self.members
    }

    /// The best of each kind, if settings ask for it.
    pub fn archive(&self) -> Option<&Archive<G>> {
        self.archive.as_ref()
    }

    /// Who is to be evaluated.
    pub fn waiting(&self) -> impl Iterator<Item = &Relative<G>> {
        self.members.iter().filter(|member| member.fitness.is_none())
    }

    /// Leaves only so many of those that wait, the first: what a budget has left.
    pub fn limit(&mut self, most: u64) {
        let mut left = most;
        self.members.retain(|member| {
            let stays = member.fitness.is_some() || left > 0;
            left -= u64::from(member.fitness.is_none() && left > 0);
            stays
        });
    }

    /// For each that waits, in order, how fit it is to be to survive, as far as survivors so far tell: fitter than the least of them, if no
    /// more have room, and of those of its family, form and size, if no more of these survive. `None` where there is room.
    pub fn hurdles(&self, species: &impl Species<Genome = G>) -> Vec<Option<f64>> {
        let mut niches = Niches::new(&self.settings);
        let known = self.members.iter().filter(|member| member.fitness.is_some());
        known.for_each(|member| niches.add(member.family, species.likeness(&member.genome), member.worth()));
        self.waiting().map(|one| niches.hurdle(one.family, &species.likeness(&one.genome))).collect()
    }

    /// The fittest so far.
    pub fn best(&self) -> Option<&Relative<G>> {
        self.members.first().filter(|member| member.fitness.is_some())
    }

    /// Takes the fitness of each that waits, in order, and makes the next generation. What is no number counts as the least.
    ///
    /// # Panics
    /// If there are not as many results as individuals that wait.
    pub fn tell(&mut self, species: &impl Species<Genome = G>, fitness: &[f64]) {
        self.record(species, fitness);
        self.breed(species);
    }

    /// The first half of [`FamilyPopulation::tell`]: survivors are chosen, nobody is born. Between the halves islands exchange.
    ///
    /// # Panics
    /// As there.
    pub fn record(&mut self, species: &impl Species<Genome = G>, fitness: &[f64]) {
        assert_eq!(fitness.len(), self.waiting().count(), "one result for each that waits");
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

    /// The second half: children of the survivors and of the archive, and new founders.
    pub fn breed(&mut self, species: &impl Species<Genome = G>) {
        let parents = self.members.clone();
        let from_archive: Vec<Relative<G>> = match &self.archive {
            Some(archive) => archive.elites().filter(|one| parents.iter().all(|p| p.id != one.id)).cloned().collect(),
            None => Vec::new(),
        };
        let mut children = Vec::new();
        for (place, parent) in parents.iter().enumerate() {
            for child in 0..self.settings.children {
                let mut draws = self.draws(place * self.settings.children + child);
                // Half of the children of a search for many kinds come from the archive, whose kinds may not survive here.
                let from = match from_archive.as_slice() {
                    [] => parent,
                    _ if draws.unit() < 0.5 => parent,
                    elites => &elites[draws.below(elites.len() as u32) as usize],
                };
                children.push(self.child(species, from, &parents, &mut draws));
            }
        }
        if self.settings.sharing == Sharing::Published {
            // As the program does: children of a family share their names, and of one name only the last is kept.
            let name = |at: usize, child: &Relative<G>| (child.family, at % self.settings.children);
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
        self.found(species, newcomers);
    }

    /// Takes in a migrant, with its fitness and its family. One that is known here, or would be the worst, stays outside.
    pub fn immigrate(&mut self, migrant: Relative<G>) -> bool {
        let full = self.members.len() >= self.settings.survivors();
        let (Some(fitness), Some(least)) = (migrant.fitness, self.members.last().map(Relative::worth)) else {
            return false;
        };
        if self.members.iter().any(|m| m.family == migrant.family) || (full && fitness <= least) {
            return false;
        }
        if full {
            self.members.pop();
        }
        let place = self.members.partition_point(|m| m.worth() >= fitness);
        let mut migrant = Relative { id: self.born, parents: Vec::new(), operator: Operator::Migration, ..migrant };
        migrant.born = self.generation;
        self.born += 1;
        self.members.insert(place, migrant);
        true
    }

    fn child(
        &self,
        species: &impl Species<Genome = G>,
        parent: &Relative<G>,
        mates: &[Relative<G>],
        draws: &mut Draws,
    ) -> Relative<G> {
        let mate = (draws.unit() < self.settings.crossover).then(|| &mates[draws.below(mates.len() as u32) as usize]);
        let crossed = mate
            .filter(|mate| mate.id != parent.id)
            .and_then(|mate| Some((mate.id, species.cross(&parent.genome, &mate.genome, draws)?)));
        let (parents, operator, genome) = match crossed {
            Some((mate, genome)) => (vec![parent.id, mate], Operator::Crossover, species.mutate(&genome, draws)),
            None => (vec![parent.id], Operator::Mutation, species.mutate(&parent.genome, draws)),
        };
        Relative { id: 0, family: parent.family, parents, operator, born: self.generation, genome, fitness: None }
    }

    fn found(&mut self, species: &impl Species<Genome = G>, count: usize) {
        for place in 0..count {
            let genome = species.founder(&mut self.draws(FOUNDERS + place));
            self.members.push(Relative {
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

/// The first place of founders' random numbers, beyond those of children.
const FOUNDERS: usize = 1 << 15;

#[cfg(test)]
mod tests;
