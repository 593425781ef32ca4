//! Free space for the centre of a robot, a grid of this space, and distances on the grid.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::wall::Wall;

/// Minimum distance of a robot's rim from walls (m).
const WALL_MARGIN: f32 = 0.012;
/// Minimum distance of a robot's rim from discs that it must not touch (m).
pub const DISC_MARGIN: f32 = 0.022;
/// Minimum distance between adjacent grid nodes (m).
const CELL: f32 = 0.05;
/// Approximate maximum number of grid nodes. In large arenas the distance between nodes is increased accordingly.
const MOST_CELLS: f32 = 16_000.0;
/// Straight and diagonal moves on the grid: columns, rows, and length (tenths of a cell).
const MOVES: [(i32, i32, u32); 8] =
    [(1, 0, 10), (1, 1, 14), (0, 1, 10), (-1, 1, 14), (-1, 0, 10), (-1, -1, 14), (0, -1, 10), (1, -1, 14)];

/// Static obstacles of a robot.
#[derive(Clone, Debug)]
pub struct FreeSpace {
    /// Half the length and half the width of the arena (m).
    pub half: Vec2,
    /// Inner walls.
    pub walls: Vec<Wall>,
    /// Centre and radius of each disc, such as the frisbee (m).
    pub discs: Vec<(Vec2, f32)>,
}

impl FreeSpace {
    /// Returns the gap between the rim of a robot at `at` and the nearest disc (m). The gap is negative if the robot
    /// overlaps a disc, and infinite if there are no discs.
    pub fn to_discs(&self, at: Vec2) -> f32 {
        let gaps = self.discs.iter().map(|(disc, radius)| (at - *disc).length() - radius - ROBOT_RADIUS);
        gaps.fold(f32::INFINITY, f32::min)
    }

    /// Returns the gap between the rim of a robot at `at` and the nearest wall (m). The gap is negative if the robot
    /// overlaps a wall.
    pub fn to_walls(&self, at: Vec2) -> f32 {
        let outer = (self.half.x - at.x.abs()).min(self.half.y - at.y.abs());
        let inner = self.walls.iter().map(|wall| wall.offset(at).length());
        inner.fold(outer, f32::min) - ROBOT_RADIUS
    }

    /// Returns the gap between a robot at `at` and the nearest obstacle, minus the required margin (m). It is
    /// negative if the robot is too close.
    pub fn slack(&self, at: Vec2) -> f32 {
        (self.to_walls(at) - WALL_MARGIN).min(self.to_discs(at) - DISC_MARGIN)
    }

    /// Returns whether a robot may drive straight between two points. A robot that is already too close to an
    /// obstacle may drive only if it does not get closer.
    pub fn is_clear(&self, from: Vec2, to: Vec2) -> bool {
        const PARTS: usize = 8;
        let mut last = self.slack(from);
        (1..=PARTS).all(|part| {
            let slack = self.slack(from + (to - from) * (part as f32 / PARTS as f32));
            let clear = slack >= 0.0 || slack >= last - 1e-4;
            last = slack;
            clear
        })
    }
}

/// Square grid over the arena. Its nodes are numbered in row-major order.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Distance between adjacent nodes (m).
    pub cell: f32,
    columns: i32,
    rows: i32,
    /// Whether a robot may be at each node.
    free: Vec<bool>,
}

impl Grid {
    /// Creates the grid over a room.
    pub fn new(room: &FreeSpace) -> Grid {
        let cell = CELL.max((4.0 * room.half.x * room.half.y / MOST_CELLS).sqrt());
        let count = |half: f32| 2 * (half / cell) as i32 + 1;
        let mut grid = Grid { cell, columns: count(room.half.x), rows: count(room.half.y), free: Vec::new() };
        grid.free = (0..grid.len()).map(|place| room.slack(grid.at(place)) >= 0.0).collect();
        grid
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// Returns the position of a node (m).
    pub fn at(&self, place: usize) -> Vec2 {
        let (column, row) = (place as i32 % self.columns, place as i32 / self.columns);
        vec2((column - self.columns / 2) as f32 * self.cell, (row - self.rows / 2) as f32 * self.cell)
    }

    fn place(&self, column: i32, row: i32) -> Option<usize> {
        let inside = (0..self.columns).contains(&column) && (0..self.rows).contains(&row);
        let place = inside.then_some((row * self.columns + column) as usize);
        place.filter(|place| self.free[*place])
    }

    /// Returns the free neighbours of a node, each with the length of the move (tenths of a cell).
    pub fn neighbours(&self, place: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let (column, row) = (place as i32 % self.columns, place as i32 / self.columns);
        MOVES.into_iter().filter_map(move |(x, y, length)| Some((self.place(column + x, row + y)?, length)))
    }

    /// Returns the free nodes within `cells` times the node distance from a point.
    pub fn near(&self, at: Vec2, cells: f32) -> impl Iterator<Item = usize> + '_ {
        let middle = |value: f32, count: i32| (value / self.cell).round() as i32 + count / 2;
        let (column, row) = (middle(at.x, self.columns), middle(at.y, self.rows));
        let reach = cells.ceil() as i32;
        let around = (-reach..=reach).flat_map(move |y| (-reach..=reach).map(move |x| (column + x, row + y)));
        let places = around.filter_map(|(column, row)| self.place(column, row));
        places.filter(move |place| (self.at(*place) - at).length() <= cells * self.cell)
    }

