//! Flood fill of the floor that robots can reach within the walls. The extent of this floor is the arena.
//!
//! The `size` in an ARGoS file is the size of the simulated space, which is usually larger than the walled area.

use super::draw::StartScene;
use super::scene::Scene;
use super::shapes::Solid;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::wall::Wall;

/// Maximum length of an arena (m).
const LONGEST: f32 = 20.0;
/// Number of grid cells along each side.
const CELLS: usize = 500;

/// Floor that robots can reach, as cells of a grid.
pub(super) struct Region {
    /// Corner of the arena with the smallest x and y (m).
    pub low: Vec2,
    /// Corner of the arena with the greatest x and y (m).
    pub high: Vec2,
    /// Whether ARGoS's space was cut to the maximum arena length (20 m).
    pub is_cut: bool,
    /// Whether robots can reach the edge of the space, because no walls enclose them.
    pub is_open: bool,
    grid: Grid,
    reached: Vec<bool>,
}

/// Grid of equal cells over a rectangle.
#[derive(Clone, Copy)]
struct Grid {
    low: Vec2,
    cell: Vec2,
}

impl Grid {
    fn centre(&self, [x, y]: [usize; 2]) -> Vec2 {
        vec2(self.low.x + (x as f32 + 0.5) * self.cell.x, self.low.y + (y as f32 + 0.5) * self.cell.y)
    }

    fn cell_of(&self, at: Vec2) -> Option<[usize; 2]> {
        let offset = at - self.low;
        let [x, y] = [offset.x / self.cell.x, offset.y / self.cell.y].map(f32::floor);
        let inside = |v: f32| (0.0..CELLS as f32).contains(&v);
        (inside(x) && inside(y)).then_some([x as usize, y as usize])
    }

    /// Returns the cells that an axis-aligned rectangle covers, limited to the grid.
    fn cells_of(&self, low: Vec2, high: Vec2) -> impl Iterator<Item = [usize; 2]> + use<> {
        let clamped = |v: f32| v.clamp(0.0, CELLS as f32) as usize;
        let from = [(low.x - self.low.x) / self.cell.x, (low.y - self.low.y) / self.cell.y].map(clamped);
        let to = [(high.x - self.low.x) / self.cell.x + 1.0, (high.y - self.low.y) / self.cell.y + 1.0].map(clamped);
        (from[1]..to[1]).flat_map(move |y| (from[0]..to[0]).map(move |x| [x, y]))
    }
}

impl Region {
    /// Returns whether a robot's centre can reach a position.
    pub fn is_reached(&self, at: Vec2) -> bool {
        self.grid.cell_of(at).is_some_and(|[x, y]| self.reached[y * CELLS + x])
    }

    /// Returns whether a robot's centre can reach every position of a rectangle that `is_wanted`, except positions at
    /// which the robot would touch one of `walls`.
    pub fn is_free(&self, low: Vec2, high: Vec2, walls: &[[Vec2; 2]], is_wanted: impl Fn(Vec2) -> bool) -> bool {
        let near = ROBOT_RADIUS + self.grid.cell.length();
        let beside =
            |at: Vec2| walls.iter().any(|[from, to]| Wall { from: *from, to: *to }.offset(at).length() <= near);
        self.grid.cells_of(low, high).all(|[x, y]| {
            let centre = self.grid.centre([x, y]);
            self.reached[y * CELLS + x] || !is_wanted(centre) || beside(centre)
        })
    }

    /// Returns whether a robot's centre can reach a position that `is_wanted`.
    pub fn reaches(&self, is_wanted: impl Fn(Vec2) -> bool) -> bool {
        let cells = (0..CELLS * CELLS).filter(|cell| self.reached[*cell]);
        cells.map(|cell| self.grid.centre([cell % CELLS, cell / CELLS])).any(is_wanted)
    }

    /// Returns whether a robot can touch the left side of a line segment, as seen from `from` towards `to`.
    pub fn is_touched(&self, [from, to]: [Vec2; 2]) -> bool {
        let near = ROBOT_RADIUS + 1.5 * self.grid.cell.length();
        let margin = vec2(near, near);
        let low = vec2(from.x.min(to.x), from.y.min(to.y)) - margin;
        let high = vec2(from.x.max(to.x), from.y.max(to.y)) + margin;
        self.grid.cells_of(low, high).any(|[x, y]| {
            let centre = self.grid.centre([x, y]);
            self.reached[y * CELLS + x]
                && (to - from).cross(centre - from) > 0.0
                && Wall { from, to }.offset(centre).length() <= near
        })
    }

    /// Returns the size of a grid cell (m).
    pub fn cell(&self) -> Vec2 {
        self.grid.cell
    }

    /// Returns the centre of the arena (m).
    pub fn middle(&self) -> Vec2 {
        (self.low + self.high) * 0.5
    }
}

