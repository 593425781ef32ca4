//! Backs off when the bumper is pressed, and turns somewhere else.

use super::Outbox;
use crate::automaton::{Kind, Message, Module};

/// How long it goes back, ms.
const BACK: i16 = 200;
/// Longest turn, ms.
const TURN: i16 = 440;

#[derive(Clone, Debug)]
pub(in crate::cargo) struct Avoidance {
    /// When it has gone back far enough, ms.
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
                out.tell(Module::Avoidance, Module::Navigate, Kind::NavigateBackward, [BACK, 0]);
            }
            Kind::AvoidanceStart => {
                self.back_until = None;
                out.tell(Module::Avoidance, Module::Navigate, Kind::NavigateStop, [0; 2]);
            }
            // It goes back as long as it set out to, so the bumper's release tells it nothing.
            _ => {}
        }
    }

    pub fn wake_at(&self) -> u32 {
        self.back_until.unwrap_or(u32::MAX)
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        self.back_until = None;
        out.tell(Module::Avoidance, Module::Navigate, Kind::NavigateTurnRandom, [TURN, 0]);
    }
}
