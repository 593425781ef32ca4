//! Simulated world with bodies in an arena, the senses and controllers of the robots, and the task that is scored.

pub mod areas;
mod body;
mod check;
pub mod conditions;
pub mod floor;
pub(crate) mod grid;
mod measured;
pub mod outline;
pub mod physics;
mod region;
pub mod robot;
pub mod senses;
mod sensing;
pub mod spec;
pub mod start;
pub mod task;
pub mod wall;
pub mod zone;

pub use body::{Body, Colour, Pose, Shape};
pub use check::SpecError;
pub use measured::PhysicsKeys;
pub use sensing::Sensing;
pub use spec::{Scenario, WorldSpec};
pub use task::Task;

use crate::math::Vec2;
use crate::model::{self, CONTROL_PERIOD, SLOW_SENSES_PERIOD, SMALL_WORLD, STEPS_PER_UPDATE};
use crate::random::{Draws, Stream, error_words};
use crate::tree::{Memory, Program, Senses};
use conditions::Scenery;
use floor::Floor;
use grid::Grid;
use physics::Physics;
use physics::contacts::Collisions;
use robot::GroundSense;
use senses::camera_model::{self, CameraModel};
use senses::light::{self, Lighting};
use senses::tags::{Tags, tag_vector};
use senses::{ChannelHistory, Patch};
use std::sync::Arc;
use task::Score;
use task::transport::touches_end;

/// A running simulation. The fields `seed` and `world` determine all random choices.
#[derive(Clone, Debug)]
pub struct World {
    /// Bodies, first the robots, then the passive discs.
    pub bodies: Vec<Body>,
    /// Coloured patches on the walls.
    pub patches: Vec<Patch>,
    /// Physical parameters.
    pub physics: Physics,
    /// Paint on the floor, and errors of the ground sensors.
    pub floor: Arc<Floor>,
    /// Ambient light at the robots' infra-red sensors.
    pub lighting: Lighting,
    /// Tags that the cameras can detect.
    pub tags: Tags,
    /// Deviations of the cameras from a perfect camera.
    pub camera: CameraModel,
    /// Senses that are computed. By default, these are all senses. An engine can restrict them.
    pub sensing: Sensing,
    /// The scored task.
    pub task: Task,
    robots: usize,
    senses: Vec<Senses>,
    /// Recent camera images of each robot, encoded by [`CameraModel`]. One word contains all images of a robot.
    pub(crate) pictures: Vec<u32>,
    /// Readings of each robot's ground points in the last updates.
    ground: Vec<u32>,
    /// Messages between robots; `None` if the world does not have a message model.
    pub(crate) channel: Option<ChannelHistory>,
    score: Score,
    /// Walls, patches and lights, some of which may not exist now; `None` if all always exist.
    scenery: Option<Box<Scenery>>,
    /// Conditions that held when the scenery was last changed.
    shown: u32,
    collisions: Collisions,
    /// Grid of the robots, which speeds up the search for neighbours; `None` for few robots.
    grid: Option<Grid>,
    /// Buffer for candidate neighbours of the robot whose senses are computed. Without a grid, these are all robots.
    candidates: Vec<u16>,
    /// Centres of the robots after an update.
    centres: Vec<Vec2>,
    seed: u64,
    world: u32,
    update: u32,
}

/// Initial state of a world, which is partly random.
pub(crate) struct InitialState {
    /// Bodies, first the robots, then the discs.
    pub bodies: Vec<Body>,
    /// Encoded history of camera images of each robot.
    pub pictures: Vec<u32>,
}

impl InitialState {
    /// Creates the initial state for [`World::new`], which has the same arguments.
    pub fn new(spec: &WorldSpec, start: usize, seed: u64, world: u32) -> InitialState {
        let robots = spec.robots;
        assert!((1..=model::MAX_ROBOTS).contains(&robots), "1 to {} robots", model::MAX_ROBOTS);
        assert!(spec.discs.len() <= model::MAX_DISCS, "at most {} discs", model::MAX_DISCS);
        InitialState {
            bodies: start::place(spec, start, (seed, world), &mut Draws::new(seed, world, 0, 0, Stream::Start)),
            pictures: (0..robots as u32).map(|robot| spec.camera.initial_history(seed, world, robot)).collect(),
        }
    }
}

