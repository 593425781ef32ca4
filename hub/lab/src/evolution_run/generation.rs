//! State machine of an evolution run, which evaluates one generation after the other.

use super::champion::THRESHOLD;
use super::config::Config;
use super::record;
use super::rounds::Rounds;
use crate::engine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xpuck_evolve::geneserver::{Geneserver, Offer};
use xpuck_evolve::{Island, Migrant, SuspendedTrials, Trial};
use xpuck_experiment::{CurriculumProgress, GenerationStats, course};
use xpuck_kernels::engine::{ChosenEngine, Evaluator, Job};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;

/// Number of controller updates per simulated second (Hz).
const UPDATES_PER_SECOND: f64 = 10.0;

/// State machine of an evolution run, without access to files or a clock.
pub struct EvolutionRun {
    config: Config,
    pub(super) state: State,
    /// Cache of compiled trees; it can be rebuilt from the state.
    pub(super) evaluator: Evaluator,
    pub(super) engine: ChosenEngine,
    suspended: SuspendedTrials,
    /// Worlds set by [`EvolutionRun::change_world`], by island index. The other islands use the configuration's world.
    worlds: BTreeMap<usize, WorldSpec>,
}

/// Complete state of a run between two generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// Number of evaluated generations.
    pub generation: u32,
    /// Islands after their last generation was recorded.
    pub islands: Vec<Island>,
    /// Recent emigrants of the islands.
    server: Geneserver,
    /// Number of controller updates simulated so far, over all robots.
    robot_updates: u64,
    /// Number of simulations so far, and maximum number in one generation.
    simulations: u64,
    most_simulations: u64,
    /// Position of the run in its curriculum.
    pub course: CurriculumProgress,
    /// Time at which the mean derated fitness first reached [`THRESHOLD`] in the run's own world.
    pub reached: Option<Reached>,
    /// Wall time of the generations (s), over all processes that worked on the run.
    pub wall_s: f64,
}

/// Point in time of a run: the end of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Simulated time up to the end of the generation (robot-seconds).
    pub robot_seconds: f64,
}

/// Data of one generation: a line of `generations.csv` for each island, and a chunk of the record.
pub struct Generation {
    /// One row per island.
    pub rows: Vec<GenerationRow>,
    /// Births, migrations and samples.
    pub record: record::Generation,
}

/// State of an island at the end of a generation: a line of `generations.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Number of the island, from 0.
    pub island: u16,
    /// Simulated time of the whole swarm so far (robot-seconds).
    pub robot_seconds: f64,
    /// Estimated fitness of the champion.
    pub best: f64,
    /// Estimated fitness of the champion, scaled down below 8 evaluations (Eq. 8.1).
    pub derated: f64,
    /// Number of evaluations of the champion.
    pub evaluations: u32,
    /// Mean fitness of the population.
    pub mean: f64,
    /// Share of distinct trees in the population (0..=1).
    pub distinct: f64,
}

impl EvolutionRun {
    /// Returns a run before its first generation.
    pub fn new(config: Config) -> EvolutionRun {
        let island = |i| Island::new(config.settings.clone(), config.primitive_set.clone(), i, config.seed);
        let state = State {
            generation: 0,
            islands: config.numbers().map(island).collect(),
            server: config.geneserver(),
            robot_updates: 0,
            simulations: 0,
            most_simulations: 0,
            course: CurriculumProgress::default(),
            reached: None,
            wall_s: 0.0,
        };
        EvolutionRun::resumed(config, state)
    }

    /// Returns a run that continues from `state`, as returned by [`EvolutionRun::state`].
    pub fn resumed(config: Config, state: State) -> EvolutionRun {
        let (evaluator, engine) = (Evaluator::new(config.settings.avoiding), engine::simd());
        EvolutionRun {
            config,
            state,
            evaluator,
            engine,
            suspended: SuspendedTrials::default(),
            worlds: BTreeMap::new(),
        }
    }

    /// Replaces the engine, which is `simd` by default.
    pub fn on(self, engine: ChosenEngine) -> EvolutionRun {
        EvolutionRun { engine, ..self }
    }

    /// Changes the world in which the island at index `place` (from 0) tests its trees, and reduces the weight of the
    /// island's earlier fitness samples. The state of a run does not include the changed world.
    pub fn change_world(&mut self, place: usize, world: WorldSpec) {
        self.state.islands[place].relearn();
        self.worlds.insert(place, world);
    }

