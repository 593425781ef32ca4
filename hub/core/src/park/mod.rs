//! Parking: robots are driven to goal poses by motion capture, without touching each other, walls or the frisbee. It
//! is a state machine with poses and time as inputs, and wheel speeds as outputs.
//!
//! Robots plan their paths one after another, and each robot avoids the paths of robots with higher priority
//! (prioritised planning, Erdmann and Lozano-Perez 1987). Paths are continually replanned from the current poses. A
//! robot without a free path gets the highest priority.

mod assign;
mod drive;
mod free_space;
mod plan;
mod sightings;

use crate::mocap::Frame;
use assign::assign;
use drive::{Motion, Other, follow, has_arrived, without_touching};
use free_space::{DISC_MARGIN, FreeSpace, Grid};
use plan::{APART, Task, TimedPath};
pub use sightings::LastPoses;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::Pose;
use xpuck_kernels::world::wall::Wall;

/// Control period (s). In each period, one robot replans its path.
pub const PERIOD: f64 = 0.05;
/// Maximum age of a robot's pose (s). Without a newer pose the robot stops.
const POSE_LIMIT: f64 = 0.3;
/// Time for which the last position of a hidden frisbee is used (s). All robots stop afterwards.
const FRISBEE_LIMIT: f64 = 1.0;
/// Time for which all robots must stay at their goals until parking is complete (s).
const SETTLED: f64 = 0.6;
/// Displacement of the frisbee or another obstacle above which the map is updated (m).
const MOVED: f32 = 0.004;
/// Minimum decrease of the robots' total remaining path length (m), and time limit for it (s). If the decrease is
/// smaller, the robots are stuck.
const PROGRESS: (f32, f64) = (0.03, 6.0);
/// Maximum number of further attempts before parking is aborted. For each attempt, goals are assigned again and the
/// priorities are reversed.
const TRIES: u32 = 3;
/// Maximum duration of parking (s).
const LONGEST: f64 = 180.0;

/// Task of a parking operation.
#[derive(Clone, Debug)]
pub struct ParkingTask {
    /// Half the length and half the width of the arena (m).
    pub half: Vec2,
    /// Inner walls.
    pub walls: Vec<Wall>,
    /// Subject name of the frisbee and its radius (m); `None` without a frisbee.
    pub frisbee: Option<(String, f32)>,
    /// Subject names of the robots.
    pub robots: Vec<String>,
    /// Goal poses, at least one per robot.
    pub goals: Vec<Pose>,
    /// Whether each robot drives to the goal with its own index. Otherwise goals are assigned so that the total path
    /// length is minimal.
    pub own: bool,
}

/// State of one robot during parking.
#[derive(Clone, Debug)]
struct RobotState {
    name: String,
    goal: usize,
    seen: Option<(f64, Pose)>,
    /// Whether the robot is connected and not held.
    there: bool,
    way: Option<(f64, TimedPath)>,
    motion: Motion,
    turning: bool,
    parked: bool,
    /// Whether the robot's last path ended before the end of the planning window, because other robots block the way.
    blocked: bool,
}

impl RobotState {
    fn pose(&self, now: f64) -> Option<Pose> {
        self.seen.filter(|(at, _)| self.there && now - at <= POSE_LIMIT).map(|(_, pose)| pose)
    }
}

/// Result of a finished parking operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All connected robots that are not held are at their goals.
    Parked,
    /// Parking was aborted. The text is the reason in one line.
    GivenUp(String),
}

/// Progress of one robot during parking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotProgress {
    /// Goal pose of the robot.
    pub goal: Pose,
    /// Position error (m) and heading error (rad); `None` if the robot has not been seen yet.
    pub off: Option<(f32, f32)>,
    /// Whether the robot is at its goal.
    pub parked: bool,
    /// Whether motion capture currently sees the robot.
    pub seen: bool,
    /// Whether the robot is connected and not held.
    pub there: bool,
}

/// Parking operation in progress.
#[derive(Clone, Debug)]
pub struct Parking {
    orders: ParkingTask,
    began: f64,
    room: FreeSpace,
    grid: Grid,
    /// For each goal, the distances from all nodes of the grid (tenths of a cell); `None` for unreachable nodes.
    fields: Vec<Vec<Option<u32>>>,
    robots: Vec<RobotState>,
    /// Time (s) and position (m) at which the frisbee was last seen, and its first position (m).
    frisbee: Option<(f64, Vec2)>,
    frisbee_first: Option<Vec2>,
    /// Name and position of each body that is neither a robot of the task nor the frisbee (m). These bodies are
    /// treated as discs with the radius of a robot.
    strangers: Vec<(String, Vec2)>,
    /// Indices of the robots, in order of descending priority.
    order: Vec<usize>,
    /// Position in `order` of the robot whose path is planned next.
    turn: usize,
    next: f64,
    /// Time since which all robots have been at their goals (s).
    settled: Option<f64>,
    /// Minimum so far of the robots' total remaining path length, plus 0.05 m per robot that is not at its goal (m),
    /// and the time at which this minimum was reached (s).
    progress: (f32, f64),
    tries: u32,
}

