//! Cargo world as data: the content of a world file.
//!
//! Lengths are in units of the arena (with 1.48 m per unit, the robot has the size of an e-puck), times in
//! milliseconds. Headings are as on a compass: 0 is along y, and pi / 2 along x. This follows from the printed areas
//! in front of the stations. The origin is the lower left corner.

use super::geometry::Rect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Line on the floor: a polyline with round caps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Width.
    pub width: f32,
    /// Brightness of the line as read by the line sensor; the floor is 50.
    pub value: f32,
    /// Vertices.
    pub points: Vec<[f32; 2]>,
}

/// Lamp above the arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lamp {
    /// Position along x.
    pub x: f32,
    /// Position along y.
    pub y: f32,
    /// Height.
    pub z: f32,
    /// Brightness directly below the lamp.
    pub intensity: f32,
    /// Whether the lamp is on at the start.
    #[serde(default = "yes")]
    pub on: bool,
}

fn yes() -> bool {
    true
}

/// Activation rule of an area. Codes of the report stand in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// Once, until a script arms the area again (-1).
    Once,
    /// At each entrance (0).
    EachEntrance,
    /// At an entrance, if this time (ms) has passed since the last activation.
    After(u32),
}

/// Area that runs a script when a robot inside meets all conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Activation rule.
    pub activation: Activation,
    /// Rectangle for the robot's centre.
    pub at: Rect,
    /// Heading and tolerance (rad); any heading if omitted.
    #[serde(default)]
    pub heading: Option<[f32; 2]>,
    /// State of the fork: 1 up, 2 down, 3 moving up, 4 moving down; any state if omitted.
    #[serde(default)]
    pub fork: Option<u8>,
    /// Minimum and maximum position of the fork (0..1).
    #[serde(default = "any_position")]
    pub position: [f32; 2],
    /// Conditions on registers: number, minimum, maximum. Register 2 holds the cargo.
    #[serde(default)]
    pub registers: Vec<(u8, f32, f32)>,
    /// Number of the script, from 1.
    pub script: usize,
}

fn any_position() -> [f32; 2] {
    [0.0, 1.0]
}

/// Script that runs at a given time, once or periodically.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeEvent {
    /// First time (ms).
    pub start: u32,
    /// Period (ms).
    #[serde(default)]
    pub period: u32,
    /// Number of executions.
    #[serde(default = "once")]
    pub count: u32,
    /// Number of the script, from 1.
    pub script: usize,
}

fn once() -> u32 {
    1
}

/// Command of a script. Lamps and areas are numbered from 1. Codes of the report stand in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Turn a lamp on (10).
    On(usize),
    /// Turn a lamp off (11).
    Off(usize),
    /// Arm an area again (12).
    Arm(usize),
    /// Send an infrared message to the robot (13).
    Tell(u8),
    /// Select a register (14).
    Select(u8),
    /// Store a value in the selected register (15).
    Put(f32),
}

/// Start pose of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Position along x.
    pub x: f32,
    /// Position along y.
    pub y: f32,
    /// Heading (rad).
    pub heading: f32,
}

/// Variances of the six kinds of noise; 0 disables a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// Bumper (sensor 1), where 1 is pressed and 0 is released.
    pub bumper: f32,
    /// Light sensor (sensor 2), in units of brightness.
    pub light: f32,
    /// Line sensor (sensor 3), in units of line brightness.
    pub line: f32,
    /// Relative speed of a wheel, drawn each time the speed is set.
    pub speed: f32,
    /// Heading (rad^2), drawn each time the motors change.
    pub heading: f32,
    /// Heading (rad^2), drawn at each contact with an obstacle.
    pub obstacle: f32,
}

impl Noise {
    /// Whether any sensor has noise.
    pub(super) fn any_sensor(&self) -> bool {
        self.bumper > 0.0 || self.light > 0.0 || self.line > 0.0
    }
}

/// Body of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// Radius.
    pub radius: f32,
    /// Speed of a wheel (units per ms and power).
    pub speed: f32,
    /// Upward speed of the fork (1/ms).
    pub fork_up: f32,
    /// Downward speed of the fork (1/ms).
    pub fork_down: f32,
    /// Distance of the line sensor ahead of the centre, in radii.
    pub line_sensor: f32,
}

impl Default for Body {
    fn default() -> Body {
        Body { radius: 0.025, speed: 1.5e-6, fork_up: 0.0012, fork_down: 0.0014, line_sensor: 0.8 }
    }
}

/// Cargo world.
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
    /// Horizontal reach of light, in lamp heights.
    #[serde(default = "conductivity")]
    pub conductivity: f32,
    /// Active areas.
    #[serde(default)]
    pub areas: Vec<Area>,
    /// Scripts that run at given times.
    #[serde(default)]
    pub times: Vec<TimeEvent>,
    /// Scripts.
    #[serde(default)]
    pub scripts: Vec<Vec<Command>>,
    /// The robot's body.
    #[serde(default)]
    pub body: Body,
    /// Start poses; each run uses one of them.
    pub starts: Vec<Start>,
    /// Noise of sensors and motors.
    #[serde(default)]
    pub noise: Noise,
}

fn unit_size() -> [f32; 2] {
    [1.0, 1.0]
}

fn conductivity() -> f32 {
    0.3
}

/// Brightness of the floor as read by the line sensor.
pub const FLOOR: f32 = 50.0;
/// The register that holds the cargo.
pub const CARGO: usize = 2;
/// Number of registers of a world.
pub const REGISTERS: usize = 256;
/// Infrared message that is a station's mark.
pub const TARGET_MARK: u8 = 84;
/// Script that runs when cargo is loaded.
pub const LOADED: usize = 2;
/// Maximum number of entries in each list of a world.
pub const MAX_ENTRIES: usize = 64;
/// Sampling interval of the robot's program (ms).
pub const TICK: u32 = 20;
