//! The 15 messages of the protocol (section 3 of the specification). [`Message::parse`] reads lines, and
//! [`Message::write_to`] writes them.

use super::body::BodyShape;
pub use super::error::{MessageError, ValueCount};
use super::individual::Individual;
use super::parameters::NetParameters;
use super::place::{Beam, Position, Target};

/// Message of the protocol. A message is transmitted as one line. Identifiers of robots are 1 to 65535; 0 is invalid.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Population manager to robot simulator: requests the supported networks. The answer is `NetParameters`.
    SendNetParameters,
    /// Robot simulator to population manager: the supported networks.
    NetParameters(NetParameters),
    /// Population manager to robot simulator: a genome to evaluate. The answer is `Fitness`.
    Individual(Individual),
    /// Robot simulator to population manager: result of an evaluation.
    Fitness {
        /// Gen: generation of the individual.
        generation: u32,
        /// Ind: number of the individual.
        number: u32,
        /// Fit: fitness. Larger values are better.
        fitness: f64,
    },
    /// Robot simulator to world simulator: creates a robot. The answer is `YourIdentifier`.
    CreateRobot,
    /// World simulator to robot simulator: identifier of the new robot.
    YourIdentifier {
        /// ID of the robot.
        identifier: u16,
    },
    /// Robot simulator to world simulator: removes the robot. The message is not answered.
    KillRobot {
        /// ID of the robot.
        identifier: u16,
    },
    /// Robot simulator to world simulator: shape of the robot. The answer is `YourPosition`.
    BodyShape {
        /// ID of the robot.
        identifier: u16,
        /// Shape of the robot's body.
        shape: BodyShape,
    },
    /// World simulator to robot simulator: pose of the robot.
    YourPosition {
        /// ID of the robot.
        identifier: u16,
        /// Pose of the robot, and outcome of its last move.
        position: Position,
    },
    /// Robot simulator to world simulator: places the robot at a pose without driving. The answer is `YourPosition`.
    JumpTo {
        /// ID of the robot.
        identifier: u16,
        /// Requested pose.
        target: Target,
    },
    /// Robot simulator to world simulator: requests a visual reading. The answer is `VisualSensorReading`.
    VisualSensor {
        /// ID of the robot.
        identifier: u16,
        /// Position and direction of the sensor.
        beam: Beam,
    },
    /// World simulator to robot simulator: visual reading.
    VisualSensorReading {
        /// ID of the robot.
        identifier: u16,
        /// Dist: distance to the nearest object (mm), >= 0.
        distance: f64,
        /// Red, green and blue of the nearest object.
        colour: [u8; 3],
    },
    /// Robot simulator to world simulator: requests a sonic reading. The answer is `SonicSensorReading`.
    SonicSensor {
        /// ID of the robot.
        identifier: u16,
        /// Position and direction of the sensor.
        beam: Beam,
    },
    /// World simulator to robot simulator: sonic reading.
    SonicSensorReading {
        /// ID of the robot.
        identifier: u16,
        /// Dist: distance to the nearest object (mm), >= 0.
        distance: f64,
    },
    /// Robot simulator to world simulator: drives the robot to a pose as far as obstacles allow. The answer is
    /// `YourPosition`.
    MoveTo {
        /// ID of the robot.
        identifier: u16,
        /// Requested pose.
        target: Target,
    },
}

impl Message {
    /// Returns the first word of the message's line.
    pub fn name(&self) -> &'static str {
        match self {
            Message::SendNetParameters => "SendNetParameters",
            Message::NetParameters(_) => "NetParameters",
            Message::Individual(_) => "Individual",
            Message::Fitness { .. } => "Fitness",
            Message::CreateRobot => "CreateRobot",
            Message::YourIdentifier { .. } => "YourIdentifier",
            Message::KillRobot { .. } => "KillRobot",
            Message::BodyShape { .. } => "BodyShape",
            Message::YourPosition { .. } => "YourPosition",
            Message::JumpTo { .. } => "JumpTo",
            Message::VisualSensor { .. } => "VisualSensor",
            Message::VisualSensorReading { .. } => "VisualSensorReading",
            Message::SonicSensor { .. } => "SonicSensor",
            Message::SonicSensorReading { .. } => "SonicSensorReading",
            Message::MoveTo { .. } => "MoveTo",
        }
    }
}
