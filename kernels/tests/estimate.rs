//! Checks that robots estimate the parameters of a world that differs from the planned world.

use xpuck_kernels::estimate::{Consensus, Estimator, Parameter, PoseSnapshot, WorldModel};
use xpuck_kernels::math::vec2;
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::physics::steer;
use xpuck_kernels::world::robot::Wheels;
use xpuck_kernels::world::spec::{Area, Start};
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Pose, World, WorldSpec};

const PUSHES: &str = include_str!("../../docs/trees/806768.bt");
const EXPLORES: &str = include_str!("../../docs/trees/explore.bt");
const ROBOTS: usize = 9;
/// Interval at which robots exchange reports (controller updates). Real robots send reports with the genes of each
/// generation.
const EXCHANGE: u32 = 100;
/// Standard deviations of the errors of motion capture: position (m) and heading (rad).
const CAPTURE: (f32, f32) = (0.0005, 0.005);

struct Swarm {
    world: World,
    program: Program,
    memories: Vec<Memory>,
    estimators: Vec<Estimator>,
    councils: Vec<Consensus>,
    /// Ratio of actual to commanded speed of each wheel.
    wheels: [[f32; 2]; ROBOTS],
    seed: u64,
    update: u32,
    /// Adopted estimates: time (s), index of the robot, parameter and value.
    adopted: Vec<(f64, usize, Parameter, f32)>,
}

impl Swarm {
    /// Creates a swarm in the world `real`, which may differ from the planned world.
    fn new(planned: &WorldSpec, real: &WorldSpec, tree: &str, seed: u64) -> Swarm {
        let program = Program::compile(&Tree::parse(tree).unwrap().under_avoiding()).unwrap();
        Swarm {
            world: World::new(real, 1, seed, 0),
            memories: vec![Memory::new(&program); ROBOTS],
            program,
            estimators: vec![Estimator::new(planned); ROBOTS],
            councils: vec![Consensus::default(); ROBOTS],
            wheels: [[1.0; 2]; ROBOTS],
            seed,
            update: 0,
            adopted: Vec::new(),
        }
    }

    fn glimpse(&self, robot: usize, time: f64) -> PoseSnapshot {
        PoseSnapshot::in_world(&self.world, robot, time, |body, Pose { at, heading }| {
            let mut draws = Draws::new(self.seed, body as u32, robot as u32, self.update, Stream::Device);
            let ((x, y), (turn, _)) =
                (normal_pair(draws.word(), draws.word()), normal_pair(draws.word(), draws.word()));
            Pose { at: at + vec2(x, y) * CAPTURE.0, heading: heading + turn * CAPTURE.1 }
        })
    }

    fn step(&mut self) {
        let now = f64::from(self.update) * 0.1;
        for robot in 0..ROBOTS {
            let glimpse = self.glimpse(robot, now);
            self.estimators[robot].on_snapshot(glimpse);
        }
        let Swarm { world, program, memories, estimators, wheels, .. } = self;
        world.update_with_wheels(|i, senses, draws| {
            let told = estimators[i]
                .model()
                .compensated(steer(memories[i].tick(program, senses, draws).1, &Wheels::default()));
            estimators[i].command(now, told);
            [told[0] * wheels[i][0], told[1] * wheels[i][1]]
        });
        self.update += 1;
        if self.update.is_multiple_of(EXCHANGE) {
            self.exchange(now);
        }
    }

    fn exchange(&mut self, now: f64) {
        let reports: Vec<_> = self.estimators.iter().map(Estimator::reports).collect();
        for to in 0..ROBOTS {
            for from in (0..ROBOTS).filter(|from| *from != to) {
                self.councils[to].hear(now, from as u16 + 1, reports[from].clone());
            }
            if let Some((parameter, value)) = self.councils[to].decide(now, &reports[to], ROBOTS) {
                self.estimators[to].adopt(parameter, value);
                self.councils[to].change(now, parameter);
                self.adopted.push((now, to, parameter, value));
            }
        }
    }

    fn run(&mut self, seconds: f32) {
        for _ in 0..(seconds * 10.0) as u32 {
            self.step();
        }
    }

    /// Returns the value of a parameter in each robot's model.
    fn models(&self, parameter: Parameter) -> [f32; ROBOTS] {
        std::array::from_fn(|robot| self.estimators[robot].model().get(parameter))
    }
}

fn swarm(tree: &str, seed: u64) -> Swarm {
    let planned = WorldSpec::benchmark(ROBOTS);
    Swarm::new(&planned, &planned, tree, seed)
}

#[test]
fn matching_world_adopts_no_estimates() {
    for seed in 1..=2 {
        let mut swarm = swarm(PUSHES, seed);
        swarm.run(300.0);
        assert_eq!(swarm.adopted, [], "seed {seed}");
    }
}

