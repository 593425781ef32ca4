//! Converts the entries of a run to messages for viewers. This module is a state machine without I/O.

use super::labels::{LETTERS, colour, label};
use super::messages::{
    Arrow, Color, Cube, Cylinder, Deletion, Entity, FrameTransform, FrameTransforms, KeyValue, Log, Pose, Quaternion,
    SceneUpdate, Time, Vector3,
};
use super::{ARENA, BODIES, FRAME, LOG, Message, TRANSFORMS, floor};
use serde::Serialize;
use std::collections::BTreeMap;
use xpuck_hub_core::config::Arena;
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::{Colour, WorldSpec};
use xpuck_wire::message::{Severity, State};
use xpuck_wire::{Body, Segment};

/// Heights of robots and discs (m). They are only used for drawing, because the model does not define heights.
const ROBOT_HEIGHT: f64 = 0.07;
const DISC_HEIGHT: f64 = 0.03;
const WALL_HEIGHT: f64 = 0.05;
/// Thickness of the walls around the arena (m).
const WALL: f64 = 0.01;
/// Deletion type that removes all entities of a topic.
const ALL: u8 = 1;

/// State of the drawn scene.
pub struct Scene {
    arena: Arena,
    /// Robots with their last reported states.
    robots: BTreeMap<String, State>,
    /// Radii of the world's discs (m). They are assigned in turn to the bodies that are not robots.
    discs: Vec<f32>,
    /// Radius of a robot (m).
    robot_radius: f32,
    /// Names of all bodies that have been observed, and whether the last frame contained each of them. The map stays
    /// small, because motion capture limits the number of bodies.
    bodies: BTreeMap<String, bool>,
    /// Whether shapes have changed since they were last sent.
    changed: bool,
}

impl Scene {
    /// Returns a scene without bodies. `robots` are the ids in the swarm file. All other bodies are drawn as discs.
    pub fn new(robots: &[String], arena: Arena) -> Scene {
        Scene {
            arena,
            robots: robots.iter().map(|robot| (robot.clone(), State::default())).collect(),
            discs: vec![arena.frisbee_radius_m],
            robot_radius: ROBOT_RADIUS,
            bodies: BTreeMap::new(),
            changed: false,
        }
    }

    /// Adds the robots that the scene does not contain yet. `robots` is the list of all robots.
    pub fn set_robots(&mut self, robots: &[String]) {
        for robot in robots {
            self.robots.entry(robot.clone()).or_default();
        }
        self.changed = true;
    }

    /// Converts an entry to messages. `stamp` is the entry's time in the viewer's time base (ns).
    pub fn on_entry(&mut self, entry: &Entry, stamp: u64) -> Vec<Message> {
        match entry {
            Entry::Poses { bodies, .. } => self.poses(bodies, Time::from_nanos(stamp)),
            Entry::Telemetry { robot, telemetry, .. } => {
                if let Some(state) = self.robots.get_mut(robot).filter(|state| **state != telemetry.state) {
                    *state = telemetry.state;
                    self.changed = true;
                }
                Vec::new()
            }
            Entry::Event { text, level, who, .. } => {
                let name = if who.is_empty() { "hub" } else { who };
                vec![line(stamp, *level, name, text)]
            }
            Entry::Log { robot, line: told, .. } => vec![line(stamp, told.level, robot, &told.text)],
            _ => Vec::new(),
        }
    }

    /// Sets the world, and returns the message that draws it. If `world` is `None`, because there is no run, only the
    /// arena is drawn.
    pub fn world(&mut self, world: Option<&WorldSpec>, stamp: u64) -> Message {
        let discs = world.map(|world| world.discs.iter().map(|disc| disc.shape.radius).collect::<Vec<_>>());
        self.discs = discs.filter(|discs| !discs.is_empty()).unwrap_or_else(|| vec![self.arena.frisbee_radius_m]);
        self.robot_radius = world.map_or(ROBOT_RADIUS, |world| world.robot.radius);
        self.changed = true;
        let time = Time::from_nanos(stamp);
        let half = [f64::from(self.arena.length_m) / 2.0, f64::from(self.arena.width_m) / 2.0];
        scene(ARENA, time, vec![arena(world, half, time)])
    }

