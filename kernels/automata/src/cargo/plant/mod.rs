//! Simulation of the cargo world: motion, contacts, fork, lamps, areas and scripts.
//!
//! The robot's program reads its sensors every [`TICK`]. Between two changes of the motors, the path has a closed form,
//! so a pose does not depend on the evaluation times. For each sense, the distance to the nearest edge gives the
//! earliest tick at which the sense can change. The sense is not evaluated before this tick. If a sense changes within
//! a tick, durations are split at the interpolated time of the change.

mod areas;
mod contacts;
mod count;
mod numbers;

use crate::cargo::fork::Fork;
use crate::cargo::geometry::Segment;
use crate::cargo::light::{LIT, brightness, lit_radius};
use crate::cargo::motion::{Motion, Pose, direction};
use crate::cargo::scene::{CARGO, FLOOR, REGISTERS, Scene, TICK};
use crate::cargo::tally::Tally;
use count::Crossing;
use numbers::{between, gaussian, later, max_f64};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::Draws;

/// Duration for which line contact continues after the sensor has left the line (ms). It is needed because a line
/// follower weaves along the edge of the line.
const GRACE: f64 = 200.0;
/// Scene, with precomputed constants that all runs share.
#[derive(Clone, Debug)]
pub struct PreparedScene {
    scene: Scene,
    segments: Vec<Segment>,
    lit_radii: Vec<f32>,
}

impl PreparedScene {
    /// Prepares a scene. Returns an error with the invalid key and a remedy if the scene is invalid.
    pub fn new(scene: Scene) -> Result<PreparedScene, String> {
        scene.check()?;
        let segments = scene.lines.iter().flat_map(|line| {
            line.points.windows(2).map(|pair| Segment::new(point(pair[0]), point(pair[1]), line.width))
        });
        let segments = segments.collect();
        let lit_radii = scene.lamps.iter().map(|lamp| lit_radius(lamp, scene.conductivity)).collect();
        Ok(PreparedScene { segments, lit_radii, scene })
    }

    /// Returns the scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
}

/// Binary sensor readings at a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Senses {
    /// Whether the front bumper is pressed.
    pub pressed: bool,
    /// Whether the line sensor is over a line.
    pub line: bool,
    /// Whether the robot is in the light of a lamp.
    pub lit: bool,
}

/// Simulated world.
pub(in crate::cargo) struct World<'a> {
    prepared: &'a PreparedScene,
    /// Whether all senses are evaluated at every tick, because changes due to sensor noise cannot be predicted.
    every_tick: bool,
    now: u32,
    stretch: Motion,
    /// Commanded forward speed and turning speed (units/ms, rad/ms). A robot that is blocked by an obstacle only turns.
    command: (f32, f32),
    wheels: (i16, i16),
    /// Normal of the wall or obstacle that the robot touches, pointing to the robot; `None` without contact.
    contact: Option<Vec2>,
    fork: Fork,
    lamps: u64,
    registers: [f32; REGISTERS],
    selected: usize,
    armed: u64,
    inside: u64,
    activated: Vec<u32>,
    next_event: Vec<(u32, u32)>,
    senses: Senses,
    left_line: f64,
    due: Due,
    suppressed: bool,
    marks: u32,
    tally: Tally,
    draws: Draws,
}

/// Next evaluation time of each sense (ms).
struct Due {
    walls: u32,
    line: u32,
    light: u32,
    areas: u32,
}

