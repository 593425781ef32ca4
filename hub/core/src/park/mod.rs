//! Parking: robots are driven to places by motion capture, around one another, walls and the frisbee, which they do not
//! touch. A plain state machine: poses and time go in, wheel speeds come out.
//!
//! Robots plan their ways one after the other, each around the ways of those that have the right of way (prioritised
//! planning, Erdmann and Lozano-Perez 1987), again and again from where they are. Whoever finds no way gets the right of way.

mod assign;
mod drive;
mod plan;
mod room;
mod sightings;

use crate::mocap::Frame;
use assign::assign;
use drive::{Motion, Other, follow, is_there, without_touching};
use plan::{APART, Task, Way};
use room::{DISC_MARGIN, Grid, Room};
pub use sightings::Sightings;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::Pose;
use xpuck_kernels::world::wall::Wall;

/// Commands are made so often, s. One robot plans its way anew in each.
pub const PERIOD: f64 = 0.05;
/// A robot whose pose is older stands, s.
const POSE_LIMIT: f64 = 0.3;
/// The frisbee is where it was seen last for so long, s; then everybody stands.
const FRISBEE_LIMIT: f64 = 1.0;
/// All robots have to have been at their places for so long, s.
const SETTLED: f64 = 0.6;
/// The frisbee or another obstacle that moved so far makes a new room, m.
const MOVED: f32 = 0.004;
/// The ways that are left have to become shorter by so much, m, within so long, s; else somebody is stuck.
const PROGRESS: (f32, f64) = (0.03, 6.0);
/// So often places are given out anew and the right of way turned round before it is given up.
const TRIES: u32 = 3;
/// Parking takes no longer than this, s.
const LONGEST: f64 = 180.0;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Orders {
    /// Half the arena's length and width, m.
    pub half: Vec2,
    /// Walls inside.
    pub walls: Vec<Wall>,
    /// The frisbee's subject name and radius, m; none if nothing is to be kept clear of.
    pub frisbee: Option<(String, f32)>,
    /// The robots, by subject name.
    pub robots: Vec<String>,
    /// The poses, at least as many.
    pub goals: Vec<Pose>,
    /// The first robot takes the first pose and so on; else poses are given out so that the ways together are short.
    pub own: bool,
}

/// One robot on its way.
#[derive(Clone, Debug)]
struct Parked {
    name: String,
    goal: usize,
    seen: Option<(f64, Pose)>,
    /// It is heard and not held.
    there: bool,
    way: Option<(f64, Way)>,
    motion: Motion,
    turning: bool,
    parked: bool,
    /// Its last way was not free to the end.
    blocked: bool,
}

impl Parked {
    fn pose(&self, now: f64) -> Option<Pose> {
        self.seen.filter(|(at, _)| self.there && now - at <= POSE_LIMIT).map(|(_, pose)| pose)
    }
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All that are there stand at their places.
    Parked,
    /// It is given up: why, in a line.
    GivenUp(String),
}

/// How far one robot is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Its place.
    pub goal: Pose,
    /// How far it is from there, m, and by how much it is turned, rad; none before it was seen.
    pub off: Option<(f32, f32)>,
    /// It stands there.
    pub parked: bool,
    /// Motion capture sees it.
    pub seen: bool,
    /// It is heard and not held.
    pub there: bool,
}

/// Robots on their ways to their places.
#[derive(Clone, Debug)]
pub struct Parking {
    orders: Orders,
    began: f64,
    room: Room,
    grid: Grid,
    /// Distances to each pose.
    fields: Vec<Vec<Option<u32>>>,
    robots: Vec<Parked>,
    /// When the frisbee was seen, and where; and where it was first.
    frisbee: Option<(f64, Vec2)>,
    frisbee_first: Option<Vec2>,
    /// Other bodies, by name: they are taken for robots that stand.
    strangers: Vec<(String, Vec2)>,
    /// Robots by right of way.
    order: Vec<usize>,
    /// Whose turn to plan it is, in that order.
    turn: usize,
    next: f64,
    /// Since when all have been at their places, s.
    settled: Option<f64>,
    /// The least way that was left, m, and when.
    progress: (f32, f64),
    tries: u32,
}

