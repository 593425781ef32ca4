//! Estimated parameters of a world, and world models with values for them.

use crate::math::{Vec2, max, min, vec2};
use crate::model::{ROBOT_RADIUS, V_MAX};
use crate::world::spec::{Area, Start};
use crate::world::wall::Wall;
use crate::world::{SpecError, WorldSpec};

/// A parameter of the world, or of the robot's own body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, schemars::JsonSchema)]
pub enum Parameter {
    /// Mass of the discs (kg).
    FrisbeeMass,
    /// Coefficient of friction between discs and the floor.
    FrisbeeFriction,
    /// Coefficient of friction between robots and the floor.
    RobotFriction,
    /// Distance from the centre to the arena's edge at -x (m).
    Left,
    /// Distance from the centre to the arena's edge at +x (m).
    Right,
    /// Distance from the centre to the arena's edge at -y (m).
    Bottom,
    /// Distance from the centre to the arena's edge at +y (m).
    Top,
    /// Ratio of actual to commanded speed of the robot's left wheel.
    LeftWheel,
    /// Ratio of actual to commanded speed of the robot's right wheel.
    RightWheel,
}

/// Number of parameters.
const COUNT: usize = 9;
/// Ratio of adjacent candidates for masses and friction, and number of candidates on each side.
const RATIO: (f32, i32) = (1.15, 12);
/// Distance between candidates for an edge (m) and for a wheel.
const EDGE_STEP: f32 = 0.01;
const WHEEL_STEP: f32 = 0.05;
/// Minimum distance of an edge from the centre as a fraction of half the arena, and maximum speed ratio of a wheel.
const NARROWEST: f32 = 0.3;
const BEST_WHEEL: f32 = 1.2;
/// Minimum speed ratio of a wheel that can be compensated.
const WEAKEST: f32 = 0.25;
/// Minimum distance of an edge from the arena's wall for a separate wall (m).
const THIN: f32 = 0.005;

impl Parameter {
    /// All parameters.
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

    /// Name in messages and records.
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

    /// Returns the parameter with the given name.
    pub fn from_name(name: &str) -> Option<Parameter> {
        Parameter::ALL.into_iter().find(|parameter| parameter.name() == name)
    }

    /// Whether the parameter belongs to the robot's own body and is not shared with other robots.
    pub fn is_own_body(self) -> bool {
        matches!(self, Parameter::LeftWheel | Parameter::RightWheel)
    }

    /// Outward direction of an edge; `None` for other parameters.
    pub(crate) fn outward(self) -> Option<Vec2> {
        match self {
            Parameter::Left => Some(vec2(-1.0, 0.0)),
            Parameter::Right => Some(vec2(1.0, 0.0)),
            Parameter::Bottom => Some(vec2(0.0, -1.0)),
            Parameter::Top => Some(vec2(0.0, 1.0)),
            _ => None,
        }
    }

    /// Whether the parameter is estimated on a logarithmic scale, so that errors are factors.
    fn is_scale(self) -> bool {
        matches!(self, Parameter::FrisbeeMass | Parameter::FrisbeeFriction | Parameter::RobotFriction)
    }

    /// Converts a value to the scale of the estimation: the logarithm, or the value itself.
    pub(crate) fn scaled(self, value: f32) -> f32 {
        if self.is_scale() { value.max(1e-6).ln() } else { value }
    }

    /// Inverse of [`Parameter::scaled`].
    pub(crate) fn unscaled(self, even: f32) -> f32 {
        if self.is_scale() { even.exp() } else { even }
    }

    /// True if two values count as the same world when reports are combined.
    pub(crate) fn same_world(self, a: f32, b: f32) -> bool {
        let apart = (self.scaled(a) - self.scaled(b)).abs();
        apart < if self.is_scale() { 0.15 } else { 0.03 }
    }

    /// True if a robot may report this value.
    pub fn is_plausible(self, value: f32) -> bool {
        if self.is_scale() {
            (0.001..=10.0).contains(&value)
        } else if self.is_own_body() {
            (0.0..=1.5).contains(&value)
        } else {
            (0.05..=20.0).contains(&value)
        }
    }

