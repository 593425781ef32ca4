//! Keeper of the arena (docs/decisions.md, section 8). It moves the frisbee back near the centre if the frisbee has
//! reached an end wall and the robots do not move. Requests from outside the arena cannot trigger the keeper.

use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::DT;
use xpuck_kernels::random::Draws;
use xpuck_kernels::world::Body;
use xpuck_kernels::world::spec::Area;
use xpuck_kernels::world::task::transport::free_spot;

/// Number of arena steps for which all wheels must be still (0.5 s).
const STILL_STEPS: u32 = (0.5 / DT) as u32;

/// Distance from an end wall below which the keeper counts the frisbee as touching the wall (m). The hub, which knows
/// only poses, uses a smaller distance. Therefore the keeper always moves the frisbee if the hub waits for the move.
const TOUCH_TOLERANCE: f32 = 0.01;

/// Keeper, which monitors the frisbee and the wheels.
#[derive(Clone, Debug, Default)]
pub struct Keeper {
    still_steps: u32,
    /// Number of steps for which all wheels have been still, for [`Keeper::reset`]. Unlike `still_steps`, it has no
    /// upper limit.
    rest_steps: u32,
}

/// Maximum number of random places that the keeper tries in a step. If none is free, the keeper retries in the next
/// step.
const TRIES: u32 = 200;
/// Distance from the start area within which the frisbee counts as being in the area (m).
const AREA_TOLERANCE: f32 = 0.005;

impl Keeper {
    /// Moves the frisbee back if it touches an end wall and all wheels have been still for 0.5 s. Returns whether the
    /// frisbee was moved. Must be called after each physics step. `bodies` contains the robots, then the discs.
    /// `frisbee` is the index of the frisbee, and `half_length` is half the arena's length along x (m).
    pub fn watch(&mut self, bodies: &mut [Body], frisbee: usize, half_length: f32, draws: &mut Draws) -> bool {
        let still = bodies[..frisbee].iter().all(|robot| robot.wheels == [0.0; 2]);
        self.still_steps = if still { (self.still_steps + 1).min(STILL_STEPS) } else { 0 };
        let disc = &bodies[frisbee];
        let touches = disc.pose.at.x.abs() + disc.shape.radius >= half_length - TOUCH_TOLERANCE;
        if self.still_steps < STILL_STEPS || !touches {
            return false;
        }
        bodies[frisbee].pose.at = free_spot(bodies, frisbee, draws);
        bodies[frisbee].velocity = Vec2::ZERO;
        bodies[frisbee].spin = 0.0;
        true
    }

    /// Prepares the arena for the next run. After all wheels have been still for `after` steps, a frisbee outside its
    /// start area is placed in this area, at rest and without contact with a robot. Returns whether the frisbee was
    /// placed. Must be called after each physics step.
    pub fn reset(&mut self, bodies: &mut [Body], frisbee: usize, area: &Area, after: u32, draws: &mut Draws) -> bool {
        let still = bodies[..frisbee].iter().all(|robot| robot.wheels == [0.0; 2]);
        self.rest_steps = if still { self.rest_steps.saturating_add(1) } else { 0 };
        let at = bodies[frisbee].pose.at;
        let inside = |value: f32, low: f32, high: f32| (low - AREA_TOLERANCE..=high + AREA_TOLERANCE).contains(&value);
        let placed = inside(at.x, area.low.x, area.high.x) && inside(at.y, area.low.y, area.high.y);
        if placed || self.rest_steps < after {
            return false;
        }
        let (robots, discs) = bodies.split_at_mut(frisbee);
        let disc = &mut discs[0];
        for _ in 0..TRIES {
            let at = Vec2 { x: draws.range(area.low.x, area.high.x), y: draws.range(area.low.y, area.high.y) };
            if robots.iter().all(|robot| (robot.pose.at - at).length() > robot.shape.radius + disc.shape.radius) {
                (disc.pose.at, disc.velocity, disc.spin) = (at, Vec2::ZERO, 0.0);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::random::Stream;
    use xpuck_kernels::world::{Pose, Shape};

    fn bodies(frisbee_x: f32) -> [Body; 2] {
        [
            Body::at_rest(Shape::ROBOT, Pose { at: vec2(0.0, 0.3), heading: 0.0 }),
            Body::at_rest(Shape::FRISBEE, Pose { at: vec2(frisbee_x, 0.1), heading: 0.0 }),
        ]
    }

    fn watch(keeper: &mut Keeper, bodies: &mut [Body], steps: u32) -> Option<u32> {
        (0..steps).find(|i| keeper.watch(bodies, 1, 1.0, &mut Draws::new(1, 0, 0, *i, Stream::Relocation)))
    }

    #[test]
    fn frisbee_is_reset_after_half_a_second_at_rest() {
        for x in [-0.9, 0.9, 0.887] {
            let (mut keeper, mut bodies) = (Keeper::default(), bodies(x));
            bodies[0].wheels = [0.05, 0.0];
            assert_eq!(watch(&mut keeper, &mut bodies, 100), None, "not while a wheel turns");
            bodies[0].wheels = [0.0; 2];
            bodies[1].velocity = vec2(0.01, 0.0);
            assert_eq!(watch(&mut keeper, &mut bodies, 100), Some(19));
            assert!(bodies[1].pose.at.length() <= 0.1 && bodies[1].velocity == Vec2::ZERO);
        }
    }

    #[test]
    fn arena_is_reset_after_robots_rest_long_enough() {
        let area = Area { low: vec2(-0.05, -0.05), high: vec2(0.05, 0.05) };
        let (mut keeper, mut bodies) = (Keeper::default(), bodies(0.4));
        let mut resets = |bodies: &mut [Body; 2], steps: u32| {
            (0..steps).find(|i| {
                let mut draws = Draws::new(1, 0, 0, *i, Stream::Relocation);
                keeper.reset(bodies, 1, &area, 120, &mut draws)
            })
        };
        bodies[0].wheels = [0.05, 0.0];
        assert_eq!(resets(&mut bodies, 300), None, "not while a wheel turns");
        bodies[0].wheels = [0.0; 2];
        bodies[0].pose.at = vec2(0.0, 0.0);
        assert_eq!(resets(&mut bodies, 300), None, "a robot stands there");
        bodies[0].pose.at = vec2(0.0, 0.3);
        assert_eq!(resets(&mut bodies, 300), Some(0));
        assert!(bodies[1].pose.at.x.abs() <= 0.05 && bodies[1].pose.at.y.abs() <= 0.05);
        assert_eq!(resets(&mut bodies, 300), None, "it is where it belongs");
    }

    #[test]
    fn frisbee_inside_field_is_not_reset() {
        assert_eq!(watch(&mut Keeper::default(), &mut bodies(0.85), 100), None);
    }
}
