//! The world of cargo as data: what a world file says.
//!
//! Lengths are shares of the arena's unit (1.48 m make the robot an e-puck), times milliseconds. Headings are a compass's: 0
//! is up the y axis, pi / 2 along x; the printed areas before the stations say so. The origin is the lower left corner.

use super::geometry::Rect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line on the floor: a polyline with round caps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Width.
    pub width: f32,
    /// How bright it is to the line sensor; the floor is 50.
    pub value: f32,
    /// Its vertices.
    pub points: Vec<[f32; 2]>,
}

/// A lamp above the arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lamp {
    /// Place.
    pub x: f32,
    /// Place.
    pub y: f32,
    /// Height.
    pub z: f32,
    /// Brightness below it.
    pub intensity: f32,
    /// Whether it is on before any script runs.
    #[serde(default = "yes")]
    pub on: bool,
}

fn yes() -> bool {
    true
}

/// How often an area acts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// Once, until a script arms it again (-1 in the document).
    Once,
    /// At each entrance (0).
    EachEntrance,
    /// At an entrance when so many milliseconds have passed since the last.
    After(u32),
}

/// An area that runs a script when a robot is in it as described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// How often.
    pub activation: Activation,
    /// Where the robot's centre must be.
    pub at: Rect,
    /// Heading and tolerance, radians; any if left out.
    #[serde(default)]
    pub heading: Option<[f32; 2]>,
    /// State of the fork: 1 up, 2 down, 3 moving up, 4 moving down; any if left out.
    #[serde(default)]
    pub fork: Option<u8>,
    /// Least and greatest position of the fork, 0 to 1.
    #[serde(default = "any_position")]
    pub position: [f32; 2],
    /// Conditions on registers: number, least, greatest. Register 2 is the cargo.
    #[serde(default)]
    pub registers: Vec<(u8, f32, f32)>,
    /// The script, from 1.
    pub script: usize,
}

fn any_position() -> [f32; 2] {
    [0.0, 1.0]
}

/// A script that runs at a time, once or so many times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeEvent {
    /// First time, ms.
    pub start: u32,
    /// Period, ms.
    #[serde(default)]
    pub period: u32,
    /// How many times.
    #[serde(default = "once")]
    pub count: u32,
    /// The script, from 1.
    pub script: usize,
}

fn once() -> u32 {
    1
}

/// A command of a script. Lamps and areas count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Turn a lamp on (10).
    On(usize),
    /// Turn a lamp off (11).
    Off(usize),
    /// Arm an area again (12).
    Arm(usize),
    /// The robot receives an infrared message (13).
    Tell(u8),
    /// Choose a register (14).
    Select(u8),
    /// Put a value into the chosen register (15).
    Put(f32),
}

/// Where a robot starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Place.
    pub x: f32,
    /// Place.
    pub y: f32,
    /// Heading, radians.
    pub heading: f32,
}

/// Variances of the six noises; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// Of the bumper (sensor 1), of which 1 is pressed and 0 is released.
    pub bumper: f32,
    /// Of the light sensor (sensor 2), in units of brightness.
    pub light: f32,
    /// Of the line sensor (sensor 3), in units of marks' values.
    pub line: f32,
    /// Of a wheel's speed each time it is set, as a share.
    pub speed: f32,
    /// Of the heading each time that motors change, radians squared.
    pub heading: f32,
    /// Of the heading each time that an obstacle is met, radians squared.
    pub obstacle: f32,
}

impl Noise {
    /// Whether there is any.
    pub(super) fn any_sensor(&self) -> bool {
        self.bumper > 0.0 || self.light > 0.0 || self.line > 0.0
    }
}

/// The robot's body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// Radius.
    pub radius: f32,
    /// Speed of a wheel, units per millisecond and power.
    pub speed: f32,
    /// Speed of the fork upwards, per ms.
    pub fork_up: f32,
    /// Speed of the fork downwards, per ms.
    pub fork_down: f32,
    /// How far ahead of the centre the line sensor is, in radii.
    pub line_sensor: f32,
}

impl Default for Body {
    fn default() -> Body {
        Body { radius: 0.025, speed: 1.5e-6, fork_up: 0.0012, fork_down: 0.0014, line_sensor: 0.8 }
    }
}

/// A world of cargo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Size of the arena.
    #[serde(default = "unit_size")]
    pub size: [f32; 2],
    /// Obstacles.
    #[serde(default)]
    pub obstacles: Vec<Rect>,
    /// Lines.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Lamps.
    #[serde(default)]
    pub lamps: Vec<Lamp>,
    /// How far light reaches to the side, in heights of a lamp.
    #[serde(default = "conductivity")]
    pub conductivity: f32,
    /// Active areas.
    #[serde(default)]
    pub areas: Vec<Area>,
    /// Scripts that run at times.
    #[serde(default)]
    pub times: Vec<TimeEvent>,
    /// Scripts.
    #[serde(default)]
    pub scripts: Vec<Vec<Command>>,
    /// The robot's body.
    #[serde(default)]
    pub body: Body,
    /// Where it starts, one of these for each run.
    pub starts: Vec<Start>,
    /// Noises.
    #[serde(default)]
    pub noise: Noise,
}

fn unit_size() -> [f32; 2] {
    [1.0, 1.0]
}

fn conductivity() -> f32 {
    0.3
}

/// How bright the floor is to the line sensor.
pub const FLOOR: f32 = 50.0;
/// The register that holds the cargo.
pub const CARGO: usize = 2;
/// Registers of a world.
pub const REGISTERS: usize = 256;
/// The infrared message that is a station's mark.
pub const TARGET_MARK: u8 = 84;
/// The script that runs when cargo is loaded.
pub const LOADED: usize = 2;
/// Most entries of each list of a world.
pub const MAX_ENTRIES: usize = 64;
/// How often the robot's program looks at its sensors, ms.
pub const TICK: u32 = 20;
