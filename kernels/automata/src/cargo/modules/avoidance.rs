//! Avoidance module: backs off when the bumper is pressed, then turns to a random side.

use super::Outbox;
use crate::automaton::{Kind, Message, Module};

/// Duration of driving backward (ms).
const BACK: i16 = 200;
/// Maximum duration of the turn after driving backward (ms).
const TURN: i16 = 440;

#[derive(Clone, Debug)]
pub(in crate::cargo) struct Avoidance {
    /// Time at which driving backward ends (ms); `None` while the robot does not drive backward.
    back_until: Option<u32>,
}

impl Avoidance {
    pub fn new() -> Avoidance {
        Avoidance { back_until: None }
    }

    pub fn handle(&mut self, message: Message, out: &mut Outbox) {
        match message.kind {
            Kind::BumpersPressed => {
                self.back_until = Some(out.now + BACK as u32);
                out.send(Module::Avoidance, Module::Navigate, Kind::NavigateBackward, [BACK, 0]);
            }
            Kind::AvoidanceStart => {
                self.back_until = None;
                out.send(Module::Avoidance, Module::Navigate, Kind::NavigateStop, [0; 2]);
            }
            // The robot drives backward for a fixed duration, so the release of the bumper has no effect.
            _ => {}
        }
    }

    pub fn wake_at(&self) -> u32 {
        self.back_until.unwrap_or(u32::MAX)
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        self.back_until = None;
        out.send(Module::Avoidance, Module::Navigate, Kind::NavigateTurnRandom, [TURN, 0]);
    }
}
