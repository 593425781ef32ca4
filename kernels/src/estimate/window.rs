//! A short interval of motion (window), and its likelihood under a world model.

use super::parameter::{Parameter, WorldModel, edge_wall};
use crate::math::{Vec2, wrap_angle};
use crate::model::DT;
use crate::world::physics::{self, Physics};
use crate::world::{Body, Pose, Shape, World, WorldSpec, senses};

/// Observation of a robot at one moment. Poses are in the world frame.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseSnapshot {
    /// Time (s).
    pub time: f64,
    /// Pose of the observing robot.
    pub me: Pose,
    /// Pose of the nearest disc; `None` without discs.
    pub disc: Option<Pose>,
    /// States of the other robots within [`NEAR`].
    pub mates: Vec<NeighbourState>,
    /// Readings of the robot's proximity sensors (0..=1); `None` if the readings are unreliable.
    pub proximity: Option<[f32; 8]>,
}

/// State of another robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighbourState {
    /// Number of the robot's island, from 1.
    pub island: u16,
    /// Current pose.
    pub pose: Pose,
    /// Last commanded speeds of the left and right wheel (m/s).
    pub wheels: [f32; 2],
}

impl PoseSnapshot {
    /// Returns the observation of a simulated robot at `time` (s). `captured` converts true poses to the poses that
    /// motion capture measures. The proximity readings are exact.
    pub fn in_world(world: &World, robot: usize, time: f64, captured: impl Fn(usize, Pose) -> Pose) -> PoseSnapshot {
        let robots = world.robots();
        let seen = |body: usize| captured(body, world.bodies[body].pose);
        let me = seen(robot);
        let mate = |other: usize| NeighbourState {
            island: other as u16 + 1,
            pose: seen(other),
            wheels: world.bodies[other].wheels,
        };
        let near = |pose: &Pose| (pose.at - me.at).length();
        let mates = (0..robots).filter(|other| *other != robot).map(mate).filter(|mate| near(&mate.pose) < NEAR);
        let discs = (robots..world.bodies.len()).map(seen);
        PoseSnapshot {
            time,
            me,
            disc: discs.min_by(|a, b| near(a).total_cmp(&near(b))),
            mates: mates.collect(),
            proximity: Some(senses::proximity(&world.bodies, robot, &world.physics)),
        }
    }
}

/// Maximum distance at which another robot can influence the motion of a robot within a window (m). The influence may
/// be direct, or through a disc between the two robots.
pub const NEAR: f32 = 0.4;

/// Approximate number of physics steps per window (0.2 s, one period of the slow senses).
pub(super) const STEPS: usize = 8;
/// Standard deviations of measured poses, without motion noise: position (m) and heading (rad).
const PLACE: f32 = 0.0015;
const HEADING: f32 = 0.02;
/// Maximum delay between a command and the motion of the wheels (s).
const DELAY: f32 = 0.03;
/// Degrees of freedom of Student's distribution. The distribution reduces the weight of outliers, such as a robot
/// that is carried.
const FREEDOM: f32 = 4.0;
/// Maximum displacement of a disc within a window that a push can cause (m). A larger displacement means that the
/// disc was carried.
const CARRIED: f32 = 0.06;
/// Maximum gap between objects that can touch within a window (m).
const MAX_GAP: f32 = 0.02;
/// Gap below which objects count as touching (m).
const CONTACT_GAP: f32 = 0.002;
/// Standard deviation of a proximity reading; 1 is the largest reading.
const READING: f32 = 0.2;

/// Number of draws of motion noise over which a prediction averages, and seed of these draws.
const DRAWS: u32 = 4;
const SEED: u64 = 1;

/// Sum of displacements (m) and sum of turns (rad), relative to a reference pose.
#[derive(Default)]
struct Sum(Vec2, f32);

impl Sum {
    fn add(&mut self, from: &Pose, pose: &Pose) {
        self.0 += pose.at - from.at;
        self.1 += wrap_angle(pose.heading - from.heading);
    }

    fn mean(&self, from: &Pose, count: u32) -> Pose {
        let part = 1.0 / count as f32;
        Pose { at: from.at + self.0 * part, heading: wrap_angle(from.heading + self.1 * part) }
    }
}

