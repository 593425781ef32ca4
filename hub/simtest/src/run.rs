//! Simulation of one seed: the loop over simulated time, and the final checks.

use super::checkers::{Checkers, Violation};
use super::hub::Hub;
use super::mutants::Mutant;
use super::network::{MOST, Network};
use super::plan::{Event, Plan};
use super::robot::{INBOX, Outside, Robot};
use super::text::{invalid_experiment, invalid_gene};
use super::{BODY_STEP, FORGED, ROBOTS, STEP, id};
use serde::Serialize;
use xpuck_arena::keeper::Keeper;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::physics::{self, Physics};
use xpuck_kernels::world::{Body, Scenario, WorldSpec, start};
use xpuck_wire::Phase;
use xpuck_wire::codec::encode;
use xpuck_wire::message::{Directive, RobotMessage, State, ToRobot};
use xpuck_wire::peer::{PeerMessage, RunName};

/// Interval of motion capture frames (ms).
const FRAME: u32 = 20;
/// Interval between two checks of the hub's status (ms).
const LOOK: u32 = 100;
/// Maximum time from the last request to the start of the requested run (ms). The request comes after all faults.
const RUNS_WITHIN: u32 = 5_000;
/// Maximum time from the last request to the end of the requested run (ms). It includes 6 s of running, and the pauses
/// in which the frisbee is put back.
const OVER_WITHIN: u32 = 18_000;
const CONVERGES: &str = "after all faults the swarm converges";

/// Settings of a simulation run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Seed, which determines the whole run.
    pub seed: u64,
    /// Simulated time (s). The last 20 s are without faults, after at least 10 s with faults.
    pub seconds: u32,
    /// Injected bug; `None`: no bug.
    pub mutant: Option<Mutant>,
    /// Whether to keep the last events as text.
    pub trace: bool,
}

/// Outcome of a simulation run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Outcome {
    /// Seed of the run.
    pub seed: u64,
    /// First violation of a rule; `None` if no rule was violated.
    pub violation: Option<Violation>,
    /// Hash of all events.
    pub hash: u64,
    /// Number of sent messages, and number of lost messages.
    pub messages: (u64, u64),
    /// Number of events in the plan: faults and operator requests.
    pub happenings: usize,
    /// Number of steps of 25 ms in which a robot's wheels turned, summed over all robots.
    pub moves: u64,
    /// Number of repeated ticks of recorded control updates, in the last runs.
    pub ticks: u64,
    /// Last events as text; empty if no trace was requested.
    #[serde(skip)]
    pub trace: Vec<String>,
}

pub(super) struct Swarm {
    seed: u64,
    pub(super) now: u32,
    network: Network,
    pub(super) robots: Vec<Robot>,
    pub(super) hub: Hub,
    pub(super) checkers: Checkers,
    bodies: Vec<Body>,
    physics: Physics,
    keeper: Keeper,
    physics_steps: u32,
    /// Observations after the end of all faults: whether the last run has been in progress (`ran`) and has finished
    /// (`over`), the highest generation of each robot, and whether each robot has driven.
    ran: bool,
    over: bool,
    generations: [u32; ROBOTS],
    drove: [bool; ROBOTS],
}

/// Simulates a seed, and returns the outcome.
pub fn run(settings: Settings) -> Outcome {
    run_with_progress(settings, || {})
}

/// Simulates a seed, and calls `quarter` after the first, second and third quarter of the simulated time.
pub(super) fn run_with_progress(settings: Settings, mut quarter: impl FnMut()) -> Outcome {
    let plan = Plan::new(settings.seed, settings.seconds.saturating_mul(1_000));
    let mut swarm = Swarm::new(settings, &plan);
    let mut next = plan.happenings.iter().peekable();
    let mut quarters = [1, 2, 3].map(|part| plan.end / 4 * part).into_iter().peekable();
    while swarm.now < plan.end && swarm.checkers.violation().is_none() {
        swarm.now += STEP;
        while let Some((_, happening)) = next.next_if(|(at, _)| *at <= swarm.now) {
            swarm.apply_event(happening);
        }
        swarm.step(plan.calm);
        if quarters.next_if(|at| *at <= swarm.now).is_some() {
            quarter();
        }
    }
    if swarm.checkers.violation().is_none() {
        swarm.check_final_state();
    }
    Outcome {
        seed: settings.seed,
        violation: swarm.checkers.violation().cloned(),
        hash: swarm.checkers.trace.hash(),
        messages: swarm.network.counts(),
        happenings: plan.happenings.len(),
        moves: swarm.checkers.wheels.moves(),
        ticks: swarm.checkers.hub.updates.ticks(),
        trace: swarm.checkers.trace.into_lines(),
    }
}

