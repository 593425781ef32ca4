//! Scenery that changes during a run: walls, patches, lights and paint under a condition of the world's formula.

use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::STEPS_PER_UPDATE;
use xpuck_kernels::world::conditions::Scenery;
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::senses::light::Lighting;
use xpuck_kernels::world::task::Task;
use xpuck_kernels::world::task::objective::ObjectiveScore;
use xpuck_kernels::world::{Body, WorldSpec};

/// Conditions of a world, evaluated from the true positions of the robots. The lots are those of run 0 of the arena's
/// seed. The run begins when a robot first drives.
#[derive(Clone, Debug)]
pub(crate) struct ChangingScenery {
    score: ObjectiveScore,
    /// Walls, patches and lights with their conditions.
    scenery: Scenery,
    /// Conditions that held when the scenery was last changed.
    shown: u32,
    /// Number of steps since the run began; 0 before.
    steps: u32,
    /// Number of walls that were placed by the conditions. Further walls come from changes of the arena.
    walls: usize,
}

impl ChangingScenery {
    /// Returns `None` for a world without conditions.
    pub(crate) fn new(spec: &WorldSpec, bodies: &[Body], seed: u64) -> Option<ChangingScenery> {
        let Task::Objective(objective) = &spec.task else { return None };
        if !spec.changes() {
            return None;
        }
        let start = bodies.iter().take(spec.robots).map(|body| body.pose.at);
        let score = ObjectiveScore::new(objective.clone(), spec.physics.half_arena, spec.robots, start, (seed, 0));
        let scenery = Scenery {
            walls: spec.physics.walls.clone(),
            patches: spec.patches.clone(),
            lights: spec.lighting.lights.clone(),
            conditions: spec.conditions.clone(),
        };
        Some(ChangingScenery { shown: score.active(), score, scenery, steps: 0, walls: spec.physics.walls.len() })
    }

    /// Conditions that hold, as a bit mask.
    pub(crate) fn active(&self) -> u32 {
        self.shown
    }

    /// Advances by a step. Returns true if other conditions hold than before.
    pub(crate) fn step(&mut self, bodies: &[Body], driven: bool) -> bool {
        if self.steps == 0 && !driven {
            return false;
        }
        self.steps += 1;
        if !self.steps.is_multiple_of(STEPS_PER_UPDATE) {
            return false;
        }
        let centres: Vec<Vec2> = bodies.iter().map(|body| body.pose.at).collect();
        self.score.see(bodies.iter().map(|body| body.pose));
        self.score.update(&centres);
        std::mem::replace(&mut self.shown, self.score.active()) != self.score.active()
    }

    /// Replaces walls, patches and lights by those that exist now.
    pub(crate) fn apply(&mut self, physics: &mut Physics, patches: &mut Vec<Patch>, lighting: &mut Lighting) {
        let added = physics.walls.split_off(self.walls.min(physics.walls.len()));
        self.scenery.apply(self.shown, physics, patches, &mut lighting.lights);
        self.walls = physics.walls.len();
        physics.walls.extend(added);
    }
}