    /// Returns the free nodes to which a robot may drive straight from a point. The nodes are at most 1.6 cells away,
    /// or at most 3.5 cells if there is no such node.
    pub fn connections(&self, room: &FreeSpace, at: Vec2) -> Vec<usize> {
        let doors =
            |cells| -> Vec<usize> { self.near(at, cells).filter(|place| room.is_clear(at, self.at(*place))).collect() };
        let found = doors(1.6);
        if found.is_empty() { doors(3.5) } else { found }
    }

    /// Returns the distance from each node to a point (tenths of a cell). Unreachable nodes have `None`.
    pub fn distances(&self, room: &FreeSpace, to: Vec2) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.len()];
        let mut open: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
        for place in self.connections(room, to) {
            open.push(Reverse(((10.0 * (self.at(place) - to).length() / self.cell) as u32, place)));
        }
        while let Some(Reverse((distance, place))) = open.pop() {
            if distances[place].is_some() {
                continue;
            }
            distances[place] = Some(distance);
            let further = self.neighbours(place).filter(|(next, _)| distances[*next].is_none());
            open.extend(further.map(|(next, length)| Reverse((distance + length, next))));
        }
        distances
    }

    /// Returns the distance from a point to the goal for which `distances` was computed (m), or `None` if the goal is
    /// unreachable.
    pub fn distance(&self, room: &FreeSpace, from: Vec2, distances: &[Option<u32>]) -> Option<f32> {
        let by = |place: usize| Some((self.at(place) - from).length() + distances[place]? as f32 * self.cell / 10.0);
        self.connections(room, from).into_iter().filter_map(by).reduce(f32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> FreeSpace {
        FreeSpace { half: vec2(1.0, 0.75), walls: Vec::new(), discs: vec![(Vec2::ZERO, 0.105)] }
    }

    #[test]
    fn ways_lead_around_the_frisbee() {
        let room = room();
        let grid = Grid::new(&room);
        let distances = grid.distances(&room, vec2(-0.5, 0.0));
        let way = grid.distance(&room, vec2(0.5, 0.0), &distances).unwrap();
        assert!((1.03..1.2).contains(&way), "{way} m");
        let straight = grid.distance(&room, vec2(-0.5, 0.5), &distances).unwrap();
        assert!((straight - 0.5).abs() < 0.02, "{straight} m");
        assert!(!room.is_clear(vec2(-0.3, 0.0), vec2(0.3, 0.0)));
        assert!(room.is_clear(vec2(-0.3, 0.3), vec2(0.3, 0.3)));
    }

    #[test]
    fn robot_too_close_may_only_increase_distance() {
        let room = room();
        let touching = vec2(0.143, 0.0);
        assert!(room.is_clear(touching, vec2(0.2, 0.0)) && !room.is_clear(touching, vec2(-0.2, 0.0)));
        let grid = Grid::new(&room);
        assert!(!grid.connections(&room, touching).is_empty());
        let corner = vec2(0.96, 0.71);
        assert!(!grid.connections(&room, corner).is_empty());
    }

    #[test]
    fn wall_across_arena_causes_detour_or_no_path() {
        let wall = |y: f32| Wall { from: vec2(0.0, -0.75), to: vec2(0.0, y) };
        let way = |walls| {
            let room = FreeSpace { walls, discs: Vec::new(), ..room() };
            let grid = Grid::new(&room);
            grid.distance(&room, vec2(0.3, -0.5), &grid.distances(&room, vec2(-0.3, -0.5)))
        };
        assert!((way(Vec::new()).unwrap() - 0.6).abs() < 0.02);
        assert!(way(vec![wall(0.3)]).unwrap() > 1.6);
        assert_eq!(way(vec![wall(0.75)]), None);
    }
}
