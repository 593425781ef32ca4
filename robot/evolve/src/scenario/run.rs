//! A whole curriculum from its first step to its goal.

use super::{Fixed, Scenario, Step};
use crate::automata::AutomataSpecies;
use crate::curriculum::{Evolution, Member, Progress, Statistics, Variables, Worth, blend};
use xpuck_kernels::cargo::{Automata, Trials, Tried, hand_made};
use xpuck_kernels::random::{Draws, Stream};

/// What came of a step.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Its name.
    pub name: String,
    /// Generations.
    pub generations: u32,
    /// Evaluations: genotypes that were not known.
    pub evaluations: u64,
    /// Fitness of the best.
    pub best: f64,
    /// The best as a whole controller.
    pub controller: Automata,
    /// Whether its end formula held.
    pub done: bool,
    /// What mutations contributed.
    pub statistics: Statistics,
}

/// What came of a curriculum.
#[derive(Clone, Debug)]
pub struct Report {
    /// Steps, in the order in which they ran; a curriculum without generations left ends early.
    pub steps: Vec<StepReport>,
    /// Whether the goal was reached.
    pub solved: bool,
}

impl Report {
    /// Generations of all steps.
    pub fn generations(&self) -> u32 {
        self.steps.iter().map(|step| step.generations).sum()
    }

    /// Evaluations of all steps.
    pub fn evaluations(&self) -> u64 {
        self.steps.iter().map(|step| step.evaluations).sum()
    }
}

impl Scenario {
    /// Runs the curriculum. `evaluate` tries controllers, `see` is told each generation and may stop the run by false; both
    /// get the step.
    pub fn run(
        &self,
        seed: u64,
        mut evaluate: impl FnMut(&[Automata], &Trials) -> Vec<Tried>,
        mut see: impl FnMut(&Step, &Variables) -> bool,
    ) -> Report {
        let mut populations: Vec<Vec<Member<AutomataSpecies>>> = vec![vec![]; self.steps.len()];
        let mut report = Report { steps: vec![], solved: false };
        let mut variables = Variables::default();
        for &i in &self.order {
            let step = &self.steps[i];
            let species = step.species(&populations);
            let mut draws = Draws::new(seed, i as u32, 0, 0, Stream::Evolution);
            let before: Vec<&[Member<AutomataSpecies>]> = step.after.iter().map(|&b| &populations[b][..]).collect();
            let genomes = blend(&species, step.settings.population, &step.blends, &before, &mut draws);
            // Draws of a population's first generation must not be those of its making.
            let mut evolution =
                Evolution::new(species, step.settings.clone(), genomes, variables, seed, i as u32 + 1000);
            let trials = step.trials(seed.wrapping_add(i as u64 + 1));
            let progress = loop {
                let controllers: Vec<Automata> =
                    evolution.unknown().iter().map(|genome| evolution.species().controller(genome)).collect();
                let tried = evaluate(&controllers, &trials);
                let worths = tried
                    .into_iter()
                    .map(|tried| Worth { fitness: step.combine.fitness(&tried.scores), usage: tried.usages })
                    .collect();
                let progress = evolution.learn(worths, 0.0);
                let goes = see(step, evolution.variables());
                if progress != Progress::Goes || !goes {
                    break progress;
                }
            };
            variables = *evolution.variables();
            report.steps.push(StepReport {
                name: step.name.clone(),
                generations: variables.step_generation,
                evaluations: variables.step_evaluations,
                best: variables.best,
                controller: evolution.species().controller(&evolution.members()[0].genome),
                done: progress == Progress::Done,
                statistics: evolution.statistics().clone(),
            });
            if progress != Progress::Done {
                return report;
            }
            populations[i] = evolution.members().to_vec();
        }
        report.solved = true;
        report
    }
}

impl Step {
    /// What evolves in the step, with the fixed automata of earlier steps' best.
    fn species(&self, populations: &[Vec<Member<AutomataSpecies>>]) -> AutomataSpecies {
        let by_hand = hand_made();
        let mut fixed = Automata::default();
        for &(module, from) in &self.fixed {
            let Some(place) = module.arbitrated() else { continue };
            let source = match from {
                Fixed::HandMade => Some(&by_hand),
                Fixed::Step(step) => populations[step].first().map(|member| &member.genome),
            };
            fixed.0[place] = source.and_then(|automata| automata.0[place].clone());
        }
        AutomataSpecies { bounds: self.bounds.clone(), rates: self.rates.clone(), fixed, size: self.size }
    }

    /// What a controller is tried in.
    pub fn trials(&self, seed: u64) -> Trials<'_> {
        Trials {
            world: &self.world,
            weights: &self.weights,
            starts: self.starts,
            repeats: self.repeats,
            time: self.time,
            seed,
            checkpoints: &[],
        }
    }
}
