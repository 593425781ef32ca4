//! Validation of world specifications: value ranges, positions inside the arena, and overlaps.

use super::body::{Body, Shape};
use super::floor::Paint;
use super::robot::{Curve, GroundPoints, GroundSense, RobotModel};
use super::senses::light::{Light, MAX_LIGHTS};
use super::senses::tags::{MAX_TAGS, Tag};
use super::spec::{Area, Start, WorldSpec};
use super::start::{self, spacing};
use super::task::objective::{MAX_NUMBER, Objective};
use super::task::{Region, Task};
use crate::math::Vec2;
use crate::model::{MAX_DISCS, MAX_ROBOTS, MAX_WALLS, RELOCATION_RADIUS};
use crate::random::{Draws, Stream};

/// Maximum number of start configurations of a world.
const MAX_STARTS: usize = 16;
/// Number of random placements that are tested per start configuration.
const TRIALS: u32 = 32;
/// Number of runs whose lots must leave a start.
const RUNS: u32 = 256;
/// Maximum overlap of bodies at the start (m). It is above 0, because bodies may touch and positions are rounded.
const TOLERANCE: f32 = 1e-4;

/// Error message that explains why a world cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(String);

type Checked = Result<(), SpecError>;

fn refuse(message: String) -> Checked {
    Err(SpecError(message))
}

fn within(what: &str, value: f32, low: f32, high: f32) -> Checked {
    if (low..=high).contains(&value) { Ok(()) } else { refuse(format!("{what} = {value} is outside {low} to {high}")) }
}

fn count(what: &str, number: usize, low: usize, high: usize) -> Checked {
    if (low..=high).contains(&number) {
        Ok(())
    } else {
        refuse(format!("{number} {what}; a world must have {low} to {high}"))
    }
}

impl WorldSpec {
    /// Validates the world.
    ///
    /// # Errors
    /// Returns one line about the first problem.
    pub fn check(&self) -> Checked {
        count("robots", self.robots, 1, MAX_ROBOTS)?;
        count("discs", self.discs.len(), 0, MAX_DISCS)?;
        count("inner walls", self.physics.walls.len(), 0, MAX_WALLS)?;
        count("patches", self.patches.len(), 0, MAX_WALLS)?;
        count("starts", self.starts.len(), 1, MAX_STARTS)?;
        self.check_physics()?;
        self.check_discs()?;
        self.check_walls()?;
        self.check_lighting()?;
        self.check_floor()?;
        self.check_tags()?;
        self.check_starts()?;
        self.check_task()?;
        self.check_overlaps()
    }

    /// Validates the robots, without their places.
    ///
    /// # Errors
    /// Returns one line about the first problem.
    pub fn check_robots(&self) -> Checked {
        self.check_robot()?;
        check_shape("robot", &self.robot)?;
        for (i, deviation) in (1..).zip(self.physics.noise) {
            within(&format!("noise, number {i}"), deviation, 0.0, 1.0)?;
        }
        self.camera.check().map_err(SpecError)?;
        self.messages.map_or(Ok(()), |messages| messages.check().map_err(SpecError))
    }

    fn check_physics(&self) -> Checked {
        let p = &self.physics;
        within("arena length", 2.0 * p.half_arena.0, 0.3, 20.0)?;
        within("arena width", 2.0 * p.half_arena.1, 0.3, 20.0)?;
        within("friction between bodies", p.mu_bodies, 0.0, 10.0)?;
        within("restitution", p.restitution, 0.0, 1.0)?;
        self.check_robots()
    }

