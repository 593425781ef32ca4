//! Constant data that all worlds of a block share: shapes, masses and the arena.

use crate::world::floor::{Floor, Shade};
use crate::world::physics::contacts::Pair;
use crate::world::physics::{FrictionParams, Physics};
use crate::world::senses::Patch;
use crate::world::senses::camera_model::CameraModel;
use crate::world::senses::light::Lighting;
use crate::world::senses::tags::Tags;
use crate::world::zone::Zone;
use crate::world::{Body, Colour, Task, World};
use std::sync::Arc;

/// Constant data of a world.
pub(in crate::engine) struct Scene {
    pub robots: usize,
    pub bodies: Vec<SceneBody>,
    /// Contact parameters by the shape indices of two bodies; the last element of each row is for walls.
    pairs: Vec<Vec<Pair>>,
    pub physics: Physics,
    pub patches: Vec<Patch>,
    pub floor: Arc<Floor>,
    /// Shade of each paint of the floor.
    pub shades: Vec<Shade>,
    /// Limits of random numbers for each shade (see [`Floor::limits`]).
    pub shade_limits: [[f32; 2]; 3],
    pub lighting: Lighting,
    pub tags: Tags,
    pub camera: CameraModel,
    pub task: Task,
    /// Regions of the objective whose robots are counted in every update.
    pub counted: Vec<Zone>,
    /// Whether the world has a message model.
    pub messages: bool,
}

/// Constant properties of a body.
pub(in crate::engine) struct SceneBody {
    pub radius: f32,
    pub footing: FrictionParams,
    pub tall: bool,
    pub colour: Colour,
    /// Index of the body's shape among the different shapes of the scene.
    kind: usize,
}

impl Scene {
    /// Creates the scene of a world.
    pub fn from_world(world: &World) -> Scene {
        let mut shapes = Vec::new();
        let bodies = world.bodies.iter().map(|Body { shape, .. }| {
            let kind = shapes.iter().position(|s| s == shape).unwrap_or_else(|| {
                shapes.push(*shape);
                shapes.len() - 1
            });
            let footing = FrictionParams::from_shape(shape);
            SceneBody { radius: shape.radius, footing, tall: shape.tall, colour: shape.colour, kind }
        });
        let bodies = bodies.collect();
        let with = |a| shapes.iter().map(Some).chain([None]).map(move |b| Pair::new(a, b));
        let pairs = shapes.iter().map(|a| with(a).collect()).collect();
        Scene {
            robots: world.robots(),
            bodies,
            pairs,
            physics: world.physics.clone(),
            patches: world.patches.clone(),
            shades: world.floor.paint.iter().map(|paint| Shade::of_level(paint.level)).collect(),
            shade_limits: world.floor.limits(),
            floor: world.floor.clone(),
            lighting: world.lighting.clone(),
            tags: world.tags.clone(),
            camera: world.camera,
            counted: match &world.task {
                Task::Objective(objective) => {
                    objective.counted_zones().iter().map(|zone| objective.zones[usize::from(*zone)].clone()).collect()
                }
                _ => Vec::new(),
            },
            task: world.task.clone(),
            messages: world.channel.is_some(),
        }
    }

    /// Returns the contact parameters of two bodies.
    pub fn pair(&self, a: usize, b: usize) -> &Pair {
        &self.pairs[self.bodies[a].kind][self.bodies[b].kind]
    }

    /// Returns the contact parameters of a body and a wall.
    pub fn wall_pair(&self, a: usize) -> &Pair {
        &self.pairs[self.bodies[a].kind][self.pairs.len()]
    }
}
