//! Simulated robot. It runs the decision, island and lease code of `xpuckd`, between the simulated network and an
//! emulated dsPIC.

mod turn;

use super::checkers::Checkers;
use super::island::SimulatedIsland;
use super::mutants::Mutant;
use super::network::Network;
use super::plan::{DiskFault, Traits};
use super::text::trust;
use crate::{ALONE, ROBOTS};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use turn::Turn;
use xpuck_arena::body::dspic::Dspic;
use xpuck_evolve::Island;
use xpuck_experiment::Plan;
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::world::Body;
use xpuck_kernels::world::physics::Physics;
use xpuck_registers::spi::{Actions, Command};
use xpuck_registers::stepper::StepsPerSecond;
use xpuck_robot_core::core::Core;
use xpuck_robot_core::lease::{self, Lease, TimedCommand};
use xpuck_robot_core::readings::Readings;
use xpuck_robot_core::robot;
use xpuck_wire::message::ToRobot;
use xpuck_wire::message::{LogLine, State};
use xpuck_wire::peers_report::PeersReport;
use xpuck_wire::signed::Trust;
use xpuck_wire::witness::ObeyedDirective;

/// Interval of control updates on the robot's own clock (ms).
const CONTROL: f64 = (CONTROL_PERIOD * 1000.0) as f64;
/// Maximum number of messages that wait for the control thread. Further messages are lost.
pub const INBOX: usize = 1_000;
/// Maximum number of waiting messages from other robots. Further messages are lost.
const FROM_ROBOTS: usize = 256;

/// Wheel speeds that are sent to the body.
#[derive(Clone, Copy, Debug, Default)]
struct Drive([StepsPerSecond; 2]);

impl lease::Command for Drive {
    fn standing(self) -> Drive {
        Drive::default()
    }
}

/// Running program of a robot, with the state that is lost when the program dies.
#[derive(Debug)]
struct Program {
    robot: robot::Robot,
    world: World,
    started: u32,
    next_control: f64,
}

/// Environment of a robot's program.
#[derive(Debug, Default)]
struct World {
    island: Option<SimulatedIsland>,
    inbox: VecDeque<Vec<u8>>,
    /// Waiting messages from other robots, each with the index of its sender.
    from_robots: VecDeque<(usize, Vec<u8>)>,
    /// Whether the island simulates real trials.
    real: bool,
    plan: Option<Arc<Plan>>,
    lines: VecDeque<LogLine>,
    lease: Lease,
    given: Option<TimedCommand<Drive>>,
    readings: Readings,
    /// Times of the body's last answer (`sensed`, ms) and of the camera's last frame (`seen`, ms).
    sensed: Option<u32>,
    seen: Option<u32>,
}

/// Simulated robot.
#[derive(Debug)]
pub struct Robot {
    index: usize,
    drift: f64,
    mutant: Option<Mutant>,
    program: Option<Program>,
    starts: u32,
    hangs_until: u32,
    mute_until: u32,
    /// Time of the last command that reached the body (ms).
    told: u32,
    dspic: Dspic,
    command: Command,
    /// Highest number of a received directive, which a mutant uses.
    highest: u64,
    /// Whether the island simulates real trials.
    real: bool,
    memory: Memory,
}

/// Disk of a robot, which stores the last directive that the robot has obeyed.
#[derive(Debug, Default)]
struct Memory {
    kept: Option<ObeyedDirective>,
    /// Pending write, with its due time (ms).
    waiting: Option<(u32, ObeyedDirective)>,
    /// Number of the last stored directive, to be reported to the robot's core.
    news: Option<u64>,
    fault: Option<(DiskFault, u32)>,
}

impl Memory {
    /// Handles a restart of the program, which drops a pending write. Returns the stored directive, if any.
    fn restart(&mut self) -> Option<ObeyedDirective> {
        (self.waiting, self.news) = (None, None);
        self.kept.clone()
    }

