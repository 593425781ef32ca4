//! Model of an e-puck: a round body on two wheels, with sonars near its rim and visual sensors at its centre.

use super::super::body::{BodyShape, Layer};
use super::super::place::{Beam, Position, Target};
use super::task::Task;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Radius of the body (mm).
pub const RADIUS: f64 = 37.5;
/// Height of the body (mm).
const HEIGHT: f64 = 55.0;
/// Number of corners of the polygon that approximates the body's outline.
const CORNERS: u32 = 16;
/// Distance between the wheels (mm).
pub const WHEEL_BASE: f64 = 53.0;
/// Distance of the sonars from the centre (mm). Sonars inside the body do not detect the body itself.
const SONARS_AT: f64 = 36.0;
/// Height of the sonars above the ground (mm).
const SONARS_HIGH: f64 = 20.0;

/// Returns the shape that is sent to the world simulator.
pub fn shape() -> BodyShape {
    let corner = |at: u32| {
        let (sine, cosine) = (TAU * f64::from(at) / f64::from(CORNERS)).sin_cos();
        [RADIUS * cosine, RADIUS * sine].map(|value| (value * 1000.0).round() / 1000.0)
    };
    BodyShape { layers: vec![Layer { height: HEIGHT, polygons: vec![(0..CORNERS).map(corner).collect()] }] }
}

/// Returns the target of a step in which the wheels roll the distances `left` and `right` (mm). A real robot
/// would drive an arc. The target is in the mean direction of this arc, at a distance equal to the length of the arc.
pub fn drive(position: &Position, left: f64, right: f64) -> Target {
    let turn = (right - left) / WHEEL_BASE;
    let (sine, cosine) = (position.direction + turn / 2.0).sin_cos();
    let way = (left + right) / 2.0;
    Target { x: position.x + way * cosine, y: position.y + way * sine, direction: wrapped(position.direction + turn) }
}

/// Returns the beams of the task's sonars for a robot in this pose.
pub fn sonars<'a>(task: &'a Task, position: &'a Position) -> impl Iterator<Item = Beam> + 'a {
    task.sonars.iter().map(|sonar| {
        let direction = wrapped(position.direction + sonar);
        let (sine, cosine) = direction.sin_cos();
        Beam {
            x: position.x + SONARS_AT * cosine,
            y: position.y + SONARS_AT * sine,
            z: position.z + SONARS_HIGH,
            direction,
            tilt: 0.0,
            horizontal: task.sonar_angle,
            vertical: 0.0,
        }
    })
}

/// Returns the beams of the task's visual sensors for a robot in this pose.
pub fn visuals<'a>(task: &'a Task, position: &'a Position) -> impl Iterator<Item = Beam> + 'a {
    let opening = TAU / f64::from(task.visuals.max(1));
    (0..task.visuals).map(move |at| Beam {
        x: position.x,
        y: position.y,
        z: position.z + task.visual_height,
        direction: wrapped(position.direction + opening * f64::from(at)),
        tilt: 0.0,
        horizontal: opening.min(FRAC_PI_2),
        vertical: 0.0,
    })
}

/// Normalises an angle to (-pi, pi] (rad).
fn wrapped(angle: f64) -> f64 {
    PI - (PI - angle).rem_euclid(TAU)
}