/// A short interval of motion between two snapshots.
#[derive(Clone, Debug)]
pub(super) struct Window {
    from: PoseSnapshot,
    to: PoseSnapshot,
    /// Motions of the robot and of the disc immediately before the window.
    before: Motion,
    disc_before: Motion,
    /// Commanded speeds of the left and right wheel in each step (m/s).
    wheels: Vec<[f32; 2]>,
    /// Total change of the commanded speeds in the window and in the step before it (m/s).
    change: f32,
    /// Poses of the disc at the start and end of the window; `None` if the robot cannot touch it.
    disc: Option<(Pose, Pose)>,
    /// Start pose of the disc for the prediction. A disc that nearly touches the robot is moved to exact contact.
    start: Option<Pose>,
    /// Other robots that may push or be pushed. Each element contains the state of a robot at the window's start, its
    /// motion before the window, and its commanded speeds at the window's end (m/s).
    mates: Vec<(NeighbourState, Motion, [f32; 2])>,
}

/// Velocity (m/s) and angular velocity (rad/s) of a body.
#[derive(Clone, Copy, Debug)]
struct Motion(Vec2, f32);

impl Motion {
    fn between(a: &Pose, b: &Pose, seconds: f32) -> Motion {
        let part = 1.0 / seconds.max(DT);
        Motion((b.at - a.at) * part, wrap_angle(b.heading - a.heading) * part)
    }

    fn give(self, body: &mut Body) {
        (body.velocity, body.spin) = (self.0, self.1);
    }
}

/// Constant data for the prediction of windows.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    robot: Shape,
    disc: Shape,
    physics: Physics,
}

impl Shapes {
    pub fn from_spec(spec: &WorldSpec) -> Shapes {
        Shapes {
            robot: spec.robot,
            disc: spec.discs.first().map_or(Shape::FRISBEE, |disc| disc.shape),
            physics: spec.physics.clone(),
        }
    }

    /// Returns the distance between the centres of a robot and a disc in contact (m).
    fn touch(&self) -> f32 {
        self.robot.radius + self.disc.radius
    }
}

/// Returns the edges of the arena with their outward directions.
fn edges() -> impl Iterator<Item = (Parameter, Vec2)> {
    Parameter::ALL.into_iter().filter_map(|edge| Some((edge, edge.outward()?)))
}

impl Window {
    /// Creates the window between the snapshots `from` and `to`. `before` is a snapshot before the window, and `mid`
    /// one near its middle. Returns `None` if the wheel commands do not cover the whole window, if another robot's
    /// commands are missing, or if the disc was carried.
    pub fn new(
        shapes: &Shapes,
        [before, from, mid, to]: [&PoseSnapshot; 4],
        told: WheelCommands<'_>,
    ) -> Option<Window> {
        let near = |disc: &Pose| (disc.at - from.me.at).length() < shapes.touch() + MAX_GAP;
        let disc = from.disc.zip(to.disc).filter(|(disc, _)| near(disc));
        let start = disc.map(|(was, _)| touching(was, from.me.at, shapes.touch()));
        if disc.is_some_and(|(was, is)| (is.at - was.at).length() > CARRIED) {
            return None;
        }
        // An approximate motion before the window suffices, because wheels reach the commanded motion within one or
        // two steps.
        let seconds = (from.time - before.time) as f32;
        let takes_part = |mate: &&NeighbourState| {
            let robots = (mate.pose.at - from.me.at).length() < 2.0 * shapes.robot.radius + 2.0 * MAX_GAP;
            robots || disc.is_some_and(|(was, _)| (mate.pose.at - was.at).length() < shapes.touch() + MAX_GAP)
        };
        let (wheels, mut change) = told.wheels(from.time, to.time)?;
        let mut mates = Vec::new();
        for mate in from.mates.iter().filter(takes_part) {
            let find = |glimpse: &PoseSnapshot| glimpse.mates.iter().find(|other| other.island == mate.island).copied();
            let motion =
                find(before).map_or(Motion(Vec2::ZERO, 0.0), |was| Motion::between(&was.pose, &mate.pose, seconds));
            // A command in a snapshot was executed before the time of the snapshot.
            let (first, then) = (find(mid)?.wheels, find(to)?.wheels);
            change += (0..2).map(|side| (then[side] - first[side]).abs()).fold(0.0, f32::max);
            mates.push((NeighbourState { wheels: first, ..*mate }, motion, then));
        }
        let still = Motion(Vec2::ZERO, 0.0);
        Some(Window {
            before: Motion::between(&before.me, &from.me, seconds),
            disc_before: before.disc.zip(from.disc).map_or(still, |(a, b)| Motion::between(&a, &b, seconds)),
            from: from.clone(),
            to: to.clone(),
            wheels,
            change,
            disc,
            start,
            mates,
        })
    }

    /// Returns whether the robot may touch the disc in this window.
    pub fn pushes(&self) -> bool {
        self.disc.is_some()
    }

    /// Returns the start position of the robot.
    pub fn at(&self) -> Vec2 {
        self.from.me.at
    }