    fn check_robot(&self) -> Checked {
        let RobotModel { radius, wheels, proximity, neighbour_range, camera, light, ground, .. } = &self.physics.robot;
        within("robot, radius", *radius, 0.02, 0.5)?;
        let wheelbase = 2.0 * self.robot.contact_arm;
        if !(0.01..=2.0 * radius).contains(&wheelbase) {
            return refuse(format!(
                "robot, wheelbase = {wheelbase} is outside 0.01 to {}, the diameter; set wheelbase_m",
                2.0 * radius
            ));
        }
        if *radius != self.robot.radius {
            return refuse(format!("robot, radius = {radius} differs from that of its shape, {}", self.robot.radius));
        }
        within("robot, max_speed", wheels.max_speed, 0.01, 2.0)?;
        within("robot, wheel noise", wheels.noise, 0.0, 1.0)?;
        within("robot, proximity range", proximity.range, 0.005, 0.5)?;
        within("robot, proximity noise", proximity.noise, 0.0, 1.0)?;
        if let Curve::Quadratic(coefficients) = proximity.curve {
            coefficients.iter().try_for_each(|c| within("robot, proximity curve", *c, -1e6, 1e6))?;
        }
        within("robot, neighbour range", *neighbour_range, 0.0, 10.0)?;
        // The limits are in degrees, so the value is rounded like they are.
        within("robot, field of view [degrees]", (camera.fov.to_degrees() * 1e3).round() / 1e3, 10.0, 170.0)?;
        within("robot, camera range", camera.range, 0.05, f32::INFINITY)?;
        within("robot, light threshold", light.threshold, 0.0, 1.0)?;
        within("robot, light noise", light.noise, 0.0, 1.0)?;
        let GroundSense::Points(points) = ground else { return Ok(()) };
        within("robot, ground noise", points.noise, 0.0, 1.0)?;
        within("robot, black_below", points.black_below, 0.0, 1.0)?;
        within("robot, white_above", points.white_above, points.black_below, 1.0)?;
        count("updates of the ground window", points.window as usize, 1, GroundPoints::MAX_WINDOW as usize)?;
        count("readings of the ground majority", points.majority as usize, 0, 3 * points.window as usize - 1)?;
        if !self.floor.is_exact() {
            return refuse("floor, confusion: the robot model has ground points with noise; remove one of them".into());
        }
        Ok(())
    }

    fn check_discs(&self) -> Checked {
        for (i, disc) in (1..).zip(&self.discs) {
            let what = format!("disc {i}");
            check_shape(&what, &disc.shape)?;
            self.check_area(&what, &disc.start, disc.shape.radius)?;
        }
        Ok(())
    }

    fn check_walls(&self) -> Checked {
        let (hx, hy) = self.physics.half_arena;
        for (i, wall) in (1..).zip(&self.physics.walls) {
            for (end, at) in [("from", wall.from), ("to", wall.to)] {
                self.check_place(&format!("wall {i}, {end}"), at, 0.0)?;
            }
            if (wall.to - wall.from).length() < 0.01 {
                return refuse(format!("wall {i} is shorter than 0.01 m; move one of its ends"));
            }
        }
        for (i, patch) in (1..).zip(&self.patches) {
            within(&format!("patch {i}, length"), 2.0 * patch.half_length, 0.01, 20.0)?;
            let near = |at: f32, half: f32| (at.abs() - half).abs() <= TOLERANCE;
            let (at, what) = (patch.at, format!("patch {i}, centre"));
            self.check_place(&what, at, -TOLERANCE)?;
            if !near(at.x, hx) && !near(at.y, hy) {
                return refuse(format!("{what}, must be on a wall of the arena: x = +-{hx} or y = +-{hy}"));
            }
        }
        Ok(())
    }

    fn check_lighting(&self) -> Checked {
        within("room_light", self.lighting.room, 0.0, 1.0)?;
        count("lights", self.lighting.lights.len(), 0, MAX_LIGHTS)?;
        for (i, Light { at, height, brightness }) in (1..).zip(&self.lighting.lights) {
            // A lamp may be outside the arena.
            within(&format!("light {i}, x"), at.x, -20.0, 20.0)?;
            within(&format!("light {i}, y"), at.y, -20.0, 20.0)?;
            within(&format!("light {i}, height"), *height, 0.05, 5.0)?;
            within(&format!("light {i}, brightness"), *brightness, 0.0, 100.0)?;
        }
        Ok(())
    }

    fn check_floor(&self) -> Checked {
        within("floor, paint", self.floor.level, 0.0, 1.0)?;
        for Paint { zone, level, .. } in &self.floor.paint {
            within(&format!("region {}, paint", zone.name), *level, 0.0, 1.0)?;
        }
        for (i, row) in (1..).zip(&self.floor.confusion) {
            let what = format!("floor, confusion, row {i}");
            row.iter().try_for_each(|probability| within(&what, *probability, 0.0, 1.0))?;
            within(&format!("{what}, sum"), row.iter().sum(), 0.999, 1.001)?;
        }
        Ok(())
    }

    fn check_tags(&self) -> Checked {
        within("tag_range", self.tags.range, 0.05, 10.0)?;
        count("tags", self.tags.list.len(), 0, MAX_TAGS)?;
        for (i, Tag { at, facing }) in (1..).zip(&self.tags.list) {
            self.check_place(&format!("tag {i}"), *at, -TOLERANCE)?;
            within(&format!("tag {i}, length of its direction"), facing.length(), 0.999, 1.001)?;
        }
        Ok(())
    }

