//! Specification of a world: its contents, start positions and task.

use super::body::{Pose, Shape};
use super::conditions::Conditions;
use super::floor::Floor;
use super::physics::Physics;
use super::senses::Patch;
use super::senses::camera_model::CameraModel;
use super::senses::light::Lighting;
use super::senses::messages::{Messages, Obstacles};
use super::senses::tags::Tags;
use super::task::Task;
use super::zone::Zone;
use crate::math::{Vec2, vec2};
use crate::model::{ARENA_ROBOTS, HALF_ARENA};
use std::sync::Arc;

/// Specification of a simulation. [`WorldSpec::check`] validates it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSpec {
    /// Number of robots, 1 to [`MAX_ROBOTS`](crate::model::MAX_ROBOTS).
    pub robots: usize,
    /// Shape of a robot. Its colour must be that of the reference model.
    pub robot: Shape,
    /// The arena, its inner walls, contact parameters and noise, and the wheels and senses of the robots.
    pub physics: Physics,
    /// Passive discs, at most [`MAX_DISCS`](crate::model::MAX_DISCS). In a transport task, robots move the first
    /// disc.
    pub discs: Vec<Disc>,
    /// Coloured patches on the arena's walls.
    pub patches: Vec<Patch>,
    /// Start configurations of the robots. Successive runs use the configurations in turn.
    pub starts: Vec<Start>,
    /// Paint on the floor, and errors of the ground sensors.
    pub floor: Arc<Floor>,
    /// Ambient light at the robots' infra-red sensors.
    pub lighting: Lighting,
    /// Tags that the cameras can detect.
    pub tags: Tags,
    /// Deviations of the cameras from a perfect camera.
    pub camera: CameraModel,
    /// Message model between robots. With `None`, each robot hears all robots within range, without delay or noise.
    pub messages: Option<Messages>,
    /// The scored task.
    pub task: Task,
    /// Conditions of the task under which walls, patches, lights and starts exist.
    pub conditions: Conditions,
}

/// A passive disc and its start area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Size, mass, friction and colour.
    pub shape: Shape,
    /// Area in which the centre of the disc starts.
    pub start: Area,
}

/// An axis-aligned rectangle in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Minimum x and y (m).
    pub low: Vec2,
    /// Maximum x and y (m).
    pub high: Vec2,
}

/// Start configuration of the robots.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Random poses. The centres are uniformly distributed in an area, and the distance between two centres is at least
    /// 0.1 m.
    Area(Area),
    /// Given poses. Robot i starts at pose i.
    Poses(Vec<Pose>),
    /// Random headings, and centres uniformly distributed in a region, at least 0.1 m apart.
    Zone(Zone),
}

/// Start scenarios of the benchmark task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// All robots at the downfield end, with x in -0.9..-0.5 and y in -0.6..0.6 (m). In a larger arena, these ranges
    /// are scaled.
    A,
    /// Robots distributed over the arena, with x in -0.8..0.8 and y in -0.6..0.6 (m). In a larger arena, these ranges
    /// are scaled.
    B,
}

impl Scenario {
    /// Returns the start configuration of the given number of robots in the benchmark arena.
    pub fn start(self, robots: usize) -> Start {
        let area = match self {
            Scenario::A => Area { low: vec2(-0.9, -0.6), high: vec2(-0.5, 0.6) },
            Scenario::B => Area { low: vec2(-0.8, -0.6), high: vec2(0.8, 0.6) },
        };
        let scale = arena_scale(robots);
        Start::Area(Area { low: area.low * scale, high: area.high * scale })
    }
}

/// Returns the scale of the benchmark arena's length and width for the given number of robots. The scale is 1 up to
/// [`ARENA_ROBOTS`] robots. For more robots, the area per robot is constant.
pub fn arena_scale(robots: usize) -> f32 {
    (robots.max(ARENA_ROBOTS) as f32 / ARENA_ROBOTS as f32).sqrt()
}

/// Returns half of the length (x) and half of the width (y) of the benchmark arena for the given number of robots
/// (m).
pub fn half_arena(robots: usize) -> (f32, f32) {
    (HALF_ARENA.0 * arena_scale(robots), HALF_ARENA.1 * arena_scale(robots))
}

/// Maximum start distance of the frisbee from the centre along each axis (m).
const NEAR_CENTRE: f32 = 0.05;

impl WorldSpec {
    /// Returns the benchmark task, with the frisbee near the centre and scenarios A and B in turn (thesis 8.3.2). For
    /// more than [`ARENA_ROBOTS`] robots, arena and start areas grow so that the density of robots stays constant.
    pub fn benchmark(robots: usize) -> WorldSpec {
        let near = vec2(NEAR_CENTRE, NEAR_CENTRE);
        WorldSpec {
            robots,
            robot: Shape::ROBOT,
            physics: Physics { half_arena: half_arena(robots), ..Physics::default() },
            discs: vec![Disc { shape: Shape::FRISBEE, start: Area { low: -near, high: near } }],
            patches: Vec::new(),
            starts: vec![Scenario::A.start(robots), Scenario::B.start(robots)],
            floor: Arc::default(),
            lighting: Lighting::default(),
            tags: Tags::default(),
            camera: CameraModel::default(),
            messages: None,
            task: Task::Transport,
            conditions: Conditions::default(),
        }
    }

    /// Returns the benchmark task with a single start scenario.
    pub fn scenario(robots: usize, scenario: Scenario) -> WorldSpec {
        WorldSpec { starts: vec![scenario.start(robots)], ..WorldSpec::benchmark(robots) }
    }

    /// Returns true if parts of the world exist only under a condition: paint, walls, patches, lights or starts.
    pub fn changes(&self) -> bool {
        self.conditions.change_scenery()
            || self
                .conditions
                .starts
                .iter()
                .chain(self.floor.paint.iter().map(|paint| &paint.condition))
                .any(Option::is_some)
    }

    /// Returns the bodies that may block messages.
    pub fn obstacles(&self) -> Obstacles {
        Obstacles {
            radius: self.robot.radius,
            discs: self.discs.iter().map(|disc| disc.shape.radius).collect(),
            walls: self.physics.walls.clone(),
        }
    }

    /// Returns the shapes of all bodies, first the robots, then the discs.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        std::iter::repeat_n(self.robot, self.robots).chain(self.discs.iter().map(|d| d.shape))
    }
}
