//! The proximity rays of a block's robots.
//!
//! For most robots, another robot or a wall is close in only one or two of sixteen worlds. Rays are therefore
//! computed in batches of sixteen such cases, which may belong to different robots and worlds.

use super::lanes::{BodyLanes, LANES, Lanes, SenseLanes};
use super::light::add_errors;
use super::scene::Scene;
use crate::math::{Vec2, max, min, vec2};
use crate::tree::registers::PROX;
use crate::world::robot::{Curve, Proximity};
use crate::world::senses::{ray_directions, ray_to_circle, ray_to_walls};
use crate::world::wall::{Wall, ray_to_inner_wall};

/// Free lengths of the proximity rays of all robots.
pub(super) struct Rays {
    /// Free length of each ray (m), by robot, ray and lane. Valid only for the robots and lanes in `near`.
    free: Vec<[Lanes; 8]>,
    /// Bit mask of the worlds in which an obstacle may be in reach, by robot.
    near: Vec<u32>,
    at_robots: RayBatch,
    at_walls: RayBatch,
    /// Radius of a robot (m).
    radius: f32,
    sensors: Proximity,
}

/// A batch of cases whose rays are computed together. A case is a robot in one world, with one obstacle.
#[derive(Default)]
struct RayBatch {
    at: [Lanes; 2],
    ahead: [Lanes; 2],
    /// Position of the obstacle.
    other: [Lanes; 2],
    /// Robot and lane of each case.
    of: [(u16, u8); LANES],
    count: usize,
}

impl Rays {
    /// Creates the rays of the robots of a scene.
    pub fn new(scene: &Scene) -> Rays {
        let robots = scene.robots;
        let robot = &scene.physics.robot;
        Rays {
            radius: robot.radius,
            sensors: robot.proximity,
            free: vec![[[0.0; LANES]; 8]; robots],
            near: vec![0; robots],
            at_robots: RayBatch::default(),
            at_walls: RayBatch::default(),
        }
    }

    /// Starts an update. Until an obstacle is added, no robot has an obstacle in reach.
    pub fn begin(&mut self) {
        self.near.fill(0);
    }

    /// Marks the lanes in which an obstacle may be in reach of a robot.
    #[inline(always)]
    fn mark_near(&mut self, robot: usize, lanes: u32) {
        if self.near[robot] == 0 {
            self.free[robot] = [[self.sensors.range; LANES]; 8];
        }
        self.near[robot] |= lanes;
    }

    /// Adds a case with another robot as the obstacle to the batch. `other` is the position of this obstacle. The rays
    /// are those of `robot`, which is at `at`.
    #[inline(always)]
    pub fn add_robot(&mut self, robot: usize, l: usize, at: Vec2, ahead: Vec2, other: Vec2, radius: f32) {
        self.mark_near(robot, 1 << l);
        self.at_robots.add((robot as u16, l as u8), at, ahead, other);
        if self.at_robots.count == LANES {
            self.at_robots.robots(&mut self.free, self.radius, radius);
        }
    }

    /// Adds a case with the arena's walls as the obstacle to the batch. The rays are those of `robot`, which is at
    /// `at`.
    #[inline(always)]
    pub fn add_walls(&mut self, robot: usize, l: usize, at: Vec2, ahead: Vec2, half_arena: (f32, f32)) {
        self.mark_near(robot, 1 << l);
        self.at_walls.add((robot as u16, l as u8), at, ahead, Vec2::ZERO);
        if self.at_walls.count == LANES {
            self.at_walls.walls(&mut self.free, self.radius, half_arena);
        }
    }

    /// Shortens the rays of a robot to an inner wall. `lanes` is the bit mask of the lanes in which the wall may be in
    /// reach.
    #[inline(always)]
    pub fn meet_inner_wall(&mut self, robot: usize, lanes: u32, body: &BodyLanes, senses: &SenseLanes, wall: &Wall) {
        self.mark_near(robot, lanes);
        for (free, ray) in self.free[robot].iter_mut().zip(ray_directions()) {
            for l in 0..LANES {
                let d = ray_to_inner_wall(wall, vec2(body.x[l], body.y[l]), ray.rotate(senses.ahead(l)), self.radius);
                free[l] = if lanes >> l & 1 != 0 { min(d, free[l]) } else { free[l] };
            }
        }
    }

