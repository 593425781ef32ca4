//! Estimated parameters of a world, and world models with values for them.

use crate::math::{Vec2, max, min, vec2};
use crate::model::V_MAX;
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
/// Ratio of adjacent candidates for masses and friction, and number of candidates on each side of the current value.
const RATIO: (f32, i32) = (1.15, 12);
/// Distance between candidates for an edge (m), and between those for a wheel's speed ratio.
const EDGE_STEP: f32 = 0.01;
const WHEEL_STEP: f32 = 0.05;
/// Minimum distance of an edge from the centre, as a fraction of the planned distance. Maximum speed ratio of a
/// wheel.
const NARROWEST: f32 = 0.3;
const BEST_WHEEL: f32 = 1.2;
/// Minimum speed ratio with which the commands to a wheel are compensated.
const WEAKEST: f32 = 0.25;
/// Minimum distance between an edge and the planned edge for which a wall is added (m). Also the clearance of start
/// positions from edges (m).
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

    /// Returns the name in messages and records.
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

    /// Returns the parameter with the given name; `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Parameter> {
        Parameter::ALL.into_iter().find(|parameter| parameter.name() == name)
    }

    /// Returns whether the parameter belongs to the robot's own body. Such a parameter is not shared with other
    /// robots.
    pub fn is_own_body(self) -> bool {
        matches!(self, Parameter::LeftWheel | Parameter::RightWheel)
    }

    /// Returns the outward unit vector of an edge; `None` for other parameters.
    pub(crate) fn outward(self) -> Option<Vec2> {
        match self {
            Parameter::Left => Some(vec2(-1.0, 0.0)),
            Parameter::Right => Some(vec2(1.0, 0.0)),
            Parameter::Bottom => Some(vec2(0.0, -1.0)),
            Parameter::Top => Some(vec2(0.0, 1.0)),
            _ => None,
        }
    }

    /// Returns whether the parameter is estimated on a logarithmic scale, where errors are factors.
    fn is_scale(self) -> bool {
        matches!(self, Parameter::FrisbeeMass | Parameter::FrisbeeFriction | Parameter::RobotFriction)
    }

    /// Converts a value to the scale of its estimation: the logarithm for masses and friction, or the value itself.
    pub(crate) fn scaled(self, value: f32) -> f32 {
        if self.is_scale() { value.max(1e-6).ln() } else { value }
    }

    /// Converts a value back from the scale of its estimation. The inverse of [`Parameter::scaled`].
    pub(crate) fn unscaled(self, even: f32) -> f32 {
        if self.is_scale() { even.exp() } else { even }
    }

    /// Returns true if two values count as equal when robots' world models are compared.
    pub(crate) fn same_world(self, a: f32, b: f32) -> bool {
        let apart = (self.scaled(a) - self.scaled(b)).abs();
        apart < if self.is_scale() { 0.15 } else { 0.03 }
    }

    /// Returns true if the value is in the range that a robot may report.
    pub fn is_plausible(self, value: f32) -> bool {
        if self.is_scale() {
            (0.001..=10.0).contains(&value)
        } else if self.is_own_body() {
            (0.0..=1.5).contains(&value)
        } else {
            (0.05..=20.0).contains(&value)
        }
    }

    /// Returns the unit of the parameter's values; empty for friction.
    pub fn unit(self) -> &'static str {
        match self {
            Parameter::FrisbeeMass => "kg",
            Parameter::FrisbeeFriction | Parameter::RobotFriction => "",
            Parameter::Left | Parameter::Right | Parameter::Bottom | Parameter::Top => "m",
            Parameter::LeftWheel | Parameter::RightWheel => "of its speed",
        }
    }

    /// Returns the minimum standard deviation of an estimate, in the unit of [`Report::sd`](super::Report::sd).
    pub fn least_sd(self) -> f32 {
        if self.is_scale() {
            RATIO.0.ln() / 12.0f32.sqrt()
        } else if self.is_own_body() {
            WHEEL_STEP / 12.0f32.sqrt()
        } else {
            EDGE_STEP / 12.0f32.sqrt()
        }
    }

    /// Returns true if two values are so close that the simulation should not be changed. `again` is true for a
    /// parameter that was changed before. The first change of a parameter must exceed the approximation error of the
    /// predictions (about 15 %).
    pub(crate) fn is_close(self, a: f32, b: f32, again: bool) -> bool {
        let least = match (self.is_scale(), again) {
            (true, true) => 0.07,
            (true, false) => 0.2,
            (false, _) if self.is_own_body() => 0.04,
            (false, _) => 0.015,
        };
        (self.scaled(a) - self.scaled(b)).abs() < least
    }

    /// Returns the candidate values, given the current value `now` and the planned value `whole`.
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

