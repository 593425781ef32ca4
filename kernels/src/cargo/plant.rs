//! The world at work: motion, contacts, fork, lamps, areas and scripts.
//!
//! The program of the robot looks at its sensors every [`TICK`]. Between two changes of the motors the robot's way is a closed
//! form, so a pose does not depend on when it is asked for; each sense knows how far the nearest thing is that could change
//! it, and is not looked at before the robot can be there. What crosses an edge within a tick is counted from where it did.

use super::fork::Fork;
use super::geometry::Segment;
use super::light::{LIT, brightness, lit_radius};
use super::motion::{Pose, Stretch, direction};
use super::scene::{Activation, CARGO, Command, FLOOR, LOADED, REGISTERS, Scene, TARGET_MARK, TICK};
use super::tally::{COUNTED_SCRIPTS, Tally};
use crate::math::{Vec2, max, min, vec2};
use crate::random::{Draws, normal_pair};

/// How long contact to a line goes on after the sensor left it, ms: followers weave along its edge.
const GRACE: f64 = 200.0;
/// How far off an area a robot may be to be in it: one that touches a wall is within rounding of it.
const SLACK: f32 = 1e-4;

/// A scene with what its runs share.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) scene: Scene,
    segments: Vec<Segment>,
    lit_radii: Vec<f32>,
}

impl Prepared {
    /// Prepares a scene; says key and remedy if it cannot be run.
    pub fn new(scene: Scene) -> Result<Prepared, String> {
        scene.check()?;
        let segments = scene.lines.iter().flat_map(|line| {
            line.points.windows(2).map(|pair| Segment::new(point(pair[0]), point(pair[1]), line.width))
        });
        let segments = segments.collect();
        let lit_radii = scene.lamps.iter().map(|lamp| lit_radius(lamp, scene.conductivity)).collect();
        Ok(Prepared { segments, lit_radii, scene })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
}


/// What the senses say at a tick; what changed is known by comparing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Senses {
    /// The front bumper is pressed.
    pub pressed: bool,
    /// The line sensor is over a line.
    pub line: bool,
    /// The robot is under a lamp.
    pub lit: bool,
}

/// The running world.
pub(super) struct Plant<'a> {
    prepared: &'a Prepared,
    now: u32,
    stretch: Stretch,
    /// Speeds that the motors ask for; a blocked robot does not go.
    command: (f32, f32),
    wheels: (i16, i16),
    /// Out of the obstacle that the robot touches.
    contact: Option<Vec2>,
    fork: Fork,
    lamps: u64,
    registers: [f32; REGISTERS],
    selected: usize,
    armed: u64,
    inside: u64,
    activated: Vec<u32>,
    next_event: Vec<(u32, u32)>,
    truth: Senses,
    left_line: f64,
    due: Due,
    suppressed: bool,
    marks: u32,
    tally: Tally,
    draws: Draws,
}

/// When each sense has to be looked at again, ms.
struct Due {
    walls: u32,
    line: u32,
    light: u32,
    areas: u32,
}

