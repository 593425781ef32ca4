//! Joint motors with position control as in PyBullet.

use super::model::Model;
use super::{DT, MAX_TORQUE};

/// Share of the angle error that a motor corrects in a step.
const POSITION_GAIN: f64 = 0.1;
/// Maximum impulse of PyBullet's motors before the first target angle is set (N m s).
const INITIAL_MAX_IMPULSE: f64 = 1.0;

/// Target angles of joints.
pub(super) struct Motors {
    /// Target angle of each link's joint (rad); `None` until the first angle is set.
    targets: Vec<Option<f64>>,
}

impl Motors {
    pub fn new(model: &Model) -> Motors {
        Motors { targets: vec![None; model.links.len()] }
    }

    pub fn set(&mut self, link: usize, target: f64) {
        self.targets[link] = Some(target);
    }

    /// Returns the target rate of a link's joint motor (rad/s) and its maximum impulse (N m s). Without a target
    /// angle, the target rate is 0.
    #[inline(always)]
    pub fn demand(&self, link: usize, angle: f64) -> (f64, f64) {
        match self.targets[link] {
            Some(target) => (POSITION_GAIN * (target - angle) / DT, MAX_TORQUE * DT),
            None => (0.0, INITIAL_MAX_IMPULSE),
        }
    }
}
