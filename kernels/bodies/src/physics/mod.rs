//! Physics of bodies that move on flat ground. A body consists of links with motorised joints.
//!
//! Coordinates are reduced, so joints cannot separate. Cubes do not collide with each other. A step of 1/240 s updates
//! velocities before positions. Equations and constants are those of PyBullet 3.2.7 as configured by pyro-corpus.
//! [`Simulator`] is tested against this configuration. All operations are IEEE arithmetic in a fixed order, and `libm`
//! computes the sines, so results are identical on every machine.

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
/// Maximum speed that a motor demands of a joint (rad/s). A motor corrects a tenth of the angle error per step. The
/// error is at most 0.4 rad, which is the range of the target angles.
pub const MAX_SPEED: f64 = 9.6;
/// Friction coefficient of a contact: product of the coefficients of the cubes (0.5) and of the ground (1).
pub const FRICTION: f64 = 0.5;
/// Joint limit in each direction (rad).
#[allow(clippy::approx_constant, reason = "the limit that the URDF files give")]
pub const MAX_ANGLE: f64 = 3.14159;

/// Moment of inertia of a cube (kg m^2).
const MOMENT: f64 = 1.0 / 6.0;
/// Damping coefficient: a velocity `v` (m/s or rad/s) decays at the rate `DAMPING * (1 + |v|)` (1/s).
const DAMPING: f64 = 0.04;
/// Maximum number of solver iterations per step.
const ITERATIONS: u32 = 50;
/// Convergence limit. The iteration ends when the square of the largest velocity change does not exceed this limit.
const RESIDUAL: f64 = 1e-7;
/// Share of a penetration depth that is corrected in one step.
const CONTACT_CORRECTION: f64 = 0.08;
/// Share of the angle beyond a joint limit that is corrected in one step.
const LIMIT_CORRECTION: f64 = 0.2;
/// Penetration depth that is not corrected (m).
const SLOP: f64 = 1e-5;
