//! Physics of moving bodies: links joined by motors above flat ground.
//!
//! Coordinates are reduced, so joints cannot separate. Cubes do not collide with each other. A step of 1/240 s
//! updates velocities before positions. Equations and constants are those of PyBullet 3.2.7 as configured by
//! pyro-corpus, against which [`Simulator`] is tested. All operations are IEEE arithmetic in a fixed order, and sines
//! are computed by `libm`, so results are identical on every machine.

mod contacts;
mod coupling;
mod forces;
mod inertia;
mod joint_row;
mod lanes;
mod model;
mod motors;
mod order;
mod simulator;
mod solver;
mod state;
mod vector;

pub use simulator::{Pose, Simulator, Start};

/// Duration of a step (s).
pub const DT: f64 = 1.0 / 240.0;
/// Gravitational acceleration (m/s^2).
pub const GRAVITY: f64 = 9.8;
/// Maximum torque of a motor (N m).
pub const MAX_TORQUE: f64 = 25.0;
/// Maximum speed that a motor demands of a joint (rad/s): a tenth of the range from -0.2 to 0.2 rad per step.
pub const MAX_SPEED: f64 = 9.6;
/// Friction coefficient of a contact: product of the coefficients of the cubes (0.5) and of the ground (1).
pub const FRICTION: f64 = 0.5;
/// Joint limit in each direction (rad).
#[allow(clippy::approx_constant, reason = "the limit that the URDF files give")]
pub const MAX_ANGLE: f64 = 3.14159;

/// Moment of inertia of a cube (kg m^2).
const MOMENT: f64 = 1.0 / 6.0;
/// Share of the velocity lost per second, plus the same share for each m/s or rad/s of the velocity.
const DAMPING: f64 = 0.04;
/// Maximum number of solver iterations per step.
const ITERATIONS: u32 = 50;
/// Residual that ends the iteration: limit for the square of every velocity change.
const RESIDUAL: f64 = 1e-7;
/// Share of a penetration depth that a step corrects.
const CONTACT_CORRECTION: f64 = 0.08;
/// Share of an angle beyond a joint limit that a step corrects.
const LIMIT_CORRECTION: f64 = 0.2;
/// Penetration depth that is not corrected (m).
const SLOP: f64 = 1e-5;
