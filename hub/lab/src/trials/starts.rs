//! Start poses for the robots of a trial. They are the poses of a simulated world whose robots are clear of the real
//! frisbee.

use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::spec::Area;
use xpuck_kernels::world::{Pose, WorldSpec, start};

/// Minimum gap between a robot and the frisbee's rim at the start (m). Parking robots keep the same distance from it.
const CLEAR: f32 = 0.03;
/// Maximum number of worlds that are drawn for a trial.
const TRIES: u32 = 10_000;
/// Maximum distance of the frisbee from its start area at which it counts as placed (m). It allows for inaccurate
/// placement by hand and for errors of motion capture.
const PLACED: f32 = 0.01;

/// Returns the start poses of trial `number` of a seed, and the number of the world that defines them. It is the
/// seed's first world whose robots are clear of the frisbee's start area and, if known, of its current position.
/// `None` if no such world is among `TRIES` worlds.
pub fn starts(spec: &WorldSpec, seed: u64, number: u32, frisbee: Option<Vec2>) -> Option<(u32, Vec<Pose>)> {
    let of = |world: u32| {
        let mut draws = Draws::new(seed, world, 0, 0, Stream::Start);
        let bodies = start::place(spec, number as usize, (seed, world), &mut draws);
        bodies[..spec.robots].iter().map(|body| body.pose).collect::<Vec<Pose>>()
    };
    let disc = spec.discs.first();
    let clear = |pose: &Pose| {
        disc.is_none_or(|disc| {
            let gap = |at: Vec2| (pose.at - at).length() - spec.robot.radius - disc.shape.radius;
            gap(nearest(&disc.start, pose.at)) >= CLEAR && frisbee.is_none_or(|at| gap(at) >= CLEAR)
        })
    };
    // Each trial has its own range of worlds.
    let first = number.saturating_mul(TRIES);
    (0..TRIES).map(|k| first.wrapping_add(k)).map(|world| (world, of(world))).find(|(_, poses)| poses.iter().all(clear))
}

/// Returns the point of an area that is nearest to a given point.
fn nearest(area: &Area, to: Vec2) -> Vec2 {
    let within = |value: f32, low: f32, high: f32| value.max(low).min(high);
    Vec2 { x: within(to.x, area.low.x, area.high.x), y: within(to.y, area.low.y, area.high.y) }
}

/// Whether the frisbee at position `at` is in its start area. True for a world without a frisbee.
pub fn frisbee_is_placed(spec: &WorldSpec, at: Vec2) -> bool {
    spec.discs.first().is_none_or(|disc| (nearest(&disc.start, at) - at).length() <= PLACED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::model::ROBOT_RADIUS;
    use xpuck_kernels::world::Scenario;

    #[test]
    fn starts_are_clear_of_the_frisbee_and_come_again() {
        let spec = WorldSpec::scenario(9, Scenario::A);
        let frisbee = vec2(-0.7, 0.1);
        let (world, poses) = starts(&spec, 3, 4, Some(frisbee)).unwrap();
        assert!(poses.iter().all(|pose| (pose.at - frisbee).length() >= 0.105 + ROBOT_RADIUS + CLEAR));
        assert!(poses.iter().all(|pose| (-0.9..=-0.5).contains(&pose.at.x)));
        assert_eq!(starts(&spec, 3, 4, Some(frisbee)), Some((world, poses.clone())));
        assert_ne!(starts(&spec, 3, 5, Some(frisbee)).unwrap().1, poses);
        assert!(frisbee_is_placed(&spec, vec2(0.055, 0.0)) && !frisbee_is_placed(&spec, vec2(0.07, 0.0)));
    }
}
