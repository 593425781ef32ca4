//! Simulates a swarm that works in a world different from the world that its islands simulate. The robots drive,
//! estimate parameters of their world, and agree on changes.

use crate::evolution_run::{EvolutionRun, champion};
use crate::measure::Plan;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use xpuck_kernels::estimate::{Consensus, Estimator, Parameter, PoseSnapshot, WorldModel};
use xpuck_kernels::math::vec2;
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_kernels::tree::{Memory, Program};
use xpuck_kernels::world::physics::steer;
use xpuck_kernels::world::{Pose, World, WorldSpec};

/// Standard deviations of the noise of motion capture: position (m) and heading (rad).
const CAPTURE: (f32, f32) = (0.0005, 0.005);
/// Duration of a pause between segments, in which robots are moved to a new start (s).
const PAUSE: f64 = 2.0;

/// The world in which the robots work.
pub(super) struct Real {
    pub spec: WorldSpec,
    /// Ratios of actual speed to commanded speed for the first robot's wheels (left, right).
    pub first_wheels: [f32; 2],
}

impl Real {
    /// Returns the planned world with one parameter changed.
    ///
    /// # Errors
    /// If such a world cannot be run.
    pub fn with(planned: &WorldSpec, parameter: Parameter, value: f32) -> Result<Real, String> {
        let mut model = WorldModel::from_spec(planned);
        let there = model.get(parameter);
        if parameter.name().ends_with("-edge") && value > there {
            return Err(format!("the edge of the arena is at {there} m; it can only be moved inwards"));
        }
        model.set(parameter, value);
        let spec = model.apply(planned).map_err(|error| error.to_string())?;
        Ok(Real { spec, first_wheels: model.wheels() })
    }

    /// Returns the actual wheel speeds of the first robot for commanded speeds (m/s).
    fn driven(&self, told: [f32; 2]) -> [f32; 2] {
        [told[0] * self.first_wheels[0], told[1] * self.first_wheels[1]]
    }

    /// Returns the planned world, in which all wheels follow their commands.
    pub fn as_planned(planned: &WorldSpec) -> Real {
        Real { spec: planned.clone(), first_wheels: [1.0; 2] }
    }
}

/// Returns the mean fitness over the runs of a plan, in a world where the first robot's wheels do not follow their
/// commands. Engines cannot simulate such wheels. The first robot assumes the wheel factors `held`.
pub(super) fn worth_on_wheels(programs: &[Program], real: &Real, held: [f32; 2], plan: &Plan<'_>) -> f64 {
    let mut model = WorldModel::from_spec(&real.spec);
    model.set(Parameter::LeftWheel, held[0]);
    model.set(Parameter::RightWheel, held[1]);
    let whole = WorldModel::from_spec(&real.spec);
    let run = |run: u32| {
        let mut world = World::new(&real.spec, run as usize, plan.seed, run);
        let mut memories: Vec<Memory> = programs.iter().map(Memory::new).collect();
        for _ in 0..plan.updates() {
            world.update_with_wheels(|i, senses, draws| {
                let goal = steer(memories[i].tick(&programs[i], senses, draws).1, &real.spec.physics.robot.wheels);
                if i == 0 { real.driven(model.compensated(goal)) } else { whole.compensated(goal) }
            });
        }
        f64::from(world.fitness())
    };
    let fitness: Vec<f64> = (0..plan.runs).into_par_iter().map(run).collect();
    fitness.iter().sum::<f64>() / fitness.len() as f64
}

/// A change that one robot made to its simulator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Change {
    /// Time of the change (s of work since the beginning, without pauses between segments).
    #[serde(rename = "seconds")]
    pub time: f64,
    /// Index of the robot, from 0.
    pub robot: usize,
    /// Name of the parameter.
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "String")]
    pub parameter: Parameter,
    /// New value of the parameter.
    pub value: f32,
}

fn by_name<S: Serializer>(parameter: &Parameter, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(parameter.name())
}

/// Robots that work in the current segment, with their trees and their estimates of the world.
#[derive(Clone)]
pub(super) struct Swarm {
    planned: WorldSpec,
    seed: u64,
    segments: u32,
    /// Number of updates in the current segment, and world of the segment; `None` before the first segment.
    world: Option<(u32, World)>,
    programs: Vec<Program>,
    memories: Vec<Memory>,
    estimators: Vec<Estimator>,
    councils: Vec<Consensus>,
    now: f64,
    /// Working time without the pauses between segments (s).
    worked: f64,
    pub changes: Vec<Change>,
}

impl Swarm {
    pub fn new(planned: &WorldSpec, seed: u64) -> Swarm {
        Swarm {
            planned: planned.clone(),
            seed,
            segments: 0,
            world: None,
            programs: Vec::new(),
            memories: Vec::new(),
            estimators: vec![Estimator::new(planned); planned.robots],
            councils: vec![Consensus::default(); planned.robots],
            now: 0.0,
            worked: 0.0,
            changes: Vec::new(),
        }
    }