#[test]
fn heavier_frisbee_mass_is_estimated_by_pushing() {
    // `make test-long` runs this test with more seeds.
    let seeds = std::env::var("XPUCK_WEIGHINGS").map_or(1, |seeds| seeds.parse().expect("a number of seeds"));
    for seed in 1..=seeds {
        let mut swarm = swarm(PUSHES, seed);
        swarm.run(40.0);
        assert_eq!(swarm.adopted, [], "seed {seed}: before the change");
        swarm.world.bodies[ROBOTS].shape.mass *= 4.0;
        swarm.run(120.0);
        let found = swarm.models(Parameter::FrisbeeMass);
        assert!(
            found.iter().all(|mass| (mass / 0.28 - 1.0).abs() < 0.15),
            "seed {seed}: {found:?} {:?}",
            swarm.adopted
        );
        let first = swarm.adopted[0];
        assert!(first.0 < 65.0, "seed {seed}: noticed after {} s", first.0 - 40.0);
        swarm.run(240.0);
        let other = swarm.adopted.iter().find(|(_, _, parameter, _)| *parameter != Parameter::FrisbeeMass);
        assert_eq!(other, None, "seed {seed}: nothing but the mass changed");
    }
}

#[test]
fn slippery_floor_is_not_taken_for_heavy_frisbee() {
    let mut swarm = swarm(PUSHES, 1);
    swarm.run(40.0);
    swarm.world.bodies[..ROBOTS].iter_mut().for_each(|body| body.shape.mu = 0.2);
    swarm.run(120.0);
    let found = swarm.models(Parameter::RobotFriction);
    assert!(found.iter().all(|mu| (mu / 0.2 - 1.0).abs() < 0.2), "{found:?} {:?}", swarm.adopted);
    assert_eq!(swarm.models(Parameter::FrisbeeMass), [0.07; ROBOTS], "{:?}", swarm.adopted);
}

#[test]
fn unknown_walls_become_arena_edges() {
    let planned = WorldSpec::benchmark(ROBOTS);
    let walled = |from: (f32, f32), to: (f32, f32), high: (f32, f32)| {
        let mut real = planned.clone();
        real.physics.walls.push(Wall { from: vec2(from.0, from.1), to: vec2(to.0, to.1) });
        real.starts = vec![Start::Area(Area { low: vec2(-0.5, -0.6), high: vec2(high.0, high.1) })];
        real
    };
    let goal = walled((-0.6, -0.75), (-0.6, 0.75), (0.8, 0.6));
    let mut swarm = Swarm::new(&planned, &goal, PUSHES, 1);
    swarm.run(60.0);
    let found = swarm.models(Parameter::Left);
    assert!(found.iter().all(|left| (left - 0.6).abs() < 0.02), "{found:?} {:?}", swarm.adopted);

    let narrow = walled((-1.0, 0.5), (1.0, 0.5), (0.6, 0.4));
    let mut swarm = Swarm::new(&planned, &narrow, EXPLORES, 2);
    swarm.run(120.0);
    let found = swarm.models(Parameter::Top);
    assert!(found.iter().all(|top| (top - 0.5).abs() < 0.02), "{found:?} {:?}", swarm.adopted);
    let simulated = swarm.estimators[0].model().apply(&planned).unwrap();
    assert_eq!(simulated.physics.walls.len(), 1);
    let Start::Area(area) = &simulated.starts[1] else { panic!("scenario B is an area") };
    assert!(area.high.y < 0.47 && area.low.y == -0.6, "{area:?}");
}

#[test]
fn wheel_slip_changes_own_model_and_is_compensated() {
    let mut swarm = swarm(EXPLORES, 3);
    swarm.run(20.0);
    swarm.wheels[4] = [0.7, 1.0];
    swarm.run(100.0);
    let found = swarm.models(Parameter::LeftWheel);
    assert!((found[4] - 0.7).abs() < 0.07, "{found:?}");
    assert!(swarm.adopted.iter().all(|(_, robot, ..)| *robot == 4), "{:?}", swarm.adopted);
    let mut model = WorldModel::from_spec(&WorldSpec::benchmark(ROBOTS));
    model.set(Parameter::LeftWheel, 0.5);
    assert_eq!(model.compensated([0.05, 0.05]), [0.1, 0.05]);
    assert_eq!(model.compensated([0.13, 0.13]), [0.13, 0.065], "no wheel is told more than it can");
}

#[test]
fn unordered_or_missing_snapshots_give_no_evidence() {
    let mut swarm = swarm(PUSHES, 1);
    swarm.run(20.0);
    let mut estimator = swarm.estimators[0].clone();
    let before = estimator.reports();
    let last = swarm.glimpse(0, 20.0);
    for time in [5.0, 90.0, 89.0, 89.2, f64::MAX] {
        estimator.on_snapshot(PoseSnapshot { time, ..last.clone() });
    }
    assert_eq!(estimator.reports(), before);
}