    fn check_starts(&self) -> Checked {
        for (i, condition) in (1..).zip(&self.conditions.starts) {
            let Task::Objective(objective) = &self.task else { break };
            if condition.is_some_and(|condition| !objective.is_known_at_start(condition)) {
                return refuse(format!("start {i}, when: only names of lots and numbers can select a start"));
            }
        }
        let none = |run: &u32| start::possible(self, (1, *run)).is_empty();
        if let Some(run) = (0..RUNS).find(none) {
            return refuse(format!("no start is possible in run {run} of seed 1; add a [[start]] for its lots"));
        }
        for (i, start) in (1..).zip(&self.starts) {
            match start {
                Start::Area(area) => {
                    self.check_area(&format!("start {i}"), area, self.robot.radius)?;
                    let spacing = spacing(self.robot.radius);
                    let most = most_at_random(area, spacing);
                    if self.robots > most {
                        let robots = self.robots;
                        return refuse(format!(
                            "start {i} has no room for {robots} robots at random places {spacing} m apart; at most \
                             {most} fit; widen its x_m and y_m, or use fewer robots"
                        ));
                    }
                }
                Start::Zone(zone) => {
                    let all = zone.points(self.physics.half_arena).len();
                    if all == 0 {
                        return refuse(format!(
                            "start {i}: region {} is too small, or outside of the arena; enlarge or move it",
                            zone.name
                        ));
                    }
                }
                Start::Poses(poses) => {
                    if poses.len() != self.robots {
                        let (poses, robots) = (poses.len(), self.robots);
                        return refuse(format!(
                            "start {i} has {poses} poses for {robots} robots; give one pose per robot"
                        ));
                    }
                    for (robot, pose) in (1..).zip(poses) {
                        let what = format!("start {i}, robot {robot}");
                        self.check_place(&what, pose.at, self.robot.radius)?;
                        within(&format!("{what}, heading"), pose.heading, -7.0, 7.0)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn check_task(&self) -> Checked {
        if self.task.moves_disc() && self.discs.is_empty() {
            return refuse("the task moves the first disc, but the world has none; add a disc".into());
        }
        match &self.task {
            Task::Transport => self.check_relocation(),
            Task::Aggregation { range } => {
                count("robots for aggregation", self.robots, 2, MAX_ROBOTS)?;
                within("aggregation range", *range, 2.0 * self.robot.radius, 20.0)
            }
            Task::Dispersion => count("robots for dispersion", self.robots, 2, MAX_ROBOTS),
            // A cell must be larger than the radius of a robot. The distance from the centre of a robot to a wall is at
            // least this radius, so the robot could not reach smaller cells at the wall.
            Task::Coverage { cell } => within("coverage cell", *cell, 0.05, 20.0),
            Task::Foraging { nest, food } => self.check_foraging(nest, food),
            Task::Objective(objective) => self.check_objective(objective),
            Task::TransportOnce | Task::TransportPosition => Ok(()),
        }
    }

    fn check_objective(&self, objective: &Objective) -> Checked {
        let discs = self.discs.len();
        let needed = objective.last_disc(discs);
        if needed > discs {
            return refuse(format!("the task needs disc {needed}, but the world has {discs}; add a disc"));
        }
        check_scale(objective)?;
        if objective.relocates { self.check_relocation() } else { Ok(()) }
    }

    fn check_relocation(&self) -> Checked {
        let radius = self.discs[0].shape.radius;
        within("radius of disc 1", radius, 0.0, self.physics.half_arena.0 - RELOCATION_RADIUS)?;
        let reach = RELOCATION_RADIUS + radius;
        for (i, wall) in (1..).zip(&self.physics.walls) {
            if wall.offset(Vec2::ZERO).length() < reach {
                return refuse(format!(
                    "wall {i} is within {reach} m of the centre, where disc 1 is put back; move it or choose {}",
                    match self.task {
                        Task::Objective(_) => "relocate_disc = false",
                        _ => "transport-once",
                    }
                ));
            }
        }
        Ok(())
    }

    fn check_foraging(&self, nest: &Region, food: &Region) -> Checked {
        for (what, region) in [("nest", nest), ("food", food)] {
            let (at, sizes) = match *region {
                Region::Rectangle { at, half } => (at, [half.x, half.y]),
                Region::Disc { at, radius } | Region::Beyond { at, radius } => (at, [radius, radius]),
            };
            self.check_place(what, at, 0.0)?;
            for size in sizes {
                within(&format!("{what}, half size"), size, 0.01, 20.0)?;
            }
        }
        let gap = nest.gap(food);
        if gap < 0.01 {
            return refuse(format!("nest and food are {gap} m apart; they must be at least 0.01 m apart"));
        }
        Ok(())
    }

    /// Tests that bodies do not overlap in any start configuration. Areas for random placement can be too small for
    /// all bodies, and given poses can overlap.
    fn check_overlaps(&self) -> Checked {
        for (number, start) in (1..).zip(&self.starts) {
            for world in 0..TRIALS {
                let bodies = start::place_at(self, start, &mut Draws::new(0, world, 0, 0, Stream::Start));
                if let Some(overlap) = self.overlap(&bodies) {
                    return refuse(format!("{overlap} at start {number}; move them apart or make room"));
                }
            }
        }
        Ok(())
    }

    fn overlap(&self, bodies: &[Body]) -> Option<String> {
        let name = |i: usize| match i.checked_sub(self.robots) {
            None => format!("robot {}", i + 1),
            Some(disc) => format!("disc {}", disc + 1),
        };
        for (i, a) in bodies.iter().enumerate() {
            for (j, b) in bodies.iter().enumerate().skip(i + 1) {
                let depth = a.shape.radius + b.shape.radius - (b.pose.at - a.pose.at).length();
                if depth > TOLERANCE {
                    return Some(format!("{} overlaps {} by {depth:.3} m", name(i), name(j)));
                }
            }
            for (w, wall) in (1..).zip(&self.physics.walls) {
                let depth = a.shape.radius - wall.offset(a.pose.at).length();
                if depth > TOLERANCE {
                    return Some(format!("{} overlaps wall {w} by {depth:.3} m", name(i)));
                }
            }
        }
        None
    }

    /// Checks that an area is inside the arena, at a distance of at least `radius` (m) from the walls.
    fn check_area(&self, what: &str, area: &Area, radius: f32) -> Checked {
        self.check_place(what, area.low, radius)?;
        self.check_place(what, area.high, radius)?;
        if area.low.x > area.high.x || area.low.y > area.high.y {
            return refuse(format!("{what}: its lowest x or y is above the highest; swap them"));
        }
        Ok(())
    }

    fn check_place(&self, what: &str, at: Vec2, radius: f32) -> Checked {
        let (hx, hy) = self.physics.half_arena;
        // The limits are rounded to 0.1 mm, so that messages do not show rounding errors.
        let reach = [hx, hy].map(|half| ((half - radius) * 1e4).round() / 1e4);
        within(&format!("{what}, x"), at.x, -reach[0], reach[0])?;
        within(&format!("{what}, y"), at.y, -reach[1], reach[1])
    }
}

/// Fraction of a plane that discs cover if discs are added at random positions until no further disc fits. This is
/// the jamming limit (Feder, "Random sequential adsorption", 1980).
const JAMMED: f32 = 0.547;

/// Returns an upper bound on the number of robots that [`start::place`] can place in an area.
fn most_at_random(area: &Area, spacing: f32) -> usize {
    // Each robot occupies a circle whose radius is half of `spacing`. The circle may extend beyond the area by its
    // radius.
    let size = area.high - area.low;
    let room = (size.x + spacing) * (size.y + spacing);
    let each = std::f32::consts::PI * 0.25 * spacing * spacing;
    // The factor 1.2 accounts for small areas, in which the density can exceed the jamming limit of a plane.
    (1.2 * JAMMED * room / each).ceil() as usize + 1
}

/// Checks that the scale of an objective has two different ends.
fn check_scale(objective: &Objective) -> Checked {
    let (worst, best) = (objective.worst, objective.best);
    let is_valid = |value: f32| value.abs() <= MAX_NUMBER;
    if is_valid(worst) && is_valid(best) && (best - worst).abs() >= 1e-6 {
        return Ok(());
    }
    refuse(format!(
        "task.worst = {worst} and task.best = {best} must be at least 0.000001 apart, and -{MAX_NUMBER} to {MAX_NUMBER}"
    ))
}

fn check_shape(what: &str, shape: &Shape) -> Checked {
    within(&format!("{what}, radius"), shape.radius, 0.02, 1.0)?;
    within(&format!("{what}, mass"), shape.mass, 0.001, 10.0)?;
    within(&format!("{what}, friction"), shape.mu, 0.0, 10.0)
}
