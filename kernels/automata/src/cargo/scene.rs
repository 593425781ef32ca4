//! Cargo world as data: the content of a world file.
//!
//! Lengths are in arena units; with 1.48 m per unit, the robot has the size of an e-puck. Times are in milliseconds.
//! Headings are as on a compass: 0 is along y, and pi / 2 is along x. The areas in front of the stations, as printed in
//! the report, imply this convention. The origin is the lower left corner.

use super::geometry::Rect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Line on the floor: a polyline with round caps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Width of the line (arena units).
    pub width: f32,
    /// Brightness of the line as read by the line sensor. The brightness of the floor is 50.
    pub value: f32,
    /// Vertices of the polyline (arena units).
    pub points: Vec<[f32; 2]>,
}

/// Lamp above the arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lamp {
    /// Position along x (arena units).
    pub x: f32,
    /// Position along y (arena units).
    pub y: f32,
    /// Height above the floor (arena units).
    pub z: f32,
    /// Brightness on the floor directly below the lamp.
    pub intensity: f32,
    /// Whether the lamp is on at the start.
    #[serde(default = "yes")]
    pub on: bool,
}

fn yes() -> bool {
    true
}

/// Activation rule of an area. The report's codes are given in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// Activates once, and once more each time a script arms the area again (-1).
    Once,
    /// Activates at each entrance (0).
    EachEntrance,
    /// Activates at an entrance if this time (ms) has passed since the last activation.
    After(u32),
}

/// Area that runs a script when a robot inside meets all conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Activation rule.
    pub activation: Activation,
    /// Rectangle in which the robot's centre must be.
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
    /// Conditions on registers, each with register number, minimum and maximum. Register 2 holds the cargo.
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
    /// Time of the first execution (ms).
    pub start: u32,
    /// Interval between executions (ms).
    #[serde(default)]
    pub period: u32,
    /// Number of executions of the script.
    #[serde(default = "once")]
    pub count: u32,
    /// Number of the script, from 1.
    pub script: usize,
}

fn once() -> u32 {
    1
}

/// Command of a script. Lamps and areas are numbered from 1. The report's codes are given in brackets.
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
    /// Position along x (arena units).
    pub x: f32,
    /// Position along y (arena units).
    pub y: f32,
    /// Heading (rad).
    pub heading: f32,
}

/// Variances of the six kinds of noise. A variance of 0 disables a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// Variance of the bumper's value (sensor 1), where 1 is pressed and 0 is released.
    pub bumper: f32,
    /// Variance of the light sensor's value (sensor 2), in squared units of brightness.
    pub light: f32,
    /// Variance of the line sensor's value (sensor 3), in squared units of line brightness.
    pub line: f32,
    /// Variance of a wheel's relative speed. The noise is drawn each time the speed is set.
    pub speed: f32,
    /// Variance of the error that is added to the heading each time the power of a motor changes (rad^2).
    pub heading: f32,
    /// Variance of the error that is added to the heading at the start of each contact with an obstacle (rad^2).
    pub obstacle: f32,
}

impl Noise {
    /// Returns whether any sensor has noise.
    pub(super) fn any_sensor(&self) -> bool {
        self.bumper > 0.0 || self.light > 0.0 || self.line > 0.0
    }
}

/// Body of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// Radius (arena units).
    pub radius: f32,
    /// Speed of a wheel per unit of motor power (arena units/ms).
    pub speed: f32,
    /// Upward speed of the fork, as a share of its range (1/ms).
    pub fork_up: f32,
    /// Downward speed of the fork, as a share of its range (1/ms).
    pub fork_down: f32,
    /// Distance of the line sensor ahead of the robot's centre, as a multiple of `radius`.
    pub line_sensor: f32,
}

impl Default for Body {
    fn default() -> Body {
        Body { radius: 0.025, speed: 1.5e-6, fork_up: 0.0012, fork_down: 0.0014, line_sensor: 0.8 }
    }
}

/// Cargo world, as written in a world file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Width and height of the arena (arena units).
    #[serde(default = "unit_size")]
    pub size: [f32; 2],
    /// Obstacles in the arena.
    #[serde(default)]
    pub obstacles: Vec<Rect>,
    /// Lines on the floor.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Lamps above the arena.
    #[serde(default)]
    pub lamps: Vec<Lamp>,
    /// Horizontal distance at which a lamp's brightness is halved, as a multiple of the lamp's height.
    #[serde(default = "conductivity")]
    pub conductivity: f32,
    /// Areas that run a script when a robot meets their conditions.
    #[serde(default)]
    pub areas: Vec<Area>,
    /// Scripts that run at given times.
    #[serde(default)]
    pub times: Vec<TimeEvent>,
    /// Command lists of the scripts. Script 1 is at index 0.
    #[serde(default)]
    pub scripts: Vec<Vec<Command>>,
    /// Body of the robot.
    #[serde(default)]
    pub body: Body,
    /// Start poses. Each run uses one of the poses.
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
/// Number of the register that holds the cargo.
pub const CARGO: usize = 2;
/// Number of registers of a world.
pub const REGISTERS: usize = 256;
/// Infrared message that marks a station.
pub const TARGET_MARK: u8 = 84;
/// Number of the script that runs when cargo is loaded.
pub const LOADED: usize = 2;
/// Maximum number of entries in each list of a world.
pub const MAX_ENTRIES: usize = 64;
/// Sampling interval of the robot's program (ms).
pub const TICK: u32 = 20;