    fn put(&mut self, now: u32, told: ObeyedDirective) {
        let slow = matches!(self.fault, Some((DiskFault::Slow, until)) if now < until);
        self.waiting = Some((now + if slow { 1_500 } else { 10 }, told));
    }

    fn work(&mut self, now: u32) {
        let fault = self.fault.filter(|(_, until)| now < *until).map(|(fault, _)| fault);
        let Some((_, told)) = self.waiting.as_ref().filter(|(due, _)| *due <= now) else { return };
        match fault {
            Some(DiskFault::Frozen) => {}
            // A full disk cannot replace the file. The file is removed, and this is reported like a finished write. The
            // write is repeated until it succeeds.
            Some(DiskFault::Full) => (self.kept, self.news) = (None, Some(told.directive)),
            _ => {
                (self.kept, self.news) = (Some(told.clone()), Some(told.directive));
                self.waiting = None;
            }
        }
    }
}

/// Surroundings that the robot may use or change in a step.
pub struct Outside<'a> {
    /// Current time (ms).
    pub now: u32,
    /// Network to the hub and the other robots.
    pub network: &'a mut Network,
    /// Checkers that observe the robot.
    pub checkers: &'a mut Checkers,
    /// Bodies of all robots, followed by the frisbee's body.
    pub bodies: &'a [Body],
    /// Physics of the arena.
    pub physics: &'a Physics,
}

/// Returns a session number that differs from those of all other starts of robots.
fn session(now: u32, island: u16) -> u64 {
    (u64::from(now) << 16) + u64::from(island)
}

impl Robot {
    /// Creates a robot that is switched off until `traits.boots`.
    pub fn new(index: usize, traits: &Traits, mutant: Option<Mutant>) -> Robot {
        Robot {
            index,
            drift: traits.drift,
            mutant,
            program: None,
            starts: traits.boots,
            hangs_until: 0,
            mute_until: 0,
            told: 0,
            dspic: Dspic::default(),
            command: Command::default(),
            highest: 0,
            real: false,
            memory: Memory::default(),
        }
    }

    /// Starts a fault of the robot's disk, which lasts until the given time (ms).
    pub fn set_disk_fault(&mut self, fault: DiskFault, until: u32) {
        self.memory.fault = Some((fault, until));
    }

    /// Returns the same robot with real trials, whose generations take longer.
    pub fn with_real_trials(self) -> Robot {
        Robot { real: true, ..self }
    }

    /// Returns the island of the robot; `None` without a program or without an island.
    pub fn island(&self) -> Option<&Island> {
        Some(self.program.as_ref()?.world.island.as_ref()?.island())
    }

    /// Returns the robot's report on other robots; `None` without a program.
    pub fn peers(&self, now: f64) -> Option<PeersReport> {
        Some(self.program.as_ref()?.robot.peers().report(now))
    }

    /// Receives bytes from another robot. Without a program or space in the queue, the bytes are lost.
    pub fn receive_from(&mut self, from: usize, bytes: Vec<u8>) {
        if let Some(program) = self.program.as_mut().filter(|p| p.world.from_robots.len() < FROM_ROBOTS) {
            program.world.from_robots.push_back((from, bytes));
        }
    }

    /// Kills the program, which restarts at `starts` (ms).
    pub fn crash(&mut self, out: &mut Outside<'_>, starts: u32) {
        self.starts = self.starts.max(starts);
        if self.program.take().is_some() {
            out.network.robot_died(self.index);
            out.checkers.wheels.died(out.now, self.index);
        }
    }

    /// Makes the control thread hang until the given time (ms).
    pub fn hang(&mut self, until: u32) {
        self.hangs_until = self.hangs_until.max(until);
    }

    /// Makes the body stop answering until the given time (ms).
    pub fn set_body_fault(&mut self, until: u32) {
        self.mute_until = self.mute_until.max(until);
    }

