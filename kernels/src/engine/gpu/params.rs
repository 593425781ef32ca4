//! The uniform parameters of a dispatch, as the kernels read them (`wgsl/state.wgsl`).

use super::layout::{MAX_BODIES, MAX_PATCHES};
use crate::engine::simd::{Scene, SceneBody};
use crate::math::Vec2;
use crate::model::{PROX_ANGLES, SEGMENT_ANGLE};
use crate::world::Sensing;
use crate::world::senses::{Patch, ray_directions};
use bytemuck::{Pod, Zeroable};

/// Bits of [`Params::switches`].
pub(super) const SWITCH_PROXIMITY: u32 = 1;
pub(super) const SWITCH_CAMERA: u32 = 2;
pub(super) const SWITCH_NEIGHBOURS: u32 = 4;
pub(super) const SWITCH_RELOCATION: u32 = 8;

/// What is the same for all worlds of a dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct Params {
    pub robots: u32,
    pub bodies: u32,
    /// Controller updates in this dispatch.
    pub updates: u32,
    pub patches: u32,
    pub half_arena: [f32; 2],
    pub mu: f32,
    pub restitution: f32,
    pub noise: [f32; 3],
    /// The bits of a NaN: WGSL has no literal for it.
    pub nan: u32,
    /// Unit vector of the camera's left segment.
    pub aside: [f32; 2],
    /// Words of node memory of a world.
    pub memory_words: u32,
    /// Which senses to compute, and whether the task relocates the disc.
    pub switches: u32,
    /// Directions of the proximity rays; the last two numbers of each are not used.
    pub rays: [[f32; 4]; PROX_ANGLES.len()],
    pub footing: [Footing; MAX_BODIES],
    pub body: [BodyParams; MAX_BODIES],
    pub patch_list: [PatchParams; MAX_PATCHES],
}

/// How a body stands on the floor.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct Footing {
    pub radius: f32,
    pub arm: f32,
    pub half_mass: f32,
    pub strongest: f32,
}

/// How a body moves and looks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct BodyParams {
    pub inverse_mass: f32,
    pub inverse_inertia: f32,
    /// 1 if the body is tall, else 0.
    pub tall: u32,
    pub colour: u32,
}

/// A wall patch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct PatchParams {
    pub at: [f32; 2],
    pub half_length: f32,
    pub colour: u32,
}

impl Params {
    /// The parameters of a scene.
    pub fn of(scene: &Scene, sensing: Sensing, updates: u32, memory_words: u32) -> Params {
        let physics = &scene.physics;
        let aside = Vec2::unit(SEGMENT_ANGLE);
        let switches = [
            (sensing.proximity, SWITCH_PROXIMITY),
            (sensing.camera, SWITCH_CAMERA),
            (sensing.neighbours, SWITCH_NEIGHBOURS),
            (scene.task.relocates(), SWITCH_RELOCATION),
        ];
        Params {
            robots: scene.robots as u32,
            bodies: scene.bodies.len() as u32,
            updates,
            patches: scene.patches.len() as u32,
            half_arena: physics.half_arena.into(),
            mu: physics.mu_bodies,
            restitution: physics.restitution,
            noise: physics.noise,
            nan: f32::NAN.to_bits(),
            aside: [aside.x, aside.y],
            memory_words,
            switches: switches.iter().map(|(on, bit)| if *on { *bit } else { 0 }).sum(),
            rays: ray_directions().map(|ray| [ray.x, ray.y, 0.0, 0.0]),
            footing: filled(scene.bodies.iter().map(Footing::of)),
            body: filled(scene.bodies.iter().map(BodyParams::of)),
            patch_list: filled(scene.patches.iter().map(PatchParams::of)),
        }
    }
}

/// An array that begins with these; the rest is zero.
fn filled<T: Default + Copy, const N: usize>(rows: impl Iterator<Item = T>) -> [T; N] {
    let mut all = [T::default(); N];
    all.iter_mut().zip(rows).for_each(|(place, row)| *place = row);
    all
}

impl Footing {
    fn of(body: &SceneBody) -> Footing {
        let footing = &body.footing;
        Footing { radius: body.radius, arm: footing.arm, half_mass: footing.half_mass, strongest: footing.strongest }
    }
}

impl BodyParams {
    fn of(body: &SceneBody) -> BodyParams {
        BodyParams {
            inverse_mass: body.footing.inverse_mass,
            inverse_inertia: body.footing.inverse_inertia,
            tall: u32::from(body.tall),
            colour: body.colour as u32,
        }
    }
}

impl PatchParams {
    fn of(patch: &Patch) -> PatchParams {
        PatchParams { at: [patch.at.x, patch.at.y], half_length: patch.half_length, colour: patch.colour as u32 }
    }
}
