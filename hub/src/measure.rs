//! Measuring a tree: many simulations on fresh seeds, and what they say.

use xpuck_kernels::engine::{Engine, Job, Outcome};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::Scenario;
use xpuck_kernels::world::model::CONTROL_PERIOD;
use xpuck_kernels::world::transport::raw_fitness;

/// Which starts a measurement uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// One scenario.
    Only(Scenario),
    /// A and B by turns.
    Mix,
}

impl Starts {
    /// The scenario of run `i`.
    pub fn of(self, i: u32) -> Scenario {
        match self {
            Starts::Only(scenario) => scenario,
            Starts::Mix if i.is_multiple_of(2) => Scenario::A,
            Starts::Mix => Scenario::B,
        }
    }
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of robots.
    pub robots: usize,
    /// Simulated seconds of each run.
    pub seconds: f32,
    /// Number of runs.
    pub runs: u32,
    /// Starting positions.
    pub starts: Starts,
    /// Seed; run i is world i of it.
    pub seed: u64,
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Mean of f_raw (Eq. 8.3) over the runs.
    pub mean: f64,
    /// Standard deviation over the runs.
    pub sd: f64,
    /// Hash over all runs' final positions.
    pub hash: u64,
}

impl Plan {
    /// Controller updates of one run.
    pub fn updates(&self) -> u32 {
        (self.seconds / CONTROL_PERIOD).round() as u32
    }

    /// The runs of a program as jobs; run i is world i.
    pub fn jobs(&self, program: usize) -> Vec<Job> {
        let Plan { robots, starts, seed, runs, .. } = *self;
        let updates = self.updates();
        (0..runs).map(|world| Job { program, scenario: starts.of(world), seed, world, robots, updates }).collect()
    }

    /// Simulated time over all robots and runs, s.
    pub fn robot_seconds(&self) -> f64 {
        f64::from(self.runs) * self.robots as f64 * f64::from(self.updates()) * f64::from(CONTROL_PERIOD)
    }
}

/// Runs one program by a plan.
pub fn measure(engine: &dyn Engine, program: &Program, plan: &Plan) -> Measured {
    measure_all(engine, std::slice::from_ref(program), plan).remove(0)
}

/// Runs several programs by the same plan, on the same worlds.
pub fn measure_all(engine: &dyn Engine, programs: &[Program], plan: &Plan) -> Vec<Measured> {
    let jobs: Vec<Job> = (0..programs.len()).flat_map(|program| plan.jobs(program)).collect();
    let outcomes = engine.run(programs, &jobs);
    outcomes.chunks(plan.runs as usize).map(|chunk| summarise(chunk, plan)).collect()
}

/// f_raw (Eq. 8.3) of each run of one program by a plan, in the order of the runs.
pub fn fitness_of_runs(engine: &dyn Engine, program: &Program, plan: &Plan) -> Vec<f64> {
    fitness(&engine.run(std::slice::from_ref(program), &plan.jobs(0)), plan)
}

/// Mean and standard deviation of a sample that is not empty.
pub fn mean_and_sd(sample: &[f64]) -> (f64, f64) {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, variance.sqrt())
}

fn fitness(outcomes: &[Outcome], plan: &Plan) -> Vec<f64> {
    let seconds = plan.updates() as f32 * CONTROL_PERIOD;
    outcomes.iter().map(|o| f64::from(raw_fitness(o.moved_x, seconds))).collect()
}

fn summarise(outcomes: &[Outcome], plan: &Plan) -> Measured {
    let (mean, sd) = mean_and_sd(&fitness(outcomes, plan));
    let hash = outcomes.iter().fold(0u64, |h, o| h.rotate_left(5) ^ o.hash);
    Measured { mean, sd, hash }
}
