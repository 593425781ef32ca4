//! Fork behind the robot, and its effect on the cargo.

use super::scene::Body;
use super::scene::TICK;

/// States of the fork, as numbered by the key `fork` of an area in a world file.
const UP: u8 = 1;
const DOWN: u8 = 2;
const RISING: u8 = 3;
const SINKING: u8 = 4;

/// States of the cargo; 0 means no cargo. In state PUSHING, the cargo is on the lowered fork. UNLOADING and PUT_DOWN
/// are stages of unloading.
const CARRIED: f32 = 1.0;
const PUSHING: f32 = 2.0;
const UNLOADING: f32 = 3.0;
const PUT_DOWN: f32 = 4.0;

/// Linear motion of the fork between the positions 0 (down) and 1 (up).
#[derive(Clone, Copy, Debug)]
pub(super) struct Fork {
    since: u32,
    from: f32,
    /// Change of the position per time (1/ms), positive while the fork rises.
    speed: f32,
}

impl Fork {
    pub fn new() -> Fork {
        Fork { since: 0, from: 1.0, speed: 0.0 }
    }

    /// Returns the position at time `now` (ms), 0 (down) to 1 (up).
    pub fn position(&self, now: u32) -> f32 {
        (self.from + self.speed * (now - self.since) as f32).clamp(0.0, 1.0)
    }

    /// Returns the state of the fork. A fork that was stopped midway counts as up or down, whichever is nearer.
    pub fn state(&self) -> u8 {
        match self.speed {
            speed if speed > 0.0 => RISING,
            speed if speed < 0.0 => SINKING,
            _ if self.from >= 0.5 => UP,
            _ => DOWN,
        }
    }

    /// Moves the fork up (positive power) or down (negative power), or stops the fork (0).
    pub fn power(&mut self, power: i16, now: u32, body: &Body) {
        let speed = match power.signum() {
            1 => body.fork_up,
            -1 => -body.fork_down,
            _ => 0.0,
        };
        *self = Fork { since: now, from: self.position(now), speed };
        let end = if speed > 0.0 { 1.0 } else { 0.0 };
        if self.from == end {
            self.speed = 0.0;
        }
    }

    /// Returns the first tick after the fork reaches its end position (ms); `u32::MAX` if the fork does not move.
    pub fn next(&self) -> u32 {
        if self.speed == 0.0 {
            return u32::MAX;
        }
        let way = if self.speed > 0.0 { 1.0 - self.from } else { self.from };
        let end = self.since as f32 + way / self.speed.abs();
        (end as u32 / TICK + 1) * TICK
    }

    /// Stops the fork if it has reached its end position, and returns whether it has. A raised fork picks up pushed
    /// cargo. A lowered fork puts cargo down.
    pub fn advance(&mut self, now: u32, cargo: &mut f32) -> bool {
        let position = self.position(now);
        let arrived = (self.speed > 0.0 && position >= 1.0) || (self.speed < 0.0 && position <= 0.0);
        if arrived {
            *self = Fork { since: now, from: position, speed: 0.0 };
            if position >= 1.0 && *cargo == PUSHING {
                *cargo = CARRIED;
            }
            if position <= 0.0 && *cargo == UNLOADING {
                *cargo = PUT_DOWN;
            }
        }
        arrived
    }
}
