//! Friction of bodies on the floor (thesis 5.3.1).

use crate::math::{Vec2, atan_unit, min};
use crate::model::{DT, FRICTION_STEEPNESS, GRAVITY};
use crate::world::body::Shape;
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2};

/// How a body stands on the floor: what friction needs of its shape.
#[derive(Clone, Copy, Debug)]
pub struct Footing {
    /// Distance of the contacts from the centre, m.
    pub(crate) arm: f32,
    pub(crate) half_mass: f32,
    /// Greatest impulse of one contact in a step, N s.
    pub(crate) strongest: f32,
    pub(crate) inverse_mass: f32,
    pub(crate) inverse_inertia: f32,
}

impl Footing {
    /// The footing of a shape.
    pub fn of(shape: &Shape) -> Footing {
        let half_mass = 0.5 * shape.mass;
        Footing {
            arm: shape.contact_arm,
            half_mass,
            strongest: shape.mu * half_mass * GRAVITY * DT,
            inverse_mass: shape.inverse_mass(),
            inverse_inertia: shape.inverse_inertia(),
        }
    }
}

/// Velocity and spin after Coulomb friction at the two floor contacts, each under half the weight (Eq. 5.8). Both
/// impulses follow from the velocities at the start of the step, and neither may exceed what stops half the body's
/// mass, so a step cannot reverse a slip.
#[inline(always)]
pub fn floor_friction(footing: &Footing, forward: Vec2, velocity: Vec2, spin: f32, wheels: [f32; 2]) -> (Vec2, f32) {
    let arm = forward.perp() * footing.arm;
    let left = grip(footing, velocity + arm.perp() * spin - forward * wheels[0]);
    let right = grip(footing, velocity - arm.perp() * spin - forward * wheels[1]);
    let push = left + right;
    let torque = arm.cross(left - right);
    (velocity + push * footing.inverse_mass, spin + torque * footing.inverse_inertia)
}

/// The impulse on a contact that slips over the floor.
#[inline(always)]
fn grip(footing: &Footing, slip: Vec2) -> Vec2 {
    let speed = slip.length();
    let inverse = 1.0 / speed;
    // atan(k s) by the arc tangent of a ratio in 0..=1, so that one division serves both.
    let steep = FRICTION_STEEPNESS * speed > 1.0;
    let angle = atan_unit(if steep { inverse * (1.0 / FRICTION_STEEPNESS) } else { FRICTION_STEEPNESS * speed });
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let size = min(footing.strongest * (angle * FRAC_2_PI), footing.half_mass * speed);
    let scale = if speed > 0.0 { size * inverse } else { 0.0 };
    slip * -scale
}
