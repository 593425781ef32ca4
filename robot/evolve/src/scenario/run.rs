//! A whole curriculum from its first step to its goal.

use super::{Ask, Ending, Fixed, Generation, Population, Scenario, Step};
use crate::automata::AutomataSpecies;
use crate::curriculum::{Evolution, Member, Progress, Statistics, Variables, Worth, blend};
use std::collections::BTreeMap;
use xpuck_kernels::cargo::{Automata, Trials, Tried, hand_made};
use xpuck_kernels::random::{Draws, Stream};

type Members = Vec<Member<AutomataSpecies>>;

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
    /// How it ended.
    pub ending: Ending,
    /// What operators contributed; nothing of a step that was done before.
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
    /// Runs the curriculum. `begin` has the populations of steps that are done already, by index, as [`Step::population`] reads
    /// them: those steps are not run again, and the others go as they would have gone. `evaluate` tries controllers; `see` is
    /// told each generation once it is judged, and may end the step or the run.
    pub fn run(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population>,
        mut evaluate: impl FnMut(&[Automata], &Trials) -> Vec<Tried>,
        mut see: impl FnMut(&Generation) -> Ask,
    ) -> Report {
        let mut populations: Vec<Members> = vec![vec![]; self.steps.len()];
        let mut report = Report { steps: vec![], solved: false };
        let mut variables = Variables::default();
        for &i in &self.order {
            let step = &self.steps[i];
            if let Some(population) = begin.get(&i) {
                populations[i] = population.members();
                variables.generation += population.generations;
                variables.evaluations += population.evaluations;
                report.steps.push(step.done_before(population, &self.species(i, &populations)));
                continue;
            }
            let mut evolution = self.begin_step(i, &populations, variables, seed);
            let trials = step.trials(seed.wrapping_add(i as u64 + 1));
            let mut bar = Bar::default();
            let (ending, ask) = loop {
                let barred = Trials { checkpoints: &bar.checkpoints, ..trials };
                let (progress, ask) = generation(&mut evolution, i, step, &barred, &mut evaluate, &mut see);
                match Ending::of(progress, ask) {
                    Some(ending) => break (ending, ask),
                    None => bar.raise(step, &evolution, &trials),
                }
                evolution.breed();
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
    fn begin_step(
        &self,
        i: usize,
        populations: &[Members],
        variables: Variables,
        seed: u64,
    ) -> Evolution<AutomataSpecies> {
        let step = &self.steps[i];
        let species = self.species(i, populations);
        let mut draws = Draws::new(seed, i as u32, 0, 0, Stream::Evolution);
        let saved: Vec<Members> = step.saved.iter().map(|&s| self.populations[s].members()).collect();
        let before = step.after.iter().map(|&b| &populations[b]).chain(&saved);
        let before: Vec<&[Member<AutomataSpecies>]> = before.map(Vec::as_slice).collect();
        let genomes = blend(&species, step.settings.population, &step.blends, &before, &mut draws);
        // Draws of a population's first generation must not be those of its making.
        Evolution::new(species, step.settings.clone(), genomes, variables, seed, i as u32 + 1000)
    }

    /// What evolves in a step, with the fixed automata of others' best.
    fn species(&self, i: usize, populations: &[Members]) -> AutomataSpecies {
        let step = &self.steps[i];
        let by_hand = hand_made();
        let mut fixed = Automata::default();
        for &(module, from) in &step.fixed {
            let Some(place) = module.arbitrated() else { continue };
            let source = match from {
                Fixed::HandMade => Some(&by_hand),
                Fixed::Step(step) => populations[step].first().map(|member| &member.genome),
                Fixed::Saved(saved) => self.populations[saved].individuals.first().map(|best| &best.automata),
            };
            fixed.0[place] = source.and_then(|automata| automata.0[place].clone());
        }
        AutomataSpecies { bounds: step.bounds.clone(), rates: step.rates.clone(), fixed, size: step.size }
    }
}

/// What a step's runs must reach so as not to be given up.
#[derive(Default)]
struct Bar {
    /// Whose profile it is of.
    best: Option<Automata>,
    checkpoints: Vec<(u32, f64)>,
}

impl Bar {
    /// Takes the best's profile if it is another than before.
    fn raise(&mut self, step: &Step, evolution: &Evolution<AutomataSpecies>, trials: &Trials) {
        let Some(early_stop) = step.early_stop else { return };
        let best = &evolution.members()[0].genome;
        if self.best.as_ref() != Some(best) {
            self.checkpoints = early_stop.checkpoints(&evolution.species().controller(best), trials);
            self.best = Some(best.clone());
        }
    }
}

/// Evaluates a generation and shows it.
fn generation(
    evolution: &mut Evolution<AutomataSpecies>,
    index: usize,
    step: &Step,
    trials: &Trials,
    evaluate: &mut impl FnMut(&[Automata], &Trials) -> Vec<Tried>,
    see: &mut impl FnMut(&Generation) -> Ask,
) -> (Progress, Ask) {
    let unknown = evolution.unknown();
    let controllers: Vec<Automata> = unknown.iter().map(|genome| evolution.species().controller(genome)).collect();
    let worths = evaluate(&controllers, trials)
        .into_iter()
        .map(|tried| Worth { fitness: step.combine.fitness(&tried.scores), usage: tried.usages })
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

    fn done_before(&self, population: &Population, species: &AutomataSpecies) -> StepReport {
        let best = population.individuals.first();
        StepReport {
            name: self.name.clone(),
            generations: population.generations,
            evaluations: population.evaluations,
            best: best.map_or(0.0, |best| best.fitness),
            controller: best.map_or(species.fixed.clone(), |best| species.controller(&best.automata)),
            ending: Ending::Before,
            statistics: Statistics::default(),
        }
    }
}
