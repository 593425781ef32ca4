//! Neighbour lists and camera images for blocks of worlds with many robots.
//!
//! A robot's neighbour list contains all robots in range. It also contains robots that can come into range while no
//! robot has moved farther than half of [`SKIN`]. When a robot has moved farther, the list is rebuilt (Verlet,
//! "Computer 'experiments' on classical fluids", 1967). The lists are therefore always complete, and are rarely
//! rebuilt.

use super::lanes::{BodyLanes, ImageLanes, LANES, Lanes, SenseLanes};
use super::pairs::{Neighbours, RequestedSenses};
use super::patches::patches_seen;
use super::rays::Rays;
use super::scene::Scene;
use crate::math::{Vec2, vec2};
use crate::tree::registers::RED;
use crate::world::grid::Grid;
use crate::world::physics::contacts::touching;
use crate::world::robot::CameraView;
use crate::world::senses::camera_model::{picture, vectors};
use crate::world::senses::{columns, columns_hidden, inner_walls_seen, may_be_seen, neighbour, within_reach};

/// Additional range of the neighbour lists (m). A larger value makes the lists longer. A smaller value requires more
/// rebuilds.
const SKIN: f32 = 0.12;
/// Squared displacement of a robot above which the lists are rebuilt (m^2). The displacement is half of [`SKIN`], minus
/// a margin for rounding.
const MOST_MOVED: f32 = (0.499 * SKIN) * (0.499 * SKIN);
/// Number of bodies that a camera processes together.
const WIDTH: usize = 16;

/// Neighbour lists of all worlds of a block.
pub(super) struct Crowd {
    pub worlds: Vec<NeighbourList>,
    /// Positions (x, y) of the robots at the time when the lists of their world were built.
    before: Vec<[Lanes; 2]>,
    grid: Grid,
    /// Positions of the robots of the world whose lists are built.
    centres: Vec<Vec2>,
    /// Squared maximum distance between two robots that are listed as a pair (m^2). The maximum distance is the contact
    /// distance plus [`SKIN`].
    touch: f32,
    /// Maximum distance between two robots that are listed as neighbours (m).
    around: f32,
    view: View,
}

/// Neighbour lists of one world.
#[derive(Clone, Default)]
pub(super) struct NeighbourList {
    /// Index in `around` of each robot's first neighbour; the last element is the length of `around`.
    first: Vec<u32>,
    /// Neighbours of each robot, in ascending order for each robot.
    around: Vec<u16>,
    /// Sorted pairs of robots that may touch. In each pair, the smaller index is first.
    pairs: Vec<[u16; 2]>,
    /// Pairs of robots that touch.
    pub touching: Vec<[u16; 2]>,
}

impl NeighbourList {
    fn neighbours(&self, robot: usize) -> &[u16] {
        &self.around[self.first[robot] as usize..self.first[robot + 1] as usize]
    }
}

impl Crowd {
    /// Creates empty lists for worlds of a scene. `worlds` is the number of worlds, which is at most [`LANES`].
    pub fn new(scene: &Scene, worlds: usize) -> Crowd {
        let robots = scene.robots;
        let reach = 2.0 * scene.bodies[0].radius + SKIN;
        let robot = &scene.physics.robot;
        let around = robot.neighbour_range.max(robot.reach() + robot.radius) + SKIN;
        let near = || NeighbourList {
            first: Vec::with_capacity(robots + 1),
            around: Vec::with_capacity(32 * robots),
            pairs: Vec::with_capacity(4 * robots),
            touching: Vec::with_capacity(4 * robots),
        };
        Crowd {
            worlds: std::iter::repeat_with(near).take(worlds).collect(),
            // NaN causes the first update to build all lists, because a comparison with NaN is false.
            before: vec![[[f32::NAN; LANES]; 2]; robots],
            grid: Grid::new(scene.physics.half_arena, around, robots),
            centres: vec![Vec2::ZERO; robots],
            touch: reach * reach,
            around,
            view: View::new(scene.bodies.len()),
        }
    }

    /// Rebuilds the lists of each world in which a robot has moved farther than half of [`SKIN`] since the last
    /// rebuild.
    #[inline(always)]
    pub fn refresh(&mut self, bodies: &[BodyLanes]) {
        let mut stale = [0u32; LANES];
        for (body, [x, y]) in bodies.iter().zip(&self.before) {
            for l in 0..LANES {
                let moved = vec2(body.x[l] - x[l], body.y[l] - y[l]).length_squared();
                let held = moved <= MOST_MOVED;
                stale[l] |= u32::from(!held);
            }
        }
        for l in (0..self.worlds.len()).filter(|l| stale[*l] != 0) {
            self.list(bodies, l);
        }
    }

