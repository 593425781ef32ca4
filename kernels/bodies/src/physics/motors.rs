//! Motors that hold joints at angles, as PyBullet's position control does.

use super::model::Model;
use super::{DT, MAX_TORQUE};

/// Share of the error in angle that a motor wants to be gone after a step.
const POSITION_GAIN: f64 = 0.1;
/// Impulse, in N m s, of PyBullet's motors until they are told an angle.
const UNTOLD_IMPULSE: f64 = 1.0;

/// The angles that joints are to take.
pub(super) struct Motors {
    /// For each link; none until the first angles are told.
    targets: Vec<Option<f64>>,
}

impl Motors {
    pub fn new(model: &Model) -> Motors {
        Motors { targets: vec![None; model.links.len()] }
    }

    pub fn set(&mut self, link: usize, target: f64) {
        self.targets[link] = Some(target);
    }

    /// The rate that the motor of a link's joint wants, rad/s, and the impulse it has for it, N m s. A joint that was told no
    /// angle is to stand still.
    #[inline(always)]
    pub fn demand(&self, link: usize, angle: f64) -> (f64, f64) {
        match self.targets[link] {
            Some(target) => (POSITION_GAIN * (target - angle) / DT, MAX_TORQUE * DT),
            None => (0.0, UNTOLD_IMPULSE),
        }
    }
}