impl Swarm {
    pub(super) fn new(settings: Settings, plan: &Plan) -> Swarm {
        let spec = WorldSpec::scenario(ROBOTS, Scenario::B);
        let mut draws = Draws::new(settings.seed, 0, 0, 0, Stream::Start);
        let robot = |(i, traits)| Robot::new(i, traits, settings.mutant);
        Swarm {
            seed: settings.seed,
            now: 0,
            network: Network::new(settings.seed, &plan.traits),
            robots: plan.traits.iter().enumerate().map(robot).collect(),
            hub: Hub::new(settings.mutant),
            checkers: Checkers::new(settings.trace),
            bodies: start::place(&spec, 0, (settings.seed, 0), &mut draws),
            physics: Physics::default(),
            keeper: Keeper::default(),
            physics_steps: 0,
            ran: false,
            over: false,
            generations: [0; ROBOTS],
            drove: [false; ROBOTS],
        }
    }

    /// Returns the robot with this index, and its surroundings.
    fn robot(&mut self, index: usize) -> (&mut Robot, Outside<'_>) {
        let Swarm { now, network, robots, checkers, bodies, physics, .. } = self;
        (&mut robots[index], Outside { now: *now, network, checkers, bodies, physics })
    }

    pub(super) fn apply_event(&mut self, happening: &Event) {
        let now = self.now;
        self.checkers.happens(now, happening);
        match happening {
            Event::Crash(robot, lasts) => {
                let (robot, mut outside) = self.robot(*robot);
                robot.crash(&mut outside, now + lasts);
            }
            Event::Hang(robot, lasts) => self.robots[*robot].hang(now + lasts),
            Event::Mute(robot, lasts) => self.robots[*robot].set_body_fault(now + lasts),
            Event::Cut(robot, lasts, holds) => self.network.cut(*robot, now + lasts, *holds),
            Event::Forge(robot, lasts) => self.network.forge(*robot, now + lasts),
            Event::Rubbish(robot) => self.attack(*robot),
            Event::HubCrash(lasts, remembers, jump) => {
                self.hub.jump(*jump);
                self.hub.crash(&mut self.network, &mut self.checkers, now + lasts, *remembers)
            }
            Event::Disk(None, fault, lasts) => self.hub.set_disk_fault(*fault, now + lasts),
            Event::Disk(Some(robot), fault, lasts) => self.robots[*robot].set_disk_fault(*fault, now + lasts),
            Event::Poses(poses, lasts) => self.hub.set_mocap_fault(*poses, now + lasts),
            Event::Ask(order) => self.hub.ask(order.request()),
            Event::Calm => self.network.restore(),
        }
    }

    /// Sends messages that an attacker could send.
    fn attack(&mut self, robot: usize) {
        let now = self.now;
        let mut draws = Draws::new(self.seed, 6, robot as u32, now, Stream::Simtest);
        let noise: Vec<u8> = (0..40).map(|_| draws.word() as u8).collect();
        self.network.send_peer(now, (robot + 1) % ROBOTS, robot, noise.clone());
        self.network.send(now, robot, true, noise.clone());
        self.network.send(now, robot, false, noise);
        let signed = invalid_experiment(&mut draws);
        let run = FORGED + u64::from(now);
        let experiment = ToRobot::Experiment { number: run, seed: 1, robots: 9, signed };
        let order = ToRobot::Directive(Directive {
            number: run,
            state: State::Run,
            segment: 0,
            run,
            phase: 0,
            tree: None,
            expires: f64::INFINITY,
            ..Directive::default()
        });
        for message in [experiment, order] {
            self.hub.send_forged(now, robot, message, &mut self.network);
        }
        (0..ROBOTS).for_each(|robot| self.network.replay(now, robot));
        let emigrant = invalid_gene(&mut draws);
        let genes = RobotMessage::Genes { generation: draws.below(5), emigrant, births: Vec::new() };
        self.network.send(now, robot, true, encode(&genes));
        // A neighbouring robot sends genes that the robot has not requested.
        let (number, generation) = (u64::from(draws.word()), draws.below(5));
        let genes = vec![(generation, invalid_gene(&mut draws))];
        let run = RunName { number: u64::from(draws.below(9)), seed: u64::from(draws.below(9)) };
        let answer = PeerMessage::Genes { number, run, generation, genes };
        self.network.send_peer(now, (robot + 1) % ROBOTS, robot, encode(&answer));
    }