    /// Computes the rays of the last batches, which may be incomplete.
    #[inline(always)]
    pub fn finish(&mut self, scene: &Scene) {
        self.at_robots.robots(&mut self.free, self.radius, scene.bodies[0].radius);
        self.at_walls.walls(&mut self.free, self.radius, scene.physics.half_arena);
    }

    /// Writes v_prox to the registers of a robot. `words` yields the random words of the sensors' errors.
    #[inline(always)]
    pub fn write(&self, robot: usize, senses: &mut SenseLanes, words: impl FnOnce() -> [[u32; LANES]; 4]) {
        let near = self.near[robot];
        let has_errors = self.sensors.noise > 0.0;
        let mut readings = [[0.0; LANES]; 8];
        if near != 0 {
            for (reading, free) in readings.iter_mut().zip(&self.free[robot]) {
                self.read(reading, free, near);
            }
        }
        if has_errors {
            add_errors(&mut readings, self.sensors.noise, &words());
        }
        let mut sum = [[0.0; LANES]; 2];
        if near != 0 || has_errors {
            for (reading, ray) in readings.iter().zip(ray_directions()) {
                for l in 0..LANES {
                    sum[0][l] += ray.x * reading[l];
                    sum[1][l] += ray.y * reading[l];
                }
            }
        }
        (senses.cells[PROX], senses.cells[PROX + 1]) = (sum[0], sum[1]);
    }

    /// Computes the readings of a ray in the worlds of the bit mask `near`.
    #[inline(always)]
    fn read(&self, reading: &mut Lanes, free: &Lanes, near: u32) {
        // The curve is selected outside the loop, which thus has no branches.
        match self.sensors.curve {
            Curve::Linear => {
                let sensors = Proximity { curve: Curve::Linear, ..self.sensors };
                for l in 0..LANES {
                    reading[l] = sensors.reading(free[l]);
                }
            }
            Curve::Quadratic(coefficients) => {
                let sensors = Proximity { curve: Curve::Quadratic(coefficients), ..self.sensors };
                for l in 0..LANES {
                    reading[l] = sensors.reading(free[l]);
                }
            }
        }
        for l in 0..LANES {
            reading[l] = if near >> l & 1 != 0 { reading[l] } else { 0.0 };
        }
    }
}

impl RayBatch {
    #[inline(always)]
    fn add(&mut self, of: (u16, u8), at: Vec2, ahead: Vec2, other: Vec2) {
        let k = self.count % LANES;
        (self.at[0][k], self.at[1][k]) = (at.x, at.y);
        (self.ahead[0][k], self.ahead[1][k]) = (ahead.x, ahead.y);
        (self.other[0][k], self.other[1][k]) = (other.x, other.y);
        self.of[k] = of;
        self.count += 1;
    }

    #[inline(always)]
    fn robots(&mut self, free: &mut [[Lanes; 8]], rim: f32, radius: f32) {
        let others = self.other;
        self.shorten(free, rim, |k, from, direction| {
            ray_to_circle(from, direction, vec2(others[0][k], others[1][k]), radius)
        });
    }

    #[inline(always)]
    fn walls(&mut self, free: &mut [[Lanes; 8]], rim: f32, half_arena: (f32, f32)) {
        self.shorten(free, rim, |_, from, direction| max(ray_to_walls(from, direction, half_arena), 0.0));
    }

    /// Shortens the rays of the batch to their obstacles. `rim` is the radius of a robot (m). `meets` gets the index of a case, the start of a ray and
    /// its direction, and returns the distance to the obstacle (m).
    #[inline(always)]
    fn shorten(&mut self, free: &mut [[Lanes; 8]], rim: f32, meets: impl Fn(usize, Vec2, Vec2) -> f32) {
        if self.count == 0 {
            return;
        }
        for (r, ray) in ray_directions().into_iter().enumerate() {
            let mut distance = [0.0; LANES];
            for k in 0..LANES {
                let direction = ray.rotate(vec2(self.ahead[0][k], self.ahead[1][k]));
                let from = vec2(self.at[0][k], self.at[1][k]) + direction * rim;
                distance[k] = meets(k, from, direction);
            }
            for (d, (robot, l)) in distance.into_iter().zip(&self.of[..self.count]) {
                let free = &mut free[usize::from(*robot)][r][usize::from(*l)];
                *free = min(d, *free);
            }
        }
        self.count = 0;
    }
}
