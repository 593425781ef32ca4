//! Path of a robot in space and time, which avoids robots with higher priority. The search is cooperative A* in a
//! time window (Silver 2005) on a grid with 8 neighbours per node. A path contains the position of the robot at each
//! time step.

use super::free_space::{FreeSpace, Grid};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::model::ROBOT_RADIUS;

/// Time step of a path (s).
pub const STEP: f64 = 0.25;
/// Driving speed assumed in planning (m/s).
const SPEED: f32 = 0.1;
/// Turning speed assumed in planning (rad/s).
const TURN: f32 = 2.2;
/// Length of the planning window (time steps).
pub const WINDOW: usize = 44;
/// Maximum duration of one move (time steps). The last move of a path may end after the planning window.
const OVER: usize = 16;
/// Minimum distance between the centres of robots (m).
pub const APART: f32 = 2.0 * ROBOT_RADIUS + 0.018;
/// Additional cost of a move that ends near a robot with lower priority (time steps).
const NEAR_COST: u32 = 6;
/// Maximum number of nodes that a search expands. If this number is reached, the search returns the path that extends
/// furthest in time.
const MAX_NODES: usize = 12_000;

/// Positions of a robot at successive time steps (m). After the last step the robot stays at the last position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimedPath(pub Vec<Vec2>);

impl TimedPath {
    /// Creates the path of a robot that stands still.
    pub fn standing(at: Vec2) -> TimedPath {
        TimedPath(vec![at])
    }

    fn step(&self, step: usize) -> Vec2 {
        self.0.get(step).or(self.0.last()).copied().unwrap_or_default()
    }

    /// Returns the position `seconds` after the start of the path (m).
    pub fn after(&self, seconds: f64) -> Vec2 {
        let steps = (seconds / STEP).max(0.0);
        let (from, to) = (self.step(steps as usize), self.step(steps as usize + 1));
        from + (to - from) * steps.fract() as f32
    }

    /// Returns the remaining path `seconds` after its start.
    pub fn rest(&self, seconds: f64) -> TimedPath {
        let steps = self.0.len().max(1);
        TimedPath((0..steps).map(|step| self.after(seconds + step as f64 * STEP)).collect())
    }
}

/// Planning problem of one robot.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Obstacles that do not move.
    pub room: &'a FreeSpace,
    /// Grid of the free space.
    pub grid: &'a Grid,
    /// Current position (m) and heading (rad).
    pub from: (Vec2, f32),
    /// Goal position (m).
    pub to: Vec2,
    /// Distance from each node of the grid to the goal (tenths of a cell); `None` for unreachable nodes.
    pub distances: &'a [Option<u32>],
    /// Paths of robots with higher priority, beginning at the current time.
    pub others: &'a [TimedPath],
    /// Positions of robots with lower priority (m). Moves near them have an additional cost.
    pub yielding: &'a [Vec2],
}

/// Node of the search: a grid node, or the start or the goal of the robot.
type Place = usize;

