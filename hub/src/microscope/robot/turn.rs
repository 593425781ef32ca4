//! One turn of a robot's control loop: what `xpuckd` does around its core, on simulated devices.

use super::{Drive, Outside, Program};
use crate::microscope::FORGED;
use crate::microscope::home::Home;
use crate::microscope::plants::Plant;
use std::time::Duration;
use xpuck_evolve::{Migrant, MigrantError};
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::senses;
use xpuck_registers::stepper::{MetresPerSecond, StepsPerSecond};
use xpuck_robot_core::core::Action;
use xpuck_robot_core::inhabitant::{self, Inhabitant};
use xpuck_robot_core::lease::Given;
use xpuck_wire::codec::decode;
use xpuck_wire::message::{Gene, RobotMessage, State, ToRobot};
use xpuck_wire::seal::Sealed;

/// Messages handled between two looks at the clock; as on the robot.
const AT_ONCE: usize = 64;
/// Camera frames, ms apart.
const CAMERA: u32 = 200;

/// One turn of a program.
pub(super) struct Turn<'a, 'b> {
    pub(super) index: usize,
    pub(super) plant: Option<Plant>,
    pub(super) program: &'a mut Program,
    pub(super) out: &'a mut Outside<'b>,
}

impl Turn<'_, '_> {
    pub(super) fn listen(&mut self, now: f64, highest: &mut u64) {
        for _ in 0..AT_ONCE {
            let Some(bytes) = self.program.inbox.pop_front() else { return };
            let Ok(sealed) = decode::<Sealed>(&bytes) else {
                self.program.refused += 1;
                continue;
            };
            self.out.witness.heard(self.out.now, self.index, &sealed);
            let actions = match self.misread(&sealed.message, highest) {
                Some(message) => self.program.core.on_message(now, message),
                None => self.program.core.on_sealed(now, sealed),
            };
            self.act(actions);
        }
    }

    /// What a core with a planted fault would have understood, whatever the seal says.
    fn misread(&mut self, message: &ToRobot, highest: &mut u64) -> Option<ToRobot> {
        match (self.plant, message) {
            // Forged numbers would make it deaf to every STOP, which is another fault.
            (Some(Plant::OldRun), ToRobot::Directive { number, state, segment, run, .. }) if *number < FORGED => {
                *highest = (*highest).max(*number);
                let number = if *state == State::Run { *highest + 1 } else { *number };
                let (state, segment, run, expires) = (*state, *segment, *run, f64::INFINITY);
                Some(ToRobot::Directive { number, state, segment, run, expires })
            }
            _ => None,
        }
    }

    fn act(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(message) => self.say(message),
                Action::Prepare { experiment, algorithm, seed, .. } => {
                    let island = inhabitant::found(&experiment, algorithm, self.index as u16 + 1, seed);
                    self.out.witness.trees.bred(&island);
                    self.program.inhabitant = Inhabitant::default();
                    self.program.home = Some(Home::new(island));
                }
                Action::Evolve(running) => {
                    if let Some(home) = &mut self.program.home {
                        home.run(running);
                    }
                }
                Action::Immigrants { generation, genes } => self.immigrate(generation, &genes),
                Action::LoadFittest { segment } => {
                    let loaded = self.program.inhabitant.load(&mut self.program.core, segment);
                    self.loaded(loaded.ok().flatten());
                }
                // Nobody pushes settings here.
                Action::Settings { .. } | Action::Say(_) => {}
            }
        }
    }

    fn immigrate(&mut self, generation: u32, genes: &[Gene]) {
        let checked: Vec<Result<Migrant, MigrantError>> =
            genes.iter().map(|gene| Migrant::check(gene.values())).collect();
        if self.plant == Some(Plant::TrustsGenes) {
            for (bad, _) in genes.iter().zip(&checked).filter(|(_, checked)| checked.is_err()) {
                let loads = Tree::parse(&bad.tree).map(|tree| self.program.core.load(&tree));
                // A tree that cannot be read or held does no harm whoever believes in it.
                drop(loads);
            }
        }
        let migrants: Vec<Migrant> = checked.iter().flatten().cloned().collect();
        self.program.refused += (checked.len() - migrants.len()) as u32;
        if let Some(home) = &mut self.program.home {
            home.immigrate(generation, &migrants);
            self.out.witness.trees.bred(home.island());
        }
    }

    pub(super) fn loaded(&mut self, message: Option<RobotMessage>) {
        if let Some(message) = message {
            self.say(message);
        }
    }

    pub(super) fn say(&mut self, message: RobotMessage) {
        self.out.witness.said(self.out.now, self.index, &message);
        self.out.network.to_hub(self.out.now, self.index, &message);
    }

    /// One control update.
    pub(super) fn update(&mut self, now: f64) {
        if self.plant == Some(Plant::DeafToSilence) {
            self.program.core.on_message(now, ToRobot::Ping { stamp: 0.0 });
        }
        let actions = self.program.core.on_time(now);
        self.act(actions);
        self.sense();
        let program = &mut *self.program;
        let wheels = program.core.control(now, &program.readings);
        let speeds = wheels.map(|speed| StepsPerSecond::from(MetresPerSecond(speed)));
        let at = Duration::from_millis(u64::from(self.out.now));
        program.given = Some(Given { command: Drive(speeds), at });
        self.out.witness.controlled(self.out.now, self.index, program.core.controller(), wheels);
        let mut telemetry = program.core.telemetry(now, &program.readings);
        telemetry.link.refused = program.refused;
        let progress = program.inhabitant.progress();
        (telemetry.evolution.generation, telemetry.evolution.derated) = (progress.generation, progress.derated);
        self.say(RobotMessage::Telemetry(Box::new(telemetry)));
    }

    fn sense(&mut self) {
        let Outside { now, bodies, physics, .. } = *self.out;
        let program = &mut *self.program;
        if program.seen.is_none_or(|at| now - at >= CAMERA) {
            program.seen = Some(now);
            program.readings.blobs = senses::camera(bodies, self.index, &[], physics);
        }
        let age = |at: Option<u32>| at.map(|at| (now - at) as f32 / 1000.0);
        if age(program.sensed).is_some_and(|age| age < 0.1) {
            program.readings.proximity = senses::proximity(bodies, self.index, physics);
        }
        (program.readings.body_age, program.readings.camera_age) = (age(program.sensed), age(program.seen));
    }
}
