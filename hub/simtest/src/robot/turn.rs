//! Simulated environment of a robot's decision code, in place of the devices, sockets and threads of `xpuckd`.

use super::{Drive, Memory, Outside, World};
use crate::FORGED;
use crate::island::SimulatedIsland;
use crate::mutants::Mutant;
use crate::trials::Trials;
use std::time::Duration;
use xpuck_evolve::Migrant;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::senses;
use xpuck_registers::stepper::{MetresPerSecond, StepsPerSecond};
use xpuck_robot_core::core::{Action, Core};
use xpuck_robot_core::external::Ring;
use xpuck_robot_core::island::{self, IslandEvent, IslandPlan};
use xpuck_robot_core::lease::TimedCommand;
use xpuck_robot_core::peers::{PeerInput, open};
use xpuck_robot_core::readings::Readings;
use xpuck_robot_core::robot::{OperatorRequest, Shell};
use xpuck_wire::codec::{CodecError, decode, encode};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Directive, LogLine, RobotMessage, Severity, State, ToRobot};
use xpuck_wire::peer::PeerMessage;
use xpuck_wire::seal::Sealed;
use xpuck_wire::signed::Trust;
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::witness::ObeyedDirective;

/// Interval of camera frames (ms).
const CAMERA: u32 = 200;
/// Maximum number of waiting log lines.
const LINES: usize = 256;

/// One turn of a robot's program.
pub(super) struct Turn<'a, 'b> {
    pub(super) index: usize,
    pub(super) mutant: Option<Mutant>,
    pub(super) world: &'a mut World,
    /// Highest number of a received directive, which a mutant uses.
    pub(super) highest: &'a mut u64,
    pub(super) memory: &'a mut Memory,
    /// Time since the last turn (ms).
    pub(super) passed: u32,
    pub(super) out: &'a mut Outside<'b>,
}

impl Shell for Turn<'_, '_> {
    fn receive(&mut self) -> Option<Result<Sealed, CodecError>> {
        let bytes = self.world.inbox.pop_front()?;
        Some(decode(&bytes))
    }

    fn hear(&mut self, core: &mut Core, now: f64, sealed: Sealed) -> Vec<Action> {
        self.out.checkers.heard(self.out.now, self.index, &sealed);
        let actions = match self.misread(&sealed.message) {
            Some(message) => core.on_message(now, message),
            None => core.on_sealed(now, sealed),
        };
        if self.mutant == Some(Mutant::TrustsGenes) {
            let genes = actions.iter().filter_map(|action| match action {
                Action::Immigrants { genes, .. } => Some(genes),
                _ => None,
            });
            for bad in genes.flatten().filter(|gene| Migrant::check(gene.values()).is_err()) {
                // A tree that is invalid or too large is not loaded, even with this mutant.
                let _ = Tree::parse(&bad.tree).map(|tree| core.load(&tree));
            }
        }
        actions
    }

    /// Sends a message to the hub. The queue is never full, but the network may still lose the message.
    fn send(&mut self, mut message: RobotMessage) -> bool {
        if let (Some(Mutant::FalseUpdates), RobotMessage::Updates(updates)) = (self.mutant, &mut message) {
            updates.scratch[0] ^= 1;
        }
        self.out.checkers.said(self.out.now, self.index, &message);
        self.out.network.to_hub(self.out.now, self.index, &message);
        true
    }

    fn receive_peer(&mut self) -> Option<(u16, PeerInput)> {
        let (from, bytes) = self.world.from_robots.pop_front()?;
        let set = self.world.plan.as_ref().map(|plan| &plan.primitive_set);
        let heard = match decode::<PeerMessage>(&bytes) {
            Ok(message) => open(message, set),
            Err(error) => PeerInput::Nothing(error.to_string()),
        };
        Some((from as u16 + 1, heard))
    }

    fn send_peer(&mut self, island: u16, message: PeerMessage) {
        let to = usize::from(island).saturating_sub(1);
        self.out.network.send_peer(self.out.now, self.index, to, encode(&message));
    }

    /// Returns `None`, because the simulation enrols and revokes no keys.
    fn trust(&mut self) -> Option<Trust> {
        None
    }

