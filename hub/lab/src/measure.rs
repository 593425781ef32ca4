//! Measurement of controllers: many simulations on fresh seeds, and their statistics.

use xpuck_kernels::engine::{Engine, Job, Outcome, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::statistics::mean_and_sd;

/// Plan of the simulations.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// World; runs use its starts in turn.
    pub spec: &'a WorldSpec,
    /// Duration of each run in simulated time (s).
    pub seconds: f32,
    /// Number of runs.
    pub runs: u32,
    /// Seed of the worlds; run i uses the world with number i.
    pub seed: u64,
}

/// Statistics of the runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunStatistics {
    /// Mean of the task's fitness over the runs.
    pub mean: f64,
    /// Standard deviation over the runs.
    pub sd: f64,
    /// Hash over all runs' final positions.
    pub hash: u64,
}

impl Plan<'_> {
    /// Returns the number of controller updates per run.
    pub fn updates(&self) -> u32 {
        (self.seconds / CONTROL_PERIOD).round() as u32
    }

    /// Returns the runs of a team as jobs; run i uses the world with number i.
    pub fn jobs(&self, team: &Team) -> Vec<Job<'_>> {
        let Plan { spec, seed, runs, .. } = *self;
        let updates = self.updates();
        (0..runs).map(|world| Job { spec, start: world as usize, team: team.clone(), seed, world, updates }).collect()
    }

    /// Returns the simulated time over all robots and runs (s).
    pub fn robot_seconds(&self) -> f64 {
        f64::from(self.runs) * self.spec.robots as f64 * f64::from(self.updates()) * f64::from(CONTROL_PERIOD)
    }
}

/// Runs a team by a plan.
pub fn measure(engine: &dyn Engine, programs: &[Program], team: Team, plan: &Plan<'_>) -> RunStatistics {
    measure_teams(engine, programs, &[team], plan).remove(0)
}

/// Runs several programs by the same plan in the same worlds, each on all robots.
pub fn measure_all(engine: &dyn Engine, programs: &[Program], plan: &Plan<'_>) -> Vec<RunStatistics> {
    let teams: Vec<Team> = (0..programs.len()).map(Team::all).collect();
    measure_teams(engine, programs, &teams, plan)
}

fn measure_teams(engine: &dyn Engine, programs: &[Program], teams: &[Team], plan: &Plan<'_>) -> Vec<RunStatistics> {
    let jobs: Vec<Job<'_>> = teams.iter().flat_map(|team| plan.jobs(team)).collect();
    engine.run(programs, &jobs).chunks(plan.runs as usize).map(summarise).collect()
}

/// Returns the fitness of each run of one program by a plan, in the order of the runs.
pub fn fitness_of_runs(engine: &dyn Engine, program: &Program, plan: &Plan<'_>) -> Vec<f64> {
    fitness_of_team(engine, std::slice::from_ref(program), &Team::all(0), plan)
}

/// Returns the fitness of each run of a team by a plan, in the order of the runs.
pub fn fitness_of_team(engine: &dyn Engine, programs: &[Program], team: &Team, plan: &Plan<'_>) -> Vec<f64> {
    fitness_of(&engine.run(programs, &plan.jobs(team)))
}

/// Returns the fitness of each outcome.
pub fn fitness_of(outcomes: &[Outcome]) -> Vec<f64> {
    outcomes.iter().map(|outcome| f64::from(outcome.fitness)).collect()
}

/// Returns a hash over all outcomes' final positions.
pub fn hash_of(outcomes: &[Outcome]) -> u64 {
    outcomes.iter().fold(0, |hash: u64, outcome| hash.rotate_left(5) ^ outcome.hash)
}

fn summarise(outcomes: &[Outcome]) -> RunStatistics {
    let (mean, sd) = mean_and_sd(&fitness_of(outcomes));
    RunStatistics { mean, sd, hash: hash_of(outcomes) }
}
