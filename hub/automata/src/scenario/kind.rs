//! Kinds of genomes that evolve in the steps of a curriculum.

use super::{Fixed, Population, SavedGenome, Scenario, Step};
use crate::arbiters::{TreeGenome, TreeSpecies};
use crate::automata::AutomataSpecies;
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::{Arbiter, Arbitration, ControllerAutomata, Usages, hand_made_automata};
use xpuck_evolve::curriculum::{Blend, Member, Species};

/// Kind of genome that can evolve in a step. Each genome determines a controller.
pub trait Kind: Species<Genome: std::fmt::Debug + SavedGenome> + Sized {
    /// Type of the evaluated controllers.
    type Controller: Clone + std::fmt::Debug + Sync;

    /// Returns the species of a step, given the final populations of earlier steps.
    fn of_step(scenario: &Scenario, step: usize, populations: &[Vec<Member<Self>>]) -> Self;
    /// Returns the controller of a genome.
    fn controller(&self, genome: &Self::Genome) -> Self::Controller;
    /// Returns the controller in the form that simulated runs use.
    fn arbitration(controller: &Self::Controller) -> Arbitration<'_>;
    /// Returns the individuals of a population that a curriculum file names. Such populations contain automata; for
    /// other genomes, the result is empty.
    fn named(population: &Population) -> Vec<Member<Self>>;
    /// Returns the usage of a genome's parts. `of_automata` is the usage of automata in a run.
    fn usage(of_automata: Usages) -> Self::Usage;
    /// Returns the rows of a step's blend for the parts of these genomes.
    fn rows(step: &Step) -> Vec<Blend>;
}

impl Kind for AutomataSpecies {
    type Controller = ControllerAutomata;

    fn of_step(scenario: &Scenario, i: usize, populations: &[Vec<Member<Self>>]) -> Self {
        let step = &scenario.steps[i];
        let by_hand = hand_made_automata();
        let mut fixed = ControllerAutomata::default();
        for &(module, from) in &step.fixed {
            let Some(place) = module.arbitrated() else { continue };
            let source = match from {
                Fixed::HandMade => Some(&by_hand),
                Fixed::Step(step) => populations[step].first().map(|member| &member.genome),
                Fixed::Saved(saved) => scenario.populations[saved].individuals.first().map(|best| &best.genome),
            };
            fixed.0[place] = source.and_then(|automata| automata.0[place].clone());
        }
        AutomataSpecies { bounds: step.bounds.clone(), rates: step.rates.clone(), fixed, size: step.size }
    }

    fn controller(&self, genome: &ControllerAutomata) -> ControllerAutomata {
        AutomataSpecies::controller(self, genome)
    }

    fn arbitration(controller: &ControllerAutomata) -> Arbitration<'_> {
        controller.into()
    }

    fn named(population: &Population) -> Vec<Member<Self>> {
        population.members()
    }

    fn usage(of_automata: Usages) -> Usages {
        of_automata
    }

    fn rows(step: &Step) -> Vec<Blend> {
        step.blends.clone()
    }
}

impl Kind for TreeSpecies {
    type Controller = Arbiter;

    fn of_step(scenario: &Scenario, i: usize, _populations: &[Vec<Member<Self>>]) -> Self {
        let step = &scenario.steps[i];
        TreeSpecies::new(step.driven(), step.size[1])
    }

    fn controller(&self, genome: &TreeGenome) -> Arbiter {
        Arbiter::new(genome.tree().clone(), self.modules()).expect("variation keeps trees to what fits a robot")
    }

    fn arbitration(controller: &Arbiter) -> Arbitration<'_> {
        controller.into()
    }

    fn named(_population: &Population) -> Vec<Member<Self>> {
        vec![]
    }

    fn usage(_of_automata: Usages) {}

    /// Returns the rows of the blend for a tree, which has only one part. Only the first row of each source is used,
    /// and its shares of the new population are divided by the number of sources.
    fn rows(step: &Step) -> Vec<Blend> {
        let mut rows: Vec<Blend> = Vec::new();
        for row in &step.blends {
            if rows.iter().all(|known| known.from != row.from) {
                rows.push(Blend { part: 0, ..*row });
            }
        }
        let share = 1.0 / rows.len().max(1) as f32;
        rows.iter().map(|row| Blend { copied: row.copied * share, mutated: row.mutated * share, ..*row }).collect()
    }
}

impl Step {
    /// Returns the modules to which a tree can give the motors in this step: the evolving and the fixed modules.
    pub fn driven(&self) -> Vec<Module> {
        let fixed = self.fixed.iter().map(|(module, _)| *module);
        let named: Vec<Module> = self.bounds.iter().map(|bounds| bounds.module).chain(fixed).collect();
        Module::ARBITRATED.into_iter().filter(|module| named.contains(module)).collect()
    }
}