impl Task<'_> {
    fn beginning(&self) -> Place {
        self.grid.len()
    }

    fn end(&self) -> Place {
        self.grid.len() + 1
    }

    fn at(&self, place: Place) -> Vec2 {
        match place {
            place if place == self.beginning() => self.from.0,
            place if place == self.end() => self.to,
            place => self.grid.at(place),
        }
    }

    /// Returns the duration of a move (time steps). A move at the start of the path includes the turn on the spot.
    fn steps(&self, from: Place, to: Place, step: usize) -> usize {
        let way = self.at(to) - self.at(from);
        let mut time = way.length() / SPEED;
        if from == self.beginning() && step == 0 && way.length() > 0.01 {
            time += wrap_angle(way.angle() - self.from.1).abs() / TURN;
        }
        ((time / STEP as f32 - 0.05).ceil().max(1.0) as usize).min(OVER)
    }

    /// Returns whether the robot keeps the minimum distance from all robots with higher priority during a move. The
    /// move begins at time step `step` and takes `steps` time steps. Robots that are already too close to each other
    /// may move apart.
    fn is_free(&self, from: Place, to: Place, step: usize, steps: usize) -> bool {
        let (from, to) = (self.at(from), self.at(to));
        let turning = steps - ((((to - from).length() / SPEED / STEP as f32 - 0.05).ceil() as usize).clamp(1, steps));
        self.others.iter().all(|other| {
            let mut last = (from - other.step(step)).length();
            (1..=steps).all(|k| {
                let part = k.saturating_sub(turning) as f32 / (steps - turning) as f32;
                let distance = (from + (to - from) * part - other.step(step + k)).length();
                let near = distance < APART && distance < last - 1e-5;
                last = distance;
                !near
            })
        })
    }

    fn disturbs(&self, place: Place) -> bool {
        let at = self.at(place);
        self.yielding.iter().any(|other| (at - *other).length() < APART)
    }

    /// Returns a lower bound of the remaining time steps from a node to the goal, or `None` if the goal is
    /// unreachable.
    fn left(&self, place: Place, doors: &Connections) -> Option<u32> {
        match place {
            place if place == self.end() => Some(0),
            place if place == self.beginning() => Some(doors.first),
            place => self.distances[place].map(|tenths| {
                let metres = tenths as f32 * self.grid.cell / 10.0;
                (metres / SPEED / STEP as f32 * 0.95) as u32
            }),
        }
    }

    /// Returns whether the robot can drive straight from the start to the goal, without the grid.
    fn is_direct(&self) -> bool {
        (self.to - self.from.0).length() < 3.0 * self.grid.cell && self.room.is_clear(self.from.0, self.to)
    }

    /// Returns a lower bound of the time steps from the start to the goal, or 0 if the goal is unreachable.
    fn first(&self) -> u32 {
        let metres = match self.is_direct() {
            true => (self.to - self.from.0).length(),
            false => self.grid.distance(self.room, self.from.0, self.distances).unwrap_or(0.0),
        };
        (metres / SPEED / STEP as f32 * 0.9) as u32
    }

    fn moves(&self, place: Place, doors: &Connections) -> Vec<Place> {
        let mut moves = vec![place];
        if place == self.beginning() {
            moves.extend(&doors.out);
            if self.is_direct() {
                moves.push(self.end());
            }
        } else if place == self.end() {
            moves.extend(&doors.into);
        } else {
            moves.extend(self.grid.neighbours(place).map(|(next, _)| next));
            if doors.into.contains(&place) {
                moves.push(self.end());
            }
        }
        moves
    }

    /// Returns the fastest path within the planning window, and whether the path reaches the end of the window.
    pub fn plan(&self) -> (TimedPath, bool) {
        let doors = Connections {
            out: self.grid.connections(self.room, self.from.0),
            into: self.grid.connections(self.room, self.to),
            first: self.first(),
        };
        let places = self.grid.len() + 2;
        let mut from: Vec<u32> = vec![u32::MAX; places * (WINDOW + OVER + 1)];
        let mut open = BinaryHeap::new();
        let start = self.beginning();
        open.push(Reverse((doors.first, Reverse(0), start, u32::MAX)));
        let mut farthest = (0, start);
        let mut looked = 0;
        while let Some(Reverse((cost, Reverse(step), place, before))) = open.pop() {
            let here = step * places + place;
            if from[here] != u32::MAX {
                continue;
            }
            from[here] = if before == u32::MAX { here as u32 } else { before };
            if step > farthest.0 {
                farthest = (step, place);
            }
            looked += 1;
            if step >= WINDOW || looked >= MAX_NODES {
                break;
            }
            let so_far = cost - self.left(place, &doors).unwrap_or(0);
            for next in self.moves(place, &doors) {
                let Some(left) = self.left(next, &doors) else { continue };
                let steps = if next == place { 1 } else { self.steps(place, next, step) };
                if from[(step + steps) * places + next] != u32::MAX || !self.is_free(place, next, step, steps) {
                    continue;
                }
                // The cost of a move or of waiting is its duration, but waiting at the goal is free.
                let waits_there = next == place && place == self.end();
                let mut costs = if waits_there { 0 } else { steps as u32 };
                if self.disturbs(next) {
                    costs += NEAR_COST;
                }
                open.push(Reverse((so_far + costs + left, Reverse(step + steps), next, here as u32)));
            }
        }
        (self.way(&from, farthest), farthest.0 >= WINDOW)
    }

    /// Reconstructs the path that ends at node `place` and time step `last`.
    fn way(&self, from: &[u32], (last, place): (usize, Place)) -> TimedPath {
        let places = self.grid.len() + 2;
        let mut stations = vec![(last, place)];
        let mut here = last * places + place;
        while from[here] as usize != here {
            here = from[here] as usize;
            stations.push((here / places, here % places));
        }
        stations.reverse();
        let mut way = vec![self.from.0];
        for pair in stations.windows(2) {
            let ((step, a), (next, b)) = (pair[0], pair[1]);
            let (a, b, steps) = (self.at(a), self.at(b), next - step);
            let moving = (((b - a).length() / SPEED / STEP as f32 - 0.05).ceil() as usize).clamp(1, steps);
            let turning = steps - moving;
            way.extend((1..=steps).map(|k| a + (b - a) * (k.saturating_sub(turning) as f32 / moving as f32)));
        }
        TimedPath(way)
    }
}

