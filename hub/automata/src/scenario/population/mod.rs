//! Saved populations. They are used to resume an interrupted run, and as sources of blends in other curricula.

mod automata;
mod read;
mod trees;

use super::{Generation, Kind, ScenarioError, Step};
use std::fmt::Write;
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::ControllerAutomata;
use xpuck_evolve::curriculum::{Member, Species};

/// Maximum number of individuals of a saved population.
pub const MAX_INDIVIDUALS: usize = 4096;

/// Genome that can be saved in a population file.
pub trait SavedGenome: Clone {
    /// Word that names the kind of genome in the first line, after the format version. `None` for automata, because the
    /// original format contained only automata.
    const WORD: Option<&'static str>;

    /// Returns the modules of the genomes of a step, in the order of [`Module::ARBITRATED`].
    fn modules(step: &Step) -> Vec<Module>;
    /// Appends the text of the genome to `text`. No line of the genome may begin with a keyword of population files.
    fn write(&self, modules: &[Module], text: &mut String);
    /// Parses the text of a genome.
    fn read(body: &Body) -> Result<Self, ScenarioError>;
}

/// Text of a genome in a saved population.
pub struct Body<'a> {
    /// Name of the population file in error messages.
    file: &'a str,
    /// Modules of the population.
    modules: &'a [Module],
    /// Number of the line above the genome, which contains the fitness.
    above: usize,
    /// Non-empty lines without comments, with their line numbers.
    lines: &'a [(usize, &'a str)],
}

/// Saved individual.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedIndividual<G = ControllerAutomata> {
    /// Fitness in the step in which the individual was saved.
    pub fitness: f64,
    /// Genome of the individual.
    pub genome: G,
}

/// Final population of a step.
///
/// The first line of the text contains the format version and the modules. The numbers of generations and evaluations
/// of the step follow. Each individual consists of its fitness and its genome. The genome is either automata in the
/// format of [`xpuck_automata::automaton`], or a tree in the format of [`xpuck_kernels::tree`]. The last line
/// contains the number of individuals, so that a truncated file is detected.
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
/// Populations of trees have the word `tree` before the modules. The modules are those to which the trees can give
/// the motors.
#[derive(Clone, Debug, PartialEq)]
pub struct Population<G = ControllerAutomata> {
    /// Modules whose automata evolved, or to which trees can give the motors. Their order is that of
    /// [`Module::ARBITRATED`].
    pub modules: Vec<Module>,
    /// Number of generations of the step.
    pub generations: u32,
    /// Number of evaluations of the step.
    pub evaluations: u64,
    /// Individuals, the fittest first.
    pub individuals: Vec<SavedIndividual<G>>,
}

impl<G: SavedGenome> Population<G> {
    /// Creates the saved form of a step's current population.
    pub fn new<S: Kind<Genome = G>>(generation: &Generation<S>) -> Population<G> {
        let saved = |member: &Member<S>| SavedIndividual { fitness: member.fitness, genome: member.genome.clone() };
        Population {
            modules: G::modules(generation.step),
            generations: generation.variables.step_generation,
            evaluations: generation.variables.step_evaluations,
            individuals: generation.members.iter().map(saved).collect(),
        }
    }

    /// Returns the population as text, in the format of [`Population::parse`].
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

    /// Parses a population. Errors contain `file` as the name of the text.
    pub fn parse(file: &str, text: &str) -> Result<Population<G>, ScenarioError> {
        read::population(file, text)
    }

    /// Returns the names of the modules.
    pub(super) fn module_names(&self) -> String {
        names(&self.modules)
    }

    /// Returns the individuals as members of an evolution.
    pub(super) fn members<S: Species<Genome = G>>(&self) -> Vec<Member<S>> {
        self.individuals.iter().map(|saved| Member::new(saved.genome.clone(), saved.fitness)).collect()
    }
}

impl Step {
    /// Returns the modules whose automata evolve in this step, in the order of [`Module::ARBITRATED`].
    pub fn modules(&self) -> Vec<Module> {
        let evolves = |module: &Module| self.bounds.iter().any(|bounds| bounds.module == *module);
        Module::ARBITRATED.into_iter().filter(evolves).collect()
    }

    /// Parses the final population of this step. Rejects populations with other modules than this step.
    pub fn population<G: SavedGenome>(&self, file: &str, text: &str) -> Result<Population<G>, ScenarioError> {
        let population = Population::parse(file, text)?;
        let modules = G::modules(self);
        if population.modules == modules {
            return Ok(population);
        }
        let (theirs, ours) = (population.module_names(), names(&modules));
        let message = format!(
            "population: its {} are of {theirs}, but step {:?} evolves {ours}; choose a population of this step",
            if G::WORD.is_some() { "trees" } else { "automata" },
            self.name
        );
        Err(ScenarioError { file: file.into(), line: read::header_line(text), message })
    }
}

fn names(modules: &[Module]) -> String {
    modules.iter().map(|module| module.name()).collect::<Vec<_>>().join(" and ")
}
