//! Parking test with the real decision code of hub and robots, emulated bodies, and physics. Motion capture is late
//! and noisy, and the network delays and loses messages.

#![allow(clippy::print_stdout, reason = "tests tell figures")]

use std::collections::VecDeque;
use std::f32::consts::PI;
use xpuck_arena::body::dspic::Dspic;
use xpuck_hub_core::config::{Config, HubFile, Mocap};
use xpuck_hub_core::mocap::{Frame, Tracked};
use xpuck_hub_core::switchboard::{Action, Switchboard};
use xpuck_kernels::math::{Vec2, vec2, wrap_angle};
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::physics::{self, Physics};
use xpuck_kernels::world::{Body, Pose, Scenario, World, WorldSpec, start};
use xpuck_registers::spi::{Actions, Command};
use xpuck_registers::stepper::{MetresPerSecond, StepsPerSecond};
use xpuck_robot_core::core::{Action as RobotAction, Core};
use xpuck_robot_core::readings::Readings;
use xpuck_wire::message::DriveCommand;
use xpuck_wire::message::{Reply, Request, RobotMessage, State, ToRobot};
use xpuck_wire::park::{ParkOrder, ParkReport};
use xpuck_wire::signed::Trust;
use xpuck_wire::{Addresses, Phase, Security, Swarm};

const ROBOTS: usize = 9;
/// Intervals of simulation steps, of physics steps, of motion capture frames, and of control updates (ms). In each
/// physics step, the bodies receive new motor commands.
const TURN: u32 = 5;
const BODY: u32 = 25;
const FRAME: u32 = 20;
const CONTROL: u32 = 100;
/// Delay of motion capture frames (ms), and standard deviations of their noise (m, rad). On average, a body is hidden
/// in one of `HIDDEN_PERIOD` frames.
const FRAME_DELAY_MS: u32 = 40;
const NOISE: (f32, f32) = (0.001, 0.01);
const HIDDEN_PERIOD: u32 = 50;
/// Minimum message delay, and width of the range of delays above the minimum (ms). On average, one of `LOSS_PERIOD`
/// messages is lost.
const DELAY: (u32, u32) = (5, 45);
const LOSS_PERIOD: u32 = 50;

/// Outcome of a parking manoeuvre.
#[derive(Clone, Debug)]
struct ParkResult {
    seconds: f64,
    /// Minimum gaps between a robot and the frisbee, between two robots, and between a robot and a wall (m). All gaps
    /// are measured from the rims.
    gaps: [f32; 3],
    /// Distance by which the frisbee moved (m).
    moved: f32,
    /// Maximum deviations of the robots' true poses from their goals: position and heading (m, degrees).
    off: (f32, f32),
    report: ParkReport,
    /// Longest computing time of a simulation step on this machine (ms).
    slowest: f64,
}

struct Bench {
    now: u32,
    board: Switchboard,
    cores: Vec<Core>,
    bodies: Vec<Body>,
    dspics: Vec<(Dspic, Command, [f32; 2])>,
    to_robots: Vec<VecDeque<(u32, ToRobot)>>,
    to_hub: VecDeque<(u32, usize, RobotMessage)>,
    frames: VecDeque<(u32, Frame)>,
    physics: Physics,
    draws: Draws,
    seed: u64,
    steps: u32,
    /// Indices of the robots that are switched off.
    off: Vec<usize>,
    gaps: [f32; 3],
}

fn id(robot: usize) -> String {
    format!("xp{:02}", robot + 1)
}

