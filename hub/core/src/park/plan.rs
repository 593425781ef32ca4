//! A robot's way in space and time around those that have the right of way: cooperative A* in a window (Silver 2005) on a
//! grid of 8 neighbours. A way is where the robot is at each step of time.

use super::room::{Grid, Room};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::model::ROBOT_RADIUS;

/// One step of a way, s.
pub const STEP: f64 = 0.25;
/// Ways are planned at this speed, m/s.
const SPEED: f32 = 0.1;
/// And this speed of turning, rad/s.
const TURN: f32 = 2.2;
/// Steps that a way covers.
pub const WINDOW: usize = 44;
/// The longest move goes so far beyond.
const OVER: usize = 16;
/// Centres of robots keep so far apart, m.
pub const APART: f32 = 2.0 * ROBOT_RADIUS + 0.018;
/// A step in which a robot comes near another that has no way yet counts as so many more.
const DISTURBS: u32 = 6;
/// Places looked at before the search ends with the best so far.
const MOST: usize = 12_000;

/// Where a robot is at each step; where the last is, it stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way(pub Vec<Vec2>);

impl Way {
    /// Standing.
    pub fn standing(at: Vec2) -> Way {
        Way(vec![at])
    }

    fn step(&self, step: usize) -> Vec2 {
        self.0.get(step).or(self.0.last()).copied().unwrap_or_default()
    }

    /// Where it is after so many seconds, m.
    pub fn after(&self, seconds: f64) -> Vec2 {
        let steps = (seconds / STEP).max(0.0);
        let (from, to) = (self.step(steps as usize), self.step(steps as usize + 1));
        from + (to - from) * steps.fract() as f32
    }

    /// What is left of it after so many seconds.
    pub fn rest(&self, seconds: f64) -> Way {
        let steps = self.0.len().max(1);
        Way((0..steps).map(|step| self.after(seconds + step as f64 * STEP)).collect())
    }
}

/// What a way is planned for.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// What stands in the way.
    pub room: &'a Room,
    /// Its grid.
    pub grid: &'a Grid,
    /// Where the robot is, m, and its heading, rad.
    pub from: (Vec2, f32),
    /// Where it is to go.
    pub to: Vec2,
    /// Distances to there from the grid's places.
    pub distances: &'a [Option<u32>],
    /// Ways of those that have the right of way, from now on.
    pub others: &'a [Way],
    /// Places of those that will make way, and would rather not.
    pub yielding: &'a [Vec2],
}

/// A place of the search: one of the grid, the beginning, or the end.
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

    /// Steps that a move takes, turning on the spot first if the robot has a heading there.
    fn steps(&self, from: Place, to: Place, step: usize) -> usize {
        let way = self.at(to) - self.at(from);
        let mut time = way.length() / SPEED;
        if from == self.beginning() && step == 0 && way.length() > 0.01 {
            time += wrap_angle(way.angle() - self.from.1).abs() / TURN;
        }
        ((time / STEP as f32 - 0.05).ceil().max(1.0) as usize).min(OVER)
    }

    /// Nobody with the right of way comes near in a move that begins at this step. Those that are too near already may
    /// part.
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

    /// Steps that are left from a place, at least; none where no way leads on.
    fn left(&self, place: Place, doors: &Doors) -> Option<u32> {
        match place {
            place if place == self.end() => Some(0),
            place if place == self.beginning() => Some(doors.first),
            place => self.distances[place].map(|tenths| {
                let metres = tenths as f32 * self.grid.cell / 10.0;
                (metres / SPEED / STEP as f32 * 0.95) as u32
            }),
        }
    }

    /// The end can be reached from the beginning without the grid.
    fn is_direct(&self) -> bool {
        (self.to - self.from.0).length() < 3.0 * self.grid.cell && self.room.is_clear(self.from.0, self.to)
    }

    /// Steps from the beginning to the end, at least: 0 where no way leads.
    fn first(&self) -> u32 {
        let metres = match self.is_direct() {
            true => (self.to - self.from.0).length(),
            false => self.grid.distance(self.room, self.from.0, self.distances).unwrap_or(0.0),
        };
        (metres / SPEED / STEP as f32 * 0.9) as u32
    }

    fn moves(&self, place: Place, doors: &Doors) -> Vec<Place> {
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

    /// The shortest way through the window, and whether it is free to its end.
    pub fn plan(&self) -> (Way, bool) {
        let doors = Doors {
            out: self.grid.doors(self.room, self.from.0),
            into: self.grid.doors(self.room, self.to),
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
            if step >= WINDOW || looked >= MOST {
                break;
            }
            let so_far = cost - self.left(place, &doors).unwrap_or(0);
            for next in self.moves(place, &doors) {
                let Some(left) = self.left(next, &doors) else { continue };
                let steps = if next == place { 1 } else { self.steps(place, next, step) };
                if from[(step + steps) * places + next] != u32::MAX || !self.is_free(place, next, step, steps) {
                    continue;
                }
                // Waiting at the end costs nothing, and nothing is gained by waiting before.
                let waits_there = next == place && place == self.end();
                let mut costs = if waits_there { 0 } else { steps as u32 };
                if self.disturbs(next) {
                    costs += DISTURBS;
                }
                open.push(Reverse((so_far + costs + left, Reverse(step + steps), next, here as u32)));
            }
        }
        (self.way(&from, farthest), farthest.0 >= WINDOW)
    }

    /// The way that ends there.
    fn way(&self, from: &[u32], (last, place): (usize, Place)) -> Way {
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
        Way(way)
    }
}

