//! Line follower module: follows the right edge of a line. The robot turns right while the sensor is over the line, and
//! left while the sensor is beside the line. The line is therefore on the robot's left. The robot circles the line
//! anticlockwise, and reaches each station on the side of the line where the station's area is.

use super::{FULL, LEFT, Outbox, RIGHT};
use crate::automaton::{Kind, Message, Module};

/// Power of the inner wheel while following the line.
const INNER: i16 = 30;
/// Circles of the search for a lost line, each with the power of the inner wheel and the duration (ms). The first
/// circle has the same radius as the curve while following the line.
const SEARCH: [(i16, u32); 2] = [(INNER, 1750), (80, 3000)];

#[derive(Clone, Debug)]
pub(in crate::cargo) struct LineFollower {
    following: bool,
    /// Index of the current search circle.
    circle: usize,
    wake_at: u32,
}

impl LineFollower {
    pub fn new() -> LineFollower {
        LineFollower { following: false, circle: 0, wake_at: u32::MAX }
    }

    pub fn handle(&mut self, message: Message, out: &mut Outbox) {
        match message.kind {
            Kind::LineFollowerFollow => {
                self.following = true;
                self.steer(FULL, INNER, out);
            }
            Kind::LineEnter if self.following => self.steer(FULL, INNER, out),
            Kind::LineLeave if self.following => self.search(0, out),
            Kind::LineFollowerStop => self.stop(out),
            _ => {}
        }
    }

    fn steer(&mut self, left: i16, right: i16, out: &mut Outbox) {
        self.wake_at = u32::MAX;
        for (motor, power) in [(LEFT, left), (RIGHT, right)] {
            out.send(Module::LineFollower, Module::Motordriver, Kind::MotordriverPower, [motor, power]);
        }
    }

    /// Starts search circle `circle`, to the left. The radius increases from circle to circle.
    fn search(&mut self, circle: usize, out: &mut Outbox) {
        let (inner, time) = SEARCH[circle];
        self.steer(inner, FULL, out);
        self.circle = circle;
        self.wake_at = out.now + time;
    }

    fn stop(&mut self, out: &mut Outbox) {
        *self = LineFollower::new();
        for motor in [LEFT, RIGHT] {
            out.send(Module::LineFollower, Module::Motordriver, Kind::MotordriverNoPower, [motor, 0]);
        }
    }

    /// Returns whether the module follows a line or searches for a lost line.
    pub fn is_following(&self) -> bool {
        self.following
    }

    pub fn wake_at(&self) -> u32 {
        self.wake_at
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        if self.circle + 1 < SEARCH.len() {
            return self.search(self.circle + 1, out);
        }
        self.stop(out);
        out.broadcast(Module::LineFollower, Kind::LineLost);
    }
}
