//! Descriptions of the robot's motion for a goal velocity.

use crate::math::Vec2;
use crate::model::WHEELBASE;
use crate::world::physics::steer;
use crate::world::robot::Wheels;

/// Wheel speeds and their description.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Motion {
    /// Speeds of the left and right wheel (m/s).
    pub wheels: [f32; 2],
    pub words: String,
}

/// Minimum speed that is described as motion (m/s). `STRAIGHT` is the minimum turn rate that is described as a turn
/// (deg/s).
const STANDS: f32 = 1e-4;
const STRAIGHT: f32 = 0.5;

impl Motion {
    /// Returns the motion for a goal velocity (Eq. 6.7 to 6.9).
    pub fn from_goal(goal: Vec2) -> Motion {
        Motion::of_wheels(steer(goal, &Wheels::default()))
    }

    /// Returns the motion for the speeds of the left and right wheel (m/s).
    pub fn of_wheels(wheels: [f32; 2]) -> Motion {
        Motion { wheels, words: words(wheels) }
    }
}

fn words([left, right]: [f32; 2]) -> String {
    let speed = (left + right) / 2.0;
    let turn = (right - left) / WHEELBASE;
    let rate = turn.to_degrees().abs();
    let side = if turn > 0.0 { "left" } else { "right" };
    if speed.abs() < STANDS && rate < STRAIGHT {
        "stand still".into()
    } else if speed.abs() < STANDS {
        format!("turn on the spot to the {side}, {rate:.0} deg/s")
    } else if rate < STRAIGHT {
        format!("drive straight ahead, {speed:.3} m/s")
    } else {
        let radius = (speed / turn).abs();
        if radius > 1.0 {
            return format!("drive nearly straight ahead, {speed:.3} m/s, a little to the {side}");
        }
        format!("circle to the {side}, radius {:.0} cm, {speed:.3} m/s", 100.0 * radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;

    #[test]
    fn goals_become_what_the_wheels_do() {
        let cases = [
            (vec2(0.0, 0.0), "stand still"),
            (vec2(1.0, 0.0), "drive straight ahead, 0.092 m/s"),
            (vec2(-3.0, 0.0), "turn on the spot to the left, 199 deg/s"),
            (vec2(-1.0, -0.001), "turn on the spot to the right, 199 deg/s"),
            (Vec2::unit(0.6872), "circle to the left, radius 3 cm, 0.071 m/s"),
            (Vec2::unit(-0.01), "drive nearly straight ahead, 0.092 m/s, a little to the right"),
            (vec2(f32::NAN, 0.5), "turn on the spot to the left, 99 deg/s"),
        ];
        for (goal, expected) in cases {
            assert_eq!(Motion::from_goal(goal).words, expected);
        }
    }
}
