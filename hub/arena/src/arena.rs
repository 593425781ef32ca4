//! The core: bodies, the devices of every robot and the keeper, advanced step by step.

use crate::camera::Surroundings;
use crate::keeper::Keeper;
use crate::robot::Robot;
use crate::settings::{ArenaError, Settings};
use crate::unkind::{Floor, Traits};
use std::collections::VecDeque;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::DT;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::physics::{self, Physics};
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::{Body, Pose, senses, start};
use xpuck_registers::spi::Words;

/// One step of the arena, s.
pub const STEP_SECONDS: f64 = 0.025;

/// Robots and a frisbee, with the devices that the robots' boards talk to.
#[derive(Clone, Debug)]
pub struct Arena {
    bodies: Vec<Body>,
    previous: Vec<Pose>,
    robots: Vec<Robot>,
    keeper: Keeper,
    /// Somebody puts the frisbee back that has touched an end.
    relocates: bool,
    /// Coloured stretches of the arena's walls.
    patches: Vec<Patch>,
    physics: Physics,
    /// The bodies' friction with an even floor, and by how much the floor is not even.
    floor: Option<(Vec<f32>, Floor)>,
    /// Bodies as they were after the last steps, the newest last; as many as the slowest camera is behind.
    past: VecDeque<Vec<Body>>,
    /// What each robot's camera goes on to show while it is frozen.
    frozen: Vec<Option<Vec<Body>>>,
    seed: u64,
    steps: u32,
}

/// What a robot's camera looks at.
#[derive(Clone, Debug)]
pub struct View {
    /// Robots, then discs; the robot itself turned as its camera is.
    pub bodies: Vec<Body>,
    /// The camera sends the same picture again and again.
    pub frozen: bool,
}

impl Arena {
    /// An arena at its start: robots in the settings' order, then the frisbee.
    pub fn new(settings: &Settings) -> Result<Arena, ArenaError> {
        settings.validate()?;
        let mut spec = settings.spec();
        settings.unkind.physics.apply(&mut spec);
        let mut draws = Draws::new(settings.seed, 0, 0, 0, Stream::Start);
        let bodies = start::place(&spec, 0, &mut draws);
        let relocates = spec.task.relocates();
        Ok(Arena { relocates, ..Arena::with_bodies(settings, spec.physics, spec.patches, bodies) })
    }

    /// An arena of given bodies, the settings' robots first and then the discs.
    pub(crate) fn with_bodies(settings: &Settings, physics: Physics, patches: Vec<Patch>, bodies: Vec<Body>) -> Arena {
        let robots = settings.robots.len();
        let seed = settings.seed;
        let friction = || bodies.iter().map(|b| b.shape.mu).collect();
        let mut arena = Arena {
            previous: bodies.iter().map(|b| b.pose).collect(),
            robots: (0..robots).map(|i| Robot::new(settings, i)).collect(),
            keeper: Keeper::default(),
            relocates: true,
            patches,
            physics,
            floor: settings.unkind.floor.map(|keys| (friction(), Floor::new(&keys, seed))),
            past: VecDeque::new(),
            frozen: vec![None; robots],
            bodies,
            seed,
            steps: 0,
        };
        let velocities = vec![Vec2::ZERO; robots];
        arena.scan(&velocities);
        arena
    }

    /// Advances arena time by [`STEP_SECONDS`].
    pub fn step(&mut self) {
        let robots = self.robots();
        self.previous.clear();
        self.previous.extend(self.bodies.iter().map(|b| b.pose));
        let velocities: Vec<Vec2> = self.bodies[..robots].iter().map(|b| b.velocity).collect();
        for (body, robot) in self.bodies.iter_mut().zip(&mut self.robots) {
            body.wheels = robot.wheels(self.steps);
        }
        if let Some((friction, floor)) = &self.floor {
            for (body, mu) in self.bodies.iter_mut().zip(friction) {
                body.shape.mu = mu * floor.factor(body.pose.at);
            }
        }
        physics::step(&mut self.bodies, &self.physics, self.seed, 0, self.steps);
        self.steps += 1;
        self.robots.iter_mut().for_each(|robot| robot.step(self.steps, STEP_SECONDS));
        let mut draws = Draws::new(self.seed, 0, 0, self.steps, Stream::Relocation);
        if self.relocates && self.keeper.watch(&mut self.bodies, robots, self.physics.half_arena.0, &mut draws) {
            // Carried, not driven: there is no path between the two places.
            self.previous[robots] = self.bodies[robots].pose;
        }
        self.scan(&velocities);
        self.remember();
    }

