//! The 15 messages (section 3). [`Message::parse`] reads lines, [`Message::write_to`] writes them.

use super::body::BodyShape;
pub use super::error::{MessageError, Wanted};
use super::individual::Individual;
use super::parameters::NetParameters;
use super::place::{Beam, Position, Target};

/// A line of the protocol. The identifiers of robots are 1 to 65535; 0 is neither read nor written.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Population manager to robot simulator: which nets can be handled? Answered by `NetParameters`.
    SendNetParameters,
    /// Robot simulator to population manager: the nets that it can handle.
    NetParameters(NetParameters),
    /// Population manager to robot simulator: a genome to be tested. Answered by `Fitness`.
    Individual(Individual),
    /// Robot simulator to population manager: how well an individual did.
    Fitness {
        /// Gen: as in `Individual`.
        generation: u32,
        /// Ind: as in `Individual`.
        number: u32,
        /// Fit: more is better.
        fitness: f64,
    },
    /// Robot simulator to world simulator: a new robot. Answered by `YourIdentifier`.
    CreateRobot,
    /// World simulator to robot simulator: how the new robot is called.
    YourIdentifier {
        /// ID of the robot.
        identifier: u16,
    },
    /// Robot simulator to world simulator: the robot is no longer needed. Not answered.
    KillRobot {
        /// ID of the robot.
        identifier: u16,
    },
    /// Robot simulator to world simulator: what the robot looks like. Answered by `YourPosition`.
    BodyShape {
        /// ID of the robot.
        identifier: u16,
        /// Its body.
        shape: BodyShape,
    },
    /// World simulator to robot simulator: where the robot is.
    YourPosition {
        /// ID of the robot.
        identifier: u16,
        /// Where it is.
        position: Position,
    },
    /// Robot simulator to world simulator: put the robot there at once. Answered by `YourPosition`.
    JumpTo {
        /// ID of the robot.
        identifier: u16,
        /// Where it shall be.
        target: Target,
    },
    /// Robot simulator to world simulator: what does light show there? Answered by `VisualSensorReading`.
    VisualSensor {
        /// ID of the robot.
        identifier: u16,
        /// Where the sensor looks.
        beam: Beam,
    },
    /// World simulator to robot simulator: what light showed.
    VisualSensorReading {
        /// ID of the robot.
        identifier: u16,
        /// Dist: to the nearest object, mm, 0 or more.
        distance: f64,
        /// Red, green and blue of that object.
        colour: [u8; 3],
    },
    /// Robot simulator to world simulator: what does sound show there? Answered by `SonicSensorReading`.
    SonicSensor {
        /// ID of the robot.
        identifier: u16,
        /// Where the sensor listens.
        beam: Beam,
    },
    /// World simulator to robot simulator: what sound showed.
    SonicSensorReading {
        /// ID of the robot.
        identifier: u16,
        /// Dist: to the nearest object, mm, 0 or more.
        distance: f64,
    },
    /// Robot simulator to world simulator: drive the robot there, as far as obstacles allow. Answered by `YourPosition`.
    MoveTo {
        /// ID of the robot.
        identifier: u16,
        /// Where it shall be.
        target: Target,
    },
}

impl Message {
    /// The word that starts its line.
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