impl Bench {
    fn new(seed: u64, bodies: Vec<Body>) -> Bench {
        let address = || String::from("tcp://127.0.0.1:1");
        let config = Config {
            hub: HubFile { mocap: Mocap { frisbee: "frisbee".into(), ..Mocap::default() }, ..HubFile::at("") },
            swarm: Swarm {
                speed: 1.0,
                robots: (0..ROBOTS).map(id).collect(),
                hub: Addresses { robots: address(), operator: address(), console: None },
                peers: Vec::new(),
                security: Security::dev_mode(),
            },
        };
        Bench {
            now: 0,
            board: Switchboard::new(config, 1000),
            cores: (0..ROBOTS).map(|i| Core::new(i as u16 + 1, i as u64 + 1, Trust::Anybody)).collect(),
            dspics: vec![(Dspic::default(), Command::default(), [0.0; 2]); ROBOTS],
            to_robots: vec![VecDeque::new(); ROBOTS],
            to_hub: VecDeque::new(),
            frames: VecDeque::new(),
            physics: Physics::default(),
            draws: Draws::new(seed, 0, 0, 0, Stream::Simtest),
            bodies,
            seed,
            steps: 0,
            off: Vec::new(),
            gaps: [f32::INFINITY; 3],
        }
    }

    fn arrives(&mut self, first: u32) -> Option<u32> {
        let lost = self.draws.below(LOSS_PERIOD) == 0;
        let at = self.now + DELAY.0 + self.draws.below(DELAY.1);
        (!lost).then_some(at.max(first))
    }

    fn tell_hub(&mut self, robot: usize, message: RobotMessage) {
        if let Some(at) = self.arrives(0) {
            self.to_hub.push_back((at, robot, message));
        }
    }

    fn robot_acts(&mut self, robot: usize, actions: Vec<RobotAction>) {
        for action in actions {
            if let RobotAction::Send(message) = action {
                self.tell_hub(robot, message);
            }
        }
    }

    fn frame(&mut self) {
        let mut bodies = Vec::new();
        for i in 0..self.bodies.len() {
            let (a, b) = normal_pair(self.draws.word(), self.draws.word());
            let (c, _) = normal_pair(self.draws.word(), self.draws.word());
            let pose = self.bodies[i].pose;
            let at = pose.at + vec2(a, b) * NOISE.0;
            let pose = Pose { at, heading: wrap_angle(pose.heading + c * NOISE.1) };
            let name = if i < ROBOTS { id(i) } else { "frisbee".into() };
            if self.draws.below(HIDDEN_PERIOD) > 0 {
                bodies.push(Tracked { name, pose });
            }
        }
        self.frames.push_back((self.now + FRAME_DELAY_MS, Frame { number: self.now, bodies }));
    }

    fn step(&mut self) {
        self.now += TURN;
        let now = f64::from(self.now) / 1000.0;
        if self.now.is_multiple_of(FRAME) {
            self.frame();
        }
        while self.frames.front().is_some_and(|(at, _)| *at <= self.now) {
            if let Some((_, frame)) = self.frames.pop_front() {
                self.board.on_frame(now, frame);
            }
        }
        let (arrived, later) = self.to_hub.drain(..).partition(|(at, ..)| *at <= self.now);
        self.to_hub = later;
        let arrived: VecDeque<(u32, usize, RobotMessage)> = arrived;
        for (_, robot, message) in arrived {
            self.board.on_robot(now, &id(robot), message);
        }
        self.board.on_time(now);
        self.hub_acts();
        for robot in (0..ROBOTS).filter(|robot| !self.off.contains(robot)).collect::<Vec<_>>() {
            self.turn_robot(now, robot);
        }
        if self.now.is_multiple_of(BODY) {
            self.move_bodies();
        }
    }

    fn hub_acts(&mut self) {
        for action in self.board.take_actions() {
            if let Action::Send(robot, message) = action {
                let first = self.to_robots[robot].back().map_or(0, |(at, _)| *at);
                if let Some(at) = self.arrives(first) {
                    self.to_robots[robot].push_back((at, message));
                }
            }
        }
    }

