//! Runs of curricula of trees with the racing algorithm ([`xpuck_evolve::Algorithm`]): each tree is evaluated in only
//! as many runs as needed.
//!
//! A trial is one run from one start, and all trees of a stage use the same runs. The race compares the fitness that
//! [`Scale`] gives to single runs. End formulas, observers and files use the units of the curriculum file. In these
//! units, the fitness of a tree combines all runs of the tree ([`ledger`]).

mod ledger;
mod scale;

use scale::Scale;

use super::run::StepRun;
use super::step::StepError;
use super::{Ending, Generation, Kind, Population, Report, Request, Scenario, Step};
use crate::arbiters::{TreeGenome, TreeSpecies};
use ledger::ScoreTable;
use std::collections::{BTreeMap, BTreeSet};
use xpuck_automata::cargo::{Arbiter, Trials};
use xpuck_evolve::Island;
use xpuck_evolve::curriculum::{Member, Statistics, StepState, Variables, first_momentum, next_momentum};
use xpuck_evolve::{Algorithm, Settings};
use xpuck_evolve::{Individual, Stage};
use xpuck_kernels::tree::Tree;

/// Checks that the racing algorithm can run a step. The error contains the key and a message.
pub(super) fn check(step: &Step) -> Result<(), StepError> {
    if Scale::from_step(step).is_none() {
        let message = "a race scales fitness by the goal of the best; add a goal such as `best-fitness >= 700000`";
        return Err(("end", message.into()));
    }
    if step.early_stop.is_some() {
        let message = "a race rejects trees instead of stopping runs early; remove this key or `algorithm`";
        return Err(("early-stop", message.into()));
    }
    Ok(())
}

/// Minimum and maximum number of runs in a generation.
const BUDGET: [usize; 2] = [32, 4096];

impl Scenario {
    /// Runs the curriculum of trees with the racing algorithm. `begin` and `see` are those of [`Scenario::run_kind`].
    /// `score` returns the scores of single runs, as [`xpuck_automata::cargo::score_runs`] does. In the report, the
    /// number of evaluations is the number of runs divided by the runs of one evaluation in Petrovic's algorithm.
    ///
    /// # Panics
    /// If a step's end formula requires no best fitness. The reader of curriculum files rejects such a step for the
    /// racing algorithm.
    pub fn run_race(
        &self,
        seed: u64,
        begin: &BTreeMap<usize, Population<TreeGenome>>,
        mut score: impl FnMut(&[Arbiter], &[(usize, u32)], &Trials) -> Vec<f64>,
        mut see: impl FnMut(&Generation<TreeSpecies>) -> Request,
    ) -> Report<Arbiter> {
        self.run_steps(begin, |i, populations, variables| {
            let step = &self.steps[i];
            let mut race = self.begin_race(i, populations, variables, seed);
            let trials = step.trials(seed.wrapping_add(i as u64 + 1));
            let statistics = Statistics::default();
            loop {
                let progress = race.generation(|controllers, runs| score(controllers, runs, &trials));
                let members = race.members();
                let best = race.species.controller(&members[0].genome);
                let (variables, statistics) = (&race.variables, &statistics);
                let ask = see(&Generation {
                    index: i,
                    step,
                    variables,
                    progress,
                    members: &members,
                    best: &best,
                    statistics,
                });
                if let Some(ending) = Ending::from_progress(progress, ask) {
                    let statistics = statistics.clone();
                    return StepRun { variables: race.variables, members, statistics, ending, ask };
                }
                race.island.advance(&[]);
            }
        })
    }

    /// Creates the race of a step. The newborns of the first generation are blended from earlier steps, or are new
    /// trees.
    fn begin_race(
        &self,
        i: usize,
        populations: &[Vec<Member<TreeSpecies>>],
        variables: Variables,
        seed: u64,
    ) -> Race<'_> {
        let step = &self.steps[i];
        let species = TreeSpecies::of_step(self, i, populations);
        let given: Vec<Tree> = match TreeSpecies::rows(step)[..] {
            [] => vec![],
            _ => self.first_genomes(i, &species, populations, seed, 0).iter().map(|one| one.tree().clone()).collect(),
        };
        let scale = Scale::from_step(step).expect("a curriculum whose end formulas were checked for a race");
        let budget = step.settings.population * step.starts * step.repeats as usize;
        let settings = Settings {
            population: budget.clamp(BUDGET[0], BUDGET[1]),
            node_cost: scale.node_cost(step.size[1]),
            ..Settings::for_algorithm(Algorithm::Racing)
        };
        let total_generations = step.settings.total_generations;
        Race {
            step,
            island: Island::with_trees(settings, species.primitive_set().clone(), (i as u16, seed), &given),
            species,
            scale,
            ledger: ScoreTable::default(),
            variables: Variables { step_generation: 0, step_evaluations: 0, total_generations, ..variables },
            runs: 0,
            record: f64::NEG_INFINITY,
            champion: None,
        }
    }
}

