//! Explore module: random walk with a preference for light. Each cycle drives straight, queries the change in
//! brightness, and turns, with a high probability if the light did not increase.

use super::Outbox;
use crate::automaton::{Kind, Message, Module};

/// Duration of a straight section (ms).
const WAY: i16 = 250;
/// Maximum duration of a turn, slightly more than half a turn (ms).
const TURN: i16 = 440;
/// Waiting time while another module drives (ms).
const PATIENCE: u32 = 300;
/// Turn probabilities after a change in brightness.
const TURN_IF_DARKER: f32 = 0.95;
const TURN_IF_SAME: f32 = 0.5;
const TURN_IF_BRIGHTER: f32 = 0.02;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Nothing,
    Walking,
    Asking,
    Turning,
    Waiting(u32),
}

#[derive(Clone, Debug)]
pub(in crate::cargo) struct Explore {
    doing: Doing,
}

impl Explore {
    pub fn new() -> Explore {
        Explore { doing: Doing::Nothing }
    }

    pub fn handle(&mut self, message: Message, out: &mut Outbox) {
        match (self.doing, message.kind) {
            (_, Kind::ExploreStop) => {
                self.doing = Doing::Nothing;
                out.tell(Module::Explore, Module::Navigate, Kind::NavigateStop, [0; 2]);
            }
            (Doing::Nothing, Kind::ExploreStart) => self.walk(out),
            (Doing::Walking, Kind::NavigateFinished) => {
                self.doing = Doing::Asking;
                out.tell(Module::Explore, Module::Lighttracker, Kind::LightQuery, [0; 2]);
            }
            (Doing::Asking, Kind::LightIncrease) => self.turn_or_walk(TURN_IF_BRIGHTER, out),
            (Doing::Asking, Kind::LightDecrease) => self.turn_or_walk(TURN_IF_DARKER, out),
            (Doing::Asking, Kind::LightNoChange) => self.turn_or_walk(TURN_IF_SAME, out),
            (Doing::Turning, Kind::NavigateFinished) => self.walk(out),
            (Doing::Walking | Doing::Turning, Kind::NavigateBusy | Kind::NavigateInterrupted) => {
                self.doing = Doing::Waiting(out.now + PATIENCE);
            }
            _ => {}
        }
    }

    fn walk(&mut self, out: &mut Outbox) {
        self.doing = Doing::Walking;
        out.tell(Module::Explore, Module::Navigate, Kind::NavigateForward, [WAY, 0]);
    }

    fn turn_or_walk(&mut self, chance: f32, out: &mut Outbox) {
        if out.draws.unit() < chance {
            self.doing = Doing::Turning;
            out.tell(Module::Explore, Module::Navigate, Kind::NavigateTurnRandom, [TURN, 0]);
        } else {
            self.walk(out);
        }
    }

    pub fn wake_at(&self) -> u32 {
        if let Doing::Waiting(until) = self.doing { until } else { u32::MAX }
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        self.walk(out);
    }
}
