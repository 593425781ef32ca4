//! Parameters of the physics of a world.

use crate::model;
use crate::world::robot::RobotModel;
use crate::world::wall::Wall;

/// Physical parameters that calibration can change (thesis Table 7.1), the dimensions of arena and walls, and the
/// robot model.
#[derive(Clone, Debug, PartialEq)]
pub struct Physics {
    /// Coefficient of friction between bodies, and between bodies and walls.
    pub mu_bodies: f32,
    /// Coefficient of restitution between bodies, and between bodies and walls.
    pub restitution: f32,
    /// Standard deviations of the motion noise: relative error of the displacement, relative error of the turning, and
    /// drift of the heading per distance (rad/m).
    pub noise: [f32; 3],
    /// Half the arena's length along x and along y (m).
    pub half_arena: (f32, f32),
    /// Walls inside the arena.
    pub walls: Vec<Wall>,
    /// Wheels and senses of the robots.
    pub robot: RobotModel,
}

impl Default for Physics {
    fn default() -> Physics {
        Physics {
            mu_bodies: model::MU_BODIES,
            restitution: model::RESTITUTION,
            noise: model::NOISE,
            half_arena: model::HALF_ARENA,
            walls: Vec::new(),
            robot: RobotModel::default(),
        }
    }
}