/// Race in one step of a curriculum.
struct Race<'a> {
    step: &'a Step,
    species: TreeSpecies,
    island: Island,
    scale: Scale,
    ledger: ScoreTable,
    variables: Variables,
    /// Number of runs in the step so far.
    runs: u64,
    /// Best fitness in the step so far.
    record: f64,
    /// Champion of the previous generation.
    champion: Option<TreeGenome>,
}

impl Race<'_> {
    /// Simulates the trials requested by the race and records their scores.
    fn generation(&mut self, score: impl FnOnce(&[Arbiter], &[(usize, u32)]) -> Vec<f64>) -> StepState {
        let genome = |individual: &Individual| TreeGenome::new(individual.tree.clone());
        let controllers: Vec<Arbiter> =
            self.island.population().iter().map(|one| self.species.controller(&genome(one))).collect();
        let trials = self.island.trials();
        let runs: Vec<(usize, u32)> = trials.iter().map(|trial| (trial.individual, trial.world)).collect();
        let scores = score(&controllers, &runs);
        self.ledger.add(self.island.population(), &trials, &scores);
        let fitness: Vec<f32> = scores.iter().map(|&score| self.scale.fitness(score)).collect();
        self.island.record(&fitness);
        self.runs += runs.len() as u64;
        self.count_generation()
    }

    fn count_generation(&mut self) -> StepState {
        let champion = self.island.champion();
        let best = self.fitness(champion);
        let is_known = matches!(champion.stage, Stage::Elite | Stage::Guest)
            && champion.samples.n() >= self.island.settings().full_evaluations;
        let genome = TreeGenome::new(champion.tree.clone());
        let all = self.island.population();
        let mean = all.iter().map(|individual| self.fitness(individual)).sum::<f64>() / all.len() as f64;
        let variables = &mut self.variables;
        // Additional runs of the same tree only refine its estimated fitness, and do not count as a gain.
        let learnt = if self.champion.as_ref() == Some(&genome) { 0.0 } else { best - self.record };
        variables.momentum = match variables.step_generation {
            0 => first_momentum(best),
            _ => next_momentum(self.step.settings.phi, variables.momentum, learnt),
        };
        self.record = self.record.max(best);
        self.champion = Some(genome);
        variables.generation += 1;
        variables.step_generation += 1;
        let evaluations = self.runs.div_ceil(self.step.starts as u64 * u64::from(self.step.repeats));
        variables.evaluations += evaluations - variables.step_evaluations;
        variables.step_evaluations = evaluations;
        (variables.best, variables.mean) = (best, mean);
        // The fitness of a champion with few runs is not reliable, so it does not count for thresholds in the end
        // formula.
        let asked = Variables { best: if is_known { best } else { f64::NEG_INFINITY }, ..*variables };
        if self.step.settings.end.holds(&asked) {
            StepState::Done
        } else if variables.generation >= variables.total_generations {
            StepState::Exhausted
        } else {
            StepState::Goes
        }
    }

    /// Returns the fitness of a tree in the units of the curriculum file, including the term for the tree's size.
    fn fitness(&self, individual: &Individual) -> f64 {
        let size = self.step.size[1] * individual.tree.nodes().len() as f64;
        self.ledger.fitness(individual.id, self.step) + size
    }

    /// Returns the champion, followed by all other trees in the order of fitness. Newborns are included only if there
    /// are no other trees. No fitness is above that of the champion, because its estimate is the most reliable.
    fn members(&self) -> Vec<Member<TreeSpecies>> {
        let champion = self.island.champion();
        let all = self.island.population();
        let any_judged = all.iter().any(|individual| individual.stage != Stage::Newborn);
        let others = all.iter().filter(|individual| !any_judged || individual.stage != Stage::Newborn);
        let mut ids = BTreeSet::new();
        let distinct = std::iter::once(champion).chain(others).filter(|individual| ids.insert(individual.id));
        let most = self.fitness(champion);
        let member = |one: &Individual| Member::new(TreeGenome::new(one.tree.clone()), self.fitness(one).min(most));
        let mut members: Vec<Member<TreeSpecies>> = distinct.map(member).collect();
        members.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        members
    }
}