    /// Returns the engine that simulates the trials.
    pub fn engine(&self) -> &ChosenEngine {
        &self.engine
    }

    /// Returns the configuration of the run.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the complete state of the run.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns whether all generations are evaluated or the budget is used up.
    pub fn is_done(&self) -> bool {
        self.done() >= 1.0
    }

    /// Returns the completed share of the run, by generations, robot-seconds or simulations, whichever is largest. The share is
    /// >= 1 at the end of the run.
    pub fn done(&self) -> f64 {
        let generations = f64::from(self.state.generation) / f64::from(self.config.generations);
        let time = self.config.budget.map_or(0.0, |budget| self.robot_seconds() / budget);
        let simulations = self.config.simulations.map_or(0.0, |most| {
            // A further generation might need as many simulations as the largest so far.
            let State { simulations, most_simulations, .. } = self.state;
            if simulations > 0 && simulations + most_simulations > most {
                1.0
            } else {
                simulations as f64 / most as f64
            }
        });
        generations.max(time).max(simulations)
    }

    /// Returns the simulated time so far (robot-seconds).
    pub fn robot_seconds(&self) -> f64 {
        self.state.robot_updates as f64 / UPDATES_PER_SECOND
    }

    /// Returns the number of simulations so far.
    pub fn simulations(&self) -> u64 {
        self.state.simulations
    }

    /// Returns the mean over the islands of the champions' derated fitness, as plotted in the thesis (Fig. 8.4).
    pub fn mean_derated(&self) -> f64 {
        let islands = &self.state.islands;
        islands.iter().map(|i| i.progress().derated).sum::<f64>() / islands.len() as f64
    }

    /// Adds `wall_s` to the wall time of the run (s).
    pub fn spend(&mut self, wall_s: f64) {
        self.state.wall_s += wall_s;
    }

    /// Creates the next population of each island, except before the first generation, and evaluates all individuals.
    pub fn step(&mut self) -> Generation {
        self.breed();
        self.try_everybody()
    }

    /// Creates the next population of each island, except before the first generation.
    pub(super) fn breed(&mut self) {
        let (generation, server) = (self.state.generation, &mut self.state.server);
        if generation > 0 {
            for (i, island) in self.config.numbers().zip(&mut self.state.islands) {
                let immigrants: Vec<Migrant> =
                    server.exchange(i, generation, island.emigrant()).into_iter().map(Offer::migrant).collect();
                island.advance(&immigrants);
            }
        }
    }

    /// Same as [`EvolutionRun::step`], but every island receives `immigrants` instead of individuals from the other
    /// islands.
    pub fn step_with(&mut self, immigrants: &[Migrant]) -> Generation {
        if self.state.generation > 0 {
            let mut immigrants = immigrants.to_vec();
            course::discount_migrant_samples(&self.config.steps, &mut immigrants);
            self.state.islands.iter_mut().for_each(|island| island.advance(&immigrants));
        }
        self.try_everybody()
    }

    fn try_everybody(&mut self) -> Generation {
        let mut rounds = self.begin_rounds();
        loop {
            let fitness = self.simulate(&rounds);
            if let Some(generation) = self.end_round(&mut rounds, &fitness) {
                return generation;
            }
        }
    }

    /// Prepares the evaluation of all individuals, and returns the first round of the generation.
    pub(super) fn begin_rounds(&mut self) -> Rounds {
        let islands = &self.state.islands;
        let trees: Vec<&Tree> = islands.iter().flat_map(|island| island.population()).map(|one| &one.tree).collect();
        self.evaluator.prepare(&trees);
        self.suspended.clear();
        Rounds::begin(islands)
    }

    /// Returns the fitness of each trial of a round.
    fn simulate(&mut self, rounds: &Rounds) -> Vec<f32> {
        let mut suspended = std::mem::take(&mut self.suspended);
        let trials: Vec<(usize, Trial)> =
            (0..).zip(rounds.trials()).flat_map(|(place, trials)| trials.iter().map(move |t| (place, *t))).collect();
        let fitness = suspended.fitness(&self.evaluator, &self.engine, &trials, &self.jobs(rounds.trials()));
        self.suspended = suspended;
        fitness
    }

