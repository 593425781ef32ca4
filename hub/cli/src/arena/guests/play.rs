//! Game state of a virtual arena. The arena itself does not have games, but viewers show a clock, a score and a play
//! mode.

use std::sync::{Mutex, MutexGuard, PoisonError};
use xpuck_arena::{Arena, STEP_SECONDS};
use xpuck_gateway::stage::{Game, Mode};

/// Time with all wheels at rest after which the play mode changes to idle (s).
const REST: f64 = 2.0;
/// Maximum distance between the frisbee's rim and the wall at -x at which the frisbee counts as delivered (m).
const DELIVERED: f32 = 0.01;

/// Derives the game state from the state of an arena.
pub struct Play {
    score: u32,
    at_end: bool,
    rest: f64,
}

impl Default for Play {
    fn default() -> Play {
        Play { score: 0, at_end: false, rest: REST }
    }
}

impl Play {
    /// Updates and returns the game state. Must be called after each step of the arena.
    pub fn watch(&mut self, arena: &Arena) -> Game {
        let (robots, discs) = arena.bodies().split_at(arena.robots());
        let still = robots.iter().all(|robot| robot.wheels == [0.0; 2]);
        self.rest = if still { self.rest + STEP_SECONDS } else { 0.0 };
        let end = -arena.half_arena().0 + DELIVERED;
        let at_end = discs.first().is_some_and(|disc| disc.pose.at.x - disc.shape.radius <= end);
        self.score += u32::from(at_end && !std::mem::replace(&mut self.at_end, at_end));
        self.at_end = at_end;
        let mode = if self.rest < REST { Mode::Playing } else { Mode::Idle };
        Game { time: arena.seconds(), half: 1, score: self.score, mode, length: 0.0 }
    }
}

/// Locks the arena, even if a thread panicked while it held the lock.
pub fn hold(arena: &Mutex<Arena>) -> MutexGuard<'_, Arena> {
    arena.lock().unwrap_or_else(PoisonError::into_inner)
}