impl Parking {
    /// Starts a parking operation from the poses in `frame`.
    ///
    /// # Errors
    /// Returns the reason in one line. Possible reasons are an invisible robot or frisbee, an unreachable goal, and a
    /// goal that is too close to another goal or to an obstacle.
    pub fn new(now: f64, orders: ParkingTask, frame: &Frame) -> Result<Parking, String> {
        let missing: Vec<&str> =
            orders.robots.iter().filter(|name| frame.pose(name).is_none()).map(String::as_str).collect();
        if !missing.is_empty() {
            return Err(format!("motion capture does not see {}: check the markers", missing.join(", ")));
        }
        let frisbee = match &orders.frisbee {
            Some((name, _)) => Some(frame.pose(name).map(|pose| pose.at).ok_or_else(|| {
                String::from("motion capture does not see the frisbee, which robots must not touch: check its markers")
            })?),
            None => None,
        };
        let room = FreeSpace { half: orders.half, walls: orders.walls.clone(), discs: Vec::new() };
        let robots = orders.robots.iter().enumerate().map(|(goal, name)| RobotState {
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
        parking.update_obstacles();
        parking.check_goals()?;
        parking.assign_goals(parking.orders.own);
        if let Some(robot) = parking.robots.iter().find(|robot| parking.left(robot).is_none()) {
            let at = parking.orders.goals[robot.goal].at;
            return Err(format!(
                "no path for {} to ({:.2}, {:.2}); remove the obstacles, or choose another place",
                robot.name, at.x, at.y
            ));
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
                    "the place {} is within {least:.0} mm of the frisbee or another body: choose another place",
                    at(goal)
                ));
            }
            if self.room.slack(goal.at) < 0.0 {
                return Err(format!(
                    "the place {} is too close to a wall or outside the arena: choose another place",
                    at(goal)
                ));
            }
            if let Some(other) = goals[..i].iter().find(|other| (other.at - goal.at).length() < APART) {
                let least = APART * 1000.0;
                return Err(format!(
                    "the places {} and {} are less than {least:.0} mm apart: choose another place",
                    at(other),
                    at(goal)
                ));
            }
        }
        Ok(())
    }

    /// Updates the obstacles, the grid and the distances to each goal.
    fn update_obstacles(&mut self) {
        let discs = self.orders.frisbee.iter().zip(self.frisbee).map(|((_, radius), (_, at))| (at, *radius));
        let strangers = self.strangers.iter().map(|(_, at)| (*at, ROBOT_RADIUS));
        self.room.discs = discs.chain(strangers).collect();
        self.grid = Grid::new(&self.room);
        self.fields = self.orders.goals.iter().map(|goal| self.grid.distances(&self.room, goal.at)).collect();
    }

    /// Assigns goals to the robots so that the total path length is minimal. If `own`, the robots keep their current
    /// goals, which have their own index.
    fn assign_goals(&mut self, own: bool) {
        if own {
            return;
        }
        // Assumed path length to a goal that is unreachable (m).
        const NONE: f64 = 1e3;
        let ways = |robot: &RobotState| -> Vec<f64> {
            let at = robot.seen.map_or(Vec2::ZERO, |(_, pose)| pose.at);
            let way = |field: &Vec<Option<u32>>| self.grid.distance(&self.room, at, field).map_or(NONE, f64::from);
            self.fields.iter().map(way).collect()
        };
        let costs: Vec<Vec<f64>> = self.robots.iter().map(ways).collect();
        let given = assign(&costs);
        self.robots.iter_mut().zip(given).for_each(|(robot, goal)| robot.goal = goal);
    }

    /// Sorts the robots by descending path length, so that the robot with the longest path has the highest priority.
    fn first_order(&mut self) {
        let mut order: Vec<(usize, f32)> =
            self.robots.iter().enumerate().map(|(i, robot)| (i, self.left(robot).unwrap_or(0.0))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.order = order.into_iter().map(|(i, _)| i).collect();
        self.turn = 0;
    }

    /// Returns the remaining path length of a robot (m), or `None` if its goal is unreachable.
    fn left(&self, robot: &RobotState) -> Option<f32> {
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

    /// Handles a frame of motion capture that arrived at `now` (s).
    pub fn on_frame(&mut self, now: f64, frame: &Frame) {
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
            self.update_obstacles();
        }
    }

    /// Sets whether a robot is connected and not held.
    pub fn set_there(&mut self, robot: usize, there: bool) {
        self.robots[robot].there = there;
    }

    /// Returns whether the frisbee was last seen more than 1 s ago, so that all robots must stop.
    pub fn misses_frisbee(&self, now: f64) -> bool {
        self.frisbee.is_some_and(|(at, _)| now - at > FRISBEE_LIMIT)
    }

    /// Returns the distance of the frisbee from its first position (m), or `None` without a frisbee.
    pub fn frisbee_moved(&self) -> Option<f32> {
        Some((self.frisbee?.1 - self.frisbee_first?).length())
    }

    /// Returns the duration of parking so far (s).
    pub fn seconds(&self, now: f64) -> f64 {
        now - self.began
    }

    /// Returns the progress of each robot, in the order of the task.
    pub fn standing(&self, now: f64) -> impl Iterator<Item = RobotProgress> + '_ {
        self.robots.iter().map(move |robot| {
            let goal = self.orders.goals[robot.goal];
            let off =
                |(_, pose): (f64, Pose)| ((pose.at - goal.at).length(), wrap_angle(pose.heading - goal.heading).abs());
            let seen = robot.seen.is_some_and(|(at, _)| now - at <= POSE_LIMIT);
            RobotProgress { goal, off: robot.seen.map(off), parked: robot.parked, seen, there: robot.there }
        })
    }

    /// Returns the wheel speeds of all robots (m/s) if a control period has passed, otherwise `None`. All speeds are
    /// 0 while the frisbee is missing.
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
        let parked = has_arrived(pose, goal, robot.parked);
        let (mut motion, mut turning) = (Motion::default(), false);
        if let Some((planned, way)) = &robot.way {
            // A robot at its goal stands still, unless its path leaves the goal to make way for another robot.
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

    /// Replans the path of the robot whose turn it is.
    fn plan_one(&mut self, now: f64) {
        if self.turn >= self.order.len() {
            self.reorder();
        }
        let Some(&index) = self.order.get(self.turn) else { return };
        self.turn += 1;
        let Some(pose) = self.robots[index].pose(now) else { return };
        // Robots that cannot be driven are obstacles for all other robots.
        let standing = self.robots.iter().filter(|robot| robot.pose(now).is_none());
        let mut others: Vec<TimedPath> =
            standing.filter_map(|robot| Some(TimedPath::standing(robot.seen?.1.at))).collect();
        let (first, last) = self.order.split_at(self.turn - 1);
        for robot in first.iter().map(|i| &self.robots[*i]).filter(|robot| robot.pose(now).is_some()) {
            let at = robot.seen.map_or(Vec2::ZERO, |(_, pose)| pose.at);
            let way = robot.way.as_ref().map_or_else(|| TimedPath::standing(at), |(from, way)| way.rest(now - from));
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

    /// Sorts the robots by priority. Robots without a free path get the highest priority. Robots at their goals get
    /// the lowest priority, so that they make way for others.
    fn reorder(&mut self) {
        let rank = |robot: &RobotState| if robot.blocked { 0 } else { 1 + u8::from(robot.parked) };
        let robots = &self.robots;
        self.order.sort_by_key(|i| rank(&robots[*i]));
        self.turn = 0;
    }

    /// Returns the result once parking has ended, otherwise `None`. It must be called after [`Parking::drive`].
    pub fn outcome(&mut self, now: f64) -> Option<Outcome> {
        let there: Vec<&RobotState> = self.robots.iter().filter(|robot| robot.there).collect();
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

    /// Starts another attempt because no robot makes progress. Goals are assigned again if the task allows it, and
    /// the priorities are reversed. Returns a result if no attempt is left.
    fn try_again(&mut self, now: f64) -> Option<Outcome> {
        self.tries += 1;
        if self.tries > TRIES {
            return Some(Outcome::GivenUp(self.stuck("and made no progress")));
        }
        self.assign_goals(self.orders.own);
        self.order.reverse();
        self.turn = 0;
        self.progress = (f32::INFINITY, now);
        None
    }

    fn stuck(&self, more: &str) -> String {
        let late = self.robots.iter().filter(|robot| robot.there && !robot.parked);
        let names: Vec<&str> = late.map(|robot| robot.name.as_str()).collect();
        format!("{} did not reach the place {more}: check for obstacles", names.join(", "))
    }
}
