//! Measurement of controllers by many simulations in worlds of a given seed, and statistics of the results.

use xpuck_kernels::engine::{Engine, Job, Outcome, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::statistics::mean_and_sd;

/// Plan of the simulations with which a controller is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// World of all runs. The runs use its start configurations in turn.
    pub spec: &'a WorldSpec,
    /// Duration of each run in simulated time (s).
    pub seconds: f32,
    /// Number of runs.
    pub runs: u32,
    /// Seed of the worlds; run i uses the world with number i.
    pub seed: u64,
}

/// Statistics of the runs of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunStatistics {
    /// Mean of the task's fitness over the runs.
    pub mean: f64,
    /// Standard deviation of the fitness over the runs.
    pub sd: f64,
    /// Hash over all runs' final positions.
    pub hash: u64,
}

impl Plan<'_> {
    /// Returns the number of controller updates per run.
    pub fn updates(&self) -> u32 {
        (self.seconds / CONTROL_PERIOD).round() as u32
    }

    /// Returns the runs of a team as jobs. Run i uses the world with number i.
    pub fn jobs(&self, team: &Team) -> Vec<Job<'_>> {
        let Plan { spec, seed, runs, .. } = *self;
        let updates = self.updates();
        (0..runs).map(|world| Job { spec, start: world as usize, team: team.clone(), seed, world, updates }).collect()
    }

    /// Returns the simulated time over all robots and runs (robot-seconds).
    pub fn robot_seconds(&self) -> f64 {
        f64::from(self.runs) * self.spec.robots as f64 * f64::from(self.updates()) * f64::from(CONTROL_PERIOD)
    }
}

/// Simulates a team as planned, and returns the statistics of the runs.
pub fn measure(engine: &dyn Engine, programs: &[Program], team: Team, plan: &Plan<'_>) -> RunStatistics {
    measure_teams(engine, programs, &[team], plan).remove(0)
}

/// Measures several programs as planned. Each program runs on all robots, in the same worlds as the other programs.
pub fn measure_all(engine: &dyn Engine, programs: &[Program], plan: &Plan<'_>) -> Vec<RunStatistics> {
    let teams: Vec<Team> = (0..programs.len()).map(Team::all).collect();
    measure_teams(engine, programs, &teams, plan)
}

fn measure_teams(engine: &dyn Engine, programs: &[Program], teams: &[Team], plan: &Plan<'_>) -> Vec<RunStatistics> {
    let jobs: Vec<Job<'_>> = teams.iter().flat_map(|team| plan.jobs(team)).collect();
    engine.run(programs, &jobs).chunks(plan.runs as usize).map(summarise).collect()
}

/// Simulates a team as planned. Returns the outcome of each run, in the order of the runs.
pub fn outcomes_of_team(engine: &dyn Engine, programs: &[Program], team: &Team, plan: &Plan<'_>) -> Vec<Outcome> {
    engine.run(programs, &plan.jobs(team))
}

/// Simulates one program on all robots as planned. Returns the fitness of each run, in the order of the runs.
pub fn fitness_of_runs(engine: &dyn Engine, program: &Program, plan: &Plan<'_>) -> Vec<f64> {
    fitness_of_team(engine, std::slice::from_ref(program), &Team::all(0), plan)
}

/// Simulates a team as planned. Returns the fitness of each run, in the order of the runs.
pub fn fitness_of_team(engine: &dyn Engine, programs: &[Program], team: &Team, plan: &Plan<'_>) -> Vec<f64> {
    fitness_of(&outcomes_of_team(engine, programs, team, plan))
}

/// Returns the fitness of each outcome.
pub fn fitness_of(outcomes: &[Outcome]) -> Vec<f64> {
    outcomes.iter().map(|outcome| f64::from(outcome.fitness)).collect()
}

/// Returns a hash over all outcomes' final positions.
pub fn hash_of(outcomes: &[Outcome]) -> u64 {
    Outcome::hash_of(outcomes.iter().map(|outcome| outcome.hash))
}

/// Returns the statistics of runs.
pub fn summarise(outcomes: &[Outcome]) -> RunStatistics {
    let (mean, sd) = mean_and_sd(&fitness_of(outcomes));
    RunStatistics { mean, sd, hash: hash_of(outcomes) }
}
