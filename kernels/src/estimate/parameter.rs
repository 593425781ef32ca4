//! The parameters of a world that are estimated, and a world that has them.

use crate::math::{Vec2, max, min, vec2};
use crate::model::{ROBOT_RADIUS, V_MAX};
use crate::world::spec::{Area, Start};
use crate::world::wall::Wall;
use crate::world::{SpecError, WorldSpec};

/// A parameter of the world, or of the robot's own body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, schemars::JsonSchema)]
pub enum Parameter {
    /// Mass of the discs, kg.
    FrisbeeMass,
    /// Friction of the discs with the floor.
    FrisbeeFriction,
    /// Friction of robots with the floor.
    RobotFriction,
    /// How far from the centre the arena ends towards -x, m.
    Left,
    /// Towards +x, m.
    Right,
    /// Towards -y, m.
    Bottom,
    /// Towards +y, m.
    Top,
    /// Part of its speed that the robot's left wheel drives.
    LeftWheel,
    /// Part of its speed that the robot's right wheel drives.
    RightWheel,
}

/// Number of parameters.
const COUNT: usize = 9;
/// Ratio of neighbouring candidates for masses and friction, and how many there are on each side.
const RATIO: (f32, i32) = (1.15, 12);
/// Steps between candidates for an edge, m, and for a wheel.
const EDGE_STEP: f32 = 0.01;
const WHEEL_STEP: f32 = 0.05;
/// Least part of half the arena that an edge may be from the centre, and the greatest part that a wheel may drive.
const NARROWEST: f32 = 0.3;
const BEST_WHEEL: f32 = 1.2;
/// A wheel that drives a smaller part of its speed cannot be made up for.
const WEAKEST: f32 = 0.25;
/// An edge that is nearer than the arena's by less than this is no wall of its own, m.
const THIN: f32 = 0.005;

impl Parameter {
    /// All of them.
    pub const ALL: [Parameter; COUNT] = [
        Parameter::FrisbeeMass,
        Parameter::FrisbeeFriction,
        Parameter::RobotFriction,
        Parameter::Left,
        Parameter::Right,
        Parameter::Bottom,
        Parameter::Top,
        Parameter::LeftWheel,
        Parameter::RightWheel,
    ];

