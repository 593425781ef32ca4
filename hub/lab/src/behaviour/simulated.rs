//! Behaviour metrics of simulated runs.

use super::{Instant, Metrics, MetricsMeter, RobotState};
use crate::measure::Plan;
use rayon::prelude::*;
use xpuck_kernels::engine::{Job, Team};
use xpuck_kernels::tree::{Memory, Program};
use xpuck_kernels::world::{Body, Sensing, World};

/// Behaviour metrics and fitness of simulated runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Mean metrics over the runs ([`Metrics::mean`]).
    pub metrics: Metrics,
    /// Mean task fitness over the runs.
    pub fitness: f64,
    /// Metrics and fitness of each run.
    pub runs: Vec<(Metrics, f64)>,
}

/// Runs a team by a plan and measures its behaviour after every controller update. The runs equal those of the engines
/// `simd` and `reference` for the same plan. They are spread over threads, but the result does not depend on the number
/// of threads.
///
/// # Errors
/// The world cannot be run, or has no disc to push. The team refers to a missing program. The plan has no runs, or
/// fewer than two updates.
pub fn simulated(programs: &[Program], team: &Team, plan: &Plan<'_>) -> Result<Simulated, String> {
    plan.spec.check().map_err(|error| error.to_string())?;
    if plan.spec.discs.is_empty() {
        return Err("the world has no disc; behaviour metrics need a frisbee".into());
    }
    if let Some(robot) = (0..plan.spec.robots).find(|robot| team.program(*robot) >= programs.len()) {
        return Err(format!(
            "robot {} has program number {}, but the number of programs is {}",
            robot + 1,
            team.program(robot) + 1,
            programs.len()
        ));
    }
    if plan.runs == 0 || plan.updates() < 2 {
        return Err("behaviour metrics need at least 1 run of at least 2 controller updates".into());
    }
    let runs: Option<Vec<(Metrics, f64)>> =
        plan.jobs(team).par_iter().map(|job| run(programs, job)).collect::<Vec<_>>().into_iter().collect();
    let runs = runs.ok_or("a simulated run has positions that are not finite")?;
    let metrics = Metrics::mean(&runs.iter().map(|(metrics, _)| *metrics).collect::<Vec<_>>());
    let fitness = runs.iter().map(|(_, fitness)| fitness).sum::<f64>() / runs.len() as f64;
    Ok(Simulated { metrics: metrics.ok_or("no run was measured")?, fitness, runs })
}

fn run(programs: &[Program], job: &Job<'_>) -> Option<(Metrics, f64)> {
    let mut world = World::new(job.spec, job.start, job.seed, job.world);
    let team: Vec<&Program> = (0..job.spec.robots).map(|robot| &programs[job.team.program(robot)]).collect();
    world.sensing = Sensing::from_programs(team.iter().copied());
    let mut memories: Vec<Memory> = team.iter().map(|program| Memory::new(program)).collect();
    let disc = &job.spec.discs[0];
    let mut meter = MetricsMeter::new(f64::from(disc.shape.radius), f64::from(job.spec.robot.radius));
    let mut robots = Vec::with_capacity(job.spec.robots);
    for _ in 0..job.updates {
        world.update(&team, &mut memories);
        robots.clear();
        robots.extend(world.bodies[..job.spec.robots].iter().map(|body| Some(state(body))));
        let frisbee = place(&world.bodies[job.spec.robots]);
        meter.add_sample(&Instant { seconds: f64::from(world.seconds()), robots: &robots, frisbee: Some(frisbee) });
    }
    Some((meter.finish()?, f64::from(world.fitness())))
}

fn place(body: &Body) -> (f64, f64) {
    (f64::from(body.pose.at.x), f64::from(body.pose.at.y))
}

fn state(body: &Body) -> RobotState {
    let [left, right] = body.wheels.map(f64::from);
    RobotState { at: place(body), heading: f64::from(body.pose.heading), wheels: Some((left, right)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::fitness_of_runs;
    use xpuck_kernels::engine::Reference;
    use xpuck_kernels::model::V_MAX;
    use xpuck_kernels::tree::Tree;
    use xpuck_kernels::world::{Scenario, WorldSpec};

    fn program(text: &str) -> Program {
        Program::compile(&Tree::parse(text).unwrap()).unwrap()
    }

    fn plan(spec: &WorldSpec, runs: u32) -> Plan<'_> {
        Plan { spec, seconds: 20.0, runs, seed: 5 }
    }

    #[test]
    fn simulated_runs_match_engine_runs_in_order() {
        let spec = WorldSpec::scenario(9, Scenario::B);
        let champion = program(include_str!("../../../../docs/trees/806768.bt"));
        let fitness = fitness_of_runs(&Reference::default(), &champion, &plan(&spec, 4));
        let simulated = simulated(&[champion], &Team::all(0), &plan(&spec, 4)).unwrap();
        assert_eq!(simulated.runs.iter().map(|(_, fitness)| *fitness).collect::<Vec<_>>(), fitness);
        assert_eq!(simulated.fitness, fitness.iter().sum::<f64>() / 4.0);
        let metrics = simulated.metrics;
        assert_eq!((metrics.counted.robots, metrics.counted.instants, metrics.counted.wheels), (9, 800, 800));
        assert!(metrics.counted.pushing > 0 && metrics.pushing > 0.0 && metrics.pushing + metrics.loitering <= 1.0);
        assert!((0.0..=1.0).contains(&metrics.cooperation));
        assert!(metrics.energy > 0.0 && metrics.energy <= 9.0 * 2.0 * f64::from(V_MAX) + 1e-9, "{metrics:?}");
        let mean = simulated.runs.iter().map(|(run, _)| run.acceleration).sum::<f64>() / 4.0;
        assert!((metrics.acceleration - mean).abs() < 1e-12 && mean > 0.0);
    }

    #[test]
    fn resting_robots_use_no_energy_and_run_own_programs() {
        let spec = WorldSpec::scenario(9, Scenario::B);
        let programs = [program("successl\n"), program("movcv v_goal 0deg\n")];
        let still = simulated(&programs, &Team::all(0), &plan(&spec, 1)).unwrap();
        assert_eq!((still.metrics.energy, still.metrics.acceleration, still.fitness), (0.0, 0.0, 0.0));
        let energy = |moving: usize| {
            let team = Team::mixed(&[9 - moving, moving]);
            simulated(&programs, &team, &plan(&spec, 1)).unwrap().metrics.energy
        };
        let (one, three) = (energy(1), energy(3));
        assert!(one > 0.0 && (three - 3.0 * one).abs() < 1e-6, "{one} {three}");
    }

    #[test]
    fn invalid_simulations_are_rejected() {
        let spec = WorldSpec::scenario(9, Scenario::B);
        let programs = [program("avoiding\n")];
        let error = |team: Team, plan: Plan<'_>| simulated(&programs, &team, &plan).unwrap_err();
        assert_eq!(
            error(Team::all(1), plan(&spec, 1)),
            "robot 1 has program number 2, but the number of programs is 1"
        );
        assert!(error(Team::all(0), plan(&spec, 0)).contains("at least 1 run"));
        assert!(error(Team::all(0), Plan { seconds: 0.1, ..plan(&spec, 1) }).contains("2 controller updates"));
        let crowd = WorldSpec { robots: 0, ..spec.clone() };
        assert!(error(Team::all(0), plan(&crowd, 1)).contains("robots"));
    }
}