    /// Unit of the parameter's values; empty for friction.
    pub fn unit(self) -> &'static str {
        match self {
            Parameter::FrisbeeMass => "kg",
            Parameter::FrisbeeFriction | Parameter::RobotFriction => "",
            Parameter::Left | Parameter::Right | Parameter::Bottom | Parameter::Top => "m",
            Parameter::LeftWheel | Parameter::RightWheel => "of its speed",
        }
    }

    /// Minimum standard deviation of an estimate, in the unit of [`Report::sd`](super::Report::sd).
    pub fn least_sd(self) -> f32 {
        if self.is_scale() {
            RATIO.0.ln() / 12.0f32.sqrt()
        } else if self.is_own_body() {
            WHEEL_STEP / 12.0f32.sqrt()
        } else {
            EDGE_STEP / 12.0f32.sqrt()
        }
    }

    /// True if two values are so close that a new simulation is not worthwhile. A first change must exceed the
    /// approximation error of the predictions, about 15 %; `again` is true for parameters that were changed before.
    pub(crate) fn is_close(self, a: f32, b: f32, again: bool) -> bool {
        let least = match (self.is_scale(), again) {
            (true, true) => 0.07,
            (true, false) => 0.2,
            (false, _) if self.is_own_body() => 0.04,
            (false, _) => 0.015,
        };
        (self.scaled(a) - self.scaled(b)).abs() < least
    }

    /// Candidate values, given the current value `now` and the planned value `whole`.
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

/// World model of robots: one value for each parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldModel([f32; COUNT]);

impl Default for WorldModel {
    /// The benchmark's world and a faultless body.
    fn default() -> WorldModel {
        WorldModel::from_spec(&WorldSpec::benchmark(1))
    }
}

impl WorldModel {
    /// Creates the model of a planned world; friction and mass are those of the first disc.
    pub fn from_spec(spec: &WorldSpec) -> WorldModel {
        let disc = spec.discs.first().map_or((0.0, 0.0), |disc| (disc.shape.mass, disc.shape.mu));
        let (x, y) = spec.physics.half_arena;
        WorldModel([disc.0, disc.1, spec.robot.mu, x, x, y, y, 1.0, 1.0])
    }

    /// Value of a parameter.
    pub fn get(&self, parameter: Parameter) -> f32 {
        self.0[parameter as usize]
    }

    /// Sets the value of a parameter.
    pub fn set(&mut self, parameter: Parameter, value: f32) {
        self.0[parameter as usize] = value;
    }

    /// Copies the model with another value of one parameter.
    pub(crate) fn with(&self, parameter: Parameter, value: f32) -> WorldModel {
        let mut other = *self;
        other.set(parameter, value);
        other
    }

    /// Ratios of actual to commanded speed of the left and right wheel.
    pub fn wheels(&self) -> [f32; 2] {
        [self.get(Parameter::LeftWheel), self.get(Parameter::RightWheel)]
    }

    /// Commands that make the wheels drive at these ground speeds (m/s); if one command exceeds the maximum, both are
    /// reduced by the same factor.
    pub fn compensated(&self, wheels: [f32; 2]) -> [f32; 2] {
        let part = self.wheels().map(|part| part.max(WEAKEST));
        let told = [wheels[0] / part[0], wheels[1] / part[1]];
        let most = told[0].abs().max(told[1].abs());
        let slower = if most > V_MAX { V_MAX / most } else { 1.0 };
        told.map(|speed| (speed * slower).clamp(-V_MAX, V_MAX))
    }

    /// Applies the parameters to the planned world. An edge closer than the planned edge becomes a wall across the
    /// arena. Start positions behind the wall are moved in front of it.
    ///
    /// # Errors
    /// If the resulting world cannot be run.
    pub fn apply(&self, planned: &WorldSpec) -> Result<WorldSpec, SpecError> {
        let mut spec = planned.clone();
        let before = WorldModel::from_spec(planned);
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

    /// Walls for the edges that are closer to the centre than in the planned arena.
    fn walls(&self, planned: &WorldSpec) -> Vec<Wall> {
        let (x, y) = planned.physics.half_arena;
        let edges = Parameter::ALL.into_iter().filter_map(|edge| Some((edge, edge.outward()?)));
        edges
            .filter(|(edge, outward)| self.get(*edge) < outward.x.abs() * x + outward.y.abs() * y - THIN)
            .map(|(edge, outward)| edge_wall(outward, self.get(edge), (x, y)))
            .collect()
    }

    /// Clips an area so that bodies with this radius fit within the edges.
    fn within(&self, area: Area, radius: f32) -> Area {
        let room = radius + THIN;
        let low = vec2(room - self.get(Parameter::Left), room - self.get(Parameter::Bottom));
        let high = vec2(self.get(Parameter::Right) - room, self.get(Parameter::Top) - room);
        let cut = |at: Vec2| vec2(max(low.x, min(at.x, high.x)), max(low.y, min(at.y, high.y)));
        Area { low: cut(area.low), high: cut(area.high) }
    }
}

/// A wall across the whole arena.
pub(crate) fn edge_wall(outward: Vec2, far: f32, (x, y): (f32, f32)) -> Wall {
    let half = if outward.x != 0.0 { vec2(0.0, y) } else { vec2(x, 0.0) };
    let middle = outward * far;
    Wall { from: middle - half, to: middle + half }
}