    /// Returns the distance from the centre to the outermost rim of the robot or the disc in an outward direction
    /// (m).
    fn outermost(&self, shapes: &Shapes, outward: Vec2) -> f32 {
        let robot = self.from.me.at.dot(outward).max(self.to.me.at.dot(outward)) + shapes.robot.radius;
        let disc = |(a, b): (Pose, Pose)| a.at.dot(outward).max(b.at.dot(outward)) + shapes.disc.radius;
        self.disc.map_or(robot, |discs| robot.max(disc(discs)))
    }

    /// Returns true if an edge at distance `far` from the centre (m) is in range of the proximity sensors, or could
    /// be touched.
    fn feels(&self, shapes: &Shapes, outward: Vec2, far: f32) -> bool {
        self.outermost(shapes, outward) + shapes.physics.robot.proximity.range > far
    }

    /// Returns whether this window can distinguish a value of a parameter from the current value in the model.
    pub fn tells(&self, shapes: &Shapes, parameter: Parameter, model: &WorldModel, value: f32) -> bool {
        match parameter.outward() {
            Some(outward) => self.feels(shapes, outward, value.min(model.get(parameter))),
            None if parameter.is_own_body() => {
                let clear = |(edge, outward)| !self.feels(shapes, outward, model.get(edge));
                let drives = self.wheels.iter().flatten().any(|speed| *speed != 0.0);
                drives && !self.pushes() && self.mates.is_empty() && edges().all(clear)
            }
            None => self.pushes() && edges().all(|(edge, outward)| !self.feels(shapes, outward, model.get(edge))),
        }
    }

    /// Returns the log-likelihood of the motion under a model, up to a constant.
    pub fn motion(&self, shapes: &Shapes, model: &WorldModel) -> f32 {
        let (me, disc) = self.predict(shapes, model);
        let seconds = (self.to.time - self.from.time) as f32;
        let stretch = seconds / (self.wheels.len() as f32 * DT);
        let steps = (self.wheels.len() as f32).sqrt();
        let late = DELAY * self.change;

        let forward = Vec2::unit(self.from.me.heading);
        let way = (me.at - self.from.me.at) * stretch;
        let off = self.to.me.at - self.from.me.at - way;
        let turn = wrap_angle(me.heading - self.from.me.heading) * stretch;
        let astray = wrap_angle(self.to.me.heading - self.from.me.heading - turn);
        let along = root([PLACE, shapes.physics.noise[0] * way.length() / steps, late]);
        let across = root([PLACE, HEADING * way.length()]);
        let heading = root([HEADING, shapes.physics.noise[1] * turn / steps, late / shapes.robot.contact_arm]);
        let mut sum = student_log_density(off.dot(forward) / along)
            + student_log_density(off.dot(forward.perp()) / across)
            + student_log_density(astray / heading);
        if let Some(((was, is), start)) = self.disc.zip(self.start) {
            let way = (disc.at - start.at) * stretch;
            let off = is.at - was.at - way;
            let push = was.at - self.from.me.at;
            let push = push * (1.0 / push.length().max(1e-6));
            let along = root([PLACE, shapes.physics.noise[0] * way.length() / steps, late]);
            sum += student_log_density(off.dot(push) / along) + student_log_density(off.dot(push.perp()) / along);
        }
        for (edge, outward) in edges() {
            let beyond = self.outermost(shapes, outward) - model.get(edge) - 2.0 * PLACE;
            sum += student_log_density(beyond.max(0.0) / PLACE);
        }
        sum
    }

    /// Returns the log-likelihood of the proximity readings at the window's end, up to a constant; 0 without
    /// readings.
    pub fn proximity(&self, shapes: &Shapes, model: &WorldModel) -> f32 {
        let Some(read) = self.to.proximity else { return 0.0 };
        let others = self.to.mates.iter().map(|mate| Body::at_rest(shapes.robot, mate.pose));
        let bodies: Vec<Body> = [Body::at_rest(shapes.robot, self.to.me)].into_iter().chain(others).collect();
        let predicted = senses::proximity(&bodies, 0, &self.physics(shapes, model));
        predicted.iter().zip(read).map(|(p, r)| student_log_density((p - r) / READING)).sum()
    }