    pub(super) fn step(&mut self, calm: u32) {
        let now = self.now;
        while let Some(delivery) = self.network.arrived(now) {
            match (delivery.to_hub, delivery.from_robot) {
                (true, _) => self.hub.receive(delivery),
                (false, None) => self.robots[delivery.robot].receive(delivery.bytes),
                (false, Some(from)) => self.robots[delivery.robot].receive_from(from, delivery.bytes),
            }
        }
        for index in 0..ROBOTS {
            let (robot, mut outside) = self.robot(index);
            robot.turn(&mut outside, STEP);
        }
        if now.is_multiple_of(FRAME) {
            self.hub.on_frame(now, &self.bodies);
        }
        self.hub.turn(now, &mut self.network, &mut self.checkers);
        while (self.physics_steps + 1) * BODY_STEP <= now {
            self.move_bodies();
        }
        if now.is_multiple_of(LOOK) {
            self.look(calm);
        }
    }

    fn move_bodies(&mut self) {
        for (index, robot) in self.robots.iter_mut().enumerate() {
            let (wheels, told) = robot.drive(self.now, BODY_STEP);
            self.bodies[index].wheels = wheels;
            self.checkers.wheels.turn(self.now, told, index, wheels);
            let state = robot.stands().map(|(state, _)| state);
            self.checkers.standstill.turn(self.now, index, state, wheels);
        }
        physics::step(&mut self.bodies, &self.physics, self.seed, 0, self.physics_steps);
        self.physics_steps += 1;
        let mut draws = Draws::new(self.seed, 0, 0, self.physics_steps, Stream::Relocation);
        self.keeper.watch(&mut self.bodies, ROBOTS, self.physics.half_arena.0, &mut draws);
    }

    fn look(&mut self, calm: u32) {
        let now = self.now;
        let waiting = self.robots.iter().map(Robot::waiting).max().unwrap_or(0);
        if waiting >= INBOX || self.network.in_transit() >= MOST {
            let what = format!("{waiting} messages wait for a robot, and {} are in transit", self.network.in_transit());
            self.checkers.violated(now, "queues stay within bounds", "network", what);
        }
        if let Some(status) = self.hub.status(now) {
            self.checkers.hub.check(now, &status);
        }
        // The last run, which must converge, is requested one second after the faults end.
        if now <= calm + 1_000 {
            return;
        }
        let phase = self.hub.progress().map(|(phase, ..)| phase);
        self.ran |= phase == Some(Phase::Running);
        self.over |= self.ran && phase == Some(Phase::Finished);
        for (index, robot) in self.robots.iter().enumerate() {
            self.drove[index] |= self.bodies[index].wheels != [0.0; 2];
            self.generations[index] = self.generations[index].max(robot.stands().map_or(0, |(_, g)| g));
        }
        if now > calm + 1_000 + RUNS_WITHIN && !self.ran {
            let states: Vec<_> = self.robots.iter().map(Robot::stands).collect();
            let what = format!(
                "the phase is {phase:?} instead of running {RUNS_WITHIN} ms after the start; robots: {states:?}"
            );
            self.checkers.violated(now, CONVERGES, "hub", what);
        }
        if now > calm + 1_000 + OVER_WITHIN && !self.over {
            self.checkers.violated(
                now,
                CONVERGES,
                "hub",
                format!("the phase is still {phase:?} {OVER_WITHIN} ms after the start"),
            );
        }
    }

    /// Checks the robots at the end of the last run.
    fn check_final_state(&mut self) {
        let evolves = self.seed.is_multiple_of(2);
        // In a run with phases, robots evolve for 3.6 s, which is enough for two generations of 1.3 s. A robot that had
        // to reconnect to the hub may miss one of them.
        let generations = if self.seed.is_multiple_of(3) { 1 } else { 2 };
        for index in 0..ROBOTS {
            let stands = self.robots[index].stands();
            let stopped = stands.is_some_and(|(state, _)| state == State::Stop);
            let still = self.bodies[index].wheels == [0.0; 2];
            let lived = if evolves { self.generations[index] >= generations } else { self.drove[index] };
            if !(stopped && still && lived) {
                let what = format!(
                    "the final state is {stands:?}, wheels {:?}, {} generations, drove: {}",
                    self.bodies[index].wheels, self.generations[index], self.drove[index]
                );
                self.checkers.violated(self.now, CONVERGES, id(index), what);
            }
        }
    }
}
