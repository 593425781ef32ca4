//! Uniform parameters of a dispatch, as declared in `wgsl/state.wgsl`.

use super::layout::{LaneWork, Layout, MAX_BODIES, MAX_PATCHES};
use crate::engine::simd::{Scene, SceneBody};
use crate::model::PROX_ANGLES;
use crate::world::senses::light::{Light, MAX_LIGHTS};
use crate::world::senses::messages::{Messages, Occlusion};
use crate::world::senses::tags::{MAX_TAGS, Tag};
use crate::world::senses::{Patch, poses_kept, ray_directions};
use crate::world::task::coverage::Coverage;
use crate::world::task::spacing::Dispersion;
use crate::world::{Sensing, Task, task::Region};
use bytemuck::{Pod, Zeroable};

/// Bits of [`Params::switches`]: senses to compute, and features of the world.
pub(super) const SWITCH_PROXIMITY: u32 = 1;
pub(super) const SWITCH_CAMERA: u32 = 2;
pub(super) const SWITCH_NEIGHBOURS: u32 = 4;
pub(super) const SWITCH_RELOCATION: u32 = 8;
pub(super) const SWITCH_MESSAGES: u32 = 16;
pub(super) const SWITCH_PICTURES: u32 = 32;
pub(super) const SWITCH_LIGHT: u32 = 64;
pub(super) const SWITCH_TAGS: u32 = 128;
pub(super) const SWITCH_GROUND: u32 = 256;
pub(super) const SWITCH_GROUND_ERRORS: u32 = 512;
pub(super) const SWITCH_WALLS_BLOCK: u32 = 1024;

/// Values of [`TaskParams::kind`]. The value is 0 for tasks that count nothing after an update.
pub(super) const TASK_AGGREGATION: u32 = 1;
pub(super) const TASK_DISPERSION: u32 = 2;
pub(super) const TASK_COVERAGE: u32 = 3;
pub(super) const TASK_FORAGING: u32 = 4;
pub(super) const TASK_OBJECTIVE: u32 = 5;

/// Parameters that all worlds of a dispatch share.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct Params {
    pub robots: u32,
    pub bodies: u32,
    /// Number of controller updates in this dispatch.
    pub updates: u32,
    pub patches: u32,
    pub half_arena: [f32; 2],
    pub mu: f32,
    pub restitution: f32,
    pub noise: [f32; 3],
    /// Bits of a NaN, because WGSL has no literal for NaN.
    pub nan: u32,
    /// Unit vector of the camera's left segment.
    pub aside: [f32; 2],
    pub walls: u32,
    /// Bit mask of the `SWITCH_` constants.
    pub switches: u32,
    /// Distance between consecutive fields of a contact (words).
    pub contact_step: u32,
    /// Number of past poses that are kept per body for messages.
    pub past_kept: u32,
    /// Number of worlds per workgroup, and in the batch.
    pub worlds: u32,
    pub batch: u32,
    /// Probability that a camera misses a segment in an image.
    pub camera_misses: f32,
    /// Sensor reading without lamps, due to room light.
    pub room_light: f32,
    pub lights: u32,
    pub tags: u32,
    /// Detection range of tags (m).
    pub tag_range: f32,
    /// Indices of the floor and of the objective in the table.
    pub floor: u32,
    pub objective: u32,
    /// Number of messages in the memory of a robot.
    pub memory: u32,
    pub task: TaskParams,
    pub messages: MessageParams,
    /// Unit vector of each proximity ray, and its angle (rad); the last component is unused.
    pub rays: [[f32; 4]; PROX_ANGLES.len()],
    pub patch_list: [PatchParams; MAX_PATCHES],
    pub wall_list: [[f32; 4]; MAX_PATCHES],
    /// Position (x, y), squared height, and brightness of each light.
    pub light_list: [[f32; 4]; MAX_LIGHTS],
    /// Position (x, y), and direction (x, y) of the face of each tag.
    pub tag_list: [[f32; 4]; MAX_TAGS],
    pub footing: [FrictionParams; MAX_BODIES],
    pub body: [BodyParams; MAX_BODIES],
}

/// Parameters of the counts for the task.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct TaskParams {
    pub kind: u32,
    pub size: f32,
    pub columns: u32,
    pub rows: u32,
    pub nest: RegionParams,
    pub food: RegionParams,
}

/// A rectangle with rounded corners, or its complement if `beyond` is 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct RegionParams {
    pub at: [f32; 2],
    pub half: [f32; 2],
    pub radius: f32,
    pub beyond: u32,
    pub unused: [u32; 2],
}