impl Parking {
    /// Robots at their present poses, which are to go to others.
    ///
    /// # Errors
    /// In one line, why they cannot: places that are too near to each other or to something, or that no way leads to; the
    /// frisbee or a robot that is not seen.
    pub fn new(now: f64, orders: Orders, frame: &Frame) -> Result<Parking, String> {
        let missing: Vec<&str> =
            orders.robots.iter().filter(|name| frame.pose(name).is_none()).map(String::as_str).collect();
        if !missing.is_empty() {
            return Err(format!("motion capture does not see {}: look at the markers", missing.join(", ")));
        }
        let frisbee = match &orders.frisbee {
            Some((name, _)) => Some(frame.pose(name).map(|pose| pose.at).ok_or_else(|| {
                String::from("motion capture does not see the frisbee, which is not to be touched: look at the markers")
            })?),
            None => None,
        };
        let room = Room { half: orders.half, walls: orders.walls.clone(), discs: Vec::new() };
        let robots = orders.robots.iter().enumerate().map(|(goal, name)| Parked {
            name: name.clone(),
            goal,
            seen: frame.pose(name).map(|pose| (now, pose)),
            there: true,
            way: None,
            motion: Motion::default(),
            turning: false,
            parked: false,
            blocked: false,
        });
        let mut parking = Parking {
            began: now,
            grid: Grid::new(&room),
            room,
            fields: Vec::new(),
            robots: robots.collect(),
            frisbee: frisbee.map(|at| (now, at)),
            frisbee_first: frisbee,
            strangers: Vec::new(),
            order: Vec::new(),
            turn: 0,
            next: now,
            settled: None,
            progress: (f32::INFINITY, now),
            tries: 0,
            orders,
        };
        parking.note_strangers(frame);
        parking.furnish();
        parking.check_goals()?;
        parking.give_out(parking.orders.own);
        if let Some(robot) = parking.robots.iter().find(|robot| parking.left(robot).is_none()) {
            let at = parking.orders.goals[robot.goal].at;
            return Err(format!("no way leads {} to ({:.2}, {:.2})", robot.name, at.x, at.y));
        }
        parking.first_order();
        Ok(parking)
    }

    fn check_goals(&self) -> Result<(), String> {
        let goals = &self.orders.goals;
        for (i, goal) in goals.iter().enumerate() {
            let at = |goal: &Pose| format!("({:.2}, {:.2})", goal.at.x, goal.at.y);
            if self.room.to_discs(goal.at) < DISC_MARGIN {
                let least = DISC_MARGIN * 1000.0;
                return Err(format!(
                    "the place {} is within {least:.0} mm of the frisbee or of a body that stands there: choose others",
                    at(goal)
                ));
            }
            if self.room.slack(goal.at) < 0.0 {
                return Err(format!("the place {} is too near a wall, or outside", at(goal)));
            }
            if let Some(other) = goals[..i].iter().find(|other| (other.at - goal.at).length() < APART) {
                let least = APART * 1000.0;
                return Err(format!("the places {} and {} are less than {least:.0} mm apart", at(other), at(goal)));
            }
        }
        Ok(())
    }

    /// What stands in the way, and how far it is to each place.
    fn furnish(&mut self) {
        let discs = self.orders.frisbee.iter().zip(self.frisbee).map(|((_, radius), (_, at))| (at, *radius));
        let strangers = self.strangers.iter().map(|(_, at)| (*at, ROBOT_RADIUS));
        self.room.discs = discs.chain(strangers).collect();
        self.grid = Grid::new(&self.room);
        self.fields = self.orders.goals.iter().map(|goal| self.grid.distances(&self.room, goal.at)).collect();
    }

    /// Gives out the places.
    fn give_out(&mut self, own: bool) {
        if own {
            return;
        }
        // No way is a very long one.
        const NONE: f64 = 1e3;
        let ways = |robot: &Parked| -> Vec<f64> {
            let at = robot.seen.map_or(Vec2::ZERO, |(_, pose)| pose.at);
            let way = |field: &Vec<Option<u32>>| self.grid.distance(&self.room, at, field).map_or(NONE, f64::from);
            self.fields.iter().map(way).collect()
        };
        let costs: Vec<Vec<f64>> = self.robots.iter().map(ways).collect();
        let given = assign(&costs);
        self.robots.iter_mut().zip(given).for_each(|(robot, goal)| robot.goal = goal);
    }

