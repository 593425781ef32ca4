//! Formats messages as lines.

use super::error::{MessageError, in_range};
use super::lines::LINE_LIMIT;
use super::message::Message;
use super::number::{self, COUNTS, FINITE};
use super::reader::{COLOURS, IDENTIFIERS};
use super::visit::Visit;
use std::ops::RangeInclusive;

const DISTANCES: RangeInclusive<f64> = 0.0..=f64::MAX;

impl Message {
    /// Appends the message without a line ending. Values are separated by single spaces. Each number has the shortest
    /// text that parses to the same bits.
    ///
    /// # Errors
    /// [`Message::parse`] would reject the message, or its line is longer than [`LINE_LIMIT`]. In both cases `line`
    /// is unchanged.
    pub fn write_to(&self, line: &mut String) -> Result<(), MessageError> {
        self.check()?;
        let start = line.len();
        line.push_str(self.name());
        self.visit(&mut |_, value, _| {
            line.push(' ');
            number::append(line, value);
            Ok(())
        })?;
        let bytes = line.len() - start;
        if bytes > LINE_LIMIT {
            line.truncate(start);
            return Err(MessageError::TooLong { message: self.name(), bytes });
        }
        Ok(())
    }

    /// Rejects values that are out of range or contradictory.
    pub(super) fn check(&self) -> Result<(), MessageError> {
        match self {
            Message::NetParameters(parameters) => parameters.check(),
            _ => self.visit(&mut |what, value, range| in_range(self.name(), what, value, range)),
        }
    }

    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), MessageError> {
        let mut identify = |identifier: &u16| visit("identifier", f64::from(*identifier), IDENTIFIERS);
        match self {
            Message::SendNetParameters | Message::CreateRobot => Ok(()),
            Message::NetParameters(parameters) => parameters.visit(visit),
            Message::Individual(individual) => individual.visit(visit),
            Message::Fitness { generation, number, fitness } => {
                visit("generation", f64::from(*generation), COUNTS)?;
                visit("number", f64::from(*number), COUNTS)?;
                visit("fitness", *fitness, FINITE)
            }
            Message::YourIdentifier { identifier } | Message::KillRobot { identifier } => identify(identifier),
            Message::BodyShape { identifier, shape } => {
                identify(identifier)?;
                shape.visit(visit)
            }
            Message::YourPosition { identifier, position } => {
                identify(identifier)?;
                position.visit(visit)
            }
            Message::JumpTo { identifier, target } | Message::MoveTo { identifier, target } => {
                identify(identifier)?;
                target.visit(visit)
            }
            Message::VisualSensor { identifier, beam } | Message::SonicSensor { identifier, beam } => {
                identify(identifier)?;
                beam.visit(visit)
            }
            Message::VisualSensorReading { identifier, distance, colour: [red, green, blue] } => {
                identify(identifier)?;
                visit("distance", *distance, DISTANCES)?;
                visit("red", f64::from(*red), COLOURS)?;
                visit("green", f64::from(*green), COLOURS)?;
                visit("blue", f64::from(*blue), COLOURS)
            }
            Message::SonicSensorReading { identifier, distance } => {
                identify(identifier)?;
                visit("distance", *distance, DISTANCES)
            }
        }
    }
}