/// Finds the floor that robots can reach from their positions. Without robots, the flood fill starts at the centre of
/// the space.
pub(super) fn find(scene: &Scene, drawn: &StartScene) -> Region {
    let ([low, high], is_cut) = window(scene, drawn);
    let cell = (high - low) * (1.0 / CELLS as f32);
    let grid = Grid { low, cell };
    let mut is_free = vec![true; CELLS * CELLS];
    for solid in &drawn.solids {
        let around = solid.reach() + vec2(ROBOT_RADIUS, ROBOT_RADIUS);
        for [x, y] in grid.cells_of(solid.at - around, solid.at + around) {
            is_free[y * CELLS + x] &= solid.distance(grid.centre([x, y])) >= ROBOT_RADIUS;
        }
    }
    for y in 0..CELLS {
        for x in 0..CELLS {
            let at = grid.centre([x, y]);
            let inner = (at.x - low.x).min(high.x - at.x).min(at.y - low.y).min(high.y - at.y);
            is_free[y * CELLS + x] &= inner >= ROBOT_RADIUS;
        }
    }
    let middle = vec2(scene.centre[0], scene.centre[1]);
    let mut seeds: Vec<Vec2> = drawn.robots.iter().map(|robot| robot.at).collect();
    if seeds.is_empty() {
        seeds.push(middle);
    }
    let mut reached = vec![false; CELLS * CELLS];
    let mut open: Vec<[usize; 2]> = seeds.iter().filter_map(|seed| nearest_free(&grid, &is_free, *seed)).collect();
    while let Some([x, y]) = open.pop() {
        let cell = y * CELLS + x;
        if !is_free[cell] || reached[cell] {
            continue;
        }
        reached[cell] = true;
        open.extend(
            [[x.wrapping_sub(1), y], [x + 1, y], [x, y.wrapping_sub(1)], [x, y + 1]]
                .into_iter()
                .filter(|[x, y]| *x < CELLS && *y < CELLS),
        );
    }
    // No cell is reached if all robots are inside bodies. The validation of the world reports this error later.
    // Therefore, all free cells count as reached here.
    if !reached.contains(&true) {
        reached = is_free;
    }
    let [inner_low, inner_high] = extent(&grid, &reached, &drawn.solids, [low, high]);
    let touches = |a: f32, b: f32| (a - b).abs() < 1e-3;
    let at_edge = touches(inner_low.x, low.x)
        || touches(inner_high.x, high.x)
        || touches(inner_low.y, low.y)
        || touches(inner_high.y, high.y);
    Region { low: inner_low, high: inner_high, is_cut: is_cut && at_edge, is_open: at_edge, grid, reached }
}

/// Returns ARGoS's space, and whether it was cut. A space larger than the maximum size of an arena is cut to this
/// size, around the robots.
fn window(scene: &Scene, drawn: &StartScene) -> ([Vec2; 2], bool) {
    let robots = |axis: fn(Vec2) -> f32| {
        let places = || drawn.robots.iter().map(|robot| axis(robot.at));
        let (least, greatest) = (places().fold(f32::INFINITY, f32::min), places().fold(f32::NEG_INFINITY, f32::max));
        if least <= greatest { Some(0.5 * (least + greatest)) } else { None }
    };
    let side = |i: usize, robots: Option<f32>| {
        let (half, centre) = (0.5 * scene.size[i], scene.centre[i]);
        let kept = half.min(0.5 * LONGEST);
        let middle = robots.unwrap_or(centre).max(centre - half + kept).min(centre + half - kept);
        (middle - kept, middle + kept)
    };
    let ((x0, x1), (y0, y1)) = (side(0, robots(|at| at.x)), side(1, robots(|at| at.y)));
    ([vec2(x0, y0), vec2(x1, y1)], scene.size.iter().any(|size| *size > LONGEST))
}

/// Returns the free cell nearest to a robot; `None` if there is no free cell within about a robot's radius. The
/// robot's own cell may not be free, because the robot may be nearer to a wall than the grid resolves.
fn nearest_free(grid: &Grid, is_free: &[bool], seed: Vec2) -> Option<[usize; 2]> {
    let around = vec2(ROBOT_RADIUS, ROBOT_RADIUS) + grid.cell;
    let free = grid.cells_of(seed - around, seed + around).filter(|[x, y]| is_free[y * CELLS + x]);
    free.min_by(|a, b| {
        let from = |cell: &[usize; 2]| (grid.centre(*cell) - seed).length_squared();
        from(a).total_cmp(&from(b))
    })
}

/// Returns the bounding rectangle of the reached cells, enlarged by a robot's radius. Each edge of the rectangle is
/// then moved to the nearest corner of a box or edge of the space that is at most one cell further out. Without such a
/// corner or edge, it is moved outwards by one cell.
fn extent(grid: &Grid, reached: &[bool], solids: &[Solid], window: [Vec2; 2]) -> [Vec2; 2] {
    let cells =
        || (0..CELLS * CELLS).filter(|cell| reached[*cell]).map(|cell| grid.centre([cell % CELLS, cell / CELLS]));
    if cells().next().is_none() {
        return window;
    }
    let [low, high] = window;
    let corners: Vec<Vec2> = solids.iter().filter(|solid| solid.radius == 0.0).flat_map(Solid::corners).collect();
    let side = |axis: fn(Vec2) -> f32, sign: f32, edge: f32| {
        let greatest = cells().map(|at| sign * axis(at)).fold(f32::NEG_INFINITY, f32::max) + ROBOT_RADIUS;
        let cell = axis(grid.cell);
        let known = corners.iter().map(|corner| sign * axis(*corner)).chain([sign * edge]);
        let exact = known.filter(|at| (-1e-4..=cell + 1e-4).contains(&(at - greatest))).fold(f32::INFINITY, f32::min);
        sign * if exact.is_finite() { exact } else { greatest + cell }
    };
    let [x, y]: [fn(Vec2) -> f32; 2] = [|at| at.x, |at| at.y];
    [vec2(side(x, -1.0, low.x), side(y, -1.0, low.y)), vec2(side(x, 1.0, high.x), side(y, 1.0, high.y))]
}