/// The grid's places at the beginning and at the end.
struct Doors {
    out: Vec<Place>,
    into: Vec<Place>,
    /// Steps from the beginning to the end, at least.
    first: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::vec2;

    fn plan(from: Vec2, to: Vec2, others: &[Way]) -> (Way, bool) {
        let room = Room { half: vec2(1.0, 0.75), walls: Vec::new(), discs: vec![(Vec2::ZERO, 0.105)] };
        let grid = Grid::new(&room);
        let distances = grid.distances(&room, to);
        let task =
            Task { room: &room, grid: &grid, from: (from, 0.0), to, distances: &distances, others, yielding: &[] };
        task.plan()
    }

    #[test]
    fn a_way_ends_where_it_is_to_end_and_keeps_clear_of_the_frisbee() {
        let (way, free) = plan(vec2(-0.4, 0.02), vec2(0.433, 0.017), &[]);
        assert!(free && *way.0.last().unwrap() == vec2(0.433, 0.017), "{way:?}");
        assert!(way.0.iter().all(|at| at.length() > 0.105 + ROBOT_RADIUS + 0.015), "{way:?}");
        let arrives = way.0.iter().position(|at| *at == vec2(0.433, 0.017)).unwrap();
        assert!((34..44).contains(&arrives), "after {arrives} steps");
    }

    #[test]
    fn who_has_the_right_of_way_is_let_by_and_one_that_waits_there_is_left_for() {
        let crossing = Way((0..=44).map(|k| vec2(0.5, 0.6 - 0.025 * k as f32)).collect());
        let (way, free) = plan(vec2(0.3, 0.05), vec2(0.7, 0.05), std::slice::from_ref(&crossing));
        assert!(free && *way.0.last().unwrap() == vec2(0.7, 0.05));
        let nearest = (0..=44).map(|k| (way.step(k) - crossing.step(k)).length()).fold(f32::INFINITY, f32::min);
        assert!(nearest >= APART - 1e-4, "{nearest} m");
        // At its place already, and somebody wants to pass through it.
        let (way, free) = plan(vec2(0.5, 0.1), vec2(0.5, 0.1), std::slice::from_ref(&crossing));
        assert!(free && *way.0.last().unwrap() == vec2(0.5, 0.1), "{way:?}");
        assert!((0..=44).all(|k| (way.step(k) - crossing.step(k)).length() >= APART - 1e-4), "{way:?}");
    }

    #[test]
    fn a_place_beyond_the_window_is_approached() {
        let (way, free) = plan(vec2(0.8, 0.5), vec2(-0.8, -0.5), &[]);
        let gone = (vec2(0.8, 0.5) - *way.0.last().unwrap()).length();
        assert!(free && gone > 0.8, "{gone} m in {} steps", way.0.len());
    }

    #[test]
    fn the_rest_of_a_way_goes_on_where_it_is() {
        let way = Way((0..=4).map(|k| vec2(0.1 * k as f32, 0.0)).collect());
        assert!((way.after(0.375).x - 0.15).abs() < 1e-6);
        assert!((way.rest(0.5).0[1].x - 0.3).abs() < 1e-6);
        assert!((way.after(9.0).x - 0.4).abs() < 1e-6);
    }
}