impl<'a> World<'a> {
    pub fn new(prepared: &'a PreparedScene, start: usize, only_after_load: bool, draws: Draws) -> World<'a> {
        let scene = &prepared.scene;
        let pose = Pose::from(scene.starts[start % scene.starts.len()]);
        let mut plant = World {
            prepared,
            every_tick: scene.noise.any_sensor(),
            now: 0,
            stretch: Motion::new(0.0, pose, 0.0, 0.0),
            command: (0.0, 0.0),
            wheels: (0, 0),
            contact: None,
            fork: Fork::new(),
            lamps: scene.lamps.iter().enumerate().fold(0, |bits, (i, lamp)| bits | u64::from(lamp.on) << i),
            registers: [0.0; REGISTERS],
            selected: CARGO,
            armed: u64::MAX,
            inside: 0,
            activated: vec![0; scene.areas.len()],
            next_event: scene.times.iter().map(|event| (event.start, event.count)).collect(),
            senses: Senses::default(),
            left_line: f64::NEG_INFINITY,
            due: Due { walls: 0, line: 0, light: 0, areas: 0 },
            suppressed: only_after_load,
            marks: 0,
            tally: Tally::default(),
            draws,
        };
        plant.run_times();
        plant.update_senses();
        plant
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    pub fn pose(&self) -> Pose {
        self.stretch.pose(f64::from(self.now))
    }

    /// Returns the sensor readings with noise.
    pub fn senses(&mut self) -> Senses {
        let noise = self.prepared.scene.noise;
        let mut senses = self.senses;
        if noise.bumper > 0.0 {
            senses.pressed = f32::from(u8::from(senses.pressed)) + gaussian(noise.bumper, &mut self.draws) > 0.5;
        }
        if noise.line > 0.0 {
            let mark = self.prepared.scene.lines.first().map_or(FLOOR, |line| line.value);
            let reading = if senses.line { mark } else { FLOOR } + gaussian(noise.line, &mut self.draws);
            senses.line = (reading - mark).abs() < (FLOOR - mark).abs() / 2.0;
        }
        if noise.light > 0.0 {
            senses.lit = self.brightness() >= LIT;
        }
        senses
    }

    /// Returns the brightness at the robot's position, with noise.
    pub fn brightness(&mut self) -> f32 {
        let at = self.pose().at;
        self.brightness_at(at) + gaussian(self.prepared.scene.noise.light, &mut self.draws)
    }

    fn brightness_at(&self, at: Vec2) -> f32 {
        brightness(&self.prepared.scene.lamps, self.lamps, self.prepared.scene.conductivity, at)
    }

    /// Returns the number of station marks received since the last call.
    pub fn take_marks(&mut self) -> u32 {
        std::mem::take(&mut self.marks)
    }

    /// Returns the next time at which a sense or the fork can change, or an area or a timed script can act (ms).
    pub fn next(&self) -> u32 {
        if self.every_tick {
            return self.now + TICK;
        }
        let due = &self.due;
        let next = due.walls.min(due.line).min(due.light).min(due.areas);
        let next = self.fork.next().min(next);
        self.next_event.iter().filter(|event| event.1 > 0).fold(next, |next, event| next.min(event.0))
    }

    /// Sets the powers of the wheels (-255..=255).
    pub fn drive(&mut self, left: i16, right: i16) {
        if (left, right) == self.wheels {
            return;
        }
        // A change of both wheels counts as two changes.
        let changed = u32::from(left != self.wheels.0) + u32::from(right != self.wheels.1);
        self.wheels = (left, right);
        if self.line_contact(f64::from(self.now)) && !self.suppressed {
            self.tally.changes += changed;
            self.tally.lit_changes += if self.senses.lit { changed } else { 0 };
        }
        let scene = &self.prepared.scene;
        let noise = scene.noise;
        let mut wheel = |power: i16| {
            let share = 1.0 + gaussian(noise.speed, &mut self.draws);
            f32::from(power) * scene.body.speed * share
        };
        let (left, right) = (wheel(left), wheel(right));
        self.command = (0.5 * (left + right), (left - right) / (2.0 * scene.body.radius));
        let mut pose = self.pose();
        pose.heading += gaussian(noise.heading, &mut self.draws);
        self.start_motion(f64::from(self.now), pose);
        self.schedule_senses();
    }

    /// Sets the power of the fork. A positive power raises the fork, a negative power lowers it, and 0 stops it.
    pub fn lift(&mut self, power: i16) {
        self.fork.power(power, self.now, &self.prepared.scene.body);
    }

    /// Starts a new motion with the commanded speeds. If an obstacle blocks the robot, the robot only turns.
    fn start_motion(&mut self, time: f64, pose: Pose) {
        let (speed, turn) = self.command;
        if let Some(normal) = self.contact
            && speed * direction(pose.heading).dot(normal) > 0.0
        {
            self.contact = None;
        }
        let speed = if self.contact.is_some() { 0.0 } else { speed };
        self.stretch = Motion::new(time, pose, speed, turn);
        self.senses.pressed = self.contact.is_some_and(|normal| direction(pose.heading).dot(normal) < 0.0);
    }

    fn schedule_senses(&mut self) {
        let soon = self.now + TICK;
        for due in [&mut self.due.walls, &mut self.due.line, &mut self.due.light, &mut self.due.areas] {
            *due = soon.min(*due);
        }
    }

    /// Advances the simulation to the time `tick` (ms), which must not be later than [`World::next`].
    pub fn advance(&mut self, tick: u32) {
        let (before, time) = (f64::from(self.now), f64::from(tick));
        let last = max_f64(before, time - f64::from(TICK));
        let was = self.senses;
        let touched = self.contact.is_some();
        let speed = self.stretch.speed;
        let mut crossings = [(time, Crossing::None); 3];
        self.now = tick;
        if self.every_tick || tick >= self.due.walls {
            crossings[0] = self.meet(last, time);
        }
        let pose = self.stretch.pose(time);
        if self.every_tick || tick >= self.due.line {
            let edge = |plant: &World, pose: Pose| plant.line_edge(pose);
            let distance = edge(self, pose);
            if (distance <= 0.0) != was.line {
                let earlier = edge(self, self.pose_before(last));
                crossings[1] = (between(last, time, earlier, distance), Crossing::Line);
            }
            let reach = self.stretch.speed.abs()
                + self.stretch.turn.abs() * self.prepared.scene.body.radius * self.prepared.scene.body.line_sensor;
            self.due.line = later(tick, distance.abs(), reach);
        }
        if self.every_tick || tick >= self.due.light {
            let distance = self.light_edge(pose.at);
            if (distance <= 0.0) != was.lit {
                let earlier = self.light_edge(self.pose_before(last).at);
                crossings[2] = (between(last, time, earlier, distance), Crossing::Light);
            }
            self.due.light = later(tick, distance.abs(), self.stretch.speed.abs());
        }
        // Distance is counted only without contact. If a contact begins in this tick, the speed before the contact is
        // used. If a contact ends in this tick, the speed after the contact is used.
        let speed = if touched { self.stretch.speed } else { speed };
        self.account(before, time, speed, &mut crossings);
        if self.fork.advance(tick, &mut self.registers[CARGO]) {
            self.due.areas = tick;
        }
        if self.next_event.iter().any(|event| event.1 > 0 && event.0 <= tick) {
            self.run_times();
        }
        if self.every_tick || tick >= self.due.areas {
            self.enter_areas(pose);
        }
        if (pose.heading - self.stretch.from.heading).abs() > 6.0 {
            // The motion is restarted at the current pose. Its angles remain small, and so do their rounding errors.
            self.stretch = Motion::new(time, pose, self.stretch.speed, self.stretch.turn);
        }
    }

    /// Returns the pose at `last` (ms), or at the start of the current motion if this start is later.
    fn pose_before(&self, last: f64) -> Pose {
        self.stretch.pose(max_f64(last, self.stretch.since))
    }

    fn line_contact(&self, time: f64) -> bool {
        self.senses.line || time - self.left_line < GRACE
    }

    /// Evaluates the line sensor and the light sensor at the current pose, and schedules all senses for the next tick.
    fn update_senses(&mut self) {
        let pose = self.pose();
        self.senses.line = self.line_edge(pose) <= 0.0;
        self.senses.lit = self.light_edge(pose.at) <= 0.0;
        self.schedule_senses();
    }
}

fn point([x, y]: [f32; 2]) -> Vec2 {
    vec2(x, y)
}

#[cfg(test)]
mod tests;
