//! Populations that outlast a run: to go on after an interruption, and to blend of in another curriculum.

mod automata;
mod read;
mod trees;

use super::{Generation, Kind, ScenarioError, Step};
use std::fmt::Write;
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::Automata;
use xpuck_evolve::curriculum::{Member, Species};

/// Most individuals of a saved population.
pub const MAX_INDIVIDUALS: usize = 4096;

/// A genome that populations are saved of.
pub trait SavedGenome: Clone {
    /// What the first line says after the format, before the modules; automata, which came first, have no word.
    const WORD: Option<&'static str>;

    /// The modules that its genomes are of in a step, in the order of [`Module::ARBITRATED`].
    fn modules(step: &Step) -> Vec<Module>;
    /// Adds its text, lines of which none begins with a word that populations have of their own.
    fn write(&self, modules: &[Module], text: &mut String);
    /// Reads that text.
    fn read(body: &Body) -> Result<Self, ScenarioError>;
}

/// The text of a genome in a saved population.
pub struct Body<'a> {
    /// What errors call the file.
    file: &'a str,
    /// The modules of the population.
    modules: &'a [Module],
    /// The line above, which has the fitness.
    above: usize,
    /// Lines that say something, without comments, and their numbers.
    lines: &'a [(usize, &'a str)],
}

/// A saved individual.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved<G = Automata> {
    /// Its fitness in the step that it was saved of.
    pub fitness: f64,
    /// What evolved.
    pub genome: G,
}

/// The population that a step ended with.
///
/// As text, a line with format and modules comes first, then how long the step took, then each individual: its fitness, and its
/// automata as [`xpuck_automata::automaton`] writes them or its tree as [`xpuck_kernels::tree`] does, and at the end how many they
/// are, so that a cut file is known.
///
/// ```text
/// population 1 cargoloader
/// generations 12
/// evaluations 691
/// individual 803211.5
/// module cargoloader
/// 1 -> 1: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-
/// end 1
/// ```
///
/// Trees have the word `tree` before the modules that they can give the motors.
#[derive(Clone, Debug, PartialEq)]
pub struct Population<G = Automata> {
    /// The modules whose automata evolved, or that trees can give the motors, in the order of [`Module::ARBITRATED`].
    pub modules: Vec<Module>,
    /// Generations of the step.
    pub generations: u32,
    /// Evaluations of the step.
    pub evaluations: u64,
    /// The fittest first.
    pub individuals: Vec<Saved<G>>,
}

impl<G: SavedGenome> Population<G> {
    /// What a step's population is now.
    pub fn new<S: Kind<Genome = G>>(generation: &Generation<S>) -> Population<G> {
        let saved = |member: &Member<S>| Saved { fitness: member.fitness, genome: member.genome.clone() };
        Population {
            modules: G::modules(generation.step),
            generations: generation.variables.step_generation,
            evaluations: generation.variables.step_evaluations,
            individuals: generation.members.iter().map(saved).collect(),
        }
    }

    /// Its text, which [`Population::parse`] reads.
    pub fn text(&self) -> String {
        let mut text = String::from("population 1");
        for word in G::WORD.into_iter().chain(self.modules.iter().map(|module| module.name())) {
            let _ = write!(text, " {word}");
        }
        let _ = writeln!(text, "\ngenerations {}\nevaluations {}", self.generations, self.evaluations);
        for individual in &self.individuals {
            let _ = writeln!(text, "individual {}", individual.fitness);
            individual.genome.write(&self.modules, &mut text);
        }
        let _ = writeln!(text, "end {}", self.individuals.len());
        text
    }

    /// Reads a population; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Population<G>, ScenarioError> {
        read::population(file, text)
    }

    /// The names of its modules.
    pub(super) fn module_names(&self) -> String {
        names(&self.modules)
    }

    /// Its individuals as evolution has them.
    pub(super) fn members<S: Species<Genome = G>>(&self) -> Vec<Member<S>> {
        self.individuals.iter().map(|saved| Member::new(saved.genome.clone(), saved.fitness)).collect()
    }
}

impl Step {
    /// The modules whose automata evolve, in the order of [`Module::ARBITRATED`].
    pub fn modules(&self) -> Vec<Module> {
        let evolves = |module: &Module| self.bounds.iter().any(|bounds| bounds.module == *module);
        Module::ARBITRATED.into_iter().filter(evolves).collect()
    }

    /// Reads a population that this step ended with; one of other modules is refused.
    pub fn population<G: SavedGenome>(&self, file: &str, text: &str) -> Result<Population<G>, ScenarioError> {
        let population = Population::parse(file, text)?;
        let modules = G::modules(self);
        if population.modules == modules {
            return Ok(population);
        }
        let (theirs, ours) = (population.module_names(), names(&modules));
        let message = format!(
            "population: its {} are those of {theirs}, but step {:?} evolves {ours}; name a population of this step",
            if G::WORD.is_some() { "trees" } else { "automata" },
            self.name
        );
        Err(ScenarioError { file: file.into(), line: read::header_line(text), message })
    }
}

fn names(modules: &[Module]) -> String {
    modules.iter().map(|module| module.name()).collect::<Vec<_>>().join(" and ")
}
