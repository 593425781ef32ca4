//! Starting positions of the benchmark task (thesis 8.3.2, decisions.md section 8).

use super::body::{Body, Pose, Shape};
use super::model::{FRISBEE_RADIUS, ROBOT_RADIUS};
use crate::math::{Vec2, vec2};
use crate::random::Draws;
use std::f32::consts::PI;

/// Where the robots start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// All at the downfield end: x -0.9..-0.5, y -0.6..0.6.
    A,
    /// Spread over the arena: x -0.8..0.8, y -0.6..0.6.
    B,
}

impl Scenario {
    /// The scenario of a trial's stratum: 0 is A, 1 is B.
    pub fn of_stratum(stratum: usize) -> Scenario {
        if stratum == 0 { Scenario::A } else { Scenario::B }
    }

    fn region(self) -> (f32, f32) {
        match self {
            Scenario::A => (-0.9, -0.5),
            Scenario::B => (-0.8, 0.8),
        }
    }
}

/// Least distance between robots' centres at the start, m.
const SPACING: f32 = 0.1;
/// The frisbee starts at most this far from the centre along each axis, m.
const NEAR_CENTRE: f32 = 0.05;
/// Draws for one robot before the search gives up; with 16 robots a draw succeeds more often than not.
const TRIES: usize = 1000;

/// Robots first, then the frisbee, all at rest.
pub fn place(scenario: Scenario, robots: usize, draws: &mut Draws) -> Vec<Body> {
    let frisbee = vec2(draws.range(-NEAR_CENTRE, NEAR_CENTRE), draws.range(-NEAR_CENTRE, NEAR_CENTRE));
    let mut bodies: Vec<Body> = Vec::with_capacity(robots + 1);
    let (low, high) = scenario.region();
    for _ in 0..robots {
        let mut at = Vec2::ZERO;
        for _ in 0..TRIES {
            at = vec2(draws.range(low, high), draws.range(-0.6, 0.6));
            let clear = (at - frisbee).length() > FRISBEE_RADIUS + ROBOT_RADIUS;
            if clear && bodies.iter().all(|b| (b.pose.at - at).length() >= SPACING) {
                break;
            }
        }
        let heading = draws.range(-PI, PI);
        bodies.push(Body::at_rest(Shape::ROBOT, Pose { at, heading }));
    }
    bodies.push(Body::at_rest(Shape::FRISBEE, Pose { at: frisbee, heading: 0.0 }));
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn starts_keep_their_distances_and_regions() {
        for world in 0..200 {
            for scenario in [Scenario::A, Scenario::B] {
                let bodies = place(scenario, 16, &mut Draws::new(11, world, 0, 0, Stream::Start));
                let frisbee = bodies[16].pose.at;
                assert!(frisbee.x.abs() <= 0.05 && frisbee.y.abs() <= 0.05);
                for (i, a) in bodies[..16].iter().enumerate() {
                    let (low, high) = scenario.region();
                    assert!((low..=high).contains(&a.pose.at.x) && a.pose.at.y.abs() <= 0.6);
                    assert!((a.pose.at - frisbee).length() > 0.1425);
                    assert!(bodies[..i].iter().all(|b| (b.pose.at - a.pose.at).length() >= SPACING));
                }
            }
        }
    }
}