/// Parameters of the message model.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct MessageParams {
    pub range: f32,
    pub range_noise: f32,
    pub bearing_noise: f32,
    /// Probability that a message over zero distance is received.
    pub kept: f32,
    pub loss_at_range: f32,
    pub sender_lobe: u32,
    pub receiver_lobe: u32,
    /// Number of bodies that block messages, from body 0 on; 0 if no bodies block them.
    pub opaque: u32,
}

/// Floor friction of a body, and its radius.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct FrictionParams {
    pub radius: f32,
    pub arm: f32,
    pub half_mass: f32,
    pub strongest: f32,
}

/// Dynamics and colour of a body.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct BodyParams {
    pub inverse_mass: f32,
    pub inverse_inertia: f32,
    /// 1 if the body is tall; 0 otherwise.
    pub tall: u32,
    pub colour: u32,
}

/// A coloured wall patch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct PatchParams {
    pub at: [f32; 2],
    pub half_length: f32,
    pub colour: u32,
}

impl Params {
    /// Creates the parameters of a batch of `batch` worlds of a scene. `floor` and
    /// `objective` are indices in the table.
    pub fn new(
        scene: &Scene,
        messages: Option<&Messages>,
        sensing: Sensing,
        layout: &Layout,
        batch: usize,
        [floor, objective]: [usize; 2],
    ) -> Params {
        let physics = &scene.physics;
        let robot = &physics.robot;
        let aside = robot.camera.aside;
        let sensing = sensing.intersection(robot.senses);
        let blocks = |messages: &Messages| messages.occlusion == Occlusion::Walls;
        let switches = [
            (sensing.proximity, SWITCH_PROXIMITY),
            (sensing.camera, SWITCH_CAMERA),
            (sensing.neighbours, SWITCH_NEIGHBOURS),
            (scene.task.relocates(), SWITCH_RELOCATION),
            (messages.is_some(), SWITCH_MESSAGES),
            (!scene.camera.is_perfect(), SWITCH_PICTURES),
            (sensing.light && robot.light.reads(scene.lighting.lights.len()), SWITCH_LIGHT),
            (sensing.tags && !scene.tags.list.is_empty(), SWITCH_TAGS),
            (sensing.ground && !scene.floor.is_grey(), SWITCH_GROUND),
            (!scene.floor.is_exact(), SWITCH_GROUND_ERRORS),
            (messages.is_some_and(blocks), SWITCH_WALLS_BLOCK),
        ];
        let (robots, bodies) = (scene.robots, scene.bodies.len());
        let rays = ray_directions();
        Params {
            robots: robots as u32,
            bodies: bodies as u32,
            updates: 1,
            patches: scene.patches.len() as u32,
            half_arena: physics.half_arena.into(),
            mu: physics.mu_bodies,
            restitution: physics.restitution,
            noise: physics.noise,
            nan: f32::NAN.to_bits(),
            aside: [aside.x, aside.y],
            walls: physics.walls.len() as u32,
            switches: switches.iter().map(|(on, bit)| if *on { *bit } else { 0 }).sum(),
            contact_step: if layout.lane == LaneWork::World { batch as u32 } else { 1 },
            past_kept: messages.map_or(1, |m| poses_kept(m) as u32),
            worlds: layout.worlds(bodies) as u32,
            batch: batch as u32,
            camera_misses: scene.camera.misses,
            room_light: scene.lighting.room,
            lights: scene.lighting.lights.len() as u32,
            tags: scene.tags.list.len() as u32,
            tag_range: scene.tags.range,
            floor: floor as u32,
            objective: objective as u32,
            memory: messages.map_or(1, |messages| messages.memory.into()),
            task: TaskParams::from_scene(scene),
            messages: messages.map_or_else(MessageParams::default, |m| MessageParams::new(m, scene)),
            rays: std::array::from_fn(|i| [rays[i].x, rays[i].y, PROX_ANGLES[i], 0.0]),
            patch_list: filled(scene.patches.iter().map(PatchParams::from_patch)),
            wall_list: filled(physics.walls.iter().map(|w| [w.from.x, w.from.y, w.to.x, w.to.y])),
            light_list: filled(scene.lighting.lights.iter().map(light)),
            tag_list: filled(scene.tags.list.iter().map(|Tag { at, facing }| [at.x, at.y, facing.x, facing.y])),
            footing: filled(scene.bodies.iter().map(FrictionParams::from_body)),
            body: filled(scene.bodies.iter().map(BodyParams::from_body)),
        }
    }

