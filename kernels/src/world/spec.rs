//! A world as data: what is in it, where things start, and what is scored.

use super::body::{Pose, Shape};
use super::physics::Physics;
use super::senses::Patch;
use super::senses::messages::Messages;
use super::task::Task;
use crate::math::{Vec2, vec2};

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
    /// All at the downfield end: x -0.9..-0.5, y -0.6..0.6.
    A,
    /// Spread over the arena: x -0.8..0.8, y -0.6..0.6.
    B,
}

impl From<Scenario> for Start {
    fn from(scenario: Scenario) -> Start {
        Start::Area(match scenario {
            Scenario::A => Area { low: vec2(-0.9, -0.6), high: vec2(-0.5, 0.6) },
            Scenario::B => Area { low: vec2(-0.8, -0.6), high: vec2(0.8, 0.6) },
        })
    }
}

/// The frisbee starts at most this far from the centre along each axis, m.
const NEAR_CENTRE: f32 = 0.05;

impl WorldSpec {
    /// The benchmark task: the frisbee near the centre, scenarios A and B by turns (thesis 8.3.2).
    pub fn benchmark(robots: usize) -> WorldSpec {
        let near = vec2(NEAR_CENTRE, NEAR_CENTRE);
        WorldSpec {
            robots,
            robot: Shape::ROBOT,
            physics: Physics::default(),
            discs: vec![Disc { shape: Shape::FRISBEE, start: Area { low: -near, high: near } }],
            patches: Vec::new(),
            starts: vec![Scenario::A.into(), Scenario::B.into()],
            messages: None,
            task: Task::Transport,
        }
    }

    /// The benchmark task with one of its starts.
    pub fn scenario(robots: usize, scenario: Scenario) -> WorldSpec {
        WorldSpec { starts: vec![scenario.into()], ..WorldSpec::benchmark(robots) }
    }

    /// The shapes of all bodies: robots, then discs.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        std::iter::repeat_n(self.robot, self.robots).chain(self.discs.iter().map(|d| d.shape))
    }
}