    fn turn_robot(&mut self, now: f64, robot: usize) {
        while self.to_robots[robot].front().is_some_and(|(at, _)| *at <= self.now) {
            let Some((_, message)) = self.to_robots[robot].pop_front() else { break };
            let actions = self.cores[robot].on_message(now, message);
            self.robot_acts(robot, actions);
        }
        if (self.now + 10 * robot as u32).is_multiple_of(CONTROL) {
            let readings = Readings { body_age: Some(0.02), camera_age: Some(0.1), ..Readings::default() };
            let actions = self.cores[robot].on_time(now);
            self.robot_acts(robot, actions);
            self.dspics[robot].2 = self.cores[robot].control(now, &readings);
            let telemetry = self.cores[robot].telemetry(now, &readings);
            self.tell_hub(robot, RobotMessage::Telemetry(Box::new(telemetry)));
        }
    }

    fn move_bodies(&mut self) {
        for (body, (dspic, command, wheels)) in self.bodies.iter_mut().zip(&mut self.dspics) {
            let speeds = wheels.map(|speed| StepsPerSecond::from(MetresPerSecond(speed)));
            let sequence = command.sequence.wrapping_add(1);
            *command = Command { actions: Actions::SET_MOTOR, speeds, sequence, ..Command::default() };
            dspic.exchange(&command.encode());
            body.wheels = dspic.wheels();
            dspic.step();
        }
        physics::step(&mut self.bodies, &self.physics, self.seed, 0, self.steps);
        self.steps += 1;
        let (robots, frisbee) = self.bodies.split_at(ROBOTS);
        let half = self.physics.half_arena;
        for (i, body) in robots.iter().enumerate() {
            let Body { pose: Pose { at, .. }, shape, .. } = body;
            let walls = (half.0 - at.x.abs()).min(half.1 - at.y.abs()) - shape.radius;
            let to = |other: &Body| (*at - other.pose.at).length() - shape.radius - other.shape.radius;
            let disc = frisbee.iter().map(to).fold(f32::INFINITY, f32::min);
            let robot = robots[..i].iter().map(to).fold(f32::INFINITY, f32::min);
            self.gaps = [self.gaps[0].min(disc), self.gaps[1].min(robot), self.gaps[2].min(walls)];
        }
    }

    fn ask(&mut self, request: Request) -> Reply {
        let now = f64::from(self.now) / 1000.0;
        let reply = self.board.on_request(now, "ann", request);
        self.hub_acts();
        reply
    }

    fn report(&mut self) -> ParkReport {
        match self.ask(Request::Parked) {
            Reply::Parked(Some(report)) => *report,
            other => panic!("{other:?}"),
        }
    }

    /// Simulates the first 3 s, in which the robots connect to the hub. Then resets the minimum gaps.
    fn greet(&mut self) {
        while self.now < 3_000 {
            self.step();
        }
        self.gaps = [f32::INFINITY; 3];
    }

    fn park(&mut self, order: ParkOrder) -> ParkResult {
        let frisbee = self.bodies[ROBOTS].pose.at;
        let reply = self.ask(Request::Park(order.clone()));
        assert_eq!(reply, Reply::Done, "seed {}", self.seed);
        let began = self.now;
        let mut slowest = 0.0f64;
        while self.board.progress().0 == Phase::Parking {
            let turn = std::time::Instant::now();
            self.step();
            slowest = slowest.max(turn.elapsed().as_secs_f64() * 1e3);
            assert!(self.now - began < 400_000, "it never ends");
        }
        let seconds = f64::from(self.now - began) / 1000.0;
        // Messages in transit may still move the wheels.
        (0..100).for_each(|_| self.step());
        let report = self.report();
        let mut off = (0.0f32, 0.0f32);
        for (row, body) in report.robots.iter().zip(&self.bodies) {
            let [x, y, heading] = row.goal;
            off.0 = off.0.max((body.pose.at - vec2(x, y)).length());
            off.1 = off.1.max(wrap_angle(body.pose.heading - heading).abs() * 180.0 / PI);
        }
        let moved = (self.bodies[ROBOTS].pose.at - frisbee).length();
        ParkResult { seconds, gaps: self.gaps, moved, off, report, slowest }
    }
}

/// Tree of the thesis's Listing 8.2.
const TREE: &str = "sel\n  avoiding\n  sel\n    seq\n      movcv v_scr 39deg\n      bfront\n      \
    mulas v_goal.y v_prox.x 6.55 v_up.y\n      mulas v_goal.x v_blue.y -20.7 v_up.x\n    \
    mulav v_goal v_scr 12.3 v_blue\n";