    fn start_island(&mut self, plan: IslandPlan) {
        let island = plan.create();
        self.out.checkers.trees.add_island(&island);
        self.world.plan = Some(plan.plan.clone());
        let real = self.world.real.then(|| Trials::new(plan));
        self.world.island = Some(SimulatedIsland::new(island, real));
    }

    fn run_island(&mut self, running: bool) {
        if let Some(island) = &mut self.world.island {
            island.run(running);
        }
    }

    fn change_trials(&mut self, _: island::Trials) {
        if let Some(island) = &mut self.world.island {
            island.forget();
        }
    }

    fn immigrate(&mut self, generation: u32, migrants: Vec<Migrant>) {
        if let Some(island) = &mut self.world.island {
            island.immigrate(generation, &migrants);
            self.out.checkers.trees.add_island(island.island());
        }
    }

    fn news(&mut self) -> Option<IslandEvent> {
        let island = self.world.island.as_mut()?;
        let done = island.work(self.out.now, self.passed)?;
        self.out.checkers.trees.add_island(island.island());
        Some(IslandEvent::Generation(Box::new(done)))
    }

    /// Ignores operator requests that do not concern driving.
    fn execute(&mut self, _: OperatorRequest) {}

    fn remember(&mut self, told: ObeyedDirective) {
        self.memory.put(self.out.now, told);
    }

    fn remembered(&mut self) -> Option<u64> {
        self.memory.news.take()
    }

    /// Ignores changes of settings.
    fn change_settings(&mut self, _: u64, _: &str, _: bool) {}

    fn sense(&mut self) -> Readings {
        let Outside { now, bodies, physics, .. } = *self.out;
        let world = &mut *self.world;
        if world.seen.is_none_or(|at| now - at >= CAMERA) {
            world.seen = Some(now);
            world.readings.blobs = senses::camera(bodies, self.index, &[], physics);
        }
        let age = |at: Option<u32>| at.map(|at| (now - at) as f32 / 1000.0);
        if age(world.sensed).is_some_and(|age| age < 0.1) {
            world.readings.proximity = senses::proximity(bodies, self.index, physics);
        }
        (world.readings.body_age, world.readings.camera_age) = (age(world.sensed), age(world.seen));
        world.readings
    }

    fn drive(&mut self, core: &Core, wheels: [f32; 2], _: Option<Ring>) -> [f32; 2] {
        let speeds = wheels.map(|speed| StepsPerSecond::from(MetresPerSecond(speed)));
        let at = Duration::from_millis(u64::from(self.out.now));
        self.world.given = Some(TimedCommand { command: Drive(speeds), at });
        self.out.checkers.controlled(self.out.now, self.index, core.controller(), wheels);
        wheels
    }

    fn stop_wheels(&mut self, _: &Core) {
        let at = Duration::from_millis(u64::from(self.out.now));
        self.world.given = Some(TimedCommand { command: Drive([StepsPerSecond::ZERO; 2]), at });
    }

    /// Adds nothing, because clock and devices are not simulated.
    fn report(&mut self, _: &mut Telemetry) {}

    fn log(&mut self, line: Line) {
        if self.world.lines.len() < LINES {
            self.world.lines.push_back(LogLine::new(Severity::from_level(line.level), self.out.now.into(), &line.text));
        }
    }

    fn next_log_line(&mut self) -> Option<LogLine> {
        self.world.lines.pop_front()
    }
}

impl Turn<'_, '_> {
    /// Returns the message as a mutant misreads it, without its seal. Returns `None` if the message is read
    /// correctly.
    fn misread(&mut self, message: &ToRobot) -> Option<ToRobot> {
        match (self.mutant, message) {
            // Forged numbers are excluded, because this mutant would ignore every STOP after a forged number. That
            // would be a different bug.
            (Some(Mutant::OldRun), ToRobot::Directive(Directive { number, state, segment, run, .. }))
                if *number < FORGED =>
            {
                *self.highest = (*self.highest).max(*number);
                let number = if *state == State::Run { *self.highest + 1 } else { *number };
                let (state, segment, run, expires) = (*state, *segment, *run, f64::INFINITY);
                Some(ToRobot::Directive(Directive {
                    number,
                    state,
                    segment,
                    run,
                    phase: 0,
                    tree: None,
                    expires,
                    ..Directive::default()
                }))
            }
            _ => None,
        }
    }
}
