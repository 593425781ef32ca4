//! Parses lines into messages.

use super::body::BodyShape;
use super::error::{MessageError, ValueCount, shortened};
use super::individual::Individual;
use super::message::Message;
use super::parameters::NetParameters;
use super::place::{Beam, Position, Target};
use super::reader::{Reader, next_word};

/// Names of the messages, with their numbers of values.
const MESSAGES: [(&str, ValueCount); 15] = [
    ("SendNetParameters", ValueCount::Exactly(0)),
    ("NetParameters", ValueCount::Exactly(22)),
    ("Individual", ValueCount::AtLeast(3)),
    ("Fitness", ValueCount::Exactly(3)),
    ("CreateRobot", ValueCount::Exactly(0)),
    ("YourIdentifier", ValueCount::Exactly(1)),
    ("KillRobot", ValueCount::Exactly(1)),
    ("BodyShape", ValueCount::AtLeast(2)),
    ("YourPosition", ValueCount::Exactly(9)),
    ("JumpTo", ValueCount::Exactly(4)),
    ("VisualSensor", ValueCount::Exactly(8)),
    ("VisualSensorReading", ValueCount::Exactly(5)),
    ("SonicSensor", ValueCount::Exactly(8)),
    ("SonicSensorReading", ValueCount::Exactly(2)),
    ("MoveTo", ValueCount::Exactly(4)),
];

impl Message {
    /// Parses a line without its line ending. Any number of spaces and tabs may separate and surround the words.
    ///
    /// The network parameters determine the number and the meaning of an individual's values: see
    /// [`Individual::genome`].
    ///
    /// # Errors
    /// The name is unknown, the number of values is wrong, or a value is not a number or is out of range.
    pub fn parse(line: &str) -> Result<Message, MessageError> {
        let mut rest = line;
        let word = next_word(&mut rest);
        let unknown = || MessageError::UnknownName { name: shortened(word) };
        let (name, wanted) = MESSAGES.into_iter().find(|(name, _)| *name == word).ok_or_else(unknown)?;
        let values = &mut Reader::new(name, rest);
        wanted.check(name, values.came())?;
        let message = match name {
            "SendNetParameters" => Message::SendNetParameters,
            "NetParameters" => Message::NetParameters(NetParameters::read(values)?),
            "Individual" => Message::Individual(Individual::read(values)?),
            "Fitness" => {
                let [generation, number] = [values.count("generation")?, values.count("number")?];
                Message::Fitness { generation, number, fitness: values.real("fitness")? }
            }
            "CreateRobot" => Message::CreateRobot,
            _ => Self::parse_of_robot(name, values)?.ok_or_else(unknown)?,
        };
        message.check()?;
        Ok(message)
    }

    /// Parses the values of a message whose first value is a robot's identifier. Returns `None` if no such message is
    /// called `name`.
    fn parse_of_robot(name: &str, values: &mut Reader<'_>) -> Result<Option<Message>, MessageError> {
        let identifier = values.identifier()?;
        Ok(Some(match name {
            "YourIdentifier" => Message::YourIdentifier { identifier },
            "KillRobot" => Message::KillRobot { identifier },
            "BodyShape" => Message::BodyShape { identifier, shape: BodyShape::read(values)? },
            "YourPosition" => Message::YourPosition { identifier, position: Position::read(values)? },
            "JumpTo" => Message::JumpTo { identifier, target: Target::read(values)? },
            "VisualSensor" => Message::VisualSensor { identifier, beam: Beam::read(values)? },
            "VisualSensorReading" => Message::VisualSensorReading {
                identifier,
                distance: values.real("distance")?,
                colour: [values.colour("red")?, values.colour("green")?, values.colour("blue")?],
            },
            "SonicSensor" => Message::SonicSensor { identifier, beam: Beam::read(values)? },
            "SonicSensorReading" => Message::SonicSensorReading { identifier, distance: values.real("distance")? },
            "MoveTo" => Message::MoveTo { identifier, target: Target::read(values)? },
            _ => return Ok(None),
        }))
    }
}