/// Returns robots and a frisbee at random poses in the arena.
fn anywhere(seed: u64) -> Vec<Body> {
    let spec = WorldSpec::scenario(ROBOTS, Scenario::B);
    let mut bodies = start::place(&spec, 0, (seed, 1), &mut Draws::new(seed, 1, 0, 0, Stream::Start));
    let mut draws = Draws::new(seed, 2, 0, 0, Stream::Start);
    for _ in 0..1000 {
        let at = vec2(draws.range(-0.3, 0.85), draws.range(-0.6, 0.6));
        if bodies[..ROBOTS].iter().all(|robot| (robot.pose.at - at).length() > 0.145) {
            bodies[ROBOTS].pose.at = at;
            break;
        }
    }
    bodies
}

/// Returns robots and a frisbee after a run of 30 s: the robots surround the frisbee, and some touch it.
fn after_a_run(seed: u64) -> Vec<Body> {
    let spec = WorldSpec::scenario(ROBOTS, Scenario::A);
    let program = Program::compile(&Tree::parse(TREE).unwrap()).unwrap();
    let mut world = World::new(&spec, 0, seed, 3);
    let mut memories = vec![Memory::default(); ROBOTS];
    (0..300).for_each(|_| world.update(&[&program], &mut memories));
    let mut bodies = world.bodies.clone();
    for body in &mut bodies {
        (body.velocity, body.spin, body.wheels) = (Vec2::ZERO, 0.0, [0.0; 2]);
    }
    bodies
}

/// Returns start poses of the scenario as goals, all at a minimum distance from the frisbee (x and y in m, heading in
/// rad).
fn goals(seed: u64, scenario: Scenario, frisbee: Vec2) -> Vec<[f32; 3]> {
    let spec = WorldSpec::scenario(ROBOTS, scenario);
    let draw = |world| start::place(&spec, 0, (seed, world), &mut Draws::new(seed, world, 0, 0, Stream::Start));
    let near = |bodies: &Vec<Body>| {
        bodies[..ROBOTS].iter().all(|robot| (robot.pose.at - frisbee).length() > 0.105 + 0.0375 + 0.03)
    };
    let bodies = (100..).map(draw).find(near).unwrap();
    bodies[..ROBOTS].iter().map(|b| [b.pose.at.x, b.pose.at.y, b.pose.heading]).collect()
}

fn park(seed: u64, bodies: Vec<Body>, scenario: Scenario, own: bool) -> ParkResult {
    let poses = goals(seed, scenario, bodies[ROBOTS].pose.at);
    let mut bench = Bench::new(seed, bodies);
    bench.greet();
    bench.park(ParkOrder { poses, own, ..ParkOrder::default() })
}

fn judge(what: &str, runs: &[(u64, ParkResult)]) {
    let mut bad = Vec::new();
    for (seed, seen) in runs {
        let ParkResult { seconds, gaps, moved, off, report, .. } = seen;
        println!(
            "{what} seed {seed}: {} {seconds:.1} s, gaps frisbee {:.1} robots {:.1} walls {:.1} mm, frisbee moved {:.1} mm, \
             off {:.1} mm {:.1} deg, slowest turn {:.1} ms; {}",
            report.parked,
            gaps[0] * 1e3,
            gaps[1] * 1e3,
            gaps[2] * 1e3,
            moved * 1e3,
            off.0 * 1e3,
            off.1,
            seen.slowest,
            report.said
        );
        let good = report.parked && *seconds < 60.0 && *moved < 0.001 && off.0 < 0.02 && off.1 < 10.0;
        if !good {
            bad.push(*seed);
        }
    }
    assert!(bad.is_empty(), "{what}: seeds {bad:?}");
}