    /// Passes the fitness of each trial of a round to the islands. Returns the generation if this was its last round.
    pub(super) fn end_round(&mut self, rounds: &mut Rounds, fitness: &[f32]) -> Option<Generation> {
        let (spec, updates) = self.current_world();
        let robots = spec.robots as u64;
        self.state.robot_updates += robots * rounds.all().map(|t| u64::from(t.new_updates(updates))).sum::<u64>();
        self.record(rounds, fitness);
        if !rounds.next(&self.state.islands) {
            return None;
        }
        self.engine.end_generation();
        self.state.simulations += rounds.simulations();
        self.state.most_simulations = self.state.most_simulations.max(rounds.simulations());
        let islands = rounds.take_record(&self.state.islands, &self.config.settings);
        self.state.generation += 1;
        let own_world = self.state.course.step(&self.config.steps).is_none();
        if own_world && self.state.reached.is_none() && self.mean_derated() >= THRESHOLD {
            let (generation, robot_seconds) = (self.state.generation, self.robot_seconds());
            self.state.reached = Some(Reached { generation, robot_seconds });
        }
        let rows = self.config.numbers().zip(&self.state.islands).map(|(i, island)| self.row(i, island)).collect();
        self.attend(rounds.simulations());
        Some(Generation { rows, record: record::Generation { generation: self.state.generation, islands } })
    }

    /// Records a generation in the curriculum, and begins the next curriculum step if the current one has ended.
    /// `trials` is the number of trials of the generation.
    fn attend(&mut self, trials: u64) {
        let islands = &self.state.islands;
        let mean = islands.iter().map(|island| island.progress().mean).sum::<f64>() / islands.len() as f64;
        let standing = GenerationStats {
            generations: [self.state.generation, self.config.generations],
            trials,
            fitness: [self.mean_derated(), mean],
            robot_seconds: self.robot_seconds(),
        };
        if self.state.course.record_generation(&self.config.steps, &standing) {
            self.state.islands.iter_mut().for_each(|island| island.begin_step());
        }
    }

    /// Returns the world of the current step, and the number of controller updates of a trial of length 1.
    fn current_world(&self) -> (&WorldSpec, u32) {
        let step = self.state.course.step(&self.config.steps);
        let spec = step.map_or(&self.config.spec, |step| &*step.spec);
        let seconds = step.and_then(|step| step.seconds).unwrap_or(self.config.seconds);
        (spec, (seconds / CONTROL_PERIOD).round() as u32)
    }

    /// Returns the simulations of all trials. The teams are indices of the trees of
    /// [`EvolutionRun::begin_rounds`].
    pub(super) fn jobs(&self, trials: &[Vec<Trial>]) -> Vec<Job<'_>> {
        let (spec, updates) = self.current_world();
        let seed = self.config.seed;
        let mut first = 0;
        let mut jobs = Vec::new();
        let islands = self.state.islands.iter().zip(trials).enumerate();
        for (number, (place, (island, trials))) in self.config.numbers().zip(islands) {
            let spec = self.worlds.get(&place).unwrap_or(spec);
            let job = |trial: &Trial| trial.job(spec, (number, seed), first + trial.individual, updates);
            jobs.extend(trials.iter().map(job));
            first += island.population().len();
        }
        jobs
    }

    /// Passes the fitness of each trial to the islands.
    fn record(&mut self, rounds: &mut Rounds, mut fitness: &[f32]) {
        let task = self.current_world().0.task.clone();
        let own_range = self.config.fitness.is_none();
        for (place, island) in self.state.islands.iter_mut().enumerate() {
            let (mine, others) = fitness.split_at(rounds.trials()[place].len());
            fitness = others;
            // An island whose generation is complete has no trials in the later rounds of other islands.
            if rounds.is_complete(place) {
                continue;
            }
            rounds.observe(place, island, mine);
            let complete = match own_range {
                true => island.record_for(self.worlds.get(&place).map_or(&task, |world| &world.task), mine),
                // The algorithm does not know the range of this fitness.
                false => island.record_unchanged(mine),
            };
            rounds.note(place, complete);
        }
    }

    fn row(&self, number: u16, island: &Island) -> GenerationRow {
        let progress = island.progress();
        GenerationRow {
            generation: self.state.generation,
            island: number,
            robot_seconds: self.robot_seconds(),
            best: progress.best,
            derated: progress.derated,
            evaluations: progress.evaluations,
            mean: progress.mean,
            distinct: island.distinct(),
        }
    }
}