    /// Predicts the poses of robot and disc after the window, as means over a few draws of the motion noise. With
    /// noise, pushed objects slip away, so pushing is slower. All models use the same draws.
    fn predict(&self, shapes: &Shapes, model: &WorldModel) -> (Pose, Pose) {
        let physics = self.physics(shapes, model);
        let bodies = self.bodies(shapes, model);
        let draws = if bodies.len() > 1 { DRAWS } else { 1 };
        let part = model.wheels();
        let (mut me, mut disc) = (Sum::default(), Sum::default());
        for draw in 0..draws {
            let mut bodies = bodies.clone();
            let quiet = Physics { noise: [0.0; 3], ..physics.clone() };
            let physics = if draws > 1 { &physics } else { &quiet };
            for (step, told) in self.wheels.iter().enumerate() {
                bodies[0].wheels = [told[0] * part[0], told[1] * part[1]];
                for (body, (mate, _, last)) in bodies[1..].iter_mut().zip(&self.mates) {
                    body.wheels = if step < self.wheels.len() / 2 { mate.wheels } else { *last };
                }
                physics::step(&mut bodies, physics, SEED, draw, step as u32);
            }
            me.add(&self.from.me, &bodies[0].pose);
            disc.add(&self.from.me, &bodies[bodies.len() - 1].pose);
        }
        (me.mean(&self.from.me, draws), disc.mean(&self.from.me, draws))
    }

    /// Returns the robot, other robots and the disc at the start of the window.
    fn bodies(&self, shapes: &Shapes, model: &WorldModel) -> Vec<Body> {
        let robot = |pose: Pose, motion: Motion| {
            let mut body = Body::at_rest(shapes.robot, pose);
            body.shape.mu = model.get(Parameter::RobotFriction);
            motion.give(&mut body);
            body
        };
        let mut bodies = vec![robot(self.from.me, self.before)];
        bodies.extend(self.mates.iter().map(|(mate, motion, _)| robot(mate.pose, *motion)));
        if let Some(start) = self.start {
            let mut disc = Body::at_rest(shapes.disc, start);
            disc.shape.mass = model.get(Parameter::FrisbeeMass);
            disc.shape.mu = model.get(Parameter::FrisbeeFriction);
            self.disc_before.give(&mut disc);
            bodies.push(disc);
        }
        bodies
    }

    /// Returns the physics with additional walls for the nearby edges.
    fn physics(&self, shapes: &Shapes, model: &WorldModel) -> Physics {
        let mut physics = shapes.physics.clone();
        let near = edges().filter(|(edge, outward)| self.feels(shapes, *outward, model.get(*edge) - MAX_GAP));
        physics.walls.extend(near.map(|(edge, out)| edge_wall(out, model.get(edge), physics.half_arena)));
        physics
    }
}

/// Moves a disc that nearly touches the robot to exact contact, so that position errors do not cause a push.
fn touching(disc: Pose, me: Vec2, touch: f32) -> Pose {
    let between = disc.at - me;
    let distance = between.length();
    let at = if (distance - touch).abs() < CONTACT_GAP { me + between * (touch / distance) } else { disc.at };
    Pose { at, ..disc }
}

/// Commands to the wheels of a robot, newest last. Each command has its start time (s), and the speeds of the left
/// and right wheel (m/s).
#[derive(Clone, Copy)]
pub(super) struct WheelCommands<'a>(pub &'a [(f64, [f32; 2])]);

impl WheelCommands<'_> {
    fn at(&self, time: f64) -> Option<[f32; 2]> {
        self.0.iter().rev().find(|(from, _)| *from <= time).map(|(_, wheels)| *wheels)
    }

    /// Returns the commanded speeds in the steps between two times (s), and their total change (m/s). The total
    /// includes the change between the step before the interval and the first step. Returns `None` if the commands do
    /// not cover the interval.
    fn wheels(&self, from: f64, to: f64) -> Option<(Vec<[f32; 2]>, f32)> {
        let steps = ((to - from) / f64::from(DT)).round().max(1.0);
        let step = (to - from) / steps;
        let mut wheels = vec![[0.0; 2]; steps as usize];
        for (i, speeds) in wheels.iter_mut().enumerate() {
            *speeds = self.at(from + (i as f64 + 0.5) * step)?;
        }
        let mut last = self.at(from - step).unwrap_or(wheels[0]);
        let mut change = 0.0;
        for speeds in &wheels {
            change += (0..2).map(|side| (speeds[side] - last[side]).abs()).fold(0.0, f32::max);
            last = *speeds;
        }
        Some((wheels, change))
    }
}

/// Returns the logarithm of the density of Student's distribution for a standardised error, up to a constant.
fn student_log_density(error: f32) -> f32 {
    -0.5 * (FREEDOM + 1.0) * (1.0 + error * error / FREEDOM).ln()
}

fn root<const N: usize>(parts: [f32; N]) -> f32 {
    parts.iter().map(|part| part * part).sum::<f32>().sqrt()
}
