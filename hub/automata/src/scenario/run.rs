//! Run of a curriculum from its first step to its goal, independent of the algorithm.

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
    /// Number of generations.
    pub generations: u32,
    /// Number of evaluations of new genotypes.
    pub evaluations: u64,
    /// Fitness of the best individual.
    pub best: f64,
    /// Complete controller of the best individual.
    pub controller: C,
    /// End of the step.
    pub ending: Ending,
    /// Contributions of the operators; empty for a step that was completed before.
    pub statistics: Statistics,
}

/// Step that was run to its end.
pub(super) struct StepRun<S: Kind> {
    /// Variables at the end of the step.
    pub variables: Variables,
    /// Final population, fittest first.
    pub members: Vec<Member<S>>,
    /// Contributions of the operators.
    pub statistics: Statistics,
    /// End of the step.
    pub ending: Ending,
    /// Request of the observer at the end.
    pub ask: Request,
}

/// Result of a curriculum.
#[derive(Clone, Debug)]
pub struct Report<C = ControllerAutomata> {
    /// Steps, in the order in which they ran; incomplete if the generations ran out.
    pub steps: Vec<StepReport<C>>,
    /// Whether the goal was reached.
    pub solved: bool,
}

impl<C> Report<C> {
    /// Number of generations of all steps.
    pub fn generations(&self) -> u32 {
        self.steps.iter().map(|step| step.generations).sum()
    }

    /// Contributions of the operators, summed over all steps.
    pub fn statistics(&self) -> Statistics {
        let mut sum = Statistics::default();
        self.steps.iter().for_each(|step| sum.add(&step.statistics));
        sum
    }

    /// Number of evaluations of all steps.
    pub fn evaluations(&self) -> u64 {
        self.steps.iter().map(|step| step.evaluations).sum()
    }
}

impl Scenario {
    /// Runs the steps that are not completed. `run_step` runs one step, given by its index, from the populations and
    /// variables of the previous steps.
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

    /// Returns the first genomes of a step, or of a restart. Each restart uses populations of an earlier step,
    /// because the step was stuck with the descendants of the previous ones.
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

    /// Returns the step that is `back` steps before `from` in the ancestry of a module's automata; wraps around to
    /// `from` after the first one.
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
    /// Returns the evaluation settings of the step.
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
