//! Permanent changes in the arena during a run, which are not reported to the robots.

use super::fault_interval::steps;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use xpuck_kernels::math::vec2;
use xpuck_kernels::model::MAX_WALLS;
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Body, PhysicsKeys};

/// A change in the arena at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeKeys {
    /// Arena time of the change (s).
    #[schemars(range(min = 0.0, max = 1e7))]
    pub at_s: f32,
    /// New masses, friction and noise of the arena.
    #[serde(default)]
    pub physics: PhysicsKeys,
    /// Wall that is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<WallKeys>,
    /// Name of the robot whose wheels change; only with `wheels`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
    /// New speed factors of the left and right wheel. A wheel with the factor 1 drives at the commanded speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0.0, max = 1.5)))]
    pub wheels: Option<[f32; 2]>,
}

/// A straight wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallKeys {
    /// First end, x and y (m).
    #[schemars(inner(range(min = -20.0, max = 20.0)))]
    pub from_m: [f32; 2],
    /// Second end, x and y (m).
    #[schemars(inner(range(min = -20.0, max = 20.0)))]
    pub to_m: [f32; 2],
}

impl ChangeKeys {
    /// Returns the arena step in which the change is applied.
    pub(crate) fn step(&self) -> u32 {
        steps(self.at_s)
    }

    /// Applies the change to the bodies and to the physics. The first `robots` bodies are robots.
    pub(crate) fn apply(&self, bodies: &mut [Body], robots: usize, physics: &mut Physics) {
        let PhysicsKeys { robot_mass_kg, robot_friction, frisbee_mass_kg, frisbee_friction, .. } = self.physics;
        for (i, body) in bodies.iter_mut().enumerate() {
            let (mass, mu) =
                if i < robots { (robot_mass_kg, robot_friction) } else { (frisbee_mass_kg, frisbee_friction) };
            body.shape.mass = mass.unwrap_or(body.shape.mass);
            body.shape.mu = mu.unwrap_or(body.shape.mu);
        }
        physics.mu_bodies = self.physics.body_friction.unwrap_or(physics.mu_bodies);
        physics.restitution = self.physics.restitution.unwrap_or(physics.restitution);
        physics.noise = self.physics.noise.unwrap_or(physics.noise);
        if let Some(WallKeys { from_m, to_m }) = self.wall
            && physics.walls.len() < MAX_WALLS
        {
            physics.walls.push(Wall { from: vec2(from_m[0], from_m[1]), to: vec2(to_m[0], to_m[1]) });
        }
    }
}

impl Display for ChangeKeys {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let PhysicsKeys { robot_mass_kg, robot_friction, frisbee_mass_kg, frisbee_friction, .. } = self.physics;
        let named = [
            ("robot_mass_kg", robot_mass_kg),
            ("robot_friction", robot_friction),
            ("frisbee_mass_kg", frisbee_mass_kg),
            ("frisbee_friction", frisbee_friction),
            ("body_friction", self.physics.body_friction),
            ("restitution", self.physics.restitution),
        ];
        let mut said: Vec<String> =
            named.iter().filter_map(|(name, value)| Some(format!("{name} is {}", (*value)?))).collect();
        said.extend(self.physics.noise.map(|noise| format!("noise is {noise:?}")));
        said.extend(self.wall.map(|wall| format!("a wall from {:?} to {:?} m", wall.from_m, wall.to_m)));
        let wheels = self.robot.as_ref().zip(self.wheels);
        said.extend(wheels.map(|(robot, parts)| format!("the wheel speeds of {robot} are multiplied by {parts:?}")));
        f.write_str(&said.join(", "))
    }
}
