//! How bright lamps make a place.
//!
//! The document says that an area under a lamp is lit, and that robots can tell whether they come nearer. Here brightness
//! falls with the distance to the side as 1 / (1 + (d / reach)^2), and a place is lit where it is at least [`LIT`].

use super::scene::Lamp;
use xpuck_kernels::math::{Vec2, max, vec2};

/// Least brightness of a lit place.
pub(super) const LIT: f32 = 0.8;

/// Distance to the side at which a lamp is half as bright.
fn reach(lamp: &Lamp, conductivity: f32) -> f32 {
    conductivity * lamp.z
}

/// Brightness of a place, of the lamp that is brightest there.
pub(super) fn brightness(lamps: &[Lamp], on: u64, conductivity: f32, at: Vec2) -> f32 {
    let lit = lamps.iter().enumerate().filter(|(i, _)| on >> i & 1 == 1);
    lit.fold(0.0, |brightest, (_, lamp)| {
        let reach = reach(lamp, conductivity);
        let square = (at - vec2(lamp.x, lamp.y)).length_squared();
        max(brightest, lamp.intensity * reach * reach / (reach * reach + square))
    })
}

/// Radius of the disc that a lamp lights, 0 for one too dim.
pub(super) fn lit_radius(lamp: &Lamp, conductivity: f32) -> f32 {
    reach(lamp, conductivity) * max(lamp.intensity / LIT - 1.0, 0.0).sqrt()
}
