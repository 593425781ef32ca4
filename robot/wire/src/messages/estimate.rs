//! What robots find out about the world while they work, and what they need for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most estimates in a message.
pub const MAX_ESTIMATES: usize = 16;
/// Longest name of a parameter, bytes.
const MAX_NAME: usize = 32;
/// Most robots that poses tell of besides the robot itself.
pub const MAX_MATES: usize = 16;
/// What no number of a world exceeds.
const LARGEST: f32 = 1e6;

/// What a robot has to say of a parameter of its world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Estimate {
    /// The parameter, such as "frisbee-mass".
    pub parameter: String,
    /// Its value in the robot's simulator: kg, m, or a pure number.
    pub simulated: f32,
    /// What it seems to be, in the same unit.
    pub value: f32,
    /// Standard deviation of that: of its natural logarithm for masses and friction, of itself for edges and wheels.
    pub sd: f32,
    /// How much more likely it makes what was seen than the simulator's value, nats; 0 if nothing speaks against that.
    pub evidence: f32,
    /// Stretches of motion of 0.2 s behind it.
    pub windows: u32,
}

impl Estimate {
    /// True if every number can be.
    pub fn is_sound(&self) -> bool {
        let finite = [self.simulated, self.value, self.sd, self.evidence].iter().all(|v| v.abs() <= LARGEST);
        finite && self.sd >= 0.0 && self.evidence >= 0.0 && self.parameter.len() <= MAX_NAME
    }
}

/// True if these can be all that a robot has to say.
pub fn are_sound(estimates: &[Estimate]) -> bool {
    estimates.len() <= MAX_ESTIMATES && estimates.iter().all(Estimate::is_sound)
}

/// What another robot said of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Its island, from 1.
    pub island: u16,
    /// How long ago, s.
    pub age: f64,
    /// What it said.
    pub estimates: Vec<Estimate>,
}

/// Where a robot and what is around it were, as motion capture saw it: x and y, m, and heading, rad, in the world frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Poses {
    /// The robot itself.
    pub me: [f32; 3],
    /// The disc that is nearest to it.
    pub disc: Option<[f32; 3]>,
    /// Robots near it, the nearest first; at most [`MAX_MATES`]. Each by its island, with its pose and the speeds that its
    /// wheels were told last, left and right, m/s.
    pub mates: Vec<(u16, [f32; 3], [f32; 2])>,
    /// How long ago that was, s.
    pub age: f64,
}

impl Poses {
    /// True if every number can be.
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
    fn what_cannot_be_is_not_sound() {
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
