//! Brightness of lamps on the floor.
//!
//! Petrovic's report states that an area under a lamp is lit, and that a robot can detect whether it approaches a lamp.
//! In this model, brightness falls with the horizontal distance d as 1 / (1 + (d / r)^2). Here r is the distance at
//! which the brightness is halved. A place is lit if its brightness is at least [`LIT`].

use super::scene::Lamp;
use xpuck_kernels::math::{Vec2, max, vec2};

/// Minimum brightness of a lit place.
pub(super) const LIT: f32 = 0.8;

/// Returns the horizontal distance at which a lamp's brightness is halved.
fn reach(lamp: &Lamp, conductivity: f32) -> f32 {
    conductivity * lamp.z
}

/// Returns the brightness of a place: the maximum over all lamps that are on. Bit `i` of `on` is lamp `i`.
pub(super) fn brightness(lamps: &[Lamp], on: u64, conductivity: f32, at: Vec2) -> f32 {
    let lit = lamps.iter().enumerate().filter(|(i, _)| on >> i & 1 == 1);
    lit.fold(0.0, |brightest, (_, lamp)| {
        let reach = reach(lamp, conductivity);
        let square = (at - vec2(lamp.x, lamp.y)).length_squared();
        max(brightest, lamp.intensity * reach * reach / (reach * reach + square))
    })
}

/// Returns the radius of the disc that a lamp lights; 0 if the lamp is too dim.
pub(super) fn lit_radius(lamp: &Lamp, conductivity: f32) -> f32 {
    reach(lamp, conductivity) * max(lamp.intensity / LIT - 1.0, 0.0).sqrt()
}
