//! The robot reference model (Table 6.1) and the physical constants (Table 7.1), in SI units.

/// Maximum number of robots in a world.
pub const MAX_ROBOTS: usize = 256;
/// Maximum number of passive discs in a world.
pub const MAX_DISCS: usize = 8;
/// Maximum number of inner walls in a world. The same limit applies to wall patches.
pub const MAX_WALLS: usize = 32;
/// Maximum number of bodies in a world.
pub const MAX_BODIES: usize = MAX_ROBOTS + MAX_DISCS;
/// Maximum number of bodies in a small world, where a search over all pairs is faster than a grid.
pub const SMALL_WORLD: usize = 24;

/// Returns the maximum number of contacts per step in a world with `bodies` bodies. A circle touches at most six
/// others of its size. Small circles around larger circles have a few more contacts, and each wall adds two.
pub const fn most_contacts(bodies: usize) -> usize {
    6 * if bodies > SMALL_WORLD { bodies } else { SMALL_WORLD }
}

/// Number of robots for which the benchmark arena is designed. For more robots, the arena grows with constant area
/// per robot.
pub const ARENA_ROBOTS: usize = 16;
/// Half the length of the arena along x and along y (m).
pub const HALF_ARENA: (f32, f32) = (1.0, 0.75);
/// Radius of a robot (m).
pub const ROBOT_RADIUS: f32 = 0.0375;
/// Mass of a robot (kg).
pub const ROBOT_MASS: f32 = 0.3;
/// Distance between the wheels of a robot (m).
pub const WHEELBASE: f32 = 0.053;
/// Maximum wheel speed of the steering law (m/s).
pub const V_MAX: f32 = 0.13;
/// Radius of the frisbee (m).
pub const FRISBEE_RADIUS: f32 = 0.105;
/// Mass of the frisbee (kg).
pub const FRISBEE_MASS: f32 = 0.07;

/// Interval between controller updates (s).
pub const CONTROL_PERIOD: f32 = 0.1;
/// Number of physics steps per controller update.
pub const STEPS_PER_UPDATE: u32 = 4;
/// Period of the camera, and of range and bearing, in controller updates. The resulting rate is 5 Hz.
pub const SLOW_SENSES_PERIOD: u32 = 2;
/// Physics time step (s).
pub const DT: f32 = CONTROL_PERIOD / STEPS_PER_UPDATE as f32;

/// Directions of the proximity rays in the robot's frame (rad), counter-clockwise from sensor 1.
pub const PROX_ANGLES: [f32; 8] = [0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297];
/// Range of a proximity ray from the rim (m).
pub const PROX_RANGE: f32 = 0.030;
/// Horizontal field of view of the camera (rad).
pub const CAMERA_FOV: f32 = 56.0 * std::f32::consts::PI / 180.0;
/// Number of columns of the camera's z-buffer, five per segment.
pub const CAMERA_COLUMNS: usize = 15;
/// Direction of the vector of the camera's left segment (rad) (Table 6.4).
pub const SEGMENT_ANGLE: f32 = 18.7 * std::f32::consts::PI / 180.0;
/// Maximum distance between the centres of robots for range and bearing (m).
pub const NEIGHBOUR_RANGE: f32 = 0.5;
/// Minimum distance between the centres of robots for range and bearing (m).
pub const NEIGHBOUR_MIN: f32 = 0.075;

/// Gravitational acceleration (m/s^2).
pub const GRAVITY: f32 = 9.81;
/// Coefficient of friction between a robot's wheels and the floor.
pub const MU_ROBOT: f32 = 0.65;
/// Coefficient of friction between the frisbee and the floor.
pub const MU_FRISBEE: f32 = 0.5;
/// Coefficient of friction between bodies.
pub const MU_BODIES: f32 = 0.15;
/// Coefficient of restitution between bodies.
pub const RESTITUTION: f32 = 0.1;
/// Standard deviations of the motion noise (Eq. 5.9): relative errors of displacement and turning, and drift of the
/// heading per distance (rad/m).
pub const NOISE: [f32; 3] = [0.1, 0.1, 0.1];
/// Steepness of floor friction near zero slip (s/m) (Eq. 5.8).
pub const FRICTION_STEEPNESS: f32 = 20.0;
/// Maximum number of passes of the contact solver.
pub const CONTACT_ITERATIONS: usize = 8;
/// Convergence threshold of the contact solver: maximum change of an impulse in a pass (N s). It corresponds to a
/// change of a robot's speed by 0.03 mm/s.
pub const CONTACT_SOLVED: f32 = 1e-5;
/// Maximum penetration of two bodies that is not corrected (m).
pub const PENETRATION_SLOP: f32 = 0.0005;
/// Fraction of the penetration in excess of [`PENETRATION_SLOP`] that is corrected per step.
pub const PENETRATION_CORRECTION: f32 = 0.4;
/// Maximum distance of a relocated frisbee from the centre (m).
pub const RELOCATION_RADIUS: f32 = 0.1;
/// Maximum number of random positions that are tried for a relocated frisbee. If every position overlaps another body,
/// the position with the smallest overlap is used.
pub const RELOCATION_TRIES: usize = 32;
