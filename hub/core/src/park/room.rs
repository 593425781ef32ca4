//! Where a robot's centre may be, a grid over it, and how far it is from everywhere to a place.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::wall::Wall;

/// A robot's rim keeps so far from walls, m.
const WALL_MARGIN: f32 = 0.012;
/// And from discs that must not be touched, m.
pub const DISC_MARGIN: f32 = 0.022;
/// Distance of neighbouring places of the grid, m, in arenas of usual sizes.
const CELL: f32 = 0.05;
/// Most places of a grid; in larger arenas they are farther apart.
const MOST_CELLS: f32 = 16_000.0;
/// A straight and a diagonal move, in tenths of a cell.
const MOVES: [(i32, i32, u32); 8] =
    [(1, 0, 10), (1, 1, 14), (0, 1, 10), (-1, 1, 14), (-1, 0, 10), (-1, -1, 14), (0, -1, 10), (1, -1, 14)];

/// What stands in a robot's way and does not move by itself.
#[derive(Clone, Debug)]
pub struct Room {
    /// Half the arena's length and width, m.
    pub half: Vec2,
    /// Walls inside.
    pub walls: Vec<Wall>,
    /// Discs, as the frisbee: centre and radius, m.
    pub discs: Vec<(Vec2, f32)>,
}

impl Room {
    /// From a robot's rim to the nearest disc, m; infinite without one, below 0 inside.
    pub fn to_discs(&self, at: Vec2) -> f32 {
        let gaps = self.discs.iter().map(|(disc, radius)| (at - *disc).length() - radius - ROBOT_RADIUS);
        gaps.fold(f32::INFINITY, f32::min)
    }

    /// From a robot's rim to the nearest wall, m; below 0 inside.
    pub fn to_walls(&self, at: Vec2) -> f32 {
        let outer = (self.half.x - at.x.abs()).min(self.half.y - at.y.abs());
        let inner = self.walls.iter().map(|wall| wall.offset(at).length());
        inner.fold(outer, f32::min) - ROBOT_RADIUS
    }

    /// By how much a robot there is farther from everything than it has to be, m; below 0 it is too near.
    pub fn slack(&self, at: Vec2) -> f32 {
        (self.to_walls(at) - WALL_MARGIN).min(self.to_discs(at) - DISC_MARGIN)
    }

    /// A robot may go straight from one place to the other: where it is too near something, it gets no nearer.
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

/// Places a cell apart, row by row.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Distance of neighbours, m.
    pub cell: f32,
    columns: i32,
    rows: i32,
    /// Places where a robot may be.
    free: Vec<bool>,
}

impl Grid {
    /// The grid of a room.
    pub fn new(room: &Room) -> Grid {
        let cell = CELL.max((4.0 * room.half.x * room.half.y / MOST_CELLS).sqrt());
        let count = |half: f32| 2 * (half / cell) as i32 + 1;
        let mut grid = Grid { cell, columns: count(room.half.x), rows: count(room.half.y), free: Vec::new() };
        grid.free = (0..grid.len()).map(|place| room.slack(grid.at(place)) >= 0.0).collect();
        grid
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// A place's centre, m.
    pub fn at(&self, place: usize) -> Vec2 {
        let (column, row) = (place as i32 % self.columns, place as i32 / self.columns);
        vec2((column - self.columns / 2) as f32 * self.cell, (row - self.rows / 2) as f32 * self.cell)
    }

    fn place(&self, column: i32, row: i32) -> Option<usize> {
        let inside = (0..self.columns).contains(&column) && (0..self.rows).contains(&row);
        let place = inside.then_some((row * self.columns + column) as usize);
        place.filter(|place| self.free[*place])
    }

    /// Free neighbours of a place, each with the length of the move in tenths of a cell.
    pub fn neighbours(&self, place: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let (column, row) = (place as i32 % self.columns, place as i32 / self.columns);
        MOVES.into_iter().filter_map(move |(x, y, length)| Some((self.place(column + x, row + y)?, length)))
    }

    /// Free places within so many cells of a point.
    pub fn near(&self, at: Vec2, cells: f32) -> impl Iterator<Item = usize> + '_ {
        let middle = |value: f32, count: i32| (value / self.cell).round() as i32 + count / 2;
        let (column, row) = (middle(at.x, self.columns), middle(at.y, self.rows));
        let reach = cells.ceil() as i32;
        let around = (-reach..=reach).flat_map(move |y| (-reach..=reach).map(move |x| (column + x, row + y)));
        let places = around.filter_map(|(column, row)| self.place(column, row));
        places.filter(move |place| (self.at(*place) - at).length() <= cells * self.cell)
    }

    /// The places from which a robot gets to this point, or to which it gets from there, without being too near anything:
    /// near ones, or farther ones where there are none.
    pub fn doors(&self, room: &Room, at: Vec2) -> Vec<usize> {
        let doors =
            |cells| -> Vec<usize> { self.near(at, cells).filter(|place| room.is_clear(at, self.at(*place))).collect() };
        let found = doors(1.6);
        if found.is_empty() { doors(3.5) } else { found }
    }

    /// How far it is to a point from each place, in tenths of a cell; none where no way leads there.
    pub fn distances(&self, room: &Room, to: Vec2) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.len()];
        let mut open: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
        for place in self.doors(room, to) {
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

    /// How far it is from a point, by the distances from the grid's places, m; none where no way leads.
    pub fn distance(&self, room: &Room, from: Vec2, distances: &[Option<u32>]) -> Option<f32> {
        let by = |place: usize| Some((self.at(place) - from).length() + distances[place]? as f32 * self.cell / 10.0);
        self.doors(room, from).into_iter().filter_map(by).reduce(f32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> Room {
        Room { half: vec2(1.0, 0.75), walls: Vec::new(), discs: vec![(Vec2::ZERO, 0.105)] }
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
    fn a_robot_that_is_too_near_may_go_away_and_not_nearer() {
        let room = room();
        let touching = vec2(0.143, 0.0);
        assert!(room.is_clear(touching, vec2(0.2, 0.0)) && !room.is_clear(touching, vec2(-0.2, 0.0)));
        let grid = Grid::new(&room);
        assert!(!grid.doors(&room, touching).is_empty());
        let corner = vec2(0.96, 0.71);
        assert!(!grid.doors(&room, corner).is_empty());
    }

    #[test]
    fn a_wall_across_the_arena_is_a_detour_or_the_end() {
        let wall = |y: f32| Wall { from: vec2(0.0, -0.75), to: vec2(0.0, y) };
        let way = |walls| {
            let room = Room { walls, discs: Vec::new(), ..room() };
            let grid = Grid::new(&room);
            grid.distance(&room, vec2(0.3, -0.5), &grid.distances(&room, vec2(-0.3, -0.5)))
        };
        assert!((way(Vec::new()).unwrap() - 0.6).abs() < 0.02);
        assert!(way(vec![wall(0.3)]).unwrap() > 1.6);
        assert_eq!(way(vec![wall(0.75)]), None);
    }
}