    /// Keeps what cameras that are behind will show.
    fn remember(&mut self) {
        let slowest = self.robots.iter().map(|robot| robot.traits.camera_delay).max().unwrap_or(0);
        if slowest > 0 {
            self.past.push_back(self.bodies.clone());
            // The newest is now, and as many before it as the slowest is behind.
            while self.past.len() > slowest + 1 {
                self.past.pop_front();
            }
        }
        for i in 0..self.robots.len() {
            match (self.robots[i].sees_the_past(), &self.frozen[i]) {
                (true, None) => self.frozen[i] = Some(self.seen_by(i)),
                (false, Some(_)) => self.frozen[i] = None,
                _ => {}
            }
        }
    }

    /// The bodies when what leaves a robot's camera now was taken.
    fn seen_by(&self, robot: usize) -> Vec<Body> {
        let behind = self.robots[robot].traits.camera_delay;
        let place = self.past.len().saturating_sub(behind + 1);
        if behind == 0 { self.bodies.clone() } else { self.past.get(place).unwrap_or(&self.bodies).clone() }
    }

    /// Robot `robot` has a camera at the moment.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn has_camera(&self, robot: usize) -> bool {
        self.robots[robot].has_camera()
    }

    /// What the camera of robot `robot` looks at; none while it has no camera.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn view(&self, robot: usize) -> Option<View> {
        if !self.has_camera(robot) {
            return None;
        }
        let frozen = self.frozen[robot].as_ref();
        let mut view =
            View { bodies: frozen.cloned().unwrap_or_else(|| self.seen_by(robot)), frozen: frozen.is_some() };
        view.bodies[robot].pose.heading += self.robots[robot].traits.camera_turn;
        Some(view)
    }

    /// What is wrong with robot `robot`.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn traits(&self, robot: usize) -> &Traits {
        &self.robots[robot].traits
    }

    fn scan(&mut self, velocities: &[Vec2]) {
        for (i, robot) in self.robots.iter_mut().enumerate() {
            let readings = senses::proximity(&self.bodies, i, &self.physics);
            let body = &self.bodies[i];
            let acceleration = ((body.velocity - velocities[i]) * (1.0 / DT)).rotate(Vec2::unit(-body.pose.heading));
            robot.scan(&readings, acceleration, self.steps);
        }
    }

    /// One SPI message with the dsPIC of robot `robot`; ones if its body has no SPI.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn spi(&mut self, robot: usize, words: &Words) -> Words {
        let ready = self.spi_ready(robot);
        self.spi_ended(robot, &ready, words, ready)
    }

    /// What robot `robot` has ready for an SPI message that begins.
    pub(crate) fn spi_ready(&mut self, robot: usize) -> Words {
        self.robots[robot].spi_ready()
    }

    /// The message to robot `robot` has ended: its body got `words`; gives what its board gets of `board`.
    pub(crate) fn spi_ended(&mut self, robot: usize, ready: &Words, words: &[u16], board: Words) -> Words {
        self.robots[robot].spi_ended(ready, words, board)
    }

    /// True if the robot's processor is told to drive.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn is_driven(&self, robot: usize) -> bool {
        self.robots[robot].is_driven()
    }

    /// One I2C transaction on the bus of robot `robot`; false if nothing acknowledges.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn i2c(&mut self, robot: usize, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        self.robots[robot].i2c(address, write, read)
    }

    /// Robots, then discs, as they are now.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Number of robots.
    pub fn robots(&self) -> usize {
        self.robots.len()
    }

    /// Steps made so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Arena time so far, s.
    pub fn seconds(&self) -> f64 {
        f64::from(self.steps) * STEP_SECONDS
    }

    /// What cameras see beside bodies.
    pub fn surroundings(&self) -> Surroundings {
        let Physics { half_arena, ref walls, .. } = self.physics;
        Surroundings { half_arena, walls: walls.clone(), patches: self.patches.clone() }
    }

    /// Half the arena's length along x and y, m.
    pub fn half_arena(&self) -> (f32, f32) {
        self.physics.half_arena
    }

    /// Poses in the last step, `part` of the way from its start (0) to its end (1).
    pub fn poses(&self, part: f32) -> Vec<Pose> {
        let between = |(from, body): (&Pose, &Body)| from.towards(&body.pose, part);
        self.previous.iter().zip(&self.bodies).map(between).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{BodyKind, for_tests};
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::world::Shape;
    use xpuck_registers::epuck2;
    use xpuck_registers::spi::{Actions, Command, Report};
    use xpuck_registers::stepper::StepsPerSecond;

    fn drive(left: i16, right: i16) -> Words {
        let speeds = [left, right].map(StepsPerSecond::new);
        Command { actions: Actions::SET_MOTOR, speeds, ..Command::default() }.encode()
    }

    fn one_robot(x: f32, frisbee: f32) -> Arena {
        one_of(BodyKind::Xpuck, x, frisbee)
    }

    fn one_of(kind: BodyKind, x: f32, frisbee: f32) -> Arena {
        let robot = Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, 0.0), heading: 0.0 });
        let frisbee = Body::at_rest(Shape::FRISBEE, Pose { at: vec2(frisbee, 0.0), heading: 0.0 });
        let settings = Settings { seed: 3, body: kind, ..for_tests(1) };
        Arena::with_bodies(&settings, Physics::default(), Vec::new(), vec![robot, frisbee])
    }

    #[test]
    fn steps_on_the_wire_become_metres_on_the_floor() {
        let mut arena = one_robot(-0.9, 0.8);
        for _ in 0..80 {
            arena.spi(0, &drive(714, 714));
            arena.step();
        }
        let moved = arena.bodies()[0].pose.at.x + 0.9;
        assert!((moved - 0.184).abs() < 0.02, "2 s at 0.0919 m/s moved {moved} m");
        assert_eq!(arena.seconds(), 2.0);
        let told = Report::decode(&arena.spi(0, &drive(0, 0))).unwrap();
        assert_eq!(told.steps, [1428, 1428]);
    }

    #[test]
    fn the_kinds_without_a_watchdog_drive_on() {
        let packet = epuck2::Command { speeds: [714; 2], ..epuck2::Command::default() }.encode();
        let commands: [(BodyKind, &[&[u8]]); 2] =
            [(BodyKind::Epuck1, &[&[2, 0xca, 2], &[3, 0xca, 2]]), (BodyKind::Epuck2, &[&packet])];
        for (kind, writes) in commands {
            let mut arena = one_of(kind, -0.9, 0.8);
            assert!(writes.iter().all(|write| arena.i2c(0, epuck2::ADDRESS, write, &mut [])));
            (0..80).for_each(|_| arena.step());
            let moved = arena.bodies()[0].pose.at.x + 0.9;
            assert!((moved - 0.184).abs() < 0.02, "{kind:?}: 2 s at 0.0919 m/s moved {moved} m");
        }
    }

    #[test]
    fn a_silent_master_brings_the_robot_to_rest() {
        let mut arena = one_robot(-0.5, 0.8);
        arena.spi(0, &drive(714, 714));
        (0..8).for_each(|_| arena.step());
        assert!(arena.bodies()[0].velocity.x > 0.05);
        (0..20).for_each(|_| arena.step());
        assert!(arena.bodies()[0].velocity.length() < 1e-3);
    }

    #[test]
    fn a_wall_ahead_is_read_by_the_front_sensors() {
        let mut arena = one_robot(0.95, -0.5);
        arena.step();
        let told = Report::decode(&arena.spi(0, &[0; 32])).unwrap();
        // The rays meet the wall 14.8 mm from the rim: 3500 * (1.292^-4 - 0.06) = 1047 counts.
        let near = |i: usize| told.reflected[i].0.abs_diff(1047) < 15;
        assert!(near(0) && near(7), "{:?}", told.reflected);
        assert!(told.reflected[3].0 < 20 && told.reflected[4].0 < 20, "{:?}", told.reflected);
    }

    #[test]
    fn the_keeper_puts_the_frisbee_back_and_no_path_shows() {
        let mut arena = one_robot(0.0, 0.896);
        arena.spi(0, &drive(100, 100));
        (0..19).for_each(|_| arena.step());
        assert!(arena.bodies()[1].pose.at.x > 0.85);
        (0..20).for_each(|_| arena.step());
        assert!(arena.bodies()[1].pose.at.length() <= 0.2);
        let [a, b] = [0.0, 1.0].map(|part| arena.poses(part)[1].at);
        assert!((a - b).length() < 0.01, "{a:?} {b:?}");
    }

    #[test]
    fn the_same_seed_and_words_give_the_same_arena() {
        let run = || {
            let mut arena = Arena::new(&for_tests(9)).unwrap();
            let mut replies = Vec::new();
            for step in 0..100 {
                for robot in 0..9 {
                    replies.push(arena.spi(robot, &drive(600, 300 + 10 * robot as i16 + step)));
                }
                arena.step();
            }
            (replies, arena.poses(1.0))
        };
        assert!(run() == run());
    }
}
