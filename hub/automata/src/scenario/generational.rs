//! Runs of curricula with Petrovic's algorithm. In each generation, each new genotype is evaluated in all runs of the
//! step.

use super::run::StepRun;
use super::{Ending, Generation, Kind, Population, Report, Request, Scenario, Step};
use crate::arbiters::{TreeGenome, TreeSpecies};
use crate::automata::AutomataSpecies;
use std::collections::BTreeMap;
use xpuck_automata::cargo::{Arbiter, ControllerAutomata, ControllerScores, Trials};
use xpuck_evolve::curriculum::{Evaluation, Evolution, Member, StepState, Variables};

impl Scenario {
    /// Runs a curriculum of automata. The arguments are those of [`Scenario::run_kind`].
    pub fn run(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population>,
        evaluate: impl FnMut(&[ControllerAutomata], &Trials) -> Vec<ControllerScores>,
        see: impl FnMut(&Generation) -> Request,
    ) -> Report {
        self.run_kind::<AutomataSpecies>(seed, begin, evaluate, see)
    }

    /// Runs the curriculum with one tree in place of the automata of each step. The arguments are those of
    /// [`Scenario::run_kind`].
    pub fn run_trees(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population<TreeGenome>>,
        evaluate: impl FnMut(&[Arbiter], &Trials) -> Vec<ControllerScores>,
        see: impl FnMut(&Generation<TreeSpecies>) -> Request,
    ) -> Report<Arbiter> {
        self.run_kind::<TreeSpecies>(seed, begin, evaluate, see)
    }

    /// Runs the curriculum. `begin` contains the populations of completed steps by step index, as read by
    /// [`Step::population`]. These steps are not repeated; all other steps run as in an uninterrupted run. `evaluate`
    /// evaluates controllers. `see` is called with each evaluated generation, and may end the step or the run.
    pub fn run_kind<S: Kind>(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population<S::Genome>>,
        mut evaluate: impl FnMut(&[S::Controller], &Trials) -> Vec<ControllerScores>,
        mut see: impl FnMut(&Generation<S>) -> Request,
    ) -> Report<S::Controller> {
        self.run_steps(begin, |i, populations, variables| {
            let mut evolution = self.begin_step(i, populations, variables, seed);
            let step = &self.steps[i];
            let trials = step.trials(seed.wrapping_add(i as u64 + 1));
            let mut bar: EarlyStopScores<S> = EarlyStopScores { best: None, checkpoints: vec![] };
            let (ending, ask) = loop {
                let barred = Trials { checkpoints: &bar.checkpoints, ..trials };
                let (progress, ask) = generation(&mut evolution, i, step, &barred, &mut evaluate, &mut see);
                match Ending::from_progress(progress, ask) {
                    Some(ending) => break (ending, ask),
                    None => bar.update(step, &evolution, &trials),
                }
                match evolution.restart_due() {
                    Some(restart) => {
                        evolution.restart(self.first_genomes(i, evolution.species(), populations, seed, restart))
                    }
                    None => evolution.breed(),
                }
            };
            let (members, statistics) = (evolution.members().to_vec(), evolution.statistics().clone());
            StepRun { variables: *evolution.variables(), members, statistics, ending, ask }
        })
    }

    /// Creates the evolution of a step from the step's initial population.
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
        // The draws of the first generation must differ from those that created the population.
        Evolution::new(species, step.settings.clone(), genomes, variables, seed, i as u32 + 1000)
    }
}

/// Minimum scores that the runs of a step must reach to avoid an early stop.
struct EarlyStopScores<S: Kind> {
    /// Genome from whose runs the minimum scores were computed.
    best: Option<S::Genome>,
    checkpoints: Vec<(u32, f64)>,
}

impl<S: Kind> EarlyStopScores<S> {
    /// Updates the minimum scores if the best genome has changed.
    fn update(&mut self, step: &Step, evolution: &Evolution<S>, trials: &Trials) {
        let Some(early_stop) = step.early_stop else { return };
        let best = &evolution.members()[0].genome;
        if self.best.as_ref() != Some(best) {
            let controller = evolution.species().controller(best);
            self.checkpoints = early_stop.checkpoints(S::arbitration(&controller), trials);
            self.best = Some(best.clone());
        }
    }
}

/// Evaluates a generation, and reports it to the observer `see`. Returns the state of the step and the observer's
/// request.
fn generation<S: Kind>(
    evolution: &mut Evolution<S>,
    index: usize,
    step: &Step,
    trials: &Trials,
    evaluate: &mut impl FnMut(&[S::Controller], &Trials) -> Vec<ControllerScores>,
    see: &mut impl FnMut(&Generation<S>) -> Request,
) -> (StepState, Request) {
    let unknown = evolution.unknown();
    let controllers: Vec<S::Controller> = unknown.iter().map(|genome| evolution.species().controller(genome)).collect();
    let worths = evaluate(&controllers, trials)
        .into_iter()
        .map(|tried| Evaluation { fitness: step.combine.fitness(&tried.scores), usage: S::usage(tried.usages) })
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