    /// Builds the lists of world `l`.
    fn list(&mut self, bodies: &[BodyLanes], l: usize) {
        let limit = self.around * self.around;
        let NeighbourList { first, around, pairs, .. } = &mut self.worlds[l];
        first.clear();
        around.clear();
        pairs.clear();
        for ((centre, before), body) in self.centres.iter_mut().zip(&mut self.before).zip(bodies) {
            *centre = vec2(body.x[l], body.y[l]);
            (before[0][l], before[1][l]) = (centre.x, centre.y);
        }
        let centres = self.centres.as_slice();
        self.grid.fill(centres.iter().copied());
        for (i, me) in centres.iter().enumerate() {
            let square = |j: u16| (centres[usize::from(j)] - *me).length_squared();
            let start = around.len();
            first.push(start as u32);
            self.grid.for_each_candidate(*me, |others| {
                for j in others {
                    if (square(*j) <= limit) & (usize::from(*j) != i) {
                        around.push(*j);
                    }
                }
            });
            let mine = &mut around[start..];
            mine.sort_unstable();
            for j in mine.iter().filter(|j| usize::from(**j) > i) {
                if square(*j) <= self.touch {
                    pairs.push([i as u16, *j]);
                }
            }
        }
        first.push(around.len() as u32);
    }

    /// Finds the pairs of touching robots in world `l`.
    pub fn find_contacts(&mut self, bodies: &[BodyLanes], scene: &Scene, l: usize) {
        let NeighbourList { pairs, touching: found, .. } = &mut self.worlds[l];
        found.clear();
        let touches = |[i, j]: &&[u16; 2]| {
            let (i, j) = (usize::from(*i), usize::from(*j));
            let between = vec2(bodies[j].x[l] - bodies[i].x[l], bodies[j].y[l] - bodies[i].y[l]);
            touching(between, scene.bodies[i].radius + scene.bodies[j].radius)
        };
        found.extend(pairs.iter().filter(touches));
    }

    /// Adds other robots to the proximity rays, and computes the sums for range and bearing.
    pub fn look_around(
        &self,
        bodies: &[BodyLanes],
        senses: &[SenseLanes],
        scene: &Scene,
        wanted: RequestedSenses,
        rays: &mut Rays,
        sums: &mut Neighbours,
    ) {
        if !(wanted.proximity | wanted.neighbours) {
            return;
        }
        let radius = scene.bodies[0].radius;
        let (reach, range) = (scene.physics.robot.reach(), scene.physics.robot.neighbour_range);
        for (l, near) in self.worlds.iter().enumerate() {
            for (i, (sum, senses)) in sums.iter_mut().zip(senses).enumerate() {
                let at = vec2(bodies[i].x[l], bodies[i].y[l]);
                let (mut all, mut count) = (Vec2::ZERO, 0.0);
                for j in near.neighbours(i) {
                    let other = &bodies[usize::from(*j)];
                    let other = vec2(other.x[l], other.y[l]);
                    if wanted.proximity && within_reach(other - at, radius, reach) {
                        rays.add_robot(i, l, at, senses.ahead(l), other, radius);
                    }
                    if wanted.neighbours {
                        let (towards, near) = neighbour(other - at, range);
                        all += towards;
                        count += if near { 1.0 } else { 0.0 };
                    }
                }
                (sum[0][l], sum[1][l], sum[2][l]) = (all.x, all.y, count);
            }
        }
    }

    /// Computes the camera images, one world at a time, because only a few of many bodies are in a robot's field of
    /// view. The images go to the registers of the controllers, or to the camera histories if cameras are not
    /// perfect.
    #[inline(always)]
    pub fn compute_cameras(
        &mut self,
        bodies: &[BodyLanes],
        senses: &mut [SenseLanes],
        pictures: &mut [ImageLanes],
        scene: &Scene,
    ) {
        let aside = scene.physics.robot.camera.aside;
        for l in 0..self.worlds.len() {
            self.view.select_world(bodies, l);
            for (me, senses) in senses.iter_mut().enumerate() {
                let ahead = senses.ahead(l);
                let seen = picture(self.view.columns(scene, me, ahead, bodies[me].heading[l]));
                if let Some(pictures) = pictures.get_mut(me) {
                    pictures.taken[l] = seen;
                    continue;
                }
                for (colour, seen) in vectors(seen, aside).into_iter().enumerate() {
                    senses.write_vector(RED + 2 * colour, l, seen);
                }
            }
        }
    }
}

/// Bodies of one world, as seen by one robot at a time.
struct View {
    /// Positions of all bodies, padded with NaN to a multiple of [`WIDTH`].
    x: Vec<f32>,
    y: Vec<f32>,
    /// Indices of the bodies that the robot may see, in ascending order: robots, then discs.
    looked_at: Vec<u16>,
    /// Camera columns and squared distances of the bodies in `looked_at`.
    seen: Vec<[u32; WIDTH]>,
    square: Vec<[f32; WIDTH]>,
}

