//! A short stretch of motion, and how likely a world makes it.

use super::parameter::{Parameter, WorldModel, edge_wall};
use crate::math::{Vec2, wrap_angle};
use crate::model::{DT, PROX_RANGE, WHEELBASE};
use crate::world::physics::{self, Physics};
use crate::world::{Body, Pose, Shape, World, WorldSpec, senses};

/// Poses at one moment, in the world frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Glimpse {
    /// When it was so, s.
    pub time: f64,
    /// The robot itself.
    pub me: Pose,
    /// The disc that is nearest to it.
    pub disc: Option<Pose>,
    /// The other robots within [`NEAR`] of it.
    pub mates: Vec<Mate>,
    /// What its proximity sensors read, 0..=1, if they can be believed.
    pub proximity: Option<[f32; 8]>,
}

/// Another robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mate {
    /// Its island, from 1.
    pub island: u16,
    /// Where it is.
    pub pose: Pose,
    /// How fast its wheels were told to turn last, left and right, m/s.
    pub wheels: [f32; 2],
}

impl Glimpse {
    /// What a robot of a simulated world would be told at `time`, s; `captured` is where motion capture sees a body that
    /// is at a pose. What the proximity sensors read is exact.
    pub fn in_world(world: &World, robot: usize, time: f64, captured: impl Fn(usize, Pose) -> Pose) -> Glimpse {
        let robots = world.robots();
        let seen = |body: usize| captured(body, world.bodies[body].pose);
        let me = seen(robot);
        let mate =
            |other: usize| Mate { island: other as u16 + 1, pose: seen(other), wheels: world.bodies[other].wheels };
        let near = |pose: &Pose| (pose.at - me.at).length();
        let mates = (0..robots).filter(|other| *other != robot).map(mate).filter(|mate| near(&mate.pose) < NEAR);
        let discs = (robots..world.bodies.len()).map(seen);
        Glimpse {
            time,
            me,
            disc: discs.min_by(|a, b| near(a).total_cmp(&near(b))),
            mates: mates.collect(),
            proximity: Some(senses::proximity(&world.bodies, robot, &world.physics)),
        }
    }
}

/// Robots that are further away cannot take part in what a robot or a disc that it touches does within a window, m.
pub const NEAR: f32 = 0.4;

/// Physics steps of a window, about: 0.2 s, one period of the slow senses.
pub(super) const STEPS: usize = 8;
/// Standard deviations of what poses tell besides the model's own noise: place, m, and heading, rad.
const PLACE: f32 = 0.0015;
const HEADING: f32 = 0.02;
/// How much later than told the wheels may have changed, s.
const DELAY: f32 = 0.03;
/// Degrees of freedom of Student's distribution: outliers, such as a robot that somebody carries, say little.
const FREEDOM: f32 = 4.0;
/// A disc that went further was carried, m.
const CARRIED: f32 = 0.06;
/// Whatever is further than this from touching cannot touch within a window, m.
const CLEAR: f32 = 0.02;
/// What seems to be nearer to touching than this touches, m.
const AS_GOOD_AS: f32 = 0.002;
/// Standard deviation of a proximity reading, of which 1 is [`PROX_RANGE`].
const READING: f32 = 0.2;

/// Draws of the motion noise that a prediction is the mean of, and their seed.
const DRAWS: u32 = 4;
const SEED: u64 = 1;

/// A sum of poses relative to one.
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

/// A stretch of motion.
#[derive(Clone, Debug)]
pub(super) struct Window {
    from: Glimpse,
    to: Glimpse,
    /// How the robot moved before it, and the disc.
    before: Motion,
    disc_before: Motion,
    /// What each wheel was told in each step, m/s.
    wheels: Vec<[f32; 2]>,
    /// How much the wheels' speeds changed in it and right before, m/s.
    change: f32,
    /// The disc, if the robot may touch it.
    disc: Option<(Pose, Pose)>,
    /// Where it begins: as near as it seems to be, it touches.
    start: Option<Pose>,
    /// The robots that may take part, how they moved before, and what their wheels were told at its end.
    mates: Vec<(Mate, Motion, [f32; 2])>,
}