    /// Loads the fittest tree of each robot's island, and moves all robots to a new start.
    pub fn begin_segment(&mut self, real: &Real, evolution: &EvolutionRun) {
        let settings = &evolution.config().settings;
        let trees = evolution.state().islands.iter().map(|island| champion(island, settings).tree.under_avoiding());
        // Islands hold only trees that can be compiled.
        self.programs = trees.map(|tree| Program::compile(&tree).expect("a tree that fits a robot")).collect();
        self.memories = self.programs.iter().map(Memory::new).collect();
        self.world = Some((0, World::new(&real.spec, self.segments as usize, self.seed, self.segments)));
        self.segments += 1;
        self.now += PAUSE;
    }

    /// Runs the robots for a duration (s).
    pub fn work(&mut self, real: &Real, seconds: f64) {
        for _ in 0..(seconds / f64::from(CONTROL_PERIOD)).round() as u32 {
            self.update(real);
        }
    }

    fn update(&mut self, real: &Real) {
        let Swarm { world, programs, memories, estimators, seed, segments, now, worked, .. } = self;
        let Some((update, world)) = world else { return };
        for (robot, estimator) in estimators.iter_mut().enumerate() {
            estimator.on_snapshot(PoseSnapshot::in_world(world, robot, *now, |body, Pose { at, heading }| {
                let place = (body as u32, robot as u32 + (*segments << 8), *update);
                let mut draws = Draws::new(*seed, place.0, place.1, place.2, Stream::Device);
                let mut pair = || normal_pair(draws.word(), draws.word());
                let ((x, y), (turn, _)) = (pair(), pair());
                Pose { at: at + vec2(x, y) * CAPTURE.0, heading: heading + turn * CAPTURE.1 }
            }));
        }
        world.update_with_wheels(|i, senses, draws| {
            let goal = memories[i].tick(&programs[i % programs.len()], senses, draws).1;
            let told = estimators[i].model().compensated(steer(goal, &real.spec.physics.robot.wheels));
            estimators[i].command(*now, told);
            if i == 0 { real.driven(told) } else { told }
        });
        *update += 1;
        *now += f64::from(CONTROL_PERIOD);
        *worked += f64::from(CONTROL_PERIOD);
    }

    /// Exchanges the robots' estimates. Each robot then changes its simulator if the evidence is sufficient.
    pub fn exchange(&mut self, evolution: &mut EvolutionRun) {
        let reports: Vec<_> = self.estimators.iter().map(Estimator::reports).collect();
        for to in 0..reports.len() {
            for from in (0..reports.len()).filter(|from| *from != to) {
                self.councils[to].hear(self.now, from as u16 + 1, reports[from].clone());
            }
            let verdict = self.councils[to].decide(self.now, &reports[to], reports.len());
            let Some((parameter, value)) = verdict else { continue };
            let mut model = *self.estimators[to].model();
            model.set(parameter, value);
            let Ok(world) = model.apply(&self.planned) else { continue };
            self.estimators[to].adopt(parameter, value);
            self.councils[to].change(self.now, parameter);
            self.changes.push(Change { time: self.worked, robot: to, parameter, value });
            if !parameter.is_own_body() {
                evolution.change_world(to, world);
            }
        }
    }

    /// Returns the value of a parameter in the simulator of each robot.
    pub fn models(&self, parameter: Parameter) -> Vec<f32> {
        self.estimators.iter().map(|estimator| estimator.model().get(parameter)).collect()
    }

    /// Returns the wheel factors that the first robot assumes for its own wheels.
    pub fn first_wheels(&self) -> [f32; 2] {
        self.estimators[0].model().wheels()
    }

    /// Returns the working time of the robots, without the pauses between segments (s).
    pub fn time(&self) -> f64 {
        self.worked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::Tree;

    #[test]
    fn robot_that_compensates_slipping_wheel_scores_higher() {
        let tree = Tree::parse(include_str!("../../../../docs/trees/806768.bt")).unwrap().under_avoiding();
        let spec = WorldSpec::benchmark(1);
        let plan = Plan { spec: &spec, seconds: 30.0, runs: 40, seed: 3 };
        let programs = [Program::compile(&tree).unwrap()];
        let slipping = Real::with(&spec, Parameter::LeftWheel, 0.5).unwrap();
        let worth = |held| worth_on_wheels(&programs, &slipping, held, &plan);
        let [known, unknown] = [worth([0.5, 1.0]), worth([1.0; 2])];
        assert!(known > 0.01 && known > 1.5 * unknown, "{known} {unknown}");
        assert_eq!(worth([0.5, 1.0]), known);
    }
}
