//! Measured physical parameters that override the parameters of a world.

use super::body::Shape;
use super::physics::Physics;
use super::spec::WorldSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Masses, friction and noise, with the keys of world files. For omitted keys, the values of the world remain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PhysicsKeys {
    /// Mass of a robot (kg).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10.0))]
    pub robot_mass_kg: Option<f32>,
    /// Coefficient of friction between a robot and the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0))]
    pub robot_friction: Option<f32>,
    /// Mass of the frisbee (kg).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 10.0))]
    pub frisbee_mass_kg: Option<f32>,
    /// Coefficient of friction between the frisbee and the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0))]
    pub frisbee_friction: Option<f32>,
    /// Coefficient of friction between bodies, and between bodies and walls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0))]
    pub body_friction: Option<f32>,
    /// Coefficient of restitution between bodies, and between bodies and walls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: Option<f32>,
    /// Standard deviations of the motion noise of position, turning and drift.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<[f32; 3]>,
}

impl PhysicsKeys {
    /// Merges two sets of parameters. Values of `self` take precedence.
    pub fn merge(self, other: PhysicsKeys) -> PhysicsKeys {
        PhysicsKeys {
            robot_mass_kg: self.robot_mass_kg.or(other.robot_mass_kg),
            robot_friction: self.robot_friction.or(other.robot_friction),
            frisbee_mass_kg: self.frisbee_mass_kg.or(other.frisbee_mass_kg),
            frisbee_friction: self.frisbee_friction.or(other.frisbee_friction),
            body_friction: self.body_friction.or(other.body_friction),
            restitution: self.restitution.or(other.restitution),
            noise: self.noise.or(other.noise),
        }
    }

    /// Applies the parameters to the shapes and the physics of a world. The parameters of the frisbee apply to all
    /// discs.
    pub fn apply(&self, spec: &mut WorldSpec) {
        let PhysicsKeys { robot_mass_kg, robot_friction, frisbee_mass_kg, frisbee_friction, .. } = *self;
        let change = |shape: &mut Shape, mass: Option<f32>, mu: Option<f32>| {
            shape.mass = mass.unwrap_or(shape.mass);
            shape.mu = mu.unwrap_or(shape.mu);
        };
        change(&mut spec.robot, robot_mass_kg, robot_friction);
        spec.discs.iter_mut().for_each(|disc| change(&mut disc.shape, frisbee_mass_kg, frisbee_friction));
        let Physics { mu_bodies, restitution, noise, .. } = &mut spec.physics;
        *mu_bodies = self.body_friction.unwrap_or(*mu_bodies);
        *restitution = self.restitution.unwrap_or(*restitution);
        *noise = self.noise.unwrap_or(*noise);
    }
}
