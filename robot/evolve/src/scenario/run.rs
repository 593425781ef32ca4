//! A whole curriculum from its first step to its goal.

use super::{Ask, Ending, Generation, Kind, Population, Scenario, Step};
use crate::arbiters::{TreeGenome, TreeSpecies};
use crate::automata::AutomataSpecies;
use crate::curriculum::{Blend, Evolution, Member, Progress, Statistics, Variables, Worth, blend};
use std::collections::BTreeMap;
use xpuck_kernels::automaton::Module;
use xpuck_kernels::cargo::{Arbiter, Automata, Trials, Tried};
use xpuck_kernels::random::{Draws, Stream};

/// What came of a step.
#[derive(Clone, Debug)]
pub struct StepReport<C = Automata> {
    /// Its name.
    pub name: String,
    /// Generations.
    pub generations: u32,
    /// Evaluations: genotypes that were not known.
    pub evaluations: u64,
    /// Fitness of the best.
    pub best: f64,
    /// The best as a whole controller.
    pub controller: C,
    /// How it ended.
    pub ending: Ending,
    /// What operators contributed; nothing of a step that was done before.
    pub statistics: Statistics,
}

/// What came of a curriculum.
#[derive(Clone, Debug)]
pub struct Report<C = Automata> {
    /// Steps, in the order in which they ran; a curriculum without generations left ends early.
    pub steps: Vec<StepReport<C>>,
    /// Whether the goal was reached.
    pub solved: bool,
}

impl<C> Report<C> {
    /// Generations of all steps.
    pub fn generations(&self) -> u32 {
        self.steps.iter().map(|step| step.generations).sum()
    }

    /// What operators contributed in all steps together.
    pub fn statistics(&self) -> Statistics {
        let mut sum = Statistics::default();
        self.steps.iter().for_each(|step| sum.add(&step.statistics));
        sum
    }

    /// Evaluations of all steps.
    pub fn evaluations(&self) -> u64 {
        self.steps.iter().map(|step| step.evaluations).sum()
    }
}

impl Scenario {
    /// Runs the curriculum of automata: [`Scenario::run_kind`].
    pub fn run(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population>,
        evaluate: impl FnMut(&[Automata], &Trials) -> Vec<Tried>,
        see: impl FnMut(&Generation) -> Ask,
    ) -> Report {
        self.run_kind::<AutomataSpecies>(seed, begin, evaluate, see)
    }

    /// Runs the curriculum with one tree in place of the automata of each step, by the same steps: [`Scenario::run_kind`].
    pub fn run_trees(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population<TreeGenome>>,
        evaluate: impl FnMut(&[Arbiter], &Trials) -> Vec<Tried>,
        see: impl FnMut(&Generation<TreeSpecies>) -> Ask,
    ) -> Report<Arbiter> {
        self.run_kind::<TreeSpecies>(seed, begin, evaluate, see)
    }

    /// Runs the curriculum. `begin` has the populations of steps that are done already, by index, as [`Step::population`] reads
    /// them: those steps are not run again, and the others go as they would have gone. `evaluate` tries controllers; `see` is told
    /// each generation once it is judged, and may end the step or the run.
    pub fn run_kind<S: Kind>(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population<S::Genome>>,
        mut evaluate: impl FnMut(&[S::Controller], &Trials) -> Vec<Tried>,
        mut see: impl FnMut(&Generation<S>) -> Ask,
    ) -> Report<S::Controller> {
        let mut populations: Vec<Vec<Member<S>>> = vec![vec![]; self.steps.len()];
        let mut report = Report { steps: vec![], solved: false };
        let mut variables = Variables::default();
        for &i in &self.order {
            let step = &self.steps[i];
            if let Some(population) = begin.get(&i)
                && let Some(best) = population.individuals.first()
            {
                populations[i] = population.members();
                variables.generation += population.generations;
                variables.evaluations += population.evaluations;
                let controller = S::of_step(self, i, &populations).controller(&best.genome);
                report.steps.push(step.done_before(population, controller));
                continue;
            }
            let mut evolution = self.begin_step(i, &populations, variables, seed);
            let trials = step.trials(seed.wrapping_add(i as u64 + 1));
            let mut bar: Bar<S> = Bar { best: None, checkpoints: vec![] };
            let (ending, ask) = loop {
                let barred = Trials { checkpoints: &bar.checkpoints, ..trials };
                let (progress, ask) = generation(&mut evolution, i, step, &barred, &mut evaluate, &mut see);
                match Ending::of(progress, ask) {
                    Some(ending) => break (ending, ask),
                    None => bar.raise(step, &evolution, &trials),
                }
                match evolution.restart_due() {
                    Some(restart) => {
                        evolution.restart(self.first_genomes(i, evolution.species(), &populations, seed, restart))
                    }
                    None => evolution.breed(),
                }
            };
            variables = *evolution.variables();
            populations[i] = evolution.members().to_vec();
            report.steps.push(StepReport {
                name: step.name.clone(),
                generations: variables.step_generation,
                evaluations: variables.step_evaluations,
                best: variables.best,
                controller: evolution.species().controller(&evolution.members()[0].genome),
                ending,
                statistics: evolution.statistics().clone(),
            });
            if !ending.is_done() || (ask == Ask::Stop && report.steps.len() < self.steps.len()) {
                return report;
            }
        }
        report.solved = true;
        report
    }