    fn poses(&mut self, bodies: &[Body], time: Time) -> Vec<Message> {
        for (name, seen) in &mut self.bodies {
            let now = bodies.iter().any(|body| body.name == *name);
            self.changed |= now != *seen;
            *seen = now;
        }
        for body in bodies {
            self.changed |= self.bodies.insert(body.name.clone(), true).is_none();
        }
        let transform = |body: &Body| FrameTransform {
            timestamp: time,
            parent_frame_id: FRAME.into(),
            child_frame_id: body.name.clone(),
            translation: Vector3 { x: number(body.pose[0]), y: number(body.pose[1]), z: 0.0 },
            rotation: Quaternion::heading(number(body.pose[2])),
        };
        let mut messages =
            vec![message(TRANSFORMS, &FrameTransforms { transforms: bodies.iter().map(transform).collect() })];
        if std::mem::take(&mut self.changed) {
            messages.push(scene(BODIES, time, self.looks(time)));
        }
        messages
    }

    /// Returns the shapes of all bodies that have been observed, including unchanged ones. A viewer that seeks to
    /// another time receives only this message.
    fn looks(&self, time: Time) -> Vec<Entity> {
        let mut discs = self.discs.iter().cycle();
        let look = |(name, seen): (&String, &bool)| match self.robots.get(name) {
            Some(state) => robot(name, *state, self.robot_radius, *seen, time),
            None => disc(name, f64::from(*discs.next().unwrap_or(&self.arena.frisbee_radius_m)), *seen, time),
        };
        self.bodies.iter().map(look).collect()
    }
}

/// Returns the current phase of a run, according to its segments.
pub fn phase(segments: &[Segment]) -> Option<&str> {
    segments.last().map(|segment| segment.phase.as_str())
}

/// Rounds a value to the resolution of the record.
fn number(value: f32) -> f64 {
    (f64::from(value) * 1e5).round() / 1e5
}

fn message(topic: &'static str, data: &impl Serialize) -> Message {
    // This cannot fail, because messages have no maps with non-string keys.
    Message { topic, data: serde_json::to_vec(data).unwrap_or_default() }
}

/// Returns the message with all entities of a topic. It deletes earlier entities.
fn scene(topic: &'static str, timestamp: Time, entities: Vec<Entity>) -> Message {
    let deletions = vec![Deletion { timestamp, kind: ALL, id: String::new() }];
    message(topic, &SceneUpdate { deletions, entities })
}

fn line(stamp: u64, level: Severity, name: &str, text: &str) -> Message {
    let level = match level {
        Severity::Debug => 1,
        Severity::Info => 2,
        Severity::Warn => 3,
        Severity::Error => 4,
    };
    let (message_, file) = (text.into(), String::new());
    message(
        LOG,
        &Log { timestamp: Time::from_nanos(stamp), level, message: message_, name: name.into(), file, line: 0 },
    )
}

