//! Tests of worlds through messages of robot simulators.

mod conformance;
mod grounds;
mod moves;
mod random_moves;
mod readings;
mod shapes;
mod speed;
mod states;

use super::description::{Block, Description};
use super::{World, WorldError};
use crate::evaluation::message::Message;
use crate::evaluation::place::Position;

/// Rectangular body of the specification, 60 mm wide and 80 mm long. `BodyShape` and the identifier come before this
/// text.
const RECTANGLE: &str = "1 20 1 4 -30 40 30 40 30 -40 -30 -40";

/// Returns the world's answer to a line.
fn answer(world: &mut World, connection: u32, line: &str) -> Result<Option<Message>, WorldError> {
    let message = Message::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let answer = world.answer(connection, &message);
    // Every answer must have a valid written form.
    if let Ok(Some(message)) = &answer {
        message.write_to(&mut String::new()).unwrap_or_else(|error| panic!("{line}: {message:?}: {error}"));
    }
    answer
}

fn ask(world: &mut World, line: &str) -> Message {
    answer(world, 1, line)
        .unwrap_or_else(|error| panic!("{line}: {error}"))
        .unwrap_or_else(|| panic!("{line}: silence"))
}

/// Returns the position in the answer to a line.
fn go(world: &mut World, line: &str) -> Position {
    match ask(world, line) {
        Message::YourPosition { position, .. } => position,
        other => panic!("{line}: {other:?}"),
    }
}

/// Returns the distance in the answer to a line.
fn distance(world: &mut World, line: &str) -> f64 {
    match ask(world, line) {
        Message::SonicSensorReading { distance, .. } | Message::VisualSensorReading { distance, .. } => distance,
        other => panic!("{line}: {other:?}"),
    }
}

/// Creates a robot of a shape at a pose "X Y Dir". Returns the robot's identifier.
fn robot(world: &mut World, shape: &str, place: &str) -> u16 {
    let Message::YourIdentifier { identifier } = ask(world, "CreateRobot") else { panic!("no identifier") };
    let position = go(world, &format!("BodyShape {identifier} {shape}"));
    assert_eq!(position.stress, 0.0, "{shape}: {position:?}");
    let position = go(world, &format!("JumpTo {identifier} {place}"));
    assert_eq!(position.stress, 0.0, "{place}: {position:?}");
    identifier
}

fn world(change: impl FnOnce(&mut Description)) -> World {
    let mut description = Description::empty();
    change(&mut description);
    World::new(&description, 1).unwrap_or_else(|error| panic!("{error}"))
}

fn empty() -> World {
    world(|_| ())
}

fn rectangle([left, right]: [f64; 2], [low, high]: [f64; 2]) -> Vec<[f64; 2]> {
    vec![[left, low], [right, low], [right, high], [left, high]]
}

/// Returns a block from the ground to a height of 100 mm.
fn block(x: [f64; 2], y: [f64; 2]) -> Block {
    let (bottom, top) = (0.0, 100.0);
    Block { outline: rectangle(x, y), bottom, top, colour: [255, 0, 0], seen_by_light: true, seen_by_sound: true }
}

#[track_caller]
fn near(value: f64, wanted: f64, tolerance: f64) {
    assert!((value - wanted).abs() <= tolerance, "{value} came, {wanted} was wanted");
}