impl View {
    fn new(bodies: usize) -> View {
        let groups = bodies.div_ceil(WIDTH);
        let none = vec![f32::NAN; groups * WIDTH];
        View {
            x: none.clone(),
            y: none,
            looked_at: Vec::with_capacity(bodies),
            seen: vec![[0; WIDTH]; groups],
            square: vec![[0.0; WIDTH]; groups],
        }
    }

    /// Copies the positions of the bodies of world `l`.
    fn select_world(&mut self, bodies: &[BodyLanes], l: usize) {
        for ((x, y), body) in self.x.iter_mut().zip(&mut self.y).zip(bodies) {
            (*x, *y) = (body.x[l], body.y[l]);
        }
    }

    /// Returns the columns in which robot `me` sees each colour (see `senses::camera` for the rules).
    #[inline(always)]
    fn columns(&mut self, scene: &Scene, me: usize, ahead: Vec2, heading: f32) -> [u32; 3] {
        let at = vec2(self.x[me], self.y[me]);
        self.look_around(scene, me, at, ahead);
        let mut taken = 0;
        if !scene.physics.walls.is_empty() {
            let walls = inner_walls_seen(at, heading, &scene.physics.walls, &scene.physics.robot.camera);
            for (seen, square) in self.seen.iter_mut().flatten().zip(self.square.iter().flatten()) {
                *seen &= !columns_hidden(&walls, *square);
            }
            taken = columns_hidden(&walls, f32::MAX);
        }
        let (seen, square) = (self.seen.as_flattened(), self.square.as_flattened());
        let count = self.looked_at.len();
        let common = scene.bodies[me].colour;
        let mut colours = [0u32; 3];
        let mut others = 0;
        let discs = count - (scene.bodies.len() - scene.robots);
        for (d, disc) in (discs..).zip(&scene.bodies[scene.robots..]).filter(|(_, disc)| disc.colour != common) {
            let mut visible = seen[d];
            for o in (0..if visible == 0 { 0 } else { count }).filter(|o| *o != d) {
                let hides = (square[o] < square[d]) | ((square[o] == square[d]) & (o < d));
                visible &= !(if hides { seen[o] } else { 0 });
            }
            colours[disc.colour as usize] |= visible;
            others |= visible;
        }
        let robots = seen[..discs].iter().fold(0, |all, seen| all | seen);
        taken |= robots;
        colours[common as usize] |= robots & !others;
        for (seen, disc) in seen[discs..].iter().zip(&scene.bodies[scene.robots..]) {
            taken |= seen;
            colours[common as usize] |= if disc.colour == common { seen & !others } else { 0 };
        }
        if !scene.patches.is_empty() {
            let patches = patches_seen(at, heading, scene, taken);
            colours.iter_mut().zip(patches).for_each(|(all, patch)| *all |= patch);
        }
        colours
    }

    /// Finds the bodies that may be in the field of view of robot `me`, and computes their columns.
    #[inline(always)]
    fn look_around(&mut self, scene: &Scene, me: usize, at: Vec2, ahead: Vec2) {
        let view: &CameraView = &scene.physics.robot.camera;
        let edge = view.edge;
        let radius = scene.bodies[0].radius;
        self.looked_at.clear();
        for (group, (x, y)) in self.x.chunks_exact(WIDTH).zip(self.y.chunks_exact(WIDTH)).enumerate() {
            let mut bits = [0u32; WIDTH];
            for k in 0..WIDTH {
                let between = vec2(x[k] - at.x, y[k] - at.y);
                bits[k] = u32::from(may_be_seen(between, ahead, radius, edge)) << k;
            }
            let mut found = bits.iter().fold(0, |all, bit| all | bit);
            while found != 0 {
                let body = group * WIDTH + found.trailing_zeros() as usize;
                found &= found - 1;
                if body != me && body < scene.robots {
                    self.looked_at.push(body as u16);
                }
            }
        }
        self.looked_at.extend((scene.robots..scene.bodies.len()).map(|disc| disc as u16));
        let groups = self.looked_at.chunks(WIDTH).zip(self.seen.iter_mut().zip(&mut self.square));
        for (group, (seen, square)) in groups {
            // Unused elements stay NaN and are therefore not visible.
            let (mut x, mut y, mut radius) = ([f32::NAN; WIDTH], [f32::NAN; WIDTH], [0.0; WIDTH]);
            for (k, body) in group.iter().map(|body| usize::from(*body)).enumerate() {
                (x[k], y[k], radius[k]) = (self.x[body], self.y[body], scene.bodies[body].radius);
            }
            for k in 0..WIDTH {
                let between = vec2(x[k] - at.x, y[k] - at.y);
                seen[k] = columns(between, ahead, radius[k], view);
                square[k] = between.length_squared();
            }
        }
    }
}
