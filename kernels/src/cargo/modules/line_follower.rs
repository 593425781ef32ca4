//! Follows the right edge of a line: to the right while the sensor is over the line, to the left while it is not. The line is
//! then on the robot's left, so that it goes round the line anticlockwise and comes to a station on the side of its area.

use super::{FULL, LEFT, Outbox, RIGHT};
use crate::automaton::{Kind, Message, Module};

/// Power of the inner wheel.
const INNER: i16 = 30;
/// How long it looks for a lost line, ms: more than a full circle.
const PATIENCE: u32 = 4000;

#[derive(Clone, Debug)]
pub(in crate::cargo) struct LineFollower {
    following: bool,
    lost_at: u32,
}

impl LineFollower {
    pub fn new() -> LineFollower {
        LineFollower { following: false, lost_at: u32::MAX }
    }

    pub fn handle(&mut self, message: Message, out: &mut Outbox) {
        match message.kind {
            Kind::LineFollowerFollow => {
                self.following = true;
                self.steer(FULL, INNER, out);
            }
            Kind::LineEnter if self.following => self.steer(FULL, INNER, out),
            Kind::LineLeave if self.following => {
                self.steer(INNER, FULL, out);
                self.lost_at = out.now + PATIENCE;
            }
            Kind::LineFollowerStop => self.stop(out),
            _ => {}
        }
    }

    fn steer(&mut self, left: i16, right: i16, out: &mut Outbox) {
        self.lost_at = u32::MAX;
        for (motor, power) in [(LEFT, left), (RIGHT, right)] {
            out.tell(Module::LineFollower, Module::Motordriver, Kind::MotordriverPower, [motor, power]);
        }
    }

    fn stop(&mut self, out: &mut Outbox) {
        *self = LineFollower::new();
        for motor in [LEFT, RIGHT] {
            out.tell(Module::LineFollower, Module::Motordriver, Kind::MotordriverNoPower, [motor, 0]);
        }
    }

    pub fn wake_at(&self) -> u32 {
        self.lost_at
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        self.stop(out);
        out.broadcast(Module::LineFollower, Kind::LineLost);
    }
}
