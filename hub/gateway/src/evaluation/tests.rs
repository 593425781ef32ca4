//! Tests with the examples and the conformance cases of the specification, and with invalid messages.

use super::individual::Individual;
use super::message::{Message, MessageError};
use super::parameters::{NetParameters, Neurons, Weights};
use super::place::{Beam, Position, Target};

/// Valid lines, with at least one for each kind of message.
pub(super) const LINES: [&str; 16] = [
    "SendNetParameters",
    "NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 0 0 0 0 1 -10 10 1 1",
    "NetParameters 4 2 -0.5 0.5 3 1 -1 1 2 2 -2 2 1 9 3 -3 3 1 -10 10 0 0",
    "Individual 1 1 0 0.3 -1.5 2.7 -0.4 2.1 0.1 -3.6 -0.9",
    "Fitness 37 200 -12.75",
    "CreateRobot",
    "YourIdentifier 65535",
    "KillRobot 1",
    "BodyShape 17 1 20 1 4 -30 40 30 40 30 -40 -30 -40",
    "YourPosition 17 1000 1200.5 0 1.25 0 -0.25 0.5 1",
    "JumpTo 17 1000 1000 -3.1",
    "VisualSensor 17 500 1000 10 0 -1.5 0.125 0.75",
    "VisualSensorReading 17 1500 255 0 17",
    "SonicSensor 17 1000 500 10 0 0 1.5707963 0",
    "SonicSensorReading 17 707.1",
    "MoveTo 17 1e300 -2000 1.5e-9",
];

pub(super) fn written(message: &Message) -> String {
    let mut line = String::new();
    message.write_to(&mut line).unwrap_or_else(|error| panic!("{message:?}: {error}"));
    line
}

