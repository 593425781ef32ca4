//! Bodies that move: links joined by motors above flat ground.
//!
//! Reduced coordinates, so that joints cannot come apart; no contact between cubes; steps of 1/240 s, velocities before
//! positions. Laws and numbers are those of PyBullet 3.2.7 as pyro-corpus uses it, which [`Simulator`] is measured against.
//! Everything is IEEE arithmetic in a fixed order, and sines come from `libm`: the same digits on every machine.

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

/// Length of a step, seconds.
pub const DT: f64 = 1.0 / 240.0;
/// Weight of a kilogram, N.
pub const GRAVITY: f64 = 9.8;
/// Torque that motors have, N m.
pub const MAX_TORQUE: f64 = 25.0;
/// Greatest speed that a motor asks of a joint, rad/s: a tenth of the way from one end of its motion (-0.2 rad) to the other
/// in a step.
pub const MAX_SPEED: f64 = 9.6;
/// Friction between cubes (0.5) and ground (1).
pub const FRICTION: f64 = 0.5;
/// Joints turn by no more than this from their middle, rad.
#[allow(clippy::approx_constant, reason = "the limit that the URDF files tell")]
pub const MAX_ANGLE: f64 = 3.14159;

/// Moment of inertia of a cube, kg m^2.
const MOMENT: f64 = 1.0 / 6.0;
/// Share of velocity that is lost per second, and as much again for each m/s or rad/s.
const DAMPING: f64 = 0.04;
/// Most passes over all constraints in a step.
const ITERATIONS: u32 = 50;
/// Passes end when no velocity changed by more than the root of this.
const RESIDUAL: f64 = 1e-7;
/// Share of a depth below the ground that a step corrects.
const CONTACT_CORRECTION: f64 = 0.08;
/// Share of an angle beyond a joint's limit that a step corrects.
const LIMIT_CORRECTION: f64 = 0.2;
/// Depth that is left in the ground, metres.
const SLOP: f64 = 1e-5;