/// Returns the drawing of the walls, the inner objects, and the objects of the task.
fn arena(world: Option<&WorldSpec>, half: [f64; 2], time: Time) -> Entity {
    let mut entity = Entity::new(time, FRAME, "arena");
    let [x, y] = half;
    let grey = colour(0.55, 0.55, 0.6, 1.0);
    let block =
        |pose: Pose, size: [f64; 3], color| Cube { pose, size: Vector3 { x: size[0], y: size[1], z: size[2] }, color };
    let goal = world.is_none_or(|world| world.task.moves_disc());
    let left = if goal { colour(0.95, 0.7, 0.1, 1.0) } else { grey };
    let up = WALL_HEIGHT / 2.0;
    entity.cubes = vec![
        block(Pose::at(-x - WALL / 2.0, 0.0, up, 0.0), [WALL, 2.0 * y, WALL_HEIGHT], left),
        block(Pose::at(x + WALL / 2.0, 0.0, up, 0.0), [WALL, 2.0 * y, WALL_HEIGHT], grey),
        block(Pose::at(0.0, -y - WALL / 2.0, up, 0.0), [2.0 * (x + WALL), WALL, WALL_HEIGHT], grey),
        block(Pose::at(0.0, y + WALL / 2.0, up, 0.0), [2.0 * (x + WALL), WALL, WALL_HEIGHT], grey),
        // The top of the floor is at z = 0.
        block(Pose::at(0.0, 0.0, -WALL / 2.0, 0.0), [2.0 * x, 2.0 * y, WALL], floor::base(world)),
    ];
    if goal {
        entity.texts.push(label("goal", -x, 0.0, WALL_HEIGHT + LETTERS));
    }
    let Some(world) = world else { return entity };
    for wall in &world.physics.walls {
        let (from, to) = (wall.from, wall.to);
        let (along, across) = (f64::from(to.x - from.x), f64::from(to.y - from.y));
        let middle = [f64::from(from.x + to.x) / 2.0, f64::from(from.y + to.y) / 2.0];
        let pose = Pose::at(middle[0], middle[1], up, across.atan2(along));
        entity.cubes.push(block(pose, [along.hypot(across), WALL, WALL_HEIGHT], grey));
    }
    for patch in &world.patches {
        let (at, length) = ([f64::from(patch.at.x), f64::from(patch.at.y)], 2.0 * f64::from(patch.half_length));
        // A patch is drawn on the nearest wall. It is thicker than the wall, so that it is visible.
        let size = if x - at[0].abs() < y - at[1].abs() { [1.5 * WALL, length] } else { [length, 1.5 * WALL] };
        entity.cubes.push(block(
            Pose::at(at[0], at[1], up, 0.0),
            [size[0], size[1], WALL_HEIGHT],
            painted(patch.colour),
        ));
    }
    floor::draw(&mut entity, world);
    entity
}

/// Returns the drawing of a robot. The colour shows the robot's state, and the arrow its heading.
fn robot(id: &str, state: State, radius: f32, seen: bool, time: Time) -> Entity {
    let (r, g, b) = match state {
        State::Idle => (0.6, 0.6, 0.6),
        State::Ready => (0.3, 0.5, 0.9),
        State::Run => (0.2, 0.75, 0.3),
        State::Pause => (0.95, 0.7, 0.1),
        State::Stop => (0.85, 0.2, 0.2),
    };
    let radius = f64::from(radius);
    let mut entity = Entity::new(time, id, id);
    entity.metadata.push(KeyValue { key: "state".into(), value: format!("{state:?}").to_uppercase() });
    entity.cylinders.push(cylinder(radius, ROBOT_HEIGHT, colour(r, g, b, visible(seen))));
    entity.arrows.push(Arrow {
        pose: Pose::at(0.0, 0.0, ROBOT_HEIGHT + 0.005, 0.0),
        shaft_length: radius,
        shaft_diameter: 0.01,
        head_length: radius / 2.0,
        head_diameter: 0.02,
        color: colour(0.1, 0.1, 0.1, visible(seen)),
    });
    entity.texts.push(label(id, 0.0, 0.0, ROBOT_HEIGHT + LETTERS));
    entity
}

/// Returns the drawing of the frisbee or another movable disc.
fn disc(name: &str, radius: f64, seen: bool, time: Time) -> Entity {
    let mut entity = Entity::new(time, name, name);
    entity.cylinders.push(cylinder(radius, DISC_HEIGHT, colour(0.18, 0.5, 0.9, visible(seen))));
    entity.texts.push(label(name, 0.0, 0.0, DISC_HEIGHT + LETTERS));
    entity
}

/// Returns a cylinder that stands on the floor.
fn cylinder(radius: f64, height: f64, color: Color) -> Cylinder {
    let size = Vector3 { x: 2.0 * radius, y: 2.0 * radius, z: height };
    Cylinder { pose: Pose::at(0.0, 0.0, height / 2.0, 0.0), size, bottom_scale: 1.0, top_scale: 1.0, color }
}

/// Returns the opacity of a body. Bodies lost by motion capture stay at their last position and turn pale.
fn visible(seen: bool) -> f64 {
    if seen { 1.0 } else { 0.3 }
}

fn painted(patch: Colour) -> Color {
    match patch {
        Colour::Red => colour(0.9, 0.1, 0.1, 1.0),
        Colour::Green => colour(0.1, 0.8, 0.1, 1.0),
        Colour::Blue => colour(0.1, 0.2, 0.9, 1.0),
    }
}

#[cfg(test)]
mod tests;