    /// Receives bytes from the hub. Without a program or space in the queue, the bytes are lost.
    pub fn receive(&mut self, bytes: Vec<u8>) {
        if let Some(program) = self.program.as_mut().filter(|p| p.world.inbox.len() < INBOX) {
            program.world.inbox.push_back(bytes);
        }
    }

    /// Returns the number of messages that wait for the control thread.
    pub fn waiting(&self) -> usize {
        self.program.as_ref().map_or(0, |p| p.world.inbox.len())
    }

    /// Returns the state of the core, and the generation of the island; `None` without a program.
    pub fn stands(&self) -> Option<(State, u32)> {
        self.program.as_ref().map(|p| (p.robot.core.state(), p.robot.generation()))
    }

    /// Runs one turn of the control loop, unless the control thread hangs. Before that, starts the program if
    /// necessary.
    pub fn turn(&mut self, out: &mut Outside<'_>, passed: u32) {
        let island = self.index as u16 + 1;
        if self.program.is_none() && out.now >= self.starts {
            let trust = if self.mutant == Some(Mutant::TrustsSignatures) { Trust::Anybody } else { trust() };
            let session = session(out.now, island);
            // The checkers always use the limit `ALONE`, so they detect the longer driving of the mutant.
            let allowed = if self.mutant == Some(Mutant::DrivesOn) { 600.0 } else { f64::from(ALONE) / 1000.0 };
            let core = Core::new(island, session, trust)
                .with_alone_limit(allowed)
                .with_stored_directive(self.memory.restart());
            self.program = Some(Program {
                robot: robot::Robot::new(core, 1.0).with_peers(ROBOTS),
                world: World { real: self.real, ..World::default() },
                started: out.now,
                next_control: 0.0,
            });
            out.checkers.wheels.started(out.now, self.index, session);
        }
        let Some(Program { robot, world, started, next_control }) = &mut self.program else { return };
        self.memory.work(out.now);
        let (index, mutant, highest, memory) = (self.index, self.mutant, &mut self.highest, &mut self.memory);
        let mut turn = Turn { index, mutant, world, highest, memory, passed, out };
        // The island's thread also works while the control thread hangs, so its results are processed even then.
        robot.collect(&mut turn);
        if turn.out.now < self.hangs_until {
            return;
        }
        let now = (f64::from(turn.out.now - *started) * (1.0 + self.drift)) / 1000.0;
        robot.listen(now, &mut turn);
        if now * 1000.0 >= *next_control {
            *next_control = (*next_control + CONTROL).max(now * 1000.0 - CONTROL);
            if mutant == Some(Mutant::DeafToSilence) {
                robot.core.on_message(now, ToRobot::Ping { stamp: 0.0 });
            }
            robot.update(now, &mut turn);
        }
    }

    /// Runs one exchange with the body, and then simulates the body for `step` (ms). Returns the wheel speeds (m/s) and
    /// the time of the last command (ms).
    pub fn drive(&mut self, now: u32, step: u32) -> ([f32; 2], u32) {
        let mute = now < self.mute_until;
        if let Some(Program { world, .. }) = self.program.as_mut().filter(|_| !mute) {
            if let (Some(given), Some(Mutant::EndlessLease)) = (&mut world.given, self.mutant) {
                given.at = Duration::from_millis(u64::from(now));
            }
            let Drive(speeds) = world.lease.command(world.given, Duration::from_millis(u64::from(now)));
            let sequence = self.command.sequence.wrapping_add(1);
            self.command = Command { actions: Actions::SET_MOTOR, speeds, sequence, ..Command::default() };
            self.dspic.exchange(&self.command.encode());
            world.sensed = Some(now);
            self.told = now;
        } else if self.mutant == Some(Mutant::NoTimeOut) {
            self.dspic.exchange(&self.command.encode());
        }
        let wheels = self.dspic.wheels();
        for _ in 0..step / 25 {
            self.dspic.step();
        }
        (wheels, self.told)
    }
}
