//! The robot reference model (Table 6.1) and the physical constants (Table 7.1), in SI units.

/// Most robots in a world.
pub const MAX_ROBOTS: usize = 256;
/// Most passive discs in a world.
pub const MAX_DISCS: usize = 8;
/// Most inner walls, and most patches, of a world.
pub const MAX_WALLS: usize = 16;
/// Most bodies in a world.
pub const MAX_BODIES: usize = MAX_ROBOTS + MAX_DISCS;
/// Bodies of a small world, in which every body looks at every other: with so few that is faster than a grid.
pub const SMALL_WORLD: usize = 24;

/// Most contacts of a step in a world of so many bodies: a circle touches at most six others of its size, small ones
/// around larger ones a few more; walls add two each.
pub const fn most_contacts(bodies: usize) -> usize {
    6 * if bodies > SMALL_WORLD { bodies } else { SMALL_WORLD }
}

/// Robots that the arena of the benchmark is made for; for more of them it is larger, with as much room for each.
pub const ARENA_ROBOTS: usize = 16;
/// Arena, half the length along x and along y, m.
pub const HALF_ARENA: (f32, f32) = (1.0, 0.75);
/// Radius of a robot, m.
pub const ROBOT_RADIUS: f32 = 0.0375;
/// Mass of a robot, kg.
pub const ROBOT_MASS: f32 = 0.3;
/// Distance between the wheels, m.
pub const WHEELBASE: f32 = 0.053;
/// Greatest wheel speed of the steering law, m/s.
pub const V_MAX: f32 = 0.13;
/// Radius of the frisbee, m.
pub const FRISBEE_RADIUS: f32 = 0.105;
/// Mass of the frisbee, kg.
pub const FRISBEE_MASS: f32 = 0.07;

/// Time between controller updates, s.
pub const CONTROL_PERIOD: f32 = 0.1;
/// Physics steps in a controller update.
pub const STEPS_PER_UPDATE: u32 = 4;
/// Controller updates from one picture of the camera to the next; range and bearing are as slow (5 Hz).
pub const SLOW_SENSES_PERIOD: u32 = 2;
/// Physics time step, s.
pub const DT: f32 = CONTROL_PERIOD / STEPS_PER_UPDATE as f32;

/// Directions of the proximity rays in the robot's frame, rad; sensor 1 first, counter-clockwise.
pub const PROX_ANGLES: [f32; 8] = [0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297];
/// Range of a proximity ray from the rim, m.
pub const PROX_RANGE: f32 = 0.030;
/// The camera's horizontal field of view, rad.
pub const CAMERA_FOV: f32 = 56.0 * std::f32::consts::PI / 180.0;
/// Columns of the camera's z-buffer; five a segment.
pub const CAMERA_COLUMNS: usize = 15;
/// Direction of the left segment's vector, rad (Table 6.4).
pub const SEGMENT_ANGLE: f32 = 18.7 * std::f32::consts::PI / 180.0;
/// Range of range and bearing, centre to centre, m.
pub const NEIGHBOUR_RANGE: f32 = 0.5;
/// Least range of range and bearing, m.
pub const NEIGHBOUR_MIN: f32 = 0.075;

/// Gravity, m/s^2.
pub const GRAVITY: f32 = 9.81;
/// Friction of a robot's wheels on the floor.
pub const MU_ROBOT: f32 = 0.65;
/// Friction of the frisbee on the floor.
pub const MU_FRISBEE: f32 = 0.5;
/// Friction between bodies.
pub const MU_BODIES: f32 = 0.15;
/// Restitution between bodies.
pub const RESTITUTION: f32 = 0.1;
/// Standard deviations of the motion noise: position, turning, drift (Eq. 5.9).
pub const NOISE: [f32; 3] = [0.1, 0.1, 0.1];
/// Steepness of floor friction near zero slip, s/m (Eq. 5.8).
pub const FRICTION_STEEPNESS: f32 = 20.0;
/// Most passes of the contact solver.
pub const CONTACT_ITERATIONS: usize = 8;
/// A pass that changes no impulse by more than this is the last, N s: 0.03 mm/s of a robot.
pub const CONTACT_SOLVED: f32 = 1e-5;
/// Penetration that is left uncorrected, m.
pub const PENETRATION_SLOP: f32 = 0.0005;
/// Part of the remaining penetration removed in a step.
pub const PENETRATION_CORRECTION: f32 = 0.4;
/// How far from the centre a relocated frisbee may be put, m.
pub const RELOCATION_RADIUS: f32 = 0.1;
/// Draws for a free spot; if none is free the one with most room is taken.
pub const RELOCATION_TRIES: usize = 32;
