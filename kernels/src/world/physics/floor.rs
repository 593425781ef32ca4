//! Friction of bodies on the floor (thesis 5.3.1).

use crate::math::{Vec2, atan_unit, max, min};
use crate::model::{DT, FRICTION_STEEPNESS, GRAVITY};
use crate::world::body::Shape;
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2};

/// Parameters of floor friction for a shape.
#[derive(Clone, Copy, Debug)]
pub struct Footing {
    /// Distance of the contacts from the centre (m).
    pub(crate) arm: f32,
    pub(crate) half_mass: f32,
    /// Maximum impulse of one contact in a step (N s).
    pub(crate) strongest: f32,
    pub(crate) inverse_mass: f32,
    pub(crate) inverse_inertia: f32,
    /// Squared slip speed up to which friction stops the slip within one step (m^2/s^2).
    stops: f32,
}

impl Footing {
    /// Computes the parameters for a shape.
    pub fn of(shape: &Shape) -> Footing {
        let half_mass = 0.5 * shape.mass;
        let change = shape.mu * GRAVITY * DT * FRAC_2_PI;
        Footing {
            arm: shape.contact_arm,
            half_mass,
            strongest: shape.mu * half_mass * GRAVITY * DT,
            inverse_mass: shape.inverse_mass(),
            inverse_inertia: shape.inverse_inertia(),
            stops: stopped_within(change),
        }
    }
}

/// Squared speed s up to which c atan(k s) >= s, where c is `change` (m/s) and k the steepness of friction. Follows
/// from Shafer's inequality atan(x) >= 3 x / (1 + 2 sqrt(1 + x^2)).
fn stopped_within(change: f32) -> f32 {
    let root = 0.5 * (3.0 * change * FRICTION_STEEPNESS - 1.0);
    max(root * root - 1.0, 0.0) * (1.0 / (FRICTION_STEEPNESS * FRICTION_STEEPNESS))
}

/// Velocity and angular velocity after Coulomb friction at the two floor contacts, each of which carries half the
/// weight (Eq. 5.8). Both impulses are computed from the velocities at the start of the step. Each is limited to the
/// impulse that stops half the body's mass, so a step cannot reverse a slip.
#[inline(always)]
pub fn floor_friction(footing: &Footing, forward: Vec2, velocity: Vec2, spin: f32, wheels: [f32; 2]) -> (Vec2, f32) {
    let impulses = slips(footing, forward, velocity, spin, wheels).map(|slip| grip(footing, slip));
    pushed(footing, forward, velocity, spin, impulses)
}

/// Velocities of the left and right contact relative to the floor (m/s).
#[inline(always)]
pub(crate) fn slips(footing: &Footing, forward: Vec2, velocity: Vec2, spin: f32, wheels: [f32; 2]) -> [Vec2; 2] {
    let turn = forward * (footing.arm * spin);
    [velocity - turn - forward * wheels[0], velocity + turn - forward * wheels[1]]
}

/// Velocity and angular velocity after impulses on the left and right contact (N s).
#[inline(always)]
pub(crate) fn pushed(
    footing: &Footing,
    forward: Vec2,
    velocity: Vec2,
    spin: f32,
    [left, right]: [Vec2; 2],
) -> (Vec2, f32) {
    let push = left + right;
    let torque = (forward.perp() * footing.arm).cross(left - right);
    (velocity + push * footing.inverse_mass, spin + torque * footing.inverse_inertia)
}

/// Whether friction stops this slip within one step, which is the usual case for wheels.
#[inline(always)]
pub(crate) fn stops(footing: &Footing, slip: Vec2) -> bool {
    slip.length_squared() <= footing.stops
}

/// Impulse that stops a slip (N s).
#[inline(always)]
pub(crate) fn stopping(footing: &Footing, slip: Vec2) -> Vec2 {
    slip * -footing.half_mass
}

/// Friction impulse on a slipping contact (N s).
#[inline(always)]
pub(crate) fn grip(footing: &Footing, slip: Vec2) -> Vec2 {
    let speed = slip.length();
    let inverse = 1.0 / speed;
    // atan(k s) from the arc tangent of a ratio in 0..=1, so that one division is enough.
    let steep = FRICTION_STEEPNESS * speed > 1.0;
    let angle = atan_unit(if steep { inverse * (1.0 / FRICTION_STEEPNESS) } else { FRICTION_STEEPNESS * speed });
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let size = min(footing.strongest * (angle * FRAC_2_PI), footing.half_mass * speed);
    let scale = if stops(footing, slip) { footing.half_mass } else { size * inverse };
    slip * -scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Colour;

    #[test]
    fn what_stops_within_a_step_would_be_stopped_by_the_arc_tangent_too() {
        let light = Shape::disc(0.05, 0.1, 0.05, Colour::Blue);
        for shape in [Shape::ROBOT, Shape::FRISBEE, light] {
            let footing = Footing::of(&shape);
            let limit = f64::from(footing.stops).sqrt();
            let strongest = |s: f64| {
                f64::from(footing.strongest) * (f64::from(FRICTION_STEEPNESS) * s).atan() * f64::from(FRAC_2_PI)
            };
            for i in 0..=1000 {
                let speed = limit * f64::from(i) / 1000.0;
                let stopping = f64::from(footing.half_mass) * speed;
                assert!(strongest(speed) >= stopping * 0.999_999, "{shape:?} at {speed}");
            }
            let beyond = limit * 1.03;
            assert!(limit == 0.0 || strongest(beyond) < f64::from(footing.half_mass) * beyond, "{shape:?}: {limit}");
        }
        assert!(Footing::of(&Shape::ROBOT).stops.sqrt() > 0.11);
        assert!(Footing::of(&light).stops < Footing::of(&Shape::FRISBEE).stops);
        assert_eq!(grip(&Footing::of(&light), Vec2::ZERO), Vec2::ZERO);
    }
}
