//! The fork behind the robot, and what becomes of cargo when it moves.

use super::scene::Body;
use super::scene::TICK;

/// States of a fork, as the areas of a world name them.
const UP: u8 = 1;
const DOWN: u8 = 2;
const RISING: u8 = 3;
const SINKING: u8 = 4;

/// Cargo: none, carried, on the fork that is still down (pushing), and the two stages of unloading.
const CARRIED: f32 = 1.0;
const PUSHING: f32 = 2.0;
const UNLOADING: f32 = 3.0;
const PUT_DOWN: f32 = 4.0;

/// A fork between 0, down, and 1, up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fork {
    since: u32,
    from: f32,
    /// Per ms.
    speed: f32,
}

impl Fork {
    pub fn new() -> Fork {
        Fork { since: 0, from: 1.0, speed: 0.0 }
    }

    /// Its position at a time, ms.
    pub fn position(&self, now: u32) -> f32 {
        (self.from + self.speed * (now - self.since) as f32).clamp(0.0, 1.0)
    }

    /// Its state. One that was stopped midway counts as up or down, whichever is nearer.
    pub fn state(&self) -> u8 {
        match self.speed {
            speed if speed > 0.0 => RISING,
            speed if speed < 0.0 => SINKING,
            _ if self.from >= 0.5 => UP,
            _ => DOWN,
        }
    }

    /// Moves it up (positive power), down or not at all.
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

    /// The tick at which it arrives.
    pub fn next(&self) -> u32 {
        if self.speed == 0.0 {
            return u32::MAX;
        }
        let way = if self.speed > 0.0 { 1.0 - self.from } else { self.from };
        let end = self.since as f32 + way / self.speed.abs();
        (end as u32 / TICK + 1) * TICK
    }

    /// Lets it arrive; whether it did. Cargo under it is then carried, cargo on it put down.
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