impl World {
    /// Creates a world in its initial state. `start` selects a start configuration of `spec`, modulo the number of
    /// start configurations.
    ///
    /// # Panics
    /// If there are no robots, no starts, more bodies than [`model`] allows, or no disc for a transport task.
    /// [`WorldSpec::check`] rejects such worlds.
    pub fn new(spec: &WorldSpec, start: usize, seed: u64, world: u32) -> World {
        let InitialState { bodies, pictures } = InitialState::new(spec, start, seed, world);
        let robots = spec.robots;
        let score = Score::new(&spec.task, &spec.physics, &bodies, robots, (seed, world));
        let (mut physics, mut patches, mut lighting) =
            (spec.physics.clone(), spec.patches.clone(), spec.lighting.clone());
        let scenery = spec.conditions.change_scenery().then(|| {
            let Lighting { lights, .. } = lighting.clone();
            let conditions = spec.conditions.clone();
            Box::new(Scenery { walls: physics.walls.clone(), patches: patches.clone(), lights, conditions })
        });
        if let Some(scenery) = &scenery {
            scenery.apply(score.active(), &mut physics, &mut patches, &mut lighting.lights);
        }
        let mut collisions = Collisions::new(&bodies, &physics);
        collisions.reserve();
        let robot = &spec.physics.robot;
        let reach = robot.neighbour_range.max(robot.reach() + robot.radius);
        let grid = || Grid::new(spec.physics.half_arena, reach, robots);
        World {
            collisions,
            grid: (robots > SMALL_WORLD).then(grid),
            candidates: (0..robots as u16).collect(),
            centres: Vec::with_capacity(robots),
            shown: score.active(),
            score,
            scenery,
            senses: vec![Senses::default(); robots],
            pictures,
            ground: vec![0; robots],
            camera: spec.camera,
            sensing: Sensing::ALL,
            channel: spec.messages.map(|m| ChannelHistory::new(m, spec, seed, world, bodies.iter().map(|b| b.pose))),
            patches,
            floor: spec.floor.clone(),
            lighting,
            tags: spec.tags.clone(),
            physics,
            task: spec.task.clone(),
            bodies,
            robots,
            seed,
            world,
            update: 0,
        }
    }

    /// Performs one controller update. The update computes the senses, ticks every robot's tree, sets the wheel
    /// speeds, and runs four physics steps. Robot i runs `programs[i % programs.len()]` with `memories[i]`, so a
    /// single program drives a homogeneous swarm.
    pub fn update(&mut self, programs: &[&Program], memories: &mut [Memory]) {
        self.update_with(|i, senses, draws| memories[i].tick(programs[i % programs.len()], senses, draws).1);
    }

    /// Performs [`World::update`] with an arbitrary controller. `control` receives a robot's index, senses and random
    /// draws of this update, and returns the robot's goal velocity.
    pub fn update_with(&mut self, mut control: impl FnMut(usize, &Senses, &mut Draws) -> Vec2) {
        let wheels = self.physics.robot.wheels;
        self.update_with_wheels(|i, senses, draws| physics::steer(control(i, senses, draws), &wheels));
    }

    /// Performs [`World::update_with`] with a controller that returns the ground speeds of the left and right wheel
    /// (m/s) instead of a goal velocity.
    pub fn update_with_wheels(&mut self, mut control: impl FnMut(usize, &Senses, &mut Draws) -> [f32; 2]) {
        self.sense();
        for i in 0..self.robots {
            let mut draws = Draws::new(self.seed, self.world, i as u32, self.update, Stream::Controller);
            self.bodies[i].wheels = control(i, &self.senses[i], &mut draws);
            let wheels = &self.physics.robot.wheels;
            if wheels.noise > 0.0 {
                let key = [self.seed as u32, (self.seed >> 32) as u32];
                let errors = wheels.errors(key, self.world, i as u32, self.update);
                self.bodies[i].wheels.iter_mut().zip(errors).for_each(|(speed, error)| *speed *= error);
            }
        }
        for k in 0..STEPS_PER_UPDATE {
            let step = self.update * STEPS_PER_UPDATE + k;
            let World { collisions, bodies, physics, seed, world, .. } = self;
            physics::step_with(collisions, bodies, physics, *seed, *world, step);
            self.relocate(step);
            if let Some(channel) = &mut self.channel {
                channel.push_poses(self.bodies.iter().map(|b| b.pose));
            }
        }
        if self.task.counts_updates() {
            self.centres.clear();
            self.centres.extend(self.bodies[..self.robots].iter().map(|b| b.pose.at));
            self.score.see(self.bodies.iter().map(|b| b.pose));
            self.score.update(&self.centres);
            self.change_scenery();
        }
        self.update += 1;
    }

    /// Changes walls, patches and lights if other conditions hold than before.
    fn change_scenery(&mut self) {
        let active = self.score.active();
        let World { scenery: Some(scenery), physics, patches, lighting, .. } = self else { return };
        if self.shown != active {
            scenery.apply(active, physics, patches, &mut lighting.lights);
            self.collisions = Collisions::new(&self.bodies, &self.physics);
            self.collisions.reserve();
            self.shown = active;
        }
    }