impl<'a> Plant<'a> {
    pub fn new(prepared: &'a Prepared, start: usize, only_after_load: bool, draws: Draws) -> Plant<'a> {
        let scene = &prepared.scene;
        let pose = Pose::from(scene.starts[start % scene.starts.len()]);
        let mut plant = Plant {
            prepared,
            now: 0,
            stretch: Stretch::new(0.0, pose, 0.0, 0.0),
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
            truth: Senses::default(),
            left_line: f64::NEG_INFINITY,
            due: Due { walls: 0, line: 0, light: 0, areas: 0 },
            suppressed: only_after_load,
            marks: 0,
            tally: Tally::default(),
            draws,
        };
        plant.run_times();
        plant.look();
        plant
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    pub fn pose(&self) -> Pose {
        self.stretch.pose(f64::from(self.now))
    }

    /// The senses, with noise.
    pub fn senses(&mut self) -> Senses {
        let noise = self.prepared.scene.noise;
        if !noise.any_sensor() {
            return self.truth;
        }
        let reading = |truth: f32, variance: f32, draws: &mut Draws| truth + gaussian(variance, draws);
        let mark = self.prepared.scene.lines.first().map_or(FLOOR, |line| line.value);
        let floor = if self.truth.line { mark } else { FLOOR };
        let at = self.pose().at;
        let bright = self.brightness_at(at);
        Senses {
            pressed: reading(f32::from(u8::from(self.truth.pressed)), noise.bumper, &mut self.draws) > 0.5,
            line: (reading(floor, noise.line, &mut self.draws) - mark).abs() < (FLOOR - mark).abs() / 2.0,
            lit: reading(bright, noise.light, &mut self.draws) >= LIT,
        }
    }

    /// Brightness at the robot, with noise.
    pub fn brightness(&mut self) -> f32 {
        let at = self.pose().at;
        self.brightness_at(at) + gaussian(self.prepared.scene.noise.light, &mut self.draws)
    }

    fn brightness_at(&self, at: Vec2) -> f32 {
        brightness(&self.prepared.scene.lamps, self.lamps, self.prepared.scene.conductivity, at)
    }

    /// Marks that stations sent since the last call.
    pub fn take_marks(&mut self) -> u32 {
        std::mem::take(&mut self.marks)
    }

    /// The next tick at which something can happen.
    pub fn next(&self) -> u32 {
        if self.prepared.scene.noise.any_sensor() {
            return self.now + TICK;
        }
        let due = &self.due;
        let next = due.walls.min(due.line).min(due.light).min(due.areas);
        let next = self.fork.next().min(next);
        self.next_event.iter().filter(|event| event.1 > 0).fold(next, |next, event| next.min(event.0))
    }

    /// Sets the powers of the wheels, -255 to 255.
    pub fn drive(&mut self, left: i16, right: i16) {
        if (left, right) == self.wheels {
            return;
        }
        // Each wheel is a motor, and has its own command.
        let changed = u32::from(left != self.wheels.0) + u32::from(right != self.wheels.1);
        self.wheels = (left, right);
        if self.line_contact(f64::from(self.now)) && !self.suppressed {
            self.tally.changes += changed;
            self.tally.lit_changes += if self.truth.lit { changed } else { 0 };
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
        self.go(f64::from(self.now), pose);
        self.look_soon();
    }

    /// Sets the power of the fork: upwards, downwards or none.
    pub fn lift(&mut self, power: i16) {
        self.fork.power(power, self.now, &self.prepared.scene.body);
    }

    /// Begins a new stretch with the commanded speeds, or on the spot where an obstacle is in the way.
    fn go(&mut self, time: f64, pose: Pose) {
        let (speed, turn) = self.command;
        if let Some(normal) = self.contact
            && speed * direction(pose.heading).dot(normal) > 0.0
        {
            self.contact = None;
        }
        let speed = if self.contact.is_some() { 0.0 } else { speed };
        self.stretch = Stretch::new(time, pose, speed, turn);
        self.truth.pressed = self.contact.is_some_and(|normal| direction(pose.heading).dot(normal) < 0.0);
    }

    fn look_soon(&mut self) {
        let soon = self.now + TICK;
        self.due = Due { walls: soon, line: soon, light: soon, areas: soon };
    }

    /// Goes on to a tick, not later than [`Plant::next`].
    pub fn advance(&mut self, tick: u32) {
        let (before, time) = (f64::from(self.now), f64::from(tick));
        let last = max_f64(before, time - f64::from(TICK));
        let was = self.truth;
        let mut crossings = [(time, Crossing::None); 3];
        self.now = tick;
        if tick >= self.due.walls {
            crossings[0] = self.meet(last, time);
        }
        let pose = self.stretch.pose(time);
        if tick >= self.due.line {
            let edge = |plant: &Plant, pose: Pose| plant.line_edge(pose);
            let distance = edge(self, pose);
            if (distance <= 0.0) != was.line {
                let earlier = edge(self, self.pose_before(last));
                crossings[1] = (between(last, time, earlier, distance), Crossing::Line);
            }
            let reach = self.stretch.speed.abs()
                + self.stretch.turn.abs() * self.prepared.scene.body.radius * self.prepared.scene.body.line_sensor;
            self.due.line = later(tick, distance.abs(), reach);
        }
        if tick >= self.due.light {
            let distance = self.light_edge(pose.at);
            if (distance <= 0.0) != was.lit {
                let earlier = self.light_edge(self.pose_before(last).at);
                crossings[2] = (between(last, time, earlier, distance), Crossing::Light);
            }
            self.due.light = later(tick, distance.abs(), self.stretch.speed.abs());
        }
        self.account(before, time, &mut crossings);
        if self.fork.advance(tick, &mut self.registers[CARGO]) {
            self.due.areas = tick;
        }
        if self.next_event.iter().any(|event| event.1 > 0 && event.0 <= tick) {
            self.run_times();
        }
        if tick >= self.due.areas {
            self.enter_areas(pose);
        }
        if (pose.heading - self.stretch.from.heading).abs() > 6.0 {
            // Angles stay small, and with them their errors.
            self.stretch = Stretch::new(time, pose, self.stretch.speed, self.stretch.turn);
        }
    }

    /// The pose at the end of the tick before; a stretch that began since has none earlier.
    fn pose_before(&self, last: f64) -> Pose {
        self.stretch.pose(max_f64(last, self.stretch.since))
    }

    /// Contacts begin and end between two times; says when.
    fn meet(&mut self, last: f64, time: f64) -> (f64, Crossing) {
        if let Some(normal) = self.contact {
            let away = |t: f64| self.command.0 * direction(self.stretch.pose(t).heading).dot(normal);
            let (earlier, now) = (away(last), away(time));
            if now > 0.0 {
                let at = between(last, time, earlier, now);
                let pose = self.stretch.pose(time);
                self.go(time, pose);
                self.look_soon();
                return (at, Crossing::Contact);
            }
            self.truth.pressed = direction(self.stretch.pose(time).heading).dot(normal) < 0.0;
            self.due.walls = if self.stretch.turn == 0.0 { u32::MAX } else { self.now + TICK };
            return (time, Crossing::None);
        }
        let clearance = self.clearance(self.stretch.pose(time).at).0;
        if clearance >= 0.0 {
            self.due.walls = later(self.now, clearance, self.stretch.speed.abs());
            return (time, Crossing::None);
        }
        let (mut free, mut met) = (max_f64(last, self.stretch.since), time);
        for _ in 0..12 {
            let middle = 0.5 * (free + met);
            if self.clearance(self.stretch.pose(middle).at).0 >= 0.0 { free = middle } else { met = middle }
        }
        let mut pose = self.stretch.pose(free);
        self.contact = Some(self.clearance(pose.at).1);
        pose.heading += gaussian(self.prepared.scene.noise.obstacle, &mut self.draws);
        self.go(free, pose);
        self.look_soon();
        (free, Crossing::Contact)
    }

    /// How far the robot's rim is from the nearest wall or obstacle, and the direction away from it.
    fn clearance(&self, at: Vec2) -> (f32, Vec2) {
        let scene = &self.prepared.scene;
        let mut nearest = (at.x, vec2(1.0, 0.0));
        let [width, height] = scene.size;
        for (distance, normal) in
            [(width - at.x, vec2(-1.0, 0.0)), (at.y, vec2(0.0, 1.0)), (height - at.y, vec2(0.0, -1.0))]
        {
            if distance < nearest.0 {
                nearest = (distance, normal);
            }
        }
        for rect in &scene.obstacles {
            let away = at - rect.nearest(at);
            let distance = away.length();
            if distance < nearest.0 && distance > 0.0 {
                nearest = (distance, away * (1.0 / distance));
            }
        }
        (nearest.0 - scene.body.radius, nearest.1)
    }

    /// Distance of the line sensor to the nearest edge of a line, negative on a line.
    fn line_edge(&self, pose: Pose) -> f32 {
        let body = &self.prepared.scene.body;
        let spot = pose.at + direction(pose.heading) * (body.radius * body.line_sensor);
        self.prepared.segments.iter().fold(f32::MAX, |least, segment| min(least, segment.signed_distance(spot)))
    }

    /// Distance to the nearest edge of light, negative in it.
    fn light_edge(&self, at: Vec2) -> f32 {
        let lamps = self.prepared.scene.lamps.iter().zip(&self.prepared.lit_radii).enumerate();
        lamps.filter(|(i, _)| self.lamps >> i & 1 == 1).fold(f32::MAX, |least, (_, (lamp, radius))| {
            min(least, (at - vec2(lamp.x, lamp.y)).length() - radius)
        })
    }

    fn line_contact(&self, time: f64) -> bool {
        self.truth.line || time - self.left_line < GRACE
    }

    /// Counts the times from one tick to another, cut where something changed.
    fn account(&mut self, before: f64, time: f64, crossings: &mut [(f64, Crossing); 3]) {
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut from = before;
        let mut touching = self.contact.is_some();
        if crossings.iter().any(|crossing| crossing.1 == Crossing::Contact) {
            touching = !touching;
        }
        for &(at, crossing) in crossings.iter() {
            self.count(from, at, touching);
            from = max_f64(from, at);
            match crossing {
                Crossing::None => {}
                Crossing::Contact => touching = !touching,
                Crossing::Light => self.truth.lit = !self.truth.lit,
                Crossing::Line => {
                    self.truth.line = !self.truth.line;
                    self.left_line = if self.truth.line { self.left_line } else { at };
                }
            }
        }
        self.count(from, time, touching);
    }

    fn count(&mut self, from: f64, to: f64, touching: bool) {
        let span = to - from;
        if span <= 0.0 || self.suppressed {
            return;
        }
        let tally = &mut self.tally;
        if touching {
            tally.obstacle_time += span;
            return;
        }
        tally.distance += span * f64::from(self.stretch.speed.abs());
        if self.truth.lit {
            tally.lit_time += span;
        }
        if self.stretch.speed > 0.0 {
            let along = if self.truth.line { span } else { max_f64(0.0, min_f64(self.left_line + GRACE, to) - from) };
            tally.line_time += along;
            if self.truth.lit {
                tally.lit_line_time += along;
            }
        }
    }

    /// Looks at what can change without motion: lamps, and what is so at the start.
    fn look(&mut self) {
        let pose = self.pose();
        self.truth.line = self.line_edge(pose) <= 0.0;
        self.truth.lit = self.light_edge(pose.at) <= 0.0;
        self.look_soon();
    }

    fn run_times(&mut self) {
        for i in 0..self.next_event.len() {
            let event = self.prepared.scene.times[i];
            while self.next_event[i].1 > 0 && self.next_event[i].0 <= self.now {
                self.next_event[i].1 -= 1;
                self.next_event[i].0 = self.next_event[i].0.saturating_add(event.period);
                self.run_script(event.script, false);
            }
        }
    }

    fn enter_areas(&mut self, pose: Pose) {
        let prepared = self.prepared;
        let mut nearest = f32::MAX;
        for (i, area) in prepared.scene.areas.iter().enumerate() {
            let distance = area.at.distance(pose.at);
            let heading = area.heading.is_none_or(|[heading, tolerance]| {
                direction(pose.heading).dot(direction(heading)) >= direction(tolerance).y - SLACK
            });
            let within = |value: f32, low: f32, high: f32| value >= low - SLACK && value <= high + SLACK;
            let inside = distance <= SLACK
                && heading
                && area.fork.is_none_or(|state| state == self.fork.state())
                && within(self.fork.position(self.now), area.position[0], area.position[1])
                && area.registers.iter().all(|&(r, low, high)| within(self.registers[usize::from(r)], low, high));
            let entered = inside && self.inside >> i & 1 == 0;
            self.inside = self.inside & !(1 << i) | u64::from(inside) << i;
            let acts = match area.activation {
                // Whoever stands in an area when it is armed is in it.
                Activation::Once => inside && self.armed >> i & 1 == 1,
                Activation::EachEntrance => entered,
                Activation::After(delay) => entered && self.now - self.activated[i] >= delay,
            };
            if acts {
                self.armed &= !(1 << i);
                self.activated[i] = self.now;
                self.run_script(area.script, true);
            }
            nearest = min(nearest, max(distance, 0.0));
        }
        let turns = if nearest <= SLACK { self.stretch.turn.abs() } else { 0.0 };
        self.due.areas = later(self.now, nearest, self.stretch.speed.abs() + turns);
    }

    fn run_script(&mut self, number: usize, counted: bool) {
        let prepared = self.prepared;
        for command in &prepared.scene.scripts[number - 1] {
            match *command {
                Command::On(lamp) => self.lamps |= 1 << (lamp - 1),
                Command::Off(lamp) => self.lamps &= !(1 << (lamp - 1)),
                Command::Arm(area) => self.armed |= 1 << (area - 1),
                Command::Tell(TARGET_MARK) => self.marks += 1,
                Command::Tell(_) => {}
                Command::Select(register) => self.selected = usize::from(register),
                Command::Put(value) => self.registers[self.selected] = value,
            }
        }
        if counted {
            if number <= COUNTED_SCRIPTS {
                self.tally.scripts[number - 1] += 1;
            }
            if number == LOADED {
                self.suppressed = false;
            }
        }
        self.truth.lit = self.light_edge(self.pose().at) <= 0.0;
        self.due.light = self.due.light.min(self.now + TICK);
        self.due.areas = self.due.areas.min(self.now + TICK);
    }
}

/// What changed within a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crossing {
    None,
    Contact,
    Line,
    Light,
}

/// When a quantity that has these values at two times is zero between them.
fn between(from: f64, to: f64, first: f32, last: f32) -> f64 {
    let (first, last) = (f64::from(first), f64::from(last));
    let share = if first == last { 1.0 } else { first / (first - last) };
    from + (to - from) * max_f64(0.0, min_f64(share, 1.0))
}

/// The first tick at which something `distance` away can be reached at `speed` per ms.
fn later(now: u32, distance: f32, speed: f32) -> u32 {
    if speed == 0.0 {
        return u32::MAX;
    }
    let ticks = distance / speed * (1.0 / TICK as f32);
    now + TICK * (min(ticks, 1e6) as u32).max(1)
}

fn max_f64(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

fn min_f64(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// A normal deviate of a variance; nothing is drawn for none.
fn gaussian(variance: f32, draws: &mut Draws) -> f32 {
    if variance == 0.0 { 0.0 } else { normal_pair(draws.word(), draws.word()).0 * variance.sqrt() }
}

fn point([x, y]: [f32; 2]) -> Vec2 {
    vec2(x, y)
}