#[test]
fn nine_robots_park_in_a_minute_and_touch_no_frisbee() {
    for (own, scenario, what) in
        [(false, Scenario::A, "any place at the start"), (true, Scenario::B, "own place anywhere")]
    {
        let runs: Vec<(u64, ParkResult)> =
            (0..24).map(|seed| (seed, park(seed, anywhere(seed), scenario, own))).collect();
        judge(what, &runs);
    }
}

#[test]
fn robots_that_a_run_left_at_the_frisbee_park_too() {
    for own in [false, true] {
        let seeds = 0..12;
        let runs: Vec<(u64, ParkResult)> =
            seeds.map(|seed| (seed, park(seed, after_a_run(seed), Scenario::A, own))).collect();
        judge(if own { "own place after a run" } else { "any place after a run" }, &runs);
    }
}

#[test]
fn stop_ends_parking_and_a_command_after_it_moves_nothing() {
    let bodies = anywhere(5);
    let poses = goals(5, Scenario::A, bodies[ROBOTS].pose.at);
    let mut bench = Bench::new(5, bodies);
    bench.greet();
    assert_eq!(bench.ask(Request::Park(ParkOrder { poses, ..ParkOrder::default() })), Reply::Done);
    (0..1000).for_each(|_| bench.step());
    assert!(bench.dspics.iter().filter(|(_, _, wheels)| *wheels != [0.0; 2]).count() > 5, "robots drive");
    assert_eq!(bench.ask(Request::Stop), Reply::Done);
    // The hub needs time to repeat a lost message.
    (0..120).for_each(|_| bench.step());
    assert!(bench.cores.iter().all(|core| core.state() == State::Stop));
    for robot in 0..ROBOTS {
        let command = DriveCommand { wheels: [0.1; 2], lamps: None, hold_ms: 250, expires: f64::MAX };
        bench.to_robots[robot].push_back((bench.now, ToRobot::Drive(command)));
    }
    for _ in 0..100 {
        bench.step();
        assert!(bench.dspics.iter().all(|(_, _, wheels)| *wheels == [0.0; 2]), "a robot drives after STOP");
    }
    let report = bench.report();
    assert!(report.over && !report.parked && report.said.contains("stopped by ann"), "{report:?}");
}

#[test]
fn impossible_parking_is_rejected_or_abandoned() {
    let bodies = anywhere(7);
    let frisbee = bodies[ROBOTS].pose.at;
    let poses = goals(7, Scenario::A, frisbee);
    let mut bench = Bench::new(7, bodies);
    bench.greet();
    let mut refused = |change: &dyn Fn(&mut ParkOrder), word: &str| {
        let mut order = ParkOrder { poses: poses.clone(), ..ParkOrder::default() };
        change(&mut order);
        let Reply::Refused(why) = bench.ask(Request::Park(order)) else { panic!("not refused: {word}") };
        assert!(why.contains(word), "{why}");
    };
    refused(&|order| order.poses.truncate(8), "8 poses for 9 robots");
    refused(&|order| order.poses[3] = [frisbee.x + 0.1, frisbee.y, 0.0], "frisbee");
    refused(&|order| order.poses[3][0] = 0.98, "wall");
    refused(&|order| order.poses[3] = order.poses[4], "apart");
    refused(&|order| order.poses[3][2] = f32::NAN, "NaN");
    refused(&|order| order.robots = vec!["xp99".into()], "xp99");
    refused(&|order| order.robots = vec!["xp01".into(), "xp01".into()], "twice");
    refused(&|order| order.walls = vec![[-0.45, -0.75, -0.45, 0.75]], "no path");
    // A robot that is switched off on the way becomes an obstacle, and the other robots park around it.
    assert_eq!(bench.ask(Request::Park(ParkOrder { poses, ..ParkOrder::default() })), Reply::Done);
    (0..800).for_each(|_| bench.step());
    bench.off = vec![4];
    while bench.board.progress().0 == Phase::Parking {
        bench.step();
    }
    let report = bench.report();
    assert!(report.said.contains("parked") || report.said.contains("given up"), "{report:?}");
    assert!(bench.gaps[0] > 0.0, "the frisbee was touched");
}