    /// A step with its first population.
    fn begin_step<S: Kind>(
        &self,
        i: usize,
        populations: &[Vec<Member<S>>],
        variables: Variables,
        seed: u64,
    ) -> Evolution<S> {
        let step = &self.steps[i];
        let species = S::of_step(self, i, populations);
        let genomes = self.first_genomes(i, &species, populations, seed, 0);
        // Draws of a population's first generation must not be those of its making.
        Evolution::new(species, step.settings.clone(), genomes, variables, seed, i as u32 + 1000)
    }

    /// The genomes that a step begins with, and those of each restart: each begins with what steps further back left, as the
    /// populations that it was stuck with are those that it came from.
    fn first_genomes<S: Kind>(
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
            Some(&from) => &populations[self.further_back(from, step.bounds[row.part].module, restart)],
            None => &saved[row.from - step.after.len()],
        };
        let before: Vec<&[Member<S>]> = rows.iter().map(|row| source(row).as_slice()).collect();
        let rows: Vec<Blend> = rows.iter().enumerate().map(|(from, row)| Blend { from, ..*row }).collect();
        blend(species, step.settings.population, &rows, &before, &mut draws)
    }

    /// The step `back` steps before `from` on the way that a module's automata came; after the first of them `from` again.
    fn further_back(&self, from: usize, module: Module, back: u32) -> usize {
        let before = |&i: &usize| {
            let step = &self.steps[i];
            let of_module = |row: &&Blend| step.bounds[row.part].module == module;
            step.blends.iter().filter(of_module).find_map(|row| step.after.get(row.from).copied())
        };
        let way: Vec<usize> = std::iter::successors(Some(from), before).collect();
        way[back as usize % way.len()]
    }
}

/// What a step's runs must reach so as not to be given up.
struct Bar<S: Kind> {
    /// Whose profile it is of.
    best: Option<S::Genome>,
    checkpoints: Vec<(u32, f64)>,
}

impl<S: Kind> Bar<S> {
    /// Takes the best's profile if it is another than before.
    fn raise(&mut self, step: &Step, evolution: &Evolution<S>, trials: &Trials) {
        let Some(early_stop) = step.early_stop else { return };
        let best = &evolution.members()[0].genome;
        if self.best.as_ref() != Some(best) {
            let controller = evolution.species().controller(best);
            self.checkpoints = early_stop.checkpoints(S::arbitration(&controller), trials);
            self.best = Some(best.clone());
        }
    }
}

/// Evaluates a generation and shows it.
fn generation<S: Kind>(
    evolution: &mut Evolution<S>,
    index: usize,
    step: &Step,
    trials: &Trials,
    evaluate: &mut impl FnMut(&[S::Controller], &Trials) -> Vec<Tried>,
    see: &mut impl FnMut(&Generation<S>) -> Ask,
) -> (Progress, Ask) {
    let unknown = evolution.unknown();
    let controllers: Vec<S::Controller> = unknown.iter().map(|genome| evolution.species().controller(genome)).collect();
    let worths = evaluate(&controllers, trials)
        .into_iter()
        .map(|tried| Worth { fitness: step.combine.fitness(&tried.scores), usage: S::usage(tried.usages) })
        .collect();
    let progress = evolution.learn(worths, 0.0);
    let ask = see(&Generation {
        index,
        step,
        variables: evolution.variables(),
        progress,
        best: &evolution.species().controller(&evolution.members()[0].genome),
        members: evolution.members(),
        statistics: evolution.statistics(),
    });
    (progress, ask)
}

impl Step {
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
        let way = |module| [0, 1, 2, 3, 4, 5].map(|back| scenario.further_back(5, module, back));
        assert_eq!(way(Module::LineFollower), [5, 4, 3, 1, 5, 4]);
        assert_eq!(way(Module::Cargoloader), [5, 4, 3, 2, 5, 4]);
    }
}
