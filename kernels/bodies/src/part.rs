//! Classes of cubes, and the directions and axes of their joints.

use serde::{Deserialize, Serialize};

/// Class of a cube. All cubes have edges of 1 m and a mass of 1 kg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Part with a revolute joint (blue).
    Body,
    /// Part with a revolute joint and a touch sensor (green).
    Sensor,
    /// Part with a rigid joint (purple).
    Fixed,
    /// Part with a rigid joint and a touch sensor (orange).
    FixedSensor,
    /// Root part with a touch sensor and the central pattern generator (black). Mutations do not change its class or
    /// shape.
    Brain,
}

impl Part {
    /// Classes from which a mutation chooses.
    pub const CHANGEABLE: [Part; 4] = [Part::Body, Part::Sensor, Part::Fixed, Part::FixedSensor];

    /// All classes.
    pub const ALL: [Part; 5] = [Part::Body, Part::Sensor, Part::Fixed, Part::FixedSensor, Part::Brain];

    /// Returns whether the joint to the parent is revolute.
    pub fn turns(self) -> bool {
        matches!(self, Part::Body | Part::Sensor | Part::Brain)
    }

    /// Returns whether the part has a sensor neuron.
    pub fn senses(self) -> bool {
        matches!(self, Part::Sensor | Part::FixedSensor | Part::Brain)
    }

    /// Returns the name of the colour in URDF files of pyro-corpus.
    pub fn colour_name(self) -> &'static str {
        match self {
            Part::Body => "Blue",
            Part::Sensor => "Green",
            Part::Fixed => "Purple",
            Part::FixedSensor => "Orange",
            Part::Brain => "Black",
        }
    }

    /// Returns the colour as red, green and blue (0..=1).
    pub fn colour(self) -> [f64; 3] {
        match self {
            Part::Body => [0.0, 0.0, 1.0],
            Part::Sensor => [0.0, 1.0, 0.0],
            Part::Fixed => [0.5, 0.0, 0.5],
            Part::FixedSensor => [1.0, 0.35, 0.2],
            Part::Brain => [0.0, 0.0, 0.0],
        }
    }

    /// Returns the short name of the class in the text form. In the README of pyro-corpus, only `B` occurs.
    pub fn class_name(self) -> &'static str {
        match self {
            Part::Body => "B",
            Part::Sensor => "S",
            Part::Fixed => "F",
            Part::FixedSensor => "FS",
            Part::Brain => "CPG",
        }
    }

    /// Returns the class for a name in the text form. The name is a short name, or a class name in pyro-corpus's
    /// source. Returns `None` for any other name.
    pub(crate) fn of_class_name(name: &str) -> Option<Part> {
        match name {
            "FixedSizeBodyPiece" => Some(Part::Body),
            "FixedSizeSensorPiece" => Some(Part::Sensor),
            "FixedSizeUnmovableBodyPiece" => Some(Part::Fixed),
            "FixedSizeUnmovableSensorPiece" => Some(Part::FixedSensor),
            "FixedSizedUnchangeableBrain" => Some(Part::Brain),
            _ => Part::ALL.into_iter().find(|part| part.class_name() == name),
        }
    }
}

/// Side of a cube. It is also the direction from this cube to the cube at this side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Direction {
    /// Direction +x.
    Front,
    /// Direction -y.
    Left,
    /// Direction +z.
    Top,
    /// Direction -x.
    Back,
    /// Direction +y.
    Right,
    /// Direction -z.
    Bottom,
}

impl Direction {
    /// All directions, in the order in which mutation draws them.
    pub const ALL: [Direction; 6] =
        [Direction::Front, Direction::Left, Direction::Top, Direction::Back, Direction::Right, Direction::Bottom];

    /// Returns the unit vector of the direction.
    pub fn vector(self) -> [i32; 3] {
        match self {
            Direction::Front => [1, 0, 0],
            Direction::Left => [0, -1, 0],
            Direction::Top => [0, 0, 1],
            Direction::Back => [-1, 0, 0],
            Direction::Right => [0, 1, 0],
            Direction::Bottom => [0, 0, -1],
        }
    }

    /// Returns the name in the text form and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Front => "FRONT",
            Direction::Left => "LEFT",
            Direction::Top => "TOP",
            Direction::Back => "BACK",
            Direction::Right => "RIGHT",
            Direction::Bottom => "BOTTOM",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Direction> {
        Direction::ALL.into_iter().find(|direction| direction.name() == name)
    }

    pub(crate) fn of_vector(vector: [i32; 3]) -> Option<Direction> {
        Direction::ALL.into_iter().find(|direction| direction.vector() == vector)
    }
}

/// Rotation axis of a joint in the parent's frame. Initially, this frame is parallel to the world frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Axis {
    /// x axis.
    X,
    /// y axis.
    Y,
    /// z axis.
    Z,
}

impl Axis {
    /// All axes.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// Returns the index of the axis: 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the name in the text form and in JSON.
    pub fn name(self) -> &'static str {
        ["X", "Y", "Z"][self.index()]
    }

    pub(crate) fn of_name(name: &str) -> Option<Axis> {
        Axis::ALL.into_iter().find(|axis| axis.name() == name)
    }
}
