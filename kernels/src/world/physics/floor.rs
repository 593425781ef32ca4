//! Friction of bodies on the floor (thesis 5.3.1).

use crate::math::{Vec2, atan_unit, max, min};
use crate::model::{DT, FRICTION_STEEPNESS, GRAVITY};
use crate::world::body::Shape;
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2};

/// Parameters of floor friction for a shape.
#[derive(Clone, Copy, Debug)]
pub struct FrictionParams {
    /// Distance of the two floor contacts from the centre of the body (m).
    pub(crate) arm: f32,
    pub(crate) half_mass: f32,
    /// Maximum friction impulse of one floor contact in a step (N s).
    pub(crate) strongest: f32,
    pub(crate) inverse_mass: f32,
    pub(crate) inverse_inertia: f32,
    /// Squared slip speed up to which friction stops the slip within one step (m^2/s^2).
    stops_within_step: f32,
}

impl FrictionParams {
    /// Computes the parameters for a shape.
    pub fn from_shape(shape: &Shape) -> FrictionParams {
        let half_mass = 0.5 * shape.mass;
        let change = shape.mu * GRAVITY * DT * FRAC_2_PI;
        FrictionParams {
            arm: shape.contact_arm,
            half_mass,
            strongest: shape.mu * half_mass * GRAVITY * DT,
            inverse_mass: shape.inverse_mass(),
            inverse_inertia: shape.inverse_inertia(),
            stops_within_step: stopped_within(change),
        }
    }
}

/// Returns the square of a limit for the slip speed s (m^2/s^2). Every s up to this limit satisfies c atan(k s) >= s,
/// where c is `change` (m/s) and k is the steepness of friction. The limit follows from Shafer's inequality atan(x) >=
/// 3 x / (1 + 2 sqrt(1 + x^2)).
fn stopped_within(change: f32) -> f32 {
    let root = 0.5 * (3.0 * change * FRICTION_STEEPNESS - 1.0);
    max(root * root - 1.0, 0.0) * (1.0 / (FRICTION_STEEPNESS * FRICTION_STEEPNESS))
}

/// Returns velocity (m/s) and angular velocity (rad/s) after Coulomb friction at the two floor contacts, each of
/// which carries half of the weight (thesis Eq. 5.8). Both friction impulses are computed from the velocities at the
/// start of the step. Each impulse is limited to the impulse that stops half of the body's mass, so that friction
/// cannot reverse a slip.
#[inline(always)]
pub fn floor_friction(
    footing: &FrictionParams,
    forward: Vec2,
    velocity: Vec2,
    spin: f32,
    wheels: [f32; 2],
) -> (Vec2, f32) {
    let impulses = contact_slips(footing, forward, velocity, spin, wheels).map(|slip| slip_impulse(footing, slip));
    apply_impulses(footing, forward, velocity, spin, impulses)
}

/// Returns the slip velocities of the left and right floor contact relative to the floor (m/s).
#[inline(always)]
pub(crate) fn contact_slips(
    footing: &FrictionParams,
    forward: Vec2,
    velocity: Vec2,
    spin: f32,
    wheels: [f32; 2],
) -> [Vec2; 2] {
    let turn = forward * (footing.arm * spin);
    [velocity - turn - forward * wheels[0], velocity + turn - forward * wheels[1]]
}

/// Returns velocity (m/s) and angular velocity (rad/s) after impulses on the left and right floor contact (N s).
#[inline(always)]
pub(crate) fn apply_impulses(
    footing: &FrictionParams,
    forward: Vec2,
    velocity: Vec2,
    spin: f32,
    [left, right]: [Vec2; 2],
) -> (Vec2, f32) {
    let push = left + right;
    let torque = (forward.perp() * footing.arm).cross(left - right);
    (velocity + push * footing.inverse_mass, spin + torque * footing.inverse_inertia)
}

/// Returns whether friction stops a slip of velocity `slip` (m/s) within one step. This is the usual case for wheels.
#[inline(always)]
pub(crate) fn stop_speed_squared(footing: &FrictionParams, slip: Vec2) -> bool {
    slip.length_squared() <= footing.stops_within_step
}

/// Returns the impulse on one floor contact (N s) that stops a slip of velocity `slip` (m/s).
#[inline(always)]
pub(crate) fn stopping_impulse(footing: &FrictionParams, slip: Vec2) -> Vec2 {
    slip * -footing.half_mass
}

/// Returns the friction impulse on one floor contact (N s) for a slip of velocity `slip` (m/s).
#[inline(always)]
pub(crate) fn slip_impulse(footing: &FrictionParams, slip: Vec2) -> Vec2 {
    let speed = slip.length();
    let inverse = 1.0 / speed;
    // Computes atan(k s) from the arc tangent of a ratio in 0..=1, so that the function needs only one division.
    let steep = FRICTION_STEEPNESS * speed > 1.0;
    let angle = atan_unit(if steep { inverse * (1.0 / FRICTION_STEEPNESS) } else { FRICTION_STEEPNESS * speed });
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let size = min(footing.strongest * (angle * FRAC_2_PI), footing.half_mass * speed);
    let scale = if stop_speed_squared(footing, slip) { footing.half_mass } else { size * inverse };
    slip * -scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Colour;

    #[test]
    fn stop_threshold_is_below_arctan_friction() {
        let light = Shape::disc(0.05, 0.1, 0.05, Colour::Blue);
        for shape in [Shape::ROBOT, Shape::FRISBEE, light] {
            let footing = FrictionParams::from_shape(&shape);
            let limit = f64::from(footing.stops_within_step).sqrt();
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
        assert!(FrictionParams::from_shape(&Shape::ROBOT).stops_within_step.sqrt() > 0.11);
        assert!(
            FrictionParams::from_shape(&light).stops_within_step
                < FrictionParams::from_shape(&Shape::FRISBEE).stops_within_step
        );
        assert_eq!(slip_impulse(&FrictionParams::from_shape(&light), Vec2::ZERO), Vec2::ZERO);
    }
}