    /// Its name in messages and records.
    pub fn name(self) -> &'static str {
        match self {
            Parameter::FrisbeeMass => "frisbee-mass",
            Parameter::FrisbeeFriction => "frisbee-friction",
            Parameter::RobotFriction => "robot-friction",
            Parameter::Left => "left-edge",
            Parameter::Right => "right-edge",
            Parameter::Bottom => "bottom-edge",
            Parameter::Top => "top-edge",
            Parameter::LeftWheel => "left-wheel",
            Parameter::RightWheel => "right-wheel",
        }
    }

    /// The parameter of a name.
    pub fn named(name: &str) -> Option<Parameter> {
        Parameter::ALL.into_iter().find(|parameter| parameter.name() == name)
    }

    /// Only of the robot that estimates it: nobody else's simulator has it.
    pub fn own(self) -> bool {
        matches!(self, Parameter::LeftWheel | Parameter::RightWheel)
    }

    /// Where an edge is, along the outward direction: `None` for what is no edge.
    pub(crate) fn outward(self) -> Option<Vec2> {
        match self {
            Parameter::Left => Some(vec2(-1.0, 0.0)),
            Parameter::Right => Some(vec2(1.0, 0.0)),
            Parameter::Bottom => Some(vec2(0.0, -1.0)),
            Parameter::Top => Some(vec2(0.0, 1.0)),
            _ => None,
        }
    }

    /// Estimated by its logarithm: errors are factors.
    fn is_scale(self) -> bool {
        matches!(self, Parameter::FrisbeeMass | Parameter::FrisbeeFriction | Parameter::RobotFriction)
    }

    /// A value where errors are even: its logarithm or itself.
    pub(crate) fn even(self, value: f32) -> f32 {
        if self.is_scale() { value.max(1e-6).ln() } else { value }
    }

    /// The value back.
    pub(crate) fn uneven(self, even: f32) -> f32 {
        if self.is_scale() { even.exp() } else { even }
    }

    /// True if two values tell the same world, as far as evidence for a third is concerned.
    pub(crate) fn alike(self, a: f32, b: f32) -> bool {
        let apart = (self.even(a) - self.even(b)).abs();
        apart < if self.is_scale() { 0.15 } else { 0.03 }
    }

    /// True if a robot may say that it has this value.
    pub fn possible(self, value: f32) -> bool {
        if self.is_scale() {
            (0.001..=10.0).contains(&value)
        } else if self.own() {
            (0.0..=1.5).contains(&value)
        } else {
            (0.05..=20.0).contains(&value)
        }
    }

    /// What its values are in; friction has no unit.
    pub fn unit(self) -> &'static str {
        match self {
            Parameter::FrisbeeMass => "kg",
            Parameter::FrisbeeFriction | Parameter::RobotFriction => "",
            Parameter::Left | Parameter::Right | Parameter::Bottom | Parameter::Top => "m",
            Parameter::LeftWheel | Parameter::RightWheel => "of its speed",
        }
    }

    /// Least standard deviation of an estimate, in [`Report::sd`](super::Report::sd)'s unit.
    pub fn least_sd(self) -> f32 {
        if self.is_scale() {
            RATIO.0.ln() / 12.0f32.sqrt()
        } else if self.own() {
            WHEEL_STEP / 12.0f32.sqrt()
        } else {
            EDGE_STEP / 12.0f32.sqrt()
        }
    }

    /// True if two values are so near that changing one into the other is worth no simulation anew. A first change must be
    /// larger than what the predictions' own approximations seem to be, some 15 %; `again` is for what was changed before.
    pub(crate) fn as_good(self, a: f32, b: f32, again: bool) -> bool {
        let least = match (self.is_scale(), again) {
            (true, true) => 0.07,
            (true, false) => 0.2,
            (false, _) if self.own() => 0.04,
            (false, _) => 0.015,
        };
        (self.even(a) - self.even(b)).abs() < least
    }

    /// What else it may be, if it is `now`; `whole` is what it was in the world as planned.
    pub(crate) fn candidates(self, now: f32, whole: f32) -> Vec<f32> {
        if self.is_scale() {
            let (ratio, many) = RATIO;
            let all = (-many..=many).filter(|k| *k != 0).map(|k| now * ratio.powi(k));
            return all.filter(|value| (0.001..=10.0).contains(value)).collect();
        }
        let (least, most, step) = match self.outward() {
            Some(_) => (whole * NARROWEST, whole, EDGE_STEP),
            None => (0.0, BEST_WHEEL, WHEEL_STEP),
        };
        let count = ((most - least) / step).round() as usize;
        let all = (0..=count).map(|k| most - step * k as f32);
        all.filter(|value| (value - now).abs() > 0.5 * step && *value >= 0.0).collect()
    }
}

/// A world as its robots know it: one value for each parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldModel([f32; COUNT]);

impl Default for WorldModel {
    /// The benchmark's world, with a body as it should be.
    fn default() -> WorldModel {
        WorldModel::of(&WorldSpec::benchmark(1))
    }
}

impl WorldModel {
    /// A world as it was planned; friction and mass are those of the first disc.
    pub fn of(spec: &WorldSpec) -> WorldModel {
        let disc = spec.discs.first().map_or((0.0, 0.0), |disc| (disc.shape.mass, disc.shape.mu));
        let (x, y) = spec.physics.half_arena;
        WorldModel([disc.0, disc.1, spec.robot.mu, x, x, y, y, 1.0, 1.0])
    }

    /// The value of a parameter.
    pub fn get(&self, parameter: Parameter) -> f32 {
        self.0[parameter as usize]
    }