/// Grid nodes that connect to the start (`out`) and to the goal (`into`).
struct Connections {
    out: Vec<Place>,
    into: Vec<Place>,
    /// Lower bound of the time steps from the start to the goal.
    first: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::vec2;

    fn plan(from: Vec2, to: Vec2, others: &[TimedPath]) -> (TimedPath, bool) {
        let room = FreeSpace { half: vec2(1.0, 0.75), walls: Vec::new(), discs: vec![(Vec2::ZERO, 0.105)] };
        let grid = Grid::new(&room);
        let distances = grid.distances(&room, to);
        let task =
            Task { room: &room, grid: &grid, from: (from, 0.0), to, distances: &distances, others, yielding: &[] };
        task.plan()
    }

    #[test]
    fn path_ends_at_goal_and_avoids_frisbee() {
        let (way, free) = plan(vec2(-0.4, 0.02), vec2(0.433, 0.017), &[]);
        assert!(free && *way.0.last().unwrap() == vec2(0.433, 0.017), "{way:?}");
        assert!(way.0.iter().all(|at| at.length() > 0.105 + ROBOT_RADIUS + 0.015), "{way:?}");
        let arrives = way.0.iter().position(|at| *at == vec2(0.433, 0.017)).unwrap();
        assert!((34..44).contains(&arrives), "after {arrives} steps");
    }

    #[test]
    fn robot_yields_to_higher_priority_paths() {
        let crossing = TimedPath((0..=44).map(|k| vec2(0.5, 0.6 - 0.025 * k as f32)).collect());
        let (way, free) = plan(vec2(0.3, 0.05), vec2(0.7, 0.05), std::slice::from_ref(&crossing));
        assert!(free && *way.0.last().unwrap() == vec2(0.7, 0.05));
        let nearest = (0..=44).map(|k| (way.step(k) - crossing.step(k)).length()).fold(f32::INFINITY, f32::min);
        assert!(nearest >= APART - 1e-4, "{nearest} m");
        // The robot is at its goal, and a robot with higher priority passes through this goal.
        let (way, free) = plan(vec2(0.5, 0.1), vec2(0.5, 0.1), std::slice::from_ref(&crossing));
        assert!(free && *way.0.last().unwrap() == vec2(0.5, 0.1), "{way:?}");
        assert!((0..=44).all(|k| (way.step(k) - crossing.step(k)).length() >= APART - 1e-4), "{way:?}");
    }

    #[test]
    fn goal_beyond_window_is_approached() {
        let (way, free) = plan(vec2(0.8, 0.5), vec2(-0.8, -0.5), &[]);
        let gone = (vec2(0.8, 0.5) - *way.0.last().unwrap()).length();
        assert!(free && gone > 0.8, "{gone} m in {} steps", way.0.len());
    }

    #[test]
    fn rest_of_path_starts_at_given_distance() {
        let way = TimedPath((0..=4).map(|k| vec2(0.1 * k as f32, 0.0)).collect());
        assert!((way.after(0.375).x - 0.15).abs() < 1e-6);
        assert!((way.rest(0.5).0[1].x - 0.3).abs() < 1e-6);
        assert!((way.after(9.0).x - 0.4).abs() < 1e-6);
    }
}
