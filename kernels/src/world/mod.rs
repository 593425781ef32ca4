//! A world: bodies in an arena, the senses and controllers of its robots, and the task that is scored.

mod body;
pub(crate) mod contacts;
pub mod model;
pub mod physics;
pub mod senses;
pub mod start;
pub mod transport;

pub use body::{Body, Colour, Pose, Shape};
pub use start::Scenario;

use crate::engine::Sensing;
use crate::math::Vec2;
use crate::random::{Draws, Stream};
use crate::tree::{Memory, Program, Senses};
use model::{CONTROL_PERIOD, STEPS_PER_UPDATE};
use physics::Physics;
use senses::Patch;
use transport::Transport;

/// A running simulation of the benchmark task. `seed` and `world` fix every random choice in it.
#[derive(Clone, Debug)]
pub struct World {
    /// Robots first, then passive discs; the first disc is the frisbee.
    pub bodies: Vec<Body>,
    /// Coloured stretches of wall.
    pub patches: Vec<Patch>,
    /// Physical parameters.
    pub physics: Physics,
    /// Which senses the robots have; all of them unless an engine knows better.
    pub sensing: Sensing,
    robots: usize,
    senses: Vec<Senses>,
    task: Transport,
    seed: u64,
    world: u32,
    update: u32,
}

impl World {
    /// A world at its start.
    ///
    /// # Panics
    /// If there are no robots, more than [`model::MAX_ROBOTS`] or more than [`model::MAX_DISCS`] discs.
    pub fn new(scenario: Scenario, robots: usize, seed: u64, world: u32) -> World {
        let bodies = start::place(scenario, robots, &mut Draws::new(seed, world, 0, 0, Stream::Start));
        World::with_bodies(bodies, robots, seed, world)
    }

    /// A world of the given bodies: `robots` robots, then at least one disc.
    ///
    /// # Panics
    /// As [`World::new`].
    pub fn with_bodies(bodies: Vec<Body>, robots: usize, seed: u64, world: u32) -> World {
        assert!((1..=model::MAX_ROBOTS).contains(&robots), "1 to {} robots", model::MAX_ROBOTS);
        let discs = bodies.len() - robots;
        assert!((1..=model::MAX_DISCS).contains(&discs), "1 to {} discs", model::MAX_DISCS);
        World {
            task: Transport::new(&bodies[robots]),
            senses: vec![Senses::default(); robots],
            patches: Vec::new(),
            physics: Physics::default(),
            sensing: Sensing::ALL,
            bodies,
            robots,
            seed,
            world,
            update: 0,
        }
    }

    /// One controller update: sense, tick every robot's tree, set its wheels, four physics steps.
    /// Robot i runs `programs[i % programs.len()]` with `memories[i]`, so one program drives a homogeneous swarm.
    pub fn update(&mut self, programs: &[&Program], memories: &mut [Memory]) {
        self.update_by(|i, senses, draws| memories[i].tick(programs[i % programs.len()], senses, draws).1);
    }

    /// As [`World::update`] with any controller: `control` gets each robot's number, its senses and its random draws
    /// of this update, and gives its goal velocity.
    pub fn update_by(&mut self, mut control: impl FnMut(usize, &Senses, &mut Draws) -> Vec2) {
        self.sense();
        for i in 0..self.robots {
            let mut draws = Draws::new(self.seed, self.world, i as u32, self.update, Stream::Controller);
            self.bodies[i].wheels = physics::steer(control(i, &self.senses[i], &mut draws));
        }
        for k in 0..STEPS_PER_UPDATE {
            let step = self.update * STEPS_PER_UPDATE + k;
            physics::step(&mut self.bodies, &self.physics, self.seed, self.world, step);
            let frisbee = self.robots;
            if Transport::touches_end(&self.bodies[frisbee], self.physics.half_arena.0) {
                let mut draws = Draws::new(self.seed, self.world, 0, step, Stream::Relocation);
                self.task.relocate(&mut self.bodies, frisbee, &mut draws);
            }
        }
        self.update += 1;
    }

    /// Compass and proximity at every update, camera and range and bearing at every other one (5 Hz).
    fn sense(&mut self) {
        let slow = self.update.is_multiple_of(2);
        for i in 0..self.robots {
            let s = &mut self.senses[i];
            s.up = senses::compass(self.bodies[i].pose.heading);
            if self.sensing.proximity {
                let readings = senses::proximity(&self.bodies, i, self.physics.half_arena);
                s.prox = senses::proximity_vector(&readings);
            }
            if slow && self.sensing.camera {
                let blobs = senses::camera(&self.bodies, i, &self.patches, self.physics.half_arena);
                s.colours = [Colour::Red, Colour::Green, Colour::Blue].map(|c| blobs.vector(c));
            }
            if slow && self.sensing.neighbours {
                (s.attr, s.neighbours) = senses::range_and_bearing(&self.bodies, i);
            }
        }
    }

    /// What robot `i` sensed at the last update.
    pub fn senses(&self, i: usize) -> &Senses {
        &self.senses[i]
    }

    /// Number of robots.
    pub fn robots(&self) -> usize {
        self.robots
    }

    /// Simulated time so far, s.
    pub fn seconds(&self) -> f32 {
        self.update as f32 * CONTROL_PERIOD
    }

    /// Distance the frisbee was moved along x so far, m, relocations left out.
    pub fn moved(&self) -> f32 {
        self.task.moved(&self.bodies[self.robots])
    }

    /// How often the frisbee was put back near the centre.
    pub fn relocations(&self) -> u32 {
        self.task.relocations()
    }
}
