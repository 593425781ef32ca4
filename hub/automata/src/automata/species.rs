//! Sets of automata, one for each evolving module, as genomes of a curriculum.

use super::random::{add_transition, count, random_automaton};
use super::{Bounds, MUTATIONS, Mutation, cross, mutate};
use xpuck_automata::automaton::{Automaton, trim};
use xpuck_automata::cargo::{ControllerAutomata, Usages};
use xpuck_evolve::curriculum::Species;
use xpuck_kernels::random::Draws;

/// Probabilities of the operators; the defaults are Petrovic's.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Probability of each mutation, in the order of [`MUTATIONS`]. The sum is 1.
    pub mutations: [f32; 8],
    /// Probability that unused states and transitions are removed.
    pub trim: f32,
    /// Probability that a state without transitions gets one.
    pub new_in_last: f32,
}

impl Default for Rates {
    fn default() -> Rates {
        Rates { mutations: [0.25, 0.10, 0.20, 0.05, 0.25, 0.05, 0.05, 0.05], trim: 0.5, new_in_last: 0.5 }
    }
}

/// Automata that evolve in a step, and the automata that are fixed.
#[derive(Clone, Debug)]
pub struct AutomataSpecies {
    /// Limits of each evolving automaton.
    pub bounds: Vec<Bounds>,
    /// Probabilities of the operators.
    pub rates: Rates,
    /// Fixed automata.
    pub fixed: ControllerAutomata,
    /// Change of fitness per state and per transition.
    pub size: [f64; 2],
}

impl AutomataSpecies {
    /// Returns the controller of a genome: its evolved automata and the fixed automata.
    pub fn controller(&self, genome: &ControllerAutomata) -> ControllerAutomata {
        let mut whole = self.fixed.clone();
        for bounds in &self.bounds {
            let i = place(bounds);
            whole.0[i].clone_from(&genome.0[i]);
        }
        whole
    }

    fn automaton<'a>(&self, genome: &'a ControllerAutomata, part: usize) -> Option<&'a Automaton> {
        genome.0[place(&self.bounds[part])].as_ref()
    }
}

/// Returns the index of a module's automaton in a set.
fn place(bounds: &Bounds) -> usize {
    // Only modules with a post-office have bounds. The reader of curriculum files checks this.
    bounds.module.arbitrated().unwrap_or(0)
}

impl Species for AutomataSpecies {
    type Genome = ControllerAutomata;
    type Usage = Usages;

    fn parts(&self) -> usize {
        self.bounds.len()
    }

    fn operators(&self) -> Vec<&'static str> {
        MUTATIONS.iter().map(|mutation| mutation.name()).collect()
    }

    fn random(&self, draws: &mut Draws) -> ControllerAutomata {
        let mut genome = ControllerAutomata::default();
        for part in 0..self.bounds.len() {
            self.renew(&mut genome, part, draws);
        }
        genome
    }

    fn renew(&self, genome: &mut ControllerAutomata, part: usize, draws: &mut Draws) {
        let bounds = &self.bounds[part];
        genome.0[place(bounds)] = Some(random_automaton(bounds, draws));
    }

    fn copy(&self, genome: &mut ControllerAutomata, part: usize, from: &ControllerAutomata) -> bool {
        let i = place(&self.bounds[part]);
        if from.0[i].is_some() {
            genome.0[i].clone_from(&from.0[i]);
        }
        from.0[i].is_some()
    }

    fn mutate_part(&self, genome: &mut ControllerAutomata, part: usize, draws: &mut Draws) {
        // This mutation must keep parts of the copied automata, so a mutation that draws new automata is rejected.
        let mutation = loop {
            let mutation = self.draw_mutation(draws);
            if mutation != Mutation::NewIndividual {
                break mutation;
            }
        };
        let bounds = &self.bounds[part];
        if let Some(automaton) = &mut genome.0[place(bounds)] {
            mutate(automaton, mutation, bounds, draws);
        }
    }

    fn mutate(&self, genome: &mut ControllerAutomata, draws: &mut Draws) -> usize {
        let mutation = self.draw_mutation(draws);
        if mutation == Mutation::NewIndividual {
            *genome = self.random(draws);
        } else {
            let bounds = &self.bounds[draws.below(self.bounds.len() as u32) as usize];
            if let Some(automaton) = &mut genome.0[place(bounds)] {
                mutate(automaton, mutation, bounds, draws);
            }
        }
        MUTATIONS.iter().position(|&m| m == mutation).unwrap_or(0)
    }

    fn cross(&self, mother: &mut ControllerAutomata, father: &mut ControllerAutomata, draws: &mut Draws) {
        let part = draws.below(self.bounds.len() as u32) as usize;
        let bounds = &self.bounds[part];
        let (Some(a), Some(b)) = (self.automaton(mother, part), self.automaton(father, part)) else { return };
        if let Some([first, second]) = cross(a, b, bounds.max_states, draws) {
            mother.0[place(bounds)] = Some(first);
            father.0[place(bounds)] = Some(second);
        }
    }

    fn trim(&self, genome: &ControllerAutomata, usages: &Usages, draws: &mut Draws) -> Option<ControllerAutomata> {
        if draws.unit() >= self.rates.trim {
            return None;
        }
        let mut trimmed = genome.clone();
        for bounds in &self.bounds {
            let i = place(bounds);
            trimmed.0[i] = genome.0[i].as_ref().map(|automaton| trim(automaton, &usages[i]));
        }
        (trimmed != *genome).then_some(trimmed)
    }

    fn repair(&self, genome: &mut ControllerAutomata, draws: &mut Draws) {
        for bounds in &self.bounds {
            let Some(automaton) = &mut genome.0[place(bounds)] else { continue };
            let n = automaton.states.len();
            for state in &mut automaton.states {
                if count(state) == 0 && draws.unit() < self.rates.new_in_last {
                    add_transition(bounds, state, n, draws);
                }
            }
        }
    }

    fn size_worth(&self, genome: &ControllerAutomata) -> f64 {
        let automata = self.bounds.iter().filter_map(|bounds| genome.0[place(bounds)].as_ref());
        automata
            .map(|automaton| {
                self.size[0] * automaton.states.len() as f64 + self.size[1] * automaton.transitions() as f64
            })
            .sum()
    }
}

impl AutomataSpecies {
    fn draw_mutation(&self, draws: &mut Draws) -> Mutation {
        let mut left = draws.unit() * self.rates.mutations.iter().sum::<f32>();
        for (mutation, rate) in MUTATIONS.into_iter().zip(self.rates.mutations) {
            if left < rate {
                return mutation;
            }
            left -= rate;
        }
        Mutation::ChangeStart
    }
}