/// World model of a robot: one value for each parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldModel([f32; COUNT]);

impl Default for WorldModel {
    /// Returns the model of the benchmark's world and a faultless body.
    fn default() -> WorldModel {
        WorldModel::from_spec(&WorldSpec::benchmark(1))
    }
}

impl WorldModel {
    /// Creates the model of a planned world. The mass and friction of discs are those of the first disc, or 0 without
    /// discs.
    pub fn from_spec(spec: &WorldSpec) -> WorldModel {
        let disc = spec.discs.first().map_or((0.0, 0.0), |disc| (disc.shape.mass, disc.shape.mu));
        let (x, y) = spec.physics.half_arena;
        WorldModel([disc.0, disc.1, spec.robot.mu, x, x, y, y, 1.0, 1.0])
    }

    /// Returns the value of a parameter.
    pub fn get(&self, parameter: Parameter) -> f32 {
        self.0[parameter as usize]
    }

    /// Sets the value of a parameter.
    pub fn set(&mut self, parameter: Parameter, value: f32) {
        self.0[parameter as usize] = value;
    }

    /// Returns a copy of the model with another value of one parameter.
    pub(crate) fn with(&self, parameter: Parameter, value: f32) -> WorldModel {
        let mut other = *self;
        other.set(parameter, value);
        other
    }

    /// Returns the ratios of actual to commanded speed of the left and right wheel.
    pub fn wheels(&self) -> [f32; 2] {
        [self.get(Parameter::LeftWheel), self.get(Parameter::RightWheel)]
    }

    /// Returns the commands with which the wheels reach these ground speeds (m/s). If one command exceeds the maximum
    /// speed, both are reduced by the same factor.
    pub fn compensated(&self, wheels: [f32; 2]) -> [f32; 2] {
        let part = self.wheels().map(|part| part.max(WEAKEST));
        let told = [wheels[0] / part[0], wheels[1] / part[1]];
        let most = told[0].abs().max(told[1].abs());
        let slower = if most > V_MAX { V_MAX / most } else { 1.0 };
        told.map(|speed| (speed * slower).clamp(-V_MAX, V_MAX))
    }

    /// Returns the planned world with the parameters of this model. An edge that is closer than the planned edge
    /// becomes a wall across the arena. The start areas of robots and discs are clipped at such walls. Listed start
    /// poses stay unchanged.
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
                    *area = self.within(*area, planned.robot.radius);
                }
            }
            for disc in &mut spec.discs {
                disc.start = self.within(disc.start, disc.shape.radius);
            }
        }
        spec.check()?;
        Ok(spec)
    }

    /// Returns walls for the edges that are closer to the centre than in the planned arena.
    fn walls(&self, planned: &WorldSpec) -> Vec<Wall> {
        let (x, y) = planned.physics.half_arena;
        let edges = Parameter::ALL.into_iter().filter_map(|edge| Some((edge, edge.outward()?)));
        edges
            .filter(|(edge, outward)| self.get(*edge) < outward.x.abs() * x + outward.y.abs() * y - THIN)
            .map(|(edge, outward)| edge_wall(outward, self.get(edge), (x, y)))
            .collect()
    }

    /// Clips an area so that bodies with radius `radius` (m) fit within the edges.
    fn within(&self, area: Area, radius: f32) -> Area {
        let room = radius + THIN;
        let low = vec2(room - self.get(Parameter::Left), room - self.get(Parameter::Bottom));
        let high = vec2(self.get(Parameter::Right) - room, self.get(Parameter::Top) - room);
        let cut = |at: Vec2| vec2(max(low.x, min(at.x, high.x)), max(low.y, min(at.y, high.y)));
        Area { low: cut(area.low), high: cut(area.high) }
    }
}

/// Returns a wall across the whole arena, at distance `far` (m) from the centre.
pub(crate) fn edge_wall(outward: Vec2, far: f32, (x, y): (f32, f32)) -> Wall {
    let half = if outward.x != 0.0 { vec2(0.0, y) } else { vec2(x, 0.0) };
    let middle = outward * far;
    Wall { from: middle - half, to: middle + half }
}
