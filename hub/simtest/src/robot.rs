//! One robot: the decisions, island and lease that `xpuckd` runs, between the simulated network and an emulated dsPIC.

mod turn;

use super::checkers::Checkers;
use super::island::SimulatedIsland;
use super::mutants::Mutant;
use super::network::Network;
use super::plan::{Disk, Traits};
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
use xpuck_robot_core::lease::{self, Given, Lease};
use xpuck_robot_core::readings::Readings;
use xpuck_robot_core::robot;
use xpuck_wire::message::ToRobot;
use xpuck_wire::message::{LogLine, State};
use xpuck_wire::peers_report::PeersReport;
use xpuck_wire::signed::Trust;
use xpuck_wire::witness::Testimony;

/// Control updates, ms apart on the robot's own clock.
const CONTROL: f64 = (CONTROL_PERIOD * 1000.0) as f64;
/// Messages that wait for a control thread that hangs; further ones are lost.
pub const INBOX: usize = 1_000;
/// Messages of other robots that wait; further ones are lost.
const FROM_ROBOTS: usize = 256;

/// What the body is told.
#[derive(Clone, Copy, Debug, Default)]
struct Drive([StepsPerSecond; 2]);

impl lease::Command for Drive {
    fn standing(self) -> Drive {
        Drive::default()
    }
}

/// What a program's death takes with it.
#[derive(Debug)]
struct Program {
    robot: robot::Robot,
    world: World,
    started: u32,
    next_control: f64,
}

/// What a program has of the world.
#[derive(Debug, Default)]
struct World {
    island: Option<SimulatedIsland>,
    inbox: VecDeque<Vec<u8>>,
    /// Messages of other robots, each with the robot that it is of.
    from_robots: VecDeque<(usize, Vec<u8>)>,
    /// Trials are simulated for real.
    real: bool,
    plan: Option<Arc<Plan>>,
    lines: VecDeque<LogLine>,
    lease: Lease,
    given: Option<Given<Drive>>,
    readings: Readings,
    /// When the body last answered and the camera last saw, ms.
    sensed: Option<u32>,
    seen: Option<u32>,
}

/// A robot.
#[derive(Debug)]
pub struct Robot {
    index: usize,
    drift: f64,
    mutant: Option<Mutant>,
    program: Option<Program>,
    starts: u32,
    hangs_until: u32,
    mute_until: u32,
    /// When the body was last told something, ms.
    told: u32,
    dspic: Dspic,
    command: Command,
    /// For a mutant: the highest number that a directive had.
    highest: u64,
    /// Its island's trials are simulated for real.
    real: bool,
    memory: Memory,
}

/// A robot's disk: what it was told last.
#[derive(Debug, Default)]
struct Memory {
    kept: Option<Testimony>,
    /// What is to be written, and when, ms.
    waiting: Option<(u32, Testimony)>,
    /// Number of the directive that the core is to be told of.
    news: Option<u64>,
    fault: Option<(Disk, u32)>,
}

impl Memory {
    /// A restart of the program finds what is on the disk.
    fn restart(&mut self) -> Option<Testimony> {
        (self.waiting, self.news) = (None, None);
        self.kept.clone()
    }

    fn put(&mut self, now: u32, told: Testimony) {
        let slow = matches!(self.fault, Some((Disk::Slow, until)) if now < until);
        self.waiting = Some((now + if slow { 1_500 } else { 10 }, told));
    }

    fn work(&mut self, now: u32) {
        let fault = self.fault.filter(|(_, until)| now < *until).map(|(fault, _)| fault);
        let Some((_, told)) = self.waiting.as_ref().filter(|(due, _)| *due <= now) else { return };
        match fault {
            Some(Disk::Frozen) => {}
            // What cannot be replaced is removed, and tried again.
            Some(Disk::Full) => (self.kept, self.news) = (None, Some(told.directive)),
            _ => {
                (self.kept, self.news) = (Some(told.clone()), Some(told.directive));
                self.waiting = None;
            }
        }
    }
}

