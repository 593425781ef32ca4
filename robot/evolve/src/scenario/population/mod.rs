//! Populations that outlast a run: to go on after an interruption, and to blend of in another curriculum.

mod read;

use super::{Generation, ScenarioError, Step};
use crate::automata::AutomataSpecies;
use crate::curriculum::Member;
use std::fmt::Write;
use xpuck_kernels::automaton::{Module, print};
use xpuck_kernels::cargo::Automata;

/// Most individuals of a saved population.
pub const MAX_INDIVIDUALS: usize = 4096;

/// A saved individual.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Its fitness in the step that it was saved of.
    pub fitness: f64,
    /// The automata that evolved.
    pub automata: Automata,
}

/// The population that a step ended with.
///
/// As text, a line with format and modules comes first, then how long the step took, then each individual: its fitness, and its
/// automata as [`xpuck_kernels::automaton`] writes them, and at the end how many they are, so that a cut file is known.
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
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    /// The modules whose automata evolved, in the order of [`Module::ARBITRATED`].
    pub modules: Vec<Module>,
    /// Generations of the step.
    pub generations: u32,
    /// Evaluations of the step.
    pub evaluations: u64,
    /// The fittest first.
    pub individuals: Vec<Saved>,
}

impl Population {
    /// What a step's population is now.
    pub fn new(generation: &Generation) -> Population {
        let saved = |member: &Member<_>| Saved { fitness: member.fitness, automata: Automata::clone(&member.genome) };
        Population {
            modules: generation.step.modules(),
            generations: generation.variables.step_generation,
            evaluations: generation.variables.step_evaluations,
            individuals: generation.members.iter().map(saved).collect(),
        }
    }

    /// Its text, which [`Population::parse`] reads.
    pub fn text(&self) -> String {
        let mut text = String::from("population 1");
        for module in &self.modules {
            let _ = write!(text, " {}", module.name());
        }
        let _ = writeln!(text, "\ngenerations {}\nevaluations {}", self.generations, self.evaluations);
        for individual in &self.individuals {
            let _ = writeln!(text, "individual {}", individual.fitness);
            for module in &self.modules {
                let automaton = module.arbitrated().and_then(|place| individual.automata.0[place].as_ref());
                if let Some(automaton) = automaton {
                    let _ = write!(text, "module {}\n{}", module.name(), print(automaton));
                }
            }
        }
        let _ = writeln!(text, "end {}", self.individuals.len());
        text
    }

    /// Reads a population; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Population, ScenarioError> {
        read::population(file, text)
    }

    /// The names of its modules.
    pub(super) fn module_names(&self) -> String {
        names(&self.modules)
    }

    pub(super) fn members(&self) -> Vec<Member<AutomataSpecies>> {
        let member = |saved: &Saved| Member::new(saved.automata.clone(), saved.fitness);
        self.individuals.iter().map(member).collect()
    }
}

impl Step {
    /// The modules whose automata evolve, in the order of [`Module::ARBITRATED`].
    pub fn modules(&self) -> Vec<Module> {
        let evolves = |module: &Module| self.bounds.iter().any(|bounds| bounds.module == *module);
        Module::ARBITRATED.into_iter().filter(evolves).collect()
    }

    /// Reads a population that this step ended with; one of other modules is refused.
    pub fn population(&self, file: &str, text: &str) -> Result<Population, ScenarioError> {
        let population = Population::parse(file, text)?;
        if population.modules == self.modules() {
            return Ok(population);
        }
        let (theirs, ours) = (population.module_names(), names(&self.modules()));
        let message = format!(
            "population: its automata are those of {theirs}, but step {:?} evolves {ours}; name a population of this step",
            self.name
        );
        Err(ScenarioError { file: file.into(), line: read::header_line(text), message })
    }
}

fn names(modules: &[Module]) -> String {
    modules.iter().map(|module| module.name()).collect::<Vec<_>>().join(" and ")
}
