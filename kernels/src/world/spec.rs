//! A world as data: what is in it, where things start, and what is scored.

use super::body::{Pose, Shape};
use super::physics::Physics;
use super::senses::Patch;
use super::senses::camera_model::CameraModel;
use super::senses::light::Lighting;
use super::senses::messages::Messages;
use super::senses::tags::Tags;
use super::task::Task;
use crate::math::{Vec2, vec2};
use crate::model::{ARENA_ROBOTS, HALF_ARENA};

/// What a simulation is of. [`WorldSpec::check`] says whether it can be run.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSpec {
    /// Number of robots, 1 to [`MAX_ROBOTS`](crate::model::MAX_ROBOTS).
    pub robots: usize,
    /// Mass and friction of a robot; its size and colour are those of the reference model.
    pub robot: Shape,
    /// The arena, its inner walls, contacts and noise.
    pub physics: Physics,
    /// Passive discs, at most [`MAX_DISCS`](crate::model::MAX_DISCS); a transport task moves the first one.
    pub discs: Vec<Disc>,
    /// Coloured stretches of the arena's walls.
    pub patches: Vec<Patch>,
    /// Where the robots may start; runs take the starts by turns.
    pub starts: Vec<Start>,
    /// What shines on the robots' infra-red sensors.
    pub lighting: Lighting,
    /// The tags that cameras may find.
    pub tags: Tags,
    /// How far the cameras are from perfect ones.
    pub camera: CameraModel,
    /// How robots hear of one another; without it everybody hears all within range, at once and exactly.
    pub messages: Option<Messages>,
    /// What is scored.
    pub task: Task,
}

/// A passive disc and where it starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Size, mass, friction and colour.
    pub shape: Shape,
    /// Its centre starts somewhere in this area.
    pub start: Area,
}

/// A rectangle along the axes, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Least x and y, m.
    pub low: Vec2,
    /// Greatest x and y, m.
    pub high: Vec2,
}

/// Where the robots start.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Centres uniform in an area, at least 0.1 m apart, random headings.
    Area(Area),
    /// Robot i at pose i.
    Poses(Vec<Pose>),
}

/// The starts of the benchmark task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// All at the downfield end: x -0.9..-0.5, y -0.6..0.6; more where the arena is larger.
    A,
    /// Spread over the arena: x -0.8..0.8, y -0.6..0.6; more where the arena is larger.
    B,
}

impl Scenario {
    /// Where so many robots start in the arena of the benchmark.
    pub fn start(self, robots: usize) -> Start {
        let area = match self {
            Scenario::A => Area { low: vec2(-0.9, -0.6), high: vec2(-0.5, 0.6) },
            Scenario::B => Area { low: vec2(-0.8, -0.6), high: vec2(0.8, 0.6) },
        };
        let scale = arena_scale(robots);
        Start::Area(Area { low: area.low * scale, high: area.high * scale })
    }
}

/// How much longer and wider the benchmark's arena is for so many robots: 1 for up to [`ARENA_ROBOTS`], then as much as
/// leaves each of them the same room.
pub fn arena_scale(robots: usize) -> f32 {
    (robots.max(ARENA_ROBOTS) as f32 / ARENA_ROBOTS as f32).sqrt()
}

/// Half the benchmark's arena for so many robots, along x and along y, m.
pub fn half_arena(robots: usize) -> (f32, f32) {
    (HALF_ARENA.0 * arena_scale(robots), HALF_ARENA.1 * arena_scale(robots))
}

/// The frisbee starts at most this far from the centre along each axis, m.
const NEAR_CENTRE: f32 = 0.05;

impl WorldSpec {
    /// The benchmark task: the frisbee near the centre, scenarios A and B by turns (thesis 8.3.2). More than
    /// [`ARENA_ROBOTS`] robots have a larger arena, in which they start as densely.
    pub fn benchmark(robots: usize) -> WorldSpec {
        let near = vec2(NEAR_CENTRE, NEAR_CENTRE);
        WorldSpec {
            robots,
            robot: Shape::ROBOT,
            physics: Physics { half_arena: half_arena(robots), ..Physics::default() },
            discs: vec![Disc { shape: Shape::FRISBEE, start: Area { low: -near, high: near } }],
            patches: Vec::new(),
            starts: vec![Scenario::A.start(robots), Scenario::B.start(robots)],
            lighting: Lighting::default(),
            tags: Tags::default(),
            camera: CameraModel::default(),
            messages: None,
            task: Task::Transport,
        }
    }

    /// The benchmark task with one of its starts.
    pub fn scenario(robots: usize, scenario: Scenario) -> WorldSpec {
        WorldSpec { starts: vec![scenario.start(robots)], ..WorldSpec::benchmark(robots) }
    }

    /// The shapes of all bodies: robots, then discs.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        std::iter::repeat_n(self.robot, self.robots).chain(self.discs.iter().map(|d| d.shape))
    }
}