    /// Changes one.
    pub fn set(&mut self, parameter: Parameter, value: f32) {
        self.0[parameter as usize] = value;
    }

    /// The same with another value of one parameter.
    pub(crate) fn with(&self, parameter: Parameter, value: f32) -> WorldModel {
        let mut other = *self;
        other.set(parameter, value);
        other
    }

    /// How fast each wheel drives, as a part of what it is told: left, right.
    pub fn wheels(&self) -> [f32; 2] {
        [self.get(Parameter::LeftWheel), self.get(Parameter::RightWheel)]
    }

    /// What the wheels are to be told so that they drive at these speeds over the floor, m/s; where one cannot, both are
    /// slower by the same part.
    pub fn compensated(&self, wheels: [f32; 2]) -> [f32; 2] {
        let part = self.wheels().map(|part| part.max(WEAKEST));
        let told = [wheels[0] / part[0], wheels[1] / part[1]];
        let most = told[0].abs().max(told[1].abs());
        let slower = if most > V_MAX { V_MAX / most } else { 1.0 };
        told.map(|speed| (speed * slower).clamp(-V_MAX, V_MAX))
    }

    /// The planned world with these parameters. An edge that is nearer than the arena's is a wall right across, and
    /// whatever would start behind it starts before it.
    ///
    /// # Errors
    /// If such a world cannot be run.
    pub fn apply(&self, planned: &WorldSpec) -> Result<WorldSpec, SpecError> {
        let mut spec = planned.clone();
        let before = WorldModel::of(planned);
        let changed = |parameter| self.get(parameter) != before.get(parameter);
        for disc in &mut spec.discs {
            if changed(Parameter::FrisbeeMass) {
                disc.shape.mass = self.get(Parameter::FrisbeeMass);
            }
            if changed(Parameter::FrisbeeFriction) {
                disc.shape.mu = self.get(Parameter::FrisbeeFriction);
            }
        }
        spec.robot.mu = self.get(Parameter::RobotFriction);
        let walls = self.walls(planned);
        if !walls.is_empty() {
            spec.physics.walls.extend(walls);
            for start in &mut spec.starts {
                if let Start::Area(area) = start {
                    *area = self.within(*area, ROBOT_RADIUS);
                }
            }
            for disc in &mut spec.discs {
                disc.start = self.within(disc.start, disc.shape.radius);
            }
        }
        spec.check()?;
        Ok(spec)
    }

    /// Walls at the edges that are nearer than the planned arena's.
    fn walls(&self, planned: &WorldSpec) -> Vec<Wall> {
        let (x, y) = planned.physics.half_arena;
        let edges = Parameter::ALL.into_iter().filter_map(|edge| Some((edge, edge.outward()?)));
        edges
            .filter(|(edge, outward)| self.get(*edge) < outward.x.abs() * x + outward.y.abs() * y - THIN)
            .map(|(edge, outward)| edge_wall(outward, self.get(edge), (x, y)))
            .collect()
    }

    /// An area cut so that bodies of a radius fit before the edges.
    fn within(&self, area: Area, radius: f32) -> Area {
        let room = radius + THIN;
        let low = vec2(room - self.get(Parameter::Left), room - self.get(Parameter::Bottom));
        let high = vec2(self.get(Parameter::Right) - room, self.get(Parameter::Top) - room);
        let cut = |at: Vec2| vec2(max(low.x, min(at.x, high.x)), max(low.y, min(at.y, high.y)));
        Area { low: cut(area.low), high: cut(area.high) }
    }
}

/// A wall right across an arena.
pub(crate) fn edge_wall(outward: Vec2, far: f32, (x, y): (f32, f32)) -> Wall {
    let half = if outward.x != 0.0 { vec2(0.0, y) } else { vec2(x, 0.0) };
    let middle = outward * far;
    Wall { from: middle - half, to: middle + half }
}
