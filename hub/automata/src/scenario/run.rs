//! Execution of a curriculum from its first step to its goal, with any algorithm.

use super::{Ending, Kind, Population, Request, Scenario, Step};
use std::collections::BTreeMap;
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::{ControllerAutomata, Trials};
use xpuck_evolve::curriculum::{Blend, Member, Statistics, Variables, blend};
use xpuck_kernels::random::{Draws, Stream};

/// Result of a step.
#[derive(Clone, Debug)]
pub struct StepReport<C = ControllerAutomata> {
    /// Name of the step.
    pub name: String,
    /// Number of generations of the step.
    pub generations: u32,
    /// Number of evaluations of new genotypes.
    pub evaluations: u64,
    /// Fitness of the step's best individual.
    pub best: f64,
    /// Complete controller of the best individual, including fixed automata.
    pub controller: C,
    /// Reason for the end of the step.
    pub ending: Ending,
    /// Contributions of the genetic operators. They are empty for a step that was completed before the run.
    pub statistics: Statistics,
}

/// Result of a step, as an evolutionary algorithm returns it.
pub(super) struct StepRun<S: Kind> {
    /// Variables at the end of the step.
    pub variables: Variables,
    /// Final population, the fittest first.
    pub members: Vec<Member<S>>,
    /// Contributions of the genetic operators.
    pub statistics: Statistics,
    /// Reason for the end of the step.
    pub ending: Ending,
    /// Last request of the observer.
    pub ask: Request,
}

/// Result of a curriculum run.
#[derive(Clone, Debug)]
pub struct Report<C = ControllerAutomata> {
    /// Steps in the order in which they ran. Steps after the end of an incomplete run are missing.
    pub steps: Vec<StepReport<C>>,
    /// Whether the run completed the goal, the last step.
    pub solved: bool,
}

impl<C> Report<C> {
    /// Returns the number of generations of all steps.
    pub fn generations(&self) -> u32 {
        self.steps.iter().map(|step| step.generations).sum()
    }

    /// Returns the contributions of the genetic operators, summed over all steps.
    pub fn statistics(&self) -> Statistics {
        let mut sum = Statistics::default();
        self.steps.iter().for_each(|step| sum.add(&step.statistics));
        sum
    }

    /// Returns the number of evaluations of all steps.
    pub fn evaluations(&self) -> u64 {
        self.steps.iter().map(|step| step.evaluations).sum()
    }
}

impl Scenario {
    /// Runs all steps except the completed steps, whose populations are in `begin`. `run_step` runs the step with the
    /// given index, from the populations and variables of the previous steps.
    pub(super) fn run_steps<S: Kind>(
        &self,
        begin: &BTreeMap<usize, Population<S::Genome>>,
        mut run_step: impl FnMut(usize, &[Vec<Member<S>>], Variables) -> StepRun<S>,
    ) -> Report<S::Controller> {
        let mut populations: Vec<Vec<Member<S>>> = vec![vec![]; self.steps.len()];
        let mut report = Report { steps: vec![], solved: false };
        let mut variables = Variables::default();
        for &i in &self.order {
            if let Some(population) = begin.get(&i)
                && let Some(best) = population.individuals.first()
            {
                populations[i] = population.members();
                variables.generation += population.generations;
                variables.evaluations += population.evaluations;
                let controller = S::of_step(self, i, &populations).controller(&best.genome);
                report.steps.push(self.steps[i].done_before(population, controller));
                continue;
            }
            let ran = run_step(i, &populations, variables);
            variables = ran.variables;
            let ending = ran.ending;
            report.steps.push(StepReport {
                name: self.steps[i].name.clone(),
                generations: variables.step_generation,
                evaluations: variables.step_evaluations,
                best: variables.best,
                controller: S::of_step(self, i, &populations).controller(&ran.members[0].genome),
                ending,
                statistics: ran.statistics,
            });
            populations[i] = ran.members;
            if !ending.is_done() || (ran.ask == Request::Stop && report.steps.len() < self.steps.len()) {
                return report;
            }
        }
        report.solved = true;
        report
    }

    /// Returns the genomes with which step `i` starts or restarts. `restart` is the number of restarts (0 at the first
    /// start). Each restart uses populations of still earlier steps, because the step made no progress from the
    /// previous populations.
    pub(super) fn first_genomes<S: Kind>(
        &self,
        i: usize,
        species: &S,
        populations: &[Vec<Member<S>>],
        seed: u64,
        restart: u32,
    ) -> Vec<S::Genome> {
        let step = &self.steps[i];
        let mut draws = Draws::new(seed, i as u32, restart, 0, Stream::Evolution);
        let saved: Vec<Vec<Member<S>>> = step.saved.iter().map(|&s| S::named(&self.populations[s])).collect();
        let rows = S::rows(step);
        let source = |row: &Blend| match step.after.get(row.from) {
            Some(&from) => &populations[self.ancestor_step(from, step.bounds[row.part].module, restart)],
            None => &saved[row.from - step.after.len()],
        };
        let before: Vec<&[Member<S>]> = rows.iter().map(|row| source(row).as_slice()).collect();
        let rows: Vec<Blend> = rows.iter().enumerate().map(|(from, row)| Blend { from, ..*row }).collect();
        blend(species, step.settings.population, &rows, &before, &mut draws)
    }

    /// Returns the step that is `back` steps before `from` in the ancestry of a module's automata. If the ancestry has
    /// fewer steps, the count continues at `from`.
    fn ancestor_step(&self, from: usize, module: Module, back: u32) -> usize {
        let before = |&i: &usize| {
            let step = &self.steps[i];
            let of_module = |row: &&Blend| step.bounds[row.part].module == module;
            step.blends.iter().filter(of_module).find_map(|row| step.after.get(row.from).copied())
        };
        let way: Vec<usize> = std::iter::successors(Some(from), before).collect();
        way[back as usize % way.len()]
    }
}

impl Step {
    /// Returns the settings with which the step evaluates controllers.
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

    fn done_before<G, C>(&self, population: &Population<G>, controller: C) -> StepReport<C> {
        StepReport {
            name: self.name.clone(),
            generations: population.generations,
            evaluations: population.evaluations,
            best: population.individuals.first().map_or(0.0, |best| best.fitness),
            controller,
            ending: Ending::Before,
            statistics: Statistics::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_restart_begins_with_what_steps_further_back_left() {
        let text = include_str!("../../../../docs/curricula/cargo-creative.toml");
        let scenario = Scenario::parse("c", text).unwrap();
        let way = |module| [0, 1, 2, 3, 4, 5].map(|back| scenario.ancestor_step(5, module, back));
        assert_eq!(way(Module::LineFollower), [5, 4, 3, 1, 5, 4]);
        assert_eq!(way(Module::Cargoloader), [5, 4, 3, 2, 5, 4]);
    }
}
