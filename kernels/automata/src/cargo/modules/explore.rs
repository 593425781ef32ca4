//! Explore module: random walk with a preference for light. In each cycle, the robot drives straight and queries the
//! change in brightness. Then the robot may turn; the probability of a turn is low if the brightness has increased.

use super::Outbox;
use crate::automaton::{Kind, Message, Module};

/// Duration of a straight section (ms).
const STRAIGHT_MS: i16 = 250;
/// Maximum duration of a turn, slightly more than half a turn (ms).
const TURN: i16 = 440;
/// Time before the next attempt to drive if another module drives (ms).
const WAIT_MS: u32 = 300;
/// Probabilities of a turn if the brightness has decreased, is unchanged, or has increased (0..=1).
const TURN_IF_DARKER: f32 = 0.95;
const TURN_IF_SAME: f32 = 0.5;
const TURN_IF_BRIGHTER: f32 = 0.02;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExploreState {
    Nothing,
    Walking,
    Asking,
    Turning,
    Waiting(u32),
}

#[derive(Clone, Debug)]
pub(in crate::cargo) struct Explore {
    doing: ExploreState,
}

impl Explore {
    pub fn new() -> Explore {
        Explore { doing: ExploreState::Nothing }
    }

    pub fn handle(&mut self, message: Message, out: &mut Outbox) {
        match (self.doing, message.kind) {
            (_, Kind::ExploreStop) => {
                self.doing = ExploreState::Nothing;
                out.send(Module::Explore, Module::Navigate, Kind::NavigateStop, [0; 2]);
            }
            (ExploreState::Nothing, Kind::ExploreStart) => self.walk(out),
            (ExploreState::Walking, Kind::NavigateFinished) => {
                self.doing = ExploreState::Asking;
                out.send(Module::Explore, Module::Lighttracker, Kind::LightQuery, [0; 2]);
            }
            (ExploreState::Asking, Kind::LightIncrease) => self.turn_or_walk(TURN_IF_BRIGHTER, out),
            (ExploreState::Asking, Kind::LightDecrease) => self.turn_or_walk(TURN_IF_DARKER, out),
            (ExploreState::Asking, Kind::LightNoChange) => self.turn_or_walk(TURN_IF_SAME, out),
            (ExploreState::Turning, Kind::NavigateFinished) => self.walk(out),
            (ExploreState::Walking | ExploreState::Turning, Kind::NavigateBusy | Kind::NavigateInterrupted) => {
                self.doing = ExploreState::Waiting(out.now + WAIT_MS);
            }
            _ => {}
        }
    }

    fn walk(&mut self, out: &mut Outbox) {
        self.doing = ExploreState::Walking;
        out.send(Module::Explore, Module::Navigate, Kind::NavigateForward, [STRAIGHT_MS, 0]);
    }

    fn turn_or_walk(&mut self, chance: f32, out: &mut Outbox) {
        if out.draws.unit() < chance {
            self.doing = ExploreState::Turning;
            out.send(Module::Explore, Module::Navigate, Kind::NavigateTurnRandom, [TURN, 0]);
        } else {
            self.walk(out);
        }
    }

    pub fn wake_at(&self) -> u32 {
        if let ExploreState::Waiting(until) = self.doing { until } else { u32::MAX }
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        self.walk(out);
    }
}