    /// Who has the longest way goes first.
    fn first_order(&mut self) {
        let mut order: Vec<(usize, f32)> =
            self.robots.iter().enumerate().map(|(i, robot)| (i, self.left(robot).unwrap_or(0.0))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.order = order.into_iter().map(|(i, _)| i).collect();
        self.turn = 0;
    }

    /// How far a robot has to go, m; none if no way leads there.
    fn left(&self, robot: &Parked) -> Option<f32> {
        let at = robot.seen?.1.at;
        let goal = self.orders.goals[robot.goal].at;
        let straight = (goal - at).length();
        if straight < 2.0 * self.grid.cell && self.room.is_clear(at, goal) {
            return Some(straight);
        }
        self.grid.distance(&self.room, at, &self.fields[robot.goal])
    }

    fn note_strangers(&mut self, frame: &Frame) -> bool {
        let mut moved = false;
        let frisbee = self.orders.frisbee.as_ref().map(|(name, _)| name.as_str());
        for body in &frame.bodies {
            if Some(body.name.as_str()) == frisbee || self.robots.iter().any(|robot| robot.name == body.name) {
                continue;
            }
            match self.strangers.iter_mut().find(|(name, _)| *name == body.name) {
                Some((_, at)) if (*at - body.pose.at).length() > MOVED => {
                    *at = body.pose.at;
                    moved = true;
                }
                Some(_) => {}
                None => {
                    self.strangers.push((body.name.clone(), body.pose.at));
                    moved = true;
                }
            }
        }
        moved
    }

    /// What motion capture sees.
    pub fn see(&mut self, now: f64, frame: &Frame) {
        for robot in &mut self.robots {
            if let Some(pose) = frame.pose(&robot.name) {
                robot.seen = Some((now, pose));
            }
        }
        let mut moved = self.note_strangers(frame);
        let frisbee = self.orders.frisbee.as_ref().and_then(|(name, _)| frame.pose(name));
        if let Some(pose) = frisbee {
            let before = self.room.discs.first().map(|(at, _)| *at);
            self.frisbee = Some((now, pose.at));
            self.frisbee_first.get_or_insert(pose.at);
            moved |= before.is_none_or(|before| (before - pose.at).length() > MOVED);
        }
        if moved {
            self.furnish();
        }
    }

    /// A robot is heard and not held, or not.
    pub fn set_there(&mut self, robot: usize, there: bool) {
        self.robots[robot].there = there;
    }

    /// True if there is a frisbee and nobody has seen it for too long.
    pub fn misses_frisbee(&self, now: f64) -> bool {
        self.frisbee.is_some_and(|(at, _)| now - at > FRISBEE_LIMIT)
    }

    /// How far the frisbee is from where it was first, m.
    pub fn frisbee_moved(&self) -> Option<f32> {
        Some((self.frisbee?.1 - self.frisbee_first?).length())
    }

    /// Time since the beginning, s.
    pub fn seconds(&self, now: f64) -> f64 {
        now - self.began
    }

    /// How far each robot is, in the order of the robots.
    pub fn standing(&self, now: f64) -> impl Iterator<Item = Standing> + '_ {
        self.robots.iter().map(move |robot| {
            let goal = self.orders.goals[robot.goal];
            let off =
                |(_, pose): (f64, Pose)| ((pose.at - goal.at).length(), wrap_angle(pose.heading - goal.heading).abs());
            let seen = robot.seen.is_some_and(|(at, _)| now - at <= POSE_LIMIT);
            Standing { goal, off: robot.seen.map(off), parked: robot.parked, seen, there: robot.there }
        })
    }

    /// The wheels' speeds, m/s, of each robot, when it is time for the next; all stand where nobody can see well enough.
    pub fn drive(&mut self, now: f64) -> Option<Vec<[f32; 2]>> {
        if now < self.next {
            return None;
        }
        self.next = (self.next + PERIOD).max(now);
        if self.misses_frisbee(now) {
            self.robots.iter_mut().for_each(|robot| (robot.motion, robot.way) = (Motion::default(), None));
            return Some(vec![[0.0; 2]; self.robots.len()]);
        }
        self.plan_one(now);
        for place in 0..self.order.len() {
            self.steer(now, self.order[place]);
        }
        Some(self.robots.iter().map(|robot| robot.motion.wheels()).collect())
    }

    fn steer(&mut self, now: f64, index: usize) {
        let robot = &self.robots[index];
        let Some(pose) = robot.pose(now) else {
            let robot = &mut self.robots[index];
            (robot.motion, robot.way) = (Motion::default(), None);
            return;
        };
        let goal = self.orders.goals[robot.goal];
        let parked = is_there(pose, goal, robot.parked);
        let (mut motion, mut turning) = (Motion::default(), false);
        if let Some((planned, way)) = &robot.way {
            // Who is at its place, and has no way that leads away from it, stands.
            let stays = (way.after(now - planned + 2.0 * plan::STEP) - goal.at).length() < 1e-3;
            if !(parked && stays) {
                (motion, turning) = follow(pose, goal, way, now - planned, robot.turning);
                let others: Vec<Other> = self.others(index).collect();
                motion = without_touching(pose, motion, &self.room, &others);
            }
        }
        let robot = &mut self.robots[index];
        (robot.motion, robot.turning, robot.parked) = (motion, turning, parked);
    }

