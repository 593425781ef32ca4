//! Cargo loader module: turns round because the fork is at the rear, drives backward to the cargo, moves the fork, and
//! leaves the station.

use super::{FORK, FULL, LEFT, Outbox, RIGHT};
use crate::automaton::{Kind, Message, Module};

/// Duration of half a turn on the spot at full power, in the world that is printed in the report (ms).
const HALF_TURN: i16 = 349;

/// Step of a manoeuvre, with its duration (ms). A turn has the fixed duration `HALF_TURN`.
#[derive(Clone, Copy, Debug)]
enum Step {
    Stand(i16),
    Turn,
    Back(i16),
    Ahead(i16),
    Lower(i16),
    Raise(i16),
}

use Step::{Ahead, Back, Lower, Raise, Stand, Turn};

const LOAD: &[Step] = &[Stand(100), Turn, Lower(800), Back(200), Raise(900), Ahead(600)];
const UNLOAD: &[Step] = &[Stand(100), Turn, Back(200), Lower(800), Ahead(300), Raise(900), Ahead(300)];

#[derive(Clone, Debug)]
pub(in crate::cargo) struct Cargoloader {
    rest: &'static [Step],
    wake_at: u32,
}

impl Cargoloader {
    pub fn new() -> Cargoloader {
        Cargoloader { rest: &[], wake_at: u32::MAX }
    }

    pub fn handle(&mut self, message: Message, out: &mut Outbox) {
        // Messages are ignored during a manoeuvre, because marks arrive again while the robot is in front of the
        // station.
        if self.wake_at != u32::MAX {
            return;
        }
        match message.kind {
            Kind::CargoloaderLoad => self.rest = LOAD,
            Kind::CargoloaderUnload => self.rest = UNLOAD,
            _ => return,
        }
        self.wake(out);
    }

    pub fn wake_at(&self) -> u32 {
        self.wake_at
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        let Some((&part, rest)) = self.rest.split_first() else {
            self.wake_at = u32::MAX;
            for motor in [LEFT, RIGHT, FORK] {
                out.send(Module::Cargoloader, Module::Motordriver, Kind::MotordriverNoPower, [motor, 0]);
            }
            out.broadcast(Module::Cargoloader, Kind::CargoloaderOk);
            return;
        };
        self.rest = rest;
        let (command, power, time) = match part {
            Stand(time) => (None, 0, time),
            Turn => (Some(Kind::NavigateAroundLeft), 0, HALF_TURN),
            Back(time) => (Some(Kind::NavigateBackward), 0, time),
            Ahead(time) => (Some(Kind::NavigateForward), 0, time),
            Lower(time) => (None, -FULL, time),
            Raise(time) => (None, FULL, time),
        };
        self.wake_at = out.now + time as u32;
        let mut motor = |motor, power| {
            out.send(Module::Cargoloader, Module::Motordriver, Kind::MotordriverPower, [motor, power]);
        };
        motor(FORK, power);
        match command {
            // The cargo loader keeps the wheels stopped while the fork moves, so that no other module drives them.
            None => {
                motor(LEFT, 0);
                motor(RIGHT, 0);
            }
            Some(kind) => out.send(Module::Cargoloader, Module::Navigate, kind, [time, 0]),
        }
    }
}
