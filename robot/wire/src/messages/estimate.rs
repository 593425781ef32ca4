//! World parameters, such as masses and friction, that robots estimate while they drive, and the poses that the
//! estimation needs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of estimates in a message.
pub const MAX_ESTIMATES: usize = 16;
/// Maximum length of a parameter's name (bytes).
const MAX_NAME: usize = 32;
/// Maximum number of other robots in [`Poses`].
pub const MAX_MATES: usize = 16;
/// Largest accepted absolute value of a number in an estimate or pose.
const LARGEST: f32 = 1e6;

/// Robot's estimate of a world parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Estimate {
    /// Name of the parameter, such as "frisbee-mass".
    pub parameter: String,
    /// Value in the robot's simulator (kg, m or dimensionless).
    pub simulated: f32,
    /// Estimated value (unit of `simulated`).
    pub value: f32,
    /// Standard deviation of the estimate. For masses and friction, this is the standard deviation of the natural
    /// logarithm of `value`. For the arena's edges and the wheels' speed ratios, it has the unit of `value`.
    pub sd: f32,
    /// Log likelihood ratio between the estimate and the simulator's value (nats); 0 if the observations do not
    /// contradict the simulator.
    pub evidence: f32,
    /// Number of motion windows of 0.2 s on which the estimate is based.
    pub windows: u32,
}

impl Estimate {
    /// Whether all numbers and the name's length are within their limits.
    pub fn is_sound(&self) -> bool {
        let finite = [self.simulated, self.value, self.sd, self.evidence].iter().all(|v| v.abs() <= LARGEST);
        finite && self.sd >= 0.0 && self.evidence >= 0.0 && self.parameter.len() <= MAX_NAME
    }
}

/// Returns whether all estimates are valid and their number is at most [`MAX_ESTIMATES`].
pub fn are_sound(estimates: &[Estimate]) -> bool {
    estimates.len() <= MAX_ESTIMATES && estimates.iter().all(Estimate::is_sound)
}

/// Estimates of another robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerEstimates {
    /// Island of the other robot, from 1.
    pub island: u16,
    /// Age of the estimates (s).
    pub age: f64,
    /// Estimates of the other robot.
    pub estimates: Vec<Estimate>,
}

/// Poses of a robot and of objects near it, from motion capture. Each pose is in the world frame: x (m), y (m), heading
/// (rad).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Poses {
    /// Pose of the robot that receives the message.
    pub me: [f32; 3],
    /// Pose of the nearest disc; `None` without a disc.
    pub disc: Option<[f32; 3]>,
    /// Nearby robots, the nearest first, at most [`MAX_MATES`]. Each entry has the robot's island, its pose, and its
    /// last commanded wheel speeds, left and right (m/s).
    pub mates: Vec<(u16, [f32; 3], [f32; 2])>,
    /// Age of the poses (s).
    pub age: f64,
}

impl Poses {
    /// Whether all numbers are within their limits.
    pub fn is_sound(&self) -> bool {
        let fits = |values: &[f32]| values.iter().all(|value| value.abs() <= LARGEST);
        self.mates.len() <= MAX_MATES
            && self.age >= 0.0
            && self.age.is_finite()
            && fits(&self.me)
            && self.disc.is_none_or(|disc| fits(&disc))
            && self.mates.iter().all(|(_, pose, wheels)| fits(pose) && fits(wheels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_estimates_and_poses_are_not_sound() {
        let good = Estimate { parameter: "frisbee-mass".into(), simulated: 0.07, value: 0.28, ..Estimate::default() };
        assert!(are_sound(std::slice::from_ref(&good)) && !are_sound(&vec![good.clone(); 17]));
        for bad in [
            Estimate { value: f32::NAN, ..good.clone() },
            Estimate { sd: -1.0, ..good.clone() },
            Estimate { evidence: f32::INFINITY, ..good.clone() },
            Estimate { parameter: "x".repeat(33), ..good },
        ] {
            assert!(!are_sound(&[bad]));
        }
        let poses = Poses { mates: vec![(2, [0.1; 3], [0.05; 2])], ..Poses::default() };
        assert!(poses.is_sound());
        assert!(!Poses { age: f64::NAN, ..poses.clone() }.is_sound());
        assert!(!Poses { me: [f32::NAN; 3], ..poses.clone() }.is_sound());
        assert!(!Poses { mates: vec![(2, [0.0; 3], [f32::INFINITY; 2])], ..poses }.is_sound());
    }
}