/// Velocity, m/s, and turning speed, rad/s.
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

/// What windows are simulated with.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    robot: Shape,
    disc: Shape,
    physics: Physics,
}

impl Shapes {
    pub fn of(spec: &WorldSpec) -> Shapes {
        Shapes {
            robot: spec.robot,
            disc: spec.discs.first().map_or(Shape::FRISBEE, |disc| disc.shape),
            physics: spec.physics.clone(),
        }
    }

    /// How far the centres of a robot and a disc are when they touch, m.
    fn touch(&self) -> f32 {
        self.robot.radius + self.disc.radius
    }
}

/// The edges and their outward directions.
fn edges() -> impl Iterator<Item = (Parameter, Vec2)> {
    Parameter::ALL.into_iter().filter_map(|edge| Some((edge, edge.outward()?)))
}

impl Window {
    /// The window between two moments, with one before them and one in its middle, or as good as. None if what was told makes no whole window, or if the
    /// disc was carried.
    pub fn new(shapes: &Shapes, [before, from, mid, to]: [&Glimpse; 4], told: Told<'_>) -> Option<Window> {
        let near = |disc: &Pose| (disc.at - from.me.at).length() < shapes.touch() + CLEAR;
        let disc = from.disc.zip(to.disc).filter(|(disc, _)| near(disc));
        let start = disc.map(|(was, _)| touching(was, from.me.at, shapes.touch()));
        if disc.is_some_and(|(was, is)| (is.at - was.at).length() > CARRIED) {
            return None;
        }
        // Within a step or two wheels have a robot where they want it: motion before only has to be about right.
        let seconds = (from.time - before.time) as f32;
        let takes_part = |mate: &&Mate| {
            let robots = (mate.pose.at - from.me.at).length() < 2.0 * shapes.robot.radius + 2.0 * CLEAR;
            robots || disc.is_some_and(|(was, _)| (mate.pose.at - was.at).length() < shapes.touch() + CLEAR)
        };
        let (wheels, mut change) = told.wheels(from.time, to.time)?;
        let mut mates = Vec::new();
        for mate in from.mates.iter().filter(takes_part) {
            let find = |glimpse: &Glimpse| glimpse.mates.iter().find(|other| other.island == mate.island).copied();
            let motion =
                find(before).map_or(Motion(Vec2::ZERO, 0.0), |was| Motion::between(&was.pose, &mate.pose, seconds));
            // What is told at a moment was done before it.
            let (first, then) = (find(mid)?.wheels, find(to)?.wheels);
            change += (0..2).map(|side| (then[side] - first[side]).abs()).fold(0.0, f32::max);
            mates.push((Mate { wheels: first, ..*mate }, motion, then));
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

    /// The robot may touch the disc in it.
    pub fn pushes(&self) -> bool {
        self.disc.is_some()
    }

    /// Where the robot was.
    pub fn at(&self) -> Vec2 {
        self.from.me.at
    }

    /// How far from the centre the outermost rim is in an outward direction, m.
    fn outermost(&self, shapes: &Shapes, outward: Vec2) -> f32 {
        let robot = self.from.me.at.dot(outward).max(self.to.me.at.dot(outward)) + shapes.robot.radius;
        let disc = |(a, b): (Pose, Pose)| a.at.dot(outward).max(b.at.dot(outward)) + shapes.disc.radius;
        self.disc.map_or(robot, |discs| robot.max(disc(discs)))
    }

    /// True if an edge that is so far from the centre could be felt.
    fn feels(&self, shapes: &Shapes, outward: Vec2, far: f32) -> bool {
        self.outermost(shapes, outward) + PROX_RANGE > far
    }

    /// Whether this window can tell a value of a parameter from its present one.
    pub fn tells(&self, shapes: &Shapes, parameter: Parameter, model: &WorldModel, value: f32) -> bool {
        match parameter.outward() {
            Some(outward) => self.feels(shapes, outward, value.min(model.get(parameter))),
            None if parameter.own() => {
                let clear = |(edge, outward)| !self.feels(shapes, outward, model.get(edge));
                let drives = self.wheels.iter().flatten().any(|speed| *speed != 0.0);
                drives && !self.pushes() && self.mates.is_empty() && edges().all(clear)
            }
            None => self.pushes() && edges().all(|(edge, outward)| !self.feels(shapes, outward, model.get(edge))),
        }
    }

    /// Log-likelihood of the motion in a world, up to a constant.
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
        let heading = root([HEADING, shapes.physics.noise[1] * turn / steps, 2.0 * late / WHEELBASE]);
        let mut sum =
            told_of(off.dot(forward) / along) + told_of(off.dot(forward.perp()) / across) + told_of(astray / heading);
        if let Some(((was, is), start)) = self.disc.zip(self.start) {
            let way = (disc.at - start.at) * stretch;
            let off = is.at - was.at - way;
            let push = was.at - self.from.me.at;
            let push = push * (1.0 / push.length().max(1e-6));
            let along = root([PLACE, shapes.physics.noise[0] * way.length() / steps, late]);
            sum += told_of(off.dot(push) / along) + told_of(off.dot(push.perp()) / along);
        }
        for (edge, outward) in edges() {
            let beyond = self.outermost(shapes, outward) - model.get(edge) - 2.0 * PLACE;
            sum += told_of(beyond.max(0.0) / PLACE);
        }
        sum
    }

    /// Log-likelihood of what the proximity sensors read at the window's end, up to a constant.
    pub fn proximity(&self, shapes: &Shapes, model: &WorldModel) -> f32 {
        let Some(read) = self.to.proximity else { return 0.0 };
        let others = self.to.mates.iter().map(|mate| Body::at_rest(shapes.robot, mate.pose));
        let bodies: Vec<Body> = [Body::at_rest(shapes.robot, self.to.me)].into_iter().chain(others).collect();
        let predicted = senses::proximity(&bodies, 0, &self.physics(shapes, model));
        predicted.iter().zip(read).map(|(p, r)| told_of((p - r) / READING)).sum()
    }

    /// Where robot and disc are after the window, on average over a few draws of the motion noise: noise lets what is
    /// pushed slip away, so that pushing is slower with it. All worlds have the same draws.
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

    /// Robot, mates and disc at its beginning.
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

    /// The arena, with the edges that are near.
    fn physics(&self, shapes: &Shapes, model: &WorldModel) -> Physics {
        let mut physics = shapes.physics.clone();
        let near = edges().filter(|(edge, outward)| self.feels(shapes, *outward, model.get(*edge) - CLEAR));
        physics.walls.extend(near.map(|(edge, out)| edge_wall(out, model.get(edge), physics.half_arena)));
        physics
    }
}

/// A disc that seems to touch, or nearly, does: errors of its place are not what pushes it.
fn touching(disc: Pose, me: Vec2, touch: f32) -> Pose {
    let between = disc.at - me;
    let distance = between.length();
    let at = if (distance - touch).abs() < AS_GOOD_AS { me + between * (touch / distance) } else { disc.at };
    Pose { at, ..disc }
}

/// What the wheels were told, the newest last: from when on, s, and the speeds of left and right, m/s.
#[derive(Clone, Copy)]
pub(super) struct Told<'a>(pub &'a [(f64, [f32; 2])]);

impl Told<'_> {
    fn at(&self, time: f64) -> Option<[f32; 2]> {
        self.0.iter().rev().find(|(from, _)| *from <= time).map(|(_, wheels)| *wheels)
    }

    /// The speeds in the steps between two times, and how much they changed in them and in one step before.
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

/// Logarithm of Student's density at a standardised error, up to a constant.
fn told_of(error: f32) -> f32 {
    -0.5 * (FREEDOM + 1.0) * (1.0 + error * error / FREEDOM).ln()
}

fn root<const N: usize>(parts: [f32; N]) -> f32 {
    parts.iter().map(|part| part * part).sum::<f32>().sqrt()
}