    /// Returns the number of words for the arena's cells, one bit per cell.
    pub fn cell_words(&self) -> usize {
        (self.task.columns * self.task.rows).div_ceil(32) as usize
    }

    /// Returns the number of words of a world in the `past` buffer.
    pub fn past_words(&self) -> usize {
        self.past_sections().iter().sum()
    }

    /// Returns the numbers of words of a world in the sections of the `past` buffer: cells, past poses, and sums of
    /// messages.
    pub fn past_sections(&self) -> [usize; 3] {
        let poses = self.past_kept as usize * self.bodies as usize * 3;
        let sums = self.memory as usize * self.robots as usize * 3;
        if self.switches & SWITCH_MESSAGES == 0 { [self.cell_words(), 0, 0] } else { [self.cell_words(), poses, sums] }
    }
}

/// Returns the number of the arena's cells for coverage; 0 for other tasks.
pub(super) fn cells(scene: &Scene) -> u32 {
    let task = TaskParams::from_scene(scene);
    task.columns * task.rows
}

fn light(light: &Light) -> [f32; 4] {
    [light.at.x, light.at.y, light.height * light.height, light.brightness]
}

impl TaskParams {
    fn from_scene(scene: &Scene) -> TaskParams {
        let none = TaskParams::default();
        let half_arena = scene.physics.half_arena;
        match &scene.task {
            Task::Transport | Task::TransportOnce | Task::TransportPosition => none,
            Task::Objective(_) => TaskParams { kind: TASK_OBJECTIVE, ..none },
            Task::Aggregation { range } => TaskParams { kind: TASK_AGGREGATION, size: range * range, ..none },
            Task::Dispersion => TaskParams {
                kind: TASK_DISPERSION,
                size: Dispersion::new(scene.robots, half_arena).max_distance(),
                ..none
            },
            Task::Coverage { cell } => {
                let [columns, rows] = Coverage::new(*cell, half_arena).cells().map(|n| n as u32);
                TaskParams { kind: TASK_COVERAGE, columns, rows, ..none }
            }
            Task::Foraging { nest, food } => TaskParams {
                kind: TASK_FORAGING,
                nest: RegionParams::from_region(nest),
                food: RegionParams::from_region(food),
                ..none
            },
        }
    }
}

impl RegionParams {
    fn from_region(region: &Region) -> RegionParams {
        let (at, half, radius) = region.rounded();
        let beyond = u32::from(matches!(region, Region::Beyond { .. }));
        RegionParams { at: [at.x, at.y], half: [half.x, half.y], radius, beyond, unused: [0; 2] }
    }
}

impl MessageParams {
    fn new(model: &Messages, scene: &Scene) -> MessageParams {
        MessageParams {
            range: model.range_m,
            range_noise: model.range_noise_m,
            bearing_noise: model.bearing_noise_rad,
            kept: 1.0 - model.loss,
            loss_at_range: model.loss_at_range,
            sender_lobe: model.sender_lobe.into(),
            receiver_lobe: model.receiver_lobe.into(),
            opaque: match model.occlusion {
                Occlusion::None => 0,
                Occlusion::Robots => scene.robots as u32,
                Occlusion::All | Occlusion::Walls => scene.bodies.len() as u32,
            },
        }
    }
}

/// Creates an array that starts with the given elements and is padded with default values.
fn filled<T: Default + Copy, const N: usize>(rows: impl Iterator<Item = T>) -> [T; N] {
    let mut all = [T::default(); N];
    all.iter_mut().zip(rows).for_each(|(place, row)| *place = row);
    all
}

impl FrictionParams {
    fn from_body(body: &SceneBody) -> FrictionParams {
        let footing = &body.footing;
        FrictionParams {
            radius: body.radius,
            arm: footing.arm,
            half_mass: footing.half_mass,
            strongest: footing.strongest,
        }
    }
}

impl BodyParams {
    fn from_body(body: &SceneBody) -> BodyParams {
        BodyParams {
            inverse_mass: body.footing.inverse_mass,
            inverse_inertia: body.footing.inverse_inertia,
            tall: u32::from(body.tall),
            colour: body.colour as u32,
        }
    }
}

impl PatchParams {
    fn from_patch(patch: &Patch) -> PatchParams {
        PatchParams { at: [patch.at.x, patch.at.y], half_length: patch.half_length, colour: patch.colour as u32 }
    }
}