    fn others(&self, index: usize) -> impl Iterator<Item = Other> + '_ {
        let others = self.robots.iter().enumerate().filter(move |(i, _)| *i != index);
        others.filter_map(|(_, robot)| Some(Other::robot(robot.seen?.1, robot.motion)))
    }

    /// The next robot plans its way anew.
    fn plan_one(&mut self, now: f64) {
        if self.turn >= self.order.len() {
            self.reorder();
        }
        let Some(&index) = self.order.get(self.turn) else { return };
        self.turn += 1;
        let Some(pose) = self.robots[index].pose(now) else { return };
        // Who is not driven stands in the way of all.
        let standing = self.robots.iter().filter(|robot| robot.pose(now).is_none());
        let mut others: Vec<Way> = standing.filter_map(|robot| Some(Way::standing(robot.seen?.1.at))).collect();
        let (first, last) = self.order.split_at(self.turn - 1);
        for robot in first.iter().map(|i| &self.robots[*i]).filter(|robot| robot.pose(now).is_some()) {
            let at = robot.seen.map_or(Vec2::ZERO, |(_, pose)| pose.at);
            let way = robot.way.as_ref().map_or_else(|| Way::standing(at), |(from, way)| way.rest(now - from));
            others.push(way);
        }
        let yielding: Vec<Vec2> = last[1..].iter().filter_map(|i| Some(self.robots[*i].pose(now)?.at)).collect();
        let goal = self.robots[index].goal;
        let task = Task {
            room: &self.room,
            grid: &self.grid,
            from: (pose.at, pose.heading),
            to: self.orders.goals[goal].at,
            distances: &self.fields[goal],
            others: &others,
            yielding: &yielding,
        };
        let (way, free) = task.plan();
        let robot = &mut self.robots[index];
        (robot.way, robot.blocked) = (Some((now, way)), !free);
    }

    /// Whoever found no way goes first from now on; who is at its place goes last, and makes way.
    fn reorder(&mut self) {
        let rank = |robot: &Parked| if robot.blocked { 0 } else { 1 + u8::from(robot.parked) };
        let robots = &self.robots;
        self.order.sort_by_key(|i| rank(&robots[*i]));
        self.turn = 0;
    }

    /// Whether it is over; to be asked after [`Parking::drive`].
    pub fn outcome(&mut self, now: f64) -> Option<Outcome> {
        let there: Vec<&Parked> = self.robots.iter().filter(|robot| robot.there).collect();
        if there.is_empty() {
            return Some(Outcome::GivenUp("no robot is left to be parked".into()));
        }
        if there.iter().all(|robot| robot.parked && robot.pose(now).is_some()) {
            let since = *self.settled.get_or_insert(now);
            return (now - since >= SETTLED).then_some(Outcome::Parked);
        }
        self.settled = None;
        let left: f32 = there.iter().map(|robot| self.left(robot).unwrap_or(0.0)).sum();
        let turns: f32 = there.iter().filter(|robot| !robot.parked).count() as f32 * 0.05;
        if left + turns < self.progress.0 - PROGRESS.0 {
            self.progress = (left + turns, now);
        } else if now - self.progress.1 > PROGRESS.1 {
            return self.try_again(now);
        }
        (self.seconds(now) > LONGEST).then(|| Outcome::GivenUp(self.stuck("after 3 minutes")))
    }

    /// Nobody gets on: other places, if any will do, and the right of way turned round.
    fn try_again(&mut self, now: f64) -> Option<Outcome> {
        self.tries += 1;
        if self.tries > TRIES {
            return Some(Outcome::GivenUp(self.stuck("and gets no farther")));
        }
        self.give_out(self.orders.own);
        self.order.reverse();
        self.turn = 0;
        self.progress = (f32::INFINITY, now);
        None
    }

    fn stuck(&self, more: &str) -> String {
        let late = self.robots.iter().filter(|robot| robot.there && !robot.parked);
        let names: Vec<&str> = late.map(|robot| robot.name.as_str()).collect();
        format!("{} is not at its place {more}: look what stands in the way", names.join(", "))
    }
}