    /// Moves the frisbee back near the centre if the frisbee touches the end of the arena and the task requires the
    /// relocation.
    fn relocate(&mut self, step: u32) {
        let disc = self.robots;
        if self.task.relocates() && touches_end(&self.bodies[disc], self.physics.half_arena.0) {
            let mut draws = Draws::new(self.seed, self.world, 0, step, Stream::Relocation);
            self.score.relocate(&mut self.bodies, disc, &mut draws);
        }
    }

    /// Computes the senses of all robots. Compass, proximity, light and ground are new in every update. Camera images,
    /// tags, and range and bearing are new in every second update. With a message model, the values from messages are
    /// new in every update, as on a real robot.
    fn sense(&mut self) {
        let slow = self.update.is_multiple_of(SLOW_SENSES_PERIOD);
        let robot = self.physics.robot;
        let sensing = self.sensing.intersection(robot.senses);
        let (seed, world, update) = (self.seed, self.world, self.update);
        if let Some(grid) = &mut self.grid {
            grid.fill(self.bodies.iter().map(|b| b.pose.at));
        }
        if let Some(channel) = &mut self.channel {
            channel.select_message(self.update);
        }
        for i in 0..self.robots {
            if let Some(grid) = &self.grid {
                grid.candidates(self.bodies[i].pose.at, &mut self.candidates);
            }
            let near = self.candidates.iter().map(|robot| usize::from(*robot));
            let s = &mut self.senses[i];
            let Pose { at, heading } = self.bodies[i].pose;
            let words = |stream| error_words([seed as u32, (seed >> 32) as u32], world, i as u32, update, stream);
            if robot.compass {
                s.up = senses::compass(heading);
            }
            if sensing.proximity {
                let mut readings = senses::proximity_among(&self.bodies, i, near.clone(), &self.physics);
                if robot.proximity.noise > 0.0 {
                    readings = robot::with_errors(readings, robot.proximity.noise, words(Stream::Proximity));
                }
                s.prox = senses::proximity_vector(&readings);
            }
            if sensing.light && robot.light.reads(self.lighting.lights.len()) {
                let levels = light::brightness(at, Vec2::unit(heading), &self.lighting, &robot);
                s.light = robot.light.vector(levels, || words(Stream::Light));
            }
            if sensing.ground && !self.floor.is_grey() {
                let (ahead, active) = (Vec2::unit(heading), self.score.active());
                s.ground = match &robot.ground {
                    GroundSense::Class => {
                        let draws = || Draws::new(seed, world, i as u32, update, Stream::Ground);
                        self.floor.reading(at, ahead, active, draws)
                    }
                    GroundSense::Points(points) => {
                        let levels = self.floor.levels(at, ahead, active);
                        self.ground[i] = points.push(self.ground[i], levels, words(Stream::Points));
                        points.class(self.ground[i])
                    }
                };
            }
            if slow && sensing.camera {
                let blobs = senses::camera(&self.bodies, i, &self.patches, &self.physics);
                let overlooked = self.camera.missed_segments(self.seed, self.world, i as u32, self.update);
                let picture = blobs.picture() & !overlooked;
                self.pictures[i] = CameraModel::push_image(self.pictures[i], picture, self.update);
            }
            if sensing.camera {
                let picture = CameraModel::delayed_image(self.pictures[i], self.update);
                s.colours = camera_model::vectors(picture, robot.camera.aside);
            }
            if slow && sensing.tags && !self.tags.list.is_empty() {
                s.tag = tag_vector(&self.bodies, i, &self.physics, &self.tags);
            }
            if let Some(channel) = &mut self.channel {
                let reading = channel.reading(i, sensing.neighbours);
                (s.attr, s.neighbours) = (reading.attr, reading.neighbours);
                if robot.compass {
                    s.up = reading.up;
                }
            } else if slow && sensing.neighbours {
                (s.attr, s.neighbours) = senses::range_and_bearing_among(&self.bodies, i, robot.neighbour_range, near);
            }
        }
    }

    /// Returns the sensor values of robot `i` in the last update.
    pub fn senses(&self, i: usize) -> &Senses {
        &self.senses[i]
    }

    /// Returns the number of robots.
    pub fn robots(&self) -> usize {
        self.robots
    }

    /// Returns the time simulated so far (s).
    pub fn seconds(&self) -> f32 {
        self.update as f32 * CONTROL_PERIOD
    }

    /// Returns the current score of the task.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// Returns the number of times that the frisbee was moved back near the centre.
    pub fn relocations(&self) -> u32 {
        self.score.relocations()
    }

    /// Returns the fitness of the task up to the current time.
    pub fn fitness(&self) -> f32 {
        self.score.fitness(&self.physics, &self.bodies, self.robots, self.seconds())
    }
}
