//! Messages of simulated robots in a world with a message distribution model. Messages contain past poses, so recent
//! poses are stored. The engines `reference` and `simd` use one [`ChannelHistory`] per world.

use super::messages::{Channel, MessageId, Messages};
use super::{AttractionMemory, compass, gap_step};
use crate::math::{Vec2, vec2};
use crate::model::{DT, SMALL_WORLD, STEPS_PER_UPDATE};
use crate::world::grid::Grid;
use crate::world::{Pose, WorldSpec};

/// Sensor values that a robot derives from messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    /// Value of v_up.
    pub up: Vec2,
    /// Value of v_attr.
    pub attr: Vec2,
    /// Number of robots that the robot hears.
    pub neighbours: f32,
}

/// Messages of one world, with the recent poses of its bodies.
#[derive(Clone, Debug)]
pub(crate) struct ChannelHistory {
    channel: Channel,
    bodies: usize,
    /// Poses after each of the last `kept` steps. The poses of step s start at index (s modulo `kept`) * `bodies`.
    past: Vec<Option<Pose>>,
    kept: usize,
    noted: usize,
    /// Index in `past` of the first pose that the selected message contains.
    message_start: usize,
    moment: MessageId,
    /// Grid of the robots' positions in the selected message; `None` for few robots.
    grid: Option<Grid>,
    /// Buffer for candidate neighbours of the listening robot. Without a grid, these are all robots.
    near: Vec<u16>,
    /// Radius of a robot (m).
    radius: f32,
    /// Sums of the last messages of each robot.
    memories: Vec<AttractionMemory>,
}

/// Returns the number of steps for which poses are stored.
pub(crate) fn poses_kept(model: &Messages) -> usize {
    ((model.latency_s + 1.0 / model.rate_hz) / f64::from(DT)).ceil() as usize + 2
}

/// Returns the number of the last message before an update, and the step whose poses the message contains.
pub(crate) fn last_message(model: &Messages, update: u32) -> (u32, usize) {
    let now = f64::from(update * STEPS_PER_UPDATE) * f64::from(DT);
    let number = (now * model.rate_hz + 1e-6).floor();
    let step = ((number / model.rate_hz - model.latency_s) / f64::from(DT)).round().max(0.0) as usize;
    (number as u32, step)
}

impl ChannelHistory {
    /// Creates the history of a world with these initial poses.
    pub fn new(
        model: Messages,
        spec: &WorldSpec,
        seed: u64,
        world: u32,
        poses: impl Iterator<Item = Pose>,
    ) -> ChannelHistory {
        let kept = poses_kept(&model);
        let bodies = spec.robots + spec.discs.len();
        let robots = spec.robots;
        let radius = spec.robot.radius;
        let channel = Channel::new(model, robots, spec.obstacles());
        let grid = (robots > SMALL_WORLD).then(|| Grid::new(spec.physics.half_arena, channel.reach(), robots));
        let mut history = ChannelHistory {
            channel,
            bodies,
            past: vec![None; kept * bodies],
            kept,
            noted: 0,
            message_start: 0,
            moment: MessageId { seed, world, number: 0 },
            grid,
            near: (0..robots as u16).collect(),
            radius,
            memories: vec![AttractionMemory::new(&model); robots],
        };
        history.push_poses(poses);
        history
    }

    /// Stores the poses after a physics step.
    pub fn push_poses(&mut self, poses: impl Iterator<Item = Pose>) {
        let from = self.noted % self.kept * self.bodies;
        for (place, pose) in self.past[from..from + self.bodies].iter_mut().zip(poses) {
            *place = Some(pose);
        }
        self.noted += 1;
    }

    /// Selects the last message before an update. Messages from before the start contain the initial poses.
    pub fn select_message(&mut self, update: u32) {
        let model = self.channel.model();
        let (number, step) = last_message(model, update);
        self.message_start = step.min(self.noted - 1) % self.kept * self.bodies;
        self.moment.number = number;
        let bodies = &self.past[self.message_start..self.message_start + self.bodies];
        if let Some(grid) = &mut self.grid {
            // The grid was created for the number of robots, so it ignores the poses of the discs, which come last.
            grid.fill(bodies.iter().map(|pose| pose.unwrap_or_default().at));
        }
    }

    /// Returns the sensor values of robot `me` from the selected message. If `listen` is false, only v_up is computed,
    /// and the result contains no neighbours.
    pub fn reading(&mut self, me: usize, listen: bool) -> Reading {
        let bodies = &self.past[self.message_start..self.message_start + self.bodies];
        let (mut sum, mut neighbours) = (Vec2::ZERO, 0.0);
        let Messages { attraction, .. } = *self.channel.model();
        if listen {
            if let Some(grid) = &self.grid {
                grid.candidates(bodies[me].unwrap_or_default().at, &mut self.near);
            }
            let robots = self.near.iter().map(|robot| usize::from(*robot));
            if self.channel.model().sums_in_world_frame() {
                self.channel.heard_from(self.moment, me, bodies, robots, |_, along, range| {
                    sum += gap_step(along, range, self.radius);
                    neighbours += 1.0;
                });
                let ahead = Vec2::unit(bodies[me].map_or(0.0, |pose| pose.heading));
                sum = sum.rotate(vec2(ahead.x, -ahead.y));
            } else {
                self.channel.receive_from(self.moment, me, bodies, robots, |_, neighbour| {
                    sum += attraction.step(&neighbour, self.radius);
                    neighbours += 1.0;
                });
            }
        }
        let heading = bodies[me].map_or(0.0, |pose| pose.heading);
        let attr = self.memories[me].push(self.channel.model(), self.moment.number, sum, neighbours);
        Reading { up: compass(heading), attr, neighbours }
    }
}
