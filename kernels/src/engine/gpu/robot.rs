//! Constants of the kernels that depend on the robot model and on the message model.

use crate::world::robot::{Curve, GroundPoints, GroundSense, LightLaw, RobotModel, Steering};
use crate::world::senses::messages::{Attraction, Messages};

/// Squared range that stands for an unlimited camera (m^2), because WGSL has no infinite numbers.
const UNLIMITED: f32 = 1e9;

/// Constants of a robot model. Each combination has its own kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RobotConstants {
    robot: RobotModel,
    /// Number of messages in the memory of a robot, at least 1.
    memory: u32,
    attraction: Attraction,
}

impl RobotConstants {
    pub fn new(robot: &RobotModel, messages: Option<&Messages>) -> RobotConstants {
        RobotConstants {
            robot: *robot,
            memory: messages.map_or(1, |messages| messages.memory.into()),
            attraction: messages.map(|messages| messages.attraction).unwrap_or_default(),
        }
    }

    /// Returns the values as words, which identify the constants.
    pub fn key(&self) -> Vec<u32> {
        let floats = self.floats().into_iter().map(|(_, value)| value.to_bits());
        self.integers().into_iter().map(|(_, value)| value).chain(floats).collect()
    }

    /// Returns the names and values of the integer constants.
    pub fn integers(&self) -> Vec<(String, u32)> {
        let RobotConstants { robot, memory, attraction } = self;
        let points = self.points();
        [
            ("STEERING_PIVOT", u32::from(robot.wheels.steering == Steering::Pivot)),
            ("PROX_QUADRATIC", u32::from(matches!(robot.proximity.curve, Curve::Quadratic(_)))),
            ("LIGHT_EXPONENTIAL", u32::from(robot.light.law == LightLaw::Exponential)),
            ("GROUND_POINTS", u32::from(robot.ground != GroundSense::Class)),
            ("GROUND_KEPT", points.kept()),
            ("GROUND_MAJORITY", points.majority),
            ("COMPASS", u32::from(robot.compass)),
            ("MESSAGE_MEMORY", (*memory).max(1)),
            ("MESSAGE_GAP", u32::from(*attraction == Attraction::Gap)),
        ]
        .map(|(name, value)| (name.into(), value))
        .into()
    }

    /// Returns the names and values of the floating-point constants.
    pub fn floats(&self) -> Vec<(String, f32)> {
        let RobotModel { radius, wheels, proximity, neighbour_range, camera, light, .. } = &self.robot;
        let curve = if let Curve::Quadratic(curve) = proximity.curve { curve } else { [0.0; 3] };
        let points = self.points();
        [
            ("ROBOT_RADIUS", *radius),
            ("V_MAX", wheels.max_speed),
            ("WHEEL_NOISE", wheels.noise),
            ("PROX_RANGE", proximity.range),
            ("PROX_CURVE_0", curve[0]),
            ("PROX_CURVE_1", curve[1]),
            ("PROX_CURVE_2", curve[2]),
            ("PROX_NOISE", proximity.noise),
            ("NEIGHBOUR_RANGE", *neighbour_range),
            ("CAMERA_FOV", camera.fov),
            ("CAMERA_SQUARE", camera.square.min(UNLIMITED)),
            ("TAG_HALF_VIEW", camera.slope),
            ("LIGHT_THRESHOLD", light.threshold),
            ("LIGHT_NOISE", light.noise),
            ("GROUND_NOISE", points.noise),
            ("GROUND_BLACK", points.black_below),
            ("GROUND_WHITE", points.white_above),
            ("GROUND_ASIDE", GroundPoints::ASIDE[2]),
        ]
        .map(|(name, value)| (name.into(), value))
        .into()
    }

    /// Returns the ground points. Robots without ground points have unused values.
    fn points(&self) -> GroundPoints {
        match self.robot.ground {
            GroundSense::Points(points) => points,
            GroundSense::Class => {
                GroundPoints { noise: 0.0, black_below: 0.0, white_above: 1.0, window: 1, majority: 0 }
            }
        }
    }
}