fn parsed(line: &str) -> Message {
    Message::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Returns parameters with two inputs, two outputs and no hidden neurons. A weight has one value from -10 to 10
/// (section 3.1 of the specification).
fn example() -> NetParameters {
    let neurons = Neurons { count: 2, ..Neurons::default() };
    NetParameters {
        max_concurrent: 1,
        inputs: neurons.clone(),
        outputs: neurons,
        weights: Weights { values: 1, low: -10.0, high: 10.0 },
        input_to_output: true,
        recurrent: true,
        ..NetParameters::default()
    }
}

fn individual(line: &str) -> Individual {
    let Message::Individual(individual) = parsed(line) else { panic!("{line}") };
    individual
}

#[test]
fn every_message_round_trips() {
    let mut names: Vec<&str> = LINES.iter().map(|line| parsed(line).name()).collect();
    for line in LINES {
        assert_eq!(written(&parsed(line)), line);
        let blanks = format!(" \t{}  ", line.replace(' ', " \t "));
        assert_eq!(parsed(&blanks), parsed(line));
    }
    names.dedup();
    assert_eq!(names.len(), 15);
}

#[test]
fn values_go_to_the_fields_that_the_document_gives_them() {
    assert_eq!(parsed(LINES[4]), Message::Fitness { generation: 37, number: 200, fitness: -12.75 });
    let position = Position {
        x: 1000.0,
        y: 1200.5,
        z: 0.0,
        direction: 1.25,
        tilt_forward: 0.0,
        tilt_across: -0.25,
        stress: 0.5,
        death: true,
    };
    assert_eq!(parsed(LINES[9]), Message::YourPosition { identifier: 17, position });
    let target = Target { x: 1000.0, y: 1000.0, direction: -3.1 };
    assert_eq!(parsed(LINES[10]), Message::JumpTo { identifier: 17, target });
    let beam = Beam { x: 500.0, y: 1000.0, z: 10.0, direction: 0.0, tilt: -1.5, horizontal: 0.125, vertical: 0.75 };
    assert_eq!(parsed(LINES[11]), Message::VisualSensor { identifier: 17, beam });
    let reading = Message::VisualSensorReading { identifier: 17, distance: 1500.0, colour: [255, 0, 17] };
    assert_eq!(parsed(LINES[12]), reading);
}

/// Conformance cases 1 and 2 of the specification.
#[test]
fn simple_recurrent_net_matches_document() {
    assert_eq!(parsed("SendNetParameters"), Message::SendNetParameters);
    assert_eq!(written(&Message::NetParameters(example())), LINES[1]);
    assert_eq!(parsed(LINES[1]), Message::NetParameters(example()));
}

/// Conformance cases 3 to 5 of the specification.
#[test]
fn other_forms_of_the_same_numbers_are_the_same_genome() {
    let parameters = example();
    let first = individual("Individual 1 1 0 0.3 -1.5 2.7 -0.4 2.1 0.1 -3.6 -0.9");
    let second = individual("Individual 37 200 0 +0.3 -15E-1 27e-1 -0.4 2.1 .1 -3.6 -9E-1");
    assert_eq!(first.values, second.values);
    assert_eq!(first.genome(&parameters).expect("a genome").weight(1, 0), [2.1]);
    let fitness = Message::Fitness { generation: second.generation, number: second.number, fitness: 0.5 };
    assert_eq!(written(&fitness), "Fitness 37 200 0.5");
}

/// Conformance case 9 of the specification.
#[test]
fn seven_weights_instead_of_eight_are_refused() {
    let parameters = example();
    let seven = individual("Individual 1 1 0 0.3 -1.5 2.7 -0.4 2.1 0.1 -3.6");
    let refusal = seven.genome(&parameters).expect_err("a weight lacks").to_string();
    assert_eq!(refusal, "Individual: 10 values, expected 11");
}

#[test]
fn refusals_say_what_is_wrong_and_what_is_wanted() {
    let number = "is not a number (allowed: 0-9 + - E e .)";
    let long = "9".repeat(32);
    let refusals = [
        ("", "unknown message \"\"".to_owned()),
        ("createrobot", "unknown message \"createrobot\"".to_owned()),
        ("Create\u{7f}Robot", "unknown message \"Create\\u{7f}Robot\"".to_owned()),
        ("CreateRobot 1", "CreateRobot: 1 values, expected 0".to_owned()),
        ("KillRobot", "KillRobot: 0 values, expected 1".to_owned()),
        ("MoveTo 1 2 3", "MoveTo: 3 values, expected 4".to_owned()),
        ("Individual 1 1", "Individual: 2 values, expected at least 3".to_owned()),
        ("Fitness 1 1 inf", format!("Fitness: fitness \"inf\" {number}")),
        ("Fitness 1 1 1\r", format!("Fitness: fitness \"1\\r\" {number}")),
        (&format!("KillRobot {}x", "9".repeat(50)), format!("KillRobot: identifier \"{long}...\" {number}")),
        ("KillRobot 1.5", "KillRobot: the identifier is 1.5, but must be a whole number".to_owned()),
        ("KillRobot 0", "KillRobot: identifier 0 is out of range 1 to 65535".to_owned()),
        ("KillRobot 65536", "KillRobot: identifier 65536 is out of range 1 to 65535".to_owned()),
        ("Fitness -1 1 1", "Fitness: generation -1 is out of range 0 to 4294967295".to_owned()),
        ("YourPosition 1 0 0 0 0 0 0 1.1 0", "YourPosition: stress 1.1 is out of range 0 to 1".to_owned()),
        ("YourPosition 1 0 0 0 0 0 0 1 2", "YourPosition: death 2 is out of range 0 to 1".to_owned()),
        ("VisualSensorReading 1 5 0 256 0", "VisualSensorReading: green 256 is out of range 0 to 255".to_owned()),
    ];
    for (line, text) in refusals {
        let refusal = Message::parse(line).map_err(|error| error.to_string());
        assert_eq!(refusal, Err(text), "{line}");
    }
}

#[test]
fn numbers_and_angles_have_bounds() {
    for line in ["MoveTo 1 1e999 0 0", "Fitness 1 1 -1e400", "SonicSensorReading 1 -1"] {
        assert!(matches!(Message::parse(line), Err(MessageError::OutOfRange { .. })), "{line}");
    }
    for (tilt, allowed) in [("-1.571", true), ("1.5707964", true), ("1.58", false), ("-1.58", false)] {
        assert_eq!(Message::parse(&format!("SonicSensor 1 0 0 0 9 {tilt} 0 0")).is_ok(), allowed, "{tilt}");
    }
    for (angle, allowed) in [("0", true), ("1.571", true), ("1.58", false), ("-0.1", false)] {
        assert_eq!(Message::parse(&format!("VisualSensor 1 0 0 0 9 0 {angle} 0")).is_ok(), allowed, "{angle}");
    }
}

#[test]
fn unreadable_messages_are_not_written() {
    let refused = [
        Message::KillRobot { identifier: 0 },
        Message::Fitness { generation: 1, number: 1, fitness: f64::NAN },
        Message::SonicSensorReading { identifier: 1, distance: f64::INFINITY },
        Message::NetParameters(NetParameters::default()),
        Message::Individual(Individual { values: vec![0.0; 60_001], ..Individual::default() }),
    ];
    for message in refused {
        let mut line = String::from("kept");
        assert!(message.write_to(&mut line).is_err(), "{message:?}");
        assert_eq!(line, "kept");
    }
    let mut line = String::from("kept");
    let long = Message::Individual(Individual { values: vec![-1.0 / 3.0; 60_000], ..Individual::default() });
    assert!(matches!(long.write_to(&mut line), Err(MessageError::TooLong { .. })));
    assert_eq!(line, "kept");
    let zero = Message::Fitness { generation: 1, number: 1, fitness: -0.0 };
    assert_eq!(written(&zero), "Fitness 1 1 0");
}