/// Everything outside the robot that it may touch in a step.
pub struct Outside<'a> {
    /// Now, ms.
    pub now: u32,
    /// The links.
    pub network: &'a mut Network,
    /// The checkers.
    pub checkers: &'a mut Checkers,
    /// Robots, then the frisbee.
    pub bodies: &'a [Body],
    /// The arena.
    pub physics: &'a Physics,
}

/// A session that no other start of any robot had.
fn session(now: u32, island: u16) -> u64 {
    (u64::from(now) << 16) + u64::from(island)
}

impl Robot {
    /// A robot that is switched off until `traits.boots`.
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

    /// Its disk is at fault until then.
    pub fn spoil(&mut self, fault: Disk, until: u32) {
        self.memory.fault = Some((fault, until));
    }

    /// The same, with trials that are simulated for real and take their time.
    pub fn with_real_trials(self) -> Robot {
        Robot { real: true, ..self }
    }

    /// Its island, while the program is there and has one.
    pub fn island(&self) -> Option<&Island> {
        Some(self.program.as_ref()?.world.island.as_ref()?.island())
    }

    /// How it stands with the other robots, while the program is there.
    pub fn peers(&self, now: f64) -> Option<PeersReport> {
        Some(self.program.as_ref()?.robot.peers().report(now))
    }

    /// Bytes of another robot arrive.
    pub fn receive_from(&mut self, from: usize, bytes: Vec<u8>) {
        if let Some(program) = self.program.as_mut().filter(|p| p.world.from_robots.len() < FROM_ROBOTS) {
            program.world.from_robots.push_back((from, bytes));
        }
    }

    /// The program dies and is started again at `starts`, ms.
    pub fn crash(&mut self, out: &mut Outside<'_>, starts: u32) {
        self.starts = self.starts.max(starts);
        if self.program.take().is_some() {
            out.network.robot_died(self.index);
            out.checkers.wheels.died(out.now, self.index);
        }
    }

    /// The control thread hangs.
    pub fn hang(&mut self, until: u32) {
        self.hangs_until = self.hangs_until.max(until);
    }

    /// The body does not answer.
    pub fn mute(&mut self, until: u32) {
        self.mute_until = self.mute_until.max(until);
    }

    /// Bytes arrive.
    pub fn receive(&mut self, bytes: Vec<u8>) {
        if let Some(program) = self.program.as_mut().filter(|p| p.world.inbox.len() < INBOX) {
            program.world.inbox.push_back(bytes);
        }
    }

    /// Messages that wait.
    pub fn waiting(&self) -> usize {
        self.program.as_ref().map_or(0, |p| p.world.inbox.len())
    }

    /// What the core does, and the generations of its island; nothing while the program is not there.
    pub fn stands(&self) -> Option<(State, u32)> {
        self.program.as_ref().map(|p| (p.robot.core.state(), p.robot.generation()))
    }

    /// One turn of the control loop, if it turns.
    pub fn turn(&mut self, out: &mut Outside<'_>, passed: u32) {
        let island = self.index as u16 + 1;
        if self.program.is_none() && out.now >= self.starts {
            let trust = if self.mutant == Some(Mutant::TrustsSignatures) { Trust::Anybody } else { trust() };
            let session = session(out.now, island);
            // Whoever drives alone for longer than it may is found by the checkers, which know what it may.
            let allowed = if self.mutant == Some(Mutant::DrivesOn) { 600.0 } else { f64::from(ALONE) / 1000.0 };
            let core = Core::new(island, session, trust).allowed_alone(allowed).remembering(self.memory.restart());
            self.program = Some(Program {
                robot: robot::Robot::new(core, 1.0).among(ROBOTS),
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
        // The island's thread works on while the control thread hangs, and its news count as told at once.
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

    /// One exchange of the thread that talks to the body, and one step of the body, ms: how fast its wheels turn, m/s, and
    /// when it was last told so.
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
