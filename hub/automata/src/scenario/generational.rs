//! The steps of a curriculum by the document's algorithm: generation after generation, each new genotype tried in all runs.

use super::run::Ran;
use super::{Ask, Ending, Generation, Kind, Population, Report, Scenario, Step};
use crate::arbiters::{TreeGenome, TreeSpecies};
use crate::automata::AutomataSpecies;
use std::collections::BTreeMap;
use xpuck_automata::cargo::{Arbiter, Automata, Trials, Tried};
use xpuck_evolve::curriculum::{Evolution, Member, Progress, Variables, Worth};

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
        self.run_steps(begin, |i, populations, variables| {
            let mut evolution = self.begin_step(i, populations, variables, seed);
            let step = &self.steps[i];
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
                        evolution.restart(self.first_genomes(i, evolution.species(), populations, seed, restart))
                    }
                    None => evolution.breed(),
                }
            };
            let (members, statistics) = (evolution.members().to_vec(), evolution.statistics().clone());
            Ran { variables: *evolution.variables(), members, statistics, ending, ask }
        })
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
