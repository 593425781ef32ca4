//! Core of the arena: advances the bodies, the devices of every robot and the keeper step by step.

pub mod hand;

use crate::body::lamps::Lamps;
use crate::camera;
use crate::fitted::{self, Mark, Surroundings};
use crate::keeper::Keeper;
use crate::power::Battery;
use crate::robot::{Robot, Stimuli};
use crate::scenery::ChangingScenery;
use crate::settings::{ArenaError, Settings};
use crate::sounds::{self, Sound};
use crate::tags::WallTag;
use crate::unkind::{ChangeKeys, Floor, Traits};
use std::collections::VecDeque;
use std::sync::Arc;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::DT;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::floor::Floor as PaintedFloor;
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::robot::RobotModel;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::senses::light::{self, Lighting};
use xpuck_kernels::world::spec::Area;
use xpuck_kernels::world::{Body, Pose, senses, start};
use xpuck_registers::spi::Words;

/// Duration of an arena step (s).
pub const STEP_SECONDS: f64 = 0.025;

/// Robots and a frisbee, with the devices that the robots' boards access.
#[derive(Clone, Debug)]
pub struct Arena {
    bodies: Vec<Body>,
    previous: Vec<Pose>,
    robots: Vec<Robot>,
    names: Vec<String>,
    /// For each robot, whether it was removed from the arena.
    away: Vec<bool>,
    keeper: Keeper,
    /// Whether the keeper moves the frisbee back after the frisbee touches an end wall.
    relocates: bool,
    /// Settings for moving the frisbee back to its start area: number of steps for which all wheels must be still, and
    /// the start area. `None`: the frisbee is not moved back.
    resets: Option<(u32, Area)>,
    /// Coloured sections of the arena's walls.
    patches: Vec<Patch>,
    tags: Vec<WallTag>,
    lighting: Lighting,
    sounds: Vec<Sound>,
    marks: Vec<Mark>,
    /// Paint of the world on the floor.
    paint: Arc<PaintedFloor>,
    /// Conditions of the scenery; `None` if it does not change.
    changing: Option<Box<ChangingScenery>>,
    physics: Physics,
    /// Friction coefficient of each body without local deviations, and the deviations of the floor by position. `None`:
    /// the floor is uniform.
    floor: Option<(Vec<f32>, Floor)>,
    /// Pending changes of the world, the earliest first.
    changes: VecDeque<ChangeKeys>,
    /// Changes of the world that were applied since the last call of `take_changed`.
    changed: Vec<ChangeKeys>,
    /// Bodies after each of the most recent steps, the newest last. The longest delay of a camera determines the number
    /// of steps.
    past: VecDeque<Vec<Body>>,
    /// For each robot, the bodies that its camera shows; `None` unless the camera is frozen.
    frozen: Vec<Option<Vec<Body>>>,
    seed: u64,
    steps: u32,
}

/// Returns the changes sorted by time, the earliest first.
fn in_order(changes: &[ChangeKeys]) -> VecDeque<ChangeKeys> {
    let mut changes = changes.to_vec();
    changes.sort_by_key(ChangeKeys::step);
    changes.into()
}

/// Input for rendering a robot's camera.
#[derive(Clone, Debug)]
pub struct View {
    /// Bodies at the capture time: the robots, then the discs. The heading of the viewing robot includes the mounting
    /// error of its camera.
    pub bodies: Vec<Body>,
    /// Whether the camera repeats one frame.
    pub frozen: bool,
    /// Brightness relative to the correct exposure.
    pub brightness: f32,
}

impl Arena {
    /// Creates an arena in its start state. The bodies are the robots in the order of the settings, then the discs.
    pub fn new(settings: &Settings) -> Result<Arena, ArenaError> {
        settings.validate()?;
        let mut spec = settings.spec();
        settings.unkind.physics.apply(&mut spec);
        // The devices of virtual robots are those of an Xpuck, whatever senses a robot model has.
        let RobotModel { proximity, light, .. } = RobotModel::default();
        (spec.physics.robot.proximity, spec.physics.robot.light) = (proximity, light);
        let mut draws = Draws::new(settings.seed, 0, 0, 0, Stream::Start);
        let bodies = start::place(&spec, 0, (settings.seed, 0), &mut draws);
        let relocates = spec.task.relocates();
        let area = spec.discs.first().map(|disc| disc.start);
        let resets = settings.reset_frisbee_s.map(|rest| (rest / STEP_SECONDS) as u32).zip(area);
        Ok(Arena { relocates, resets, ..Arena::with_bodies(settings, spec.physics, spec.patches, bodies) })
    }

    /// Creates an arena with the given bodies: the robots in the order of the settings, then the discs.
    pub(crate) fn with_bodies(settings: &Settings, physics: Physics, patches: Vec<Patch>, bodies: Vec<Body>) -> Arena {
        let robots = settings.robots.len();
        let seed = settings.seed;
        let friction = || bodies.iter().map(|b| b.shape.mu).collect();
        let mut arena = Arena {
            previous: bodies.iter().map(|b| b.pose).collect(),
            robots: (0..robots).map(|i| Robot::new(settings, i)).collect(),
            names: settings.robots.clone(),
            away: vec![false; robots],
            keeper: Keeper::default(),
            relocates: true,
            resets: None,
            patches,
            tags: settings.fittings.tags.clone(),
            lighting: settings.lighting.clone().unwrap_or_else(|| settings.spec().lighting),
            sounds: settings.sounds.clone(),
            marks: settings.marks.clone(),
            paint: settings.spec().floor,
            changing: ChangingScenery::new(&settings.spec(), &bodies, seed).map(Box::new),
            physics,
            floor: settings.unkind.floor.map(|keys| (friction(), Floor::new(&keys, seed))),
            changes: in_order(&settings.unkind.changes),
            changed: Vec::new(),
            past: VecDeque::new(),
            frozen: vec![None; robots],
            bodies,
            seed,
            steps: 0,
        };
        arena.show_scenery();
        let velocities = vec![Vec2::ZERO; robots];
        arena.scan(&velocities);
        arena
    }

    /// Returns the changes applied since the previous call.
    pub fn take_changed(&mut self) -> Vec<ChangeKeys> {
        std::mem::take(&mut self.changed)
    }

    /// Places the walls, patches and lights that exist now, if the scenery changes.
    fn show_scenery(&mut self) {
        if let Some(changing) = &mut self.changing {
            changing.apply(&mut self.physics, &mut self.patches, &mut self.lighting);
        }
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
        while self.changes.front().is_some_and(|change| change.step() <= self.steps)
            && let Some(change) = self.changes.pop_front()
        {
            change.apply(&mut self.bodies, robots, &mut self.physics);
            if let Some((friction, _)) = &mut self.floor {
                *friction = self.bodies.iter().map(|body| body.shape.mu).collect();
            }
            let named = change.robot.as_ref().and_then(|id| self.names.iter().position(|name| name == id));
            if let Some((robot, parts)) = named.zip(change.wheels) {
                self.robots[robot].set_wheel_factors(parts);
            }
            self.changed.push(change);
        }
        if let Some((friction, floor)) = &self.floor {
            for (body, mu) in self.bodies.iter_mut().zip(friction) {
                body.shape.mu = mu * floor.factor(body.pose.at);
            }
        }
        self.move_bodies();
        self.steps += 1;
        let driven = self.bodies[..robots].iter().any(|body| body.wheels != [0.0; 2]);
        if self.changing.as_mut().is_some_and(|changing| changing.step(&self.bodies[..robots], driven)) {
            self.show_scenery();
        }
        self.robots.iter_mut().for_each(|robot| robot.step(self.steps, STEP_SECONDS));
        let mut draws = Draws::new(self.seed, 0, 0, self.steps, Stream::Relocation);
        if self.relocates && self.keeper.watch(&mut self.bodies, robots, self.physics.half_arena.0, &mut draws) {
            // The keeper moved the frisbee, so poses are not interpolated between the old and the new place.
            self.previous[robots] = self.bodies[robots].pose;
        }
        if let Some((after, area)) = &self.resets
            && self.keeper.reset(&mut self.bodies, robots, area, *after, &mut draws)
        {
            self.previous[robots] = self.bodies[robots].pose;
        }
        self.scan(&velocities);
        self.deliver_messages();
        self.store_history();
    }

    /// Stores the bodies for delayed and frozen cameras.
    fn store_history(&mut self) {
        let slowest = self.robots.iter().map(|robot| robot.traits.camera_delay).max().unwrap_or(0);
        if slowest > 0 {
            self.past.push_back(self.bodies.clone());
            // Keeps the current bodies, and the bodies after each earlier step within the longest camera delay.
            while self.past.len() > slowest + 1 {
                self.past.pop_front();
            }
        }
        for i in 0..self.robots.len() {
            match (self.robots[i].sees_the_past(), &self.frozen[i]) {
                (true, None) => self.frozen[i] = Some(self.delayed_bodies(i)),
                (false, Some(_)) => self.frozen[i] = None,
                _ => {}
            }
        }
    }

    /// Returns the bodies at the capture time of the frame that the robot's camera currently sends.
    fn delayed_bodies(&self, robot: usize) -> Vec<Body> {
        let behind = self.robots[robot].traits.camera_delay;
        let place = self.past.len().saturating_sub(behind + 1);
        if behind == 0 { self.bodies.clone() } else { self.past.get(place).unwrap_or(&self.bodies).clone() }
    }

    /// Returns whether robot `robot` currently has a camera.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn has_camera(&self, robot: usize) -> bool {
        self.robots[robot].has_camera()
    }

    /// Returns the input for rendering the camera of robot `robot`; `None` while the robot has no camera.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn view(&self, robot: usize) -> Option<View> {
        if !self.has_camera(robot) {
            return None;
        }
        let frozen = self.frozen[robot].as_ref();
        let mut view = View {
            bodies: frozen.cloned().unwrap_or_else(|| self.delayed_bodies(robot)),
            frozen: frozen.is_some(),
            brightness: self.robots[robot].brightness(),
        };
        view.bodies[robot].pose.heading += self.robots[robot].traits.camera_turn;
        Some(view)
    }

    /// Returns the defects and deviations of robot `robot`.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn traits(&self, robot: usize) -> &Traits {
        &self.robots[robot].traits
    }

    /// Delivers messages of range and bearing boards to the robots within reach.
    fn deliver_messages(&mut self) {
        for from in 0..self.robots.len() {
            let Some((word, reach)) = self.robots[from].take_sent() else { continue };
            for to in (0..self.robots.len()).filter(|to| *to != from) {
                let Pose { at, heading } = self.bodies[to].pose;
                let towards = (self.bodies[from].pose.at - at).rotate(Vec2::unit(-heading));
                if towards.length() <= reach {
                    self.robots[to].hear(word, from as u32, towards, self.steps);
                }
            }
        }
    }

    fn scan(&mut self, velocities: &[Vec2]) {
        let playing = self.robots.iter().zip(&self.bodies).filter(|(robot, _)| robot.plays());
        let playing: Vec<Sound> = playing.map(|(_, body)| Sound::of_robot(&body.pose)).collect();
        let active = self.changing.as_ref().map_or(0, |changing| changing.active());
        for (i, robot) in self.robots.iter_mut().enumerate() {
            let body = &self.bodies[i];
            robot.scan(
                &Stimuli {
                    proximity: senses::proximity(&self.bodies, i, &self.physics),
                    fitted: Surroundings {
                        acceleration: ((body.velocity - velocities[i]) * (1.0 / DT))
                            .rotate(Vec2::unit(-body.pose.heading)),
                        heading: body.pose.heading,
                        spin: body.spin,
                        floor: fitted::floor_under_sensors(&body.pose, &self.marks, (&self.paint, active)),
                        ahead: fitted::distance_ahead(&self.bodies, i, &self.physics),
                        battery: 0.0,
                    },
                    brightness: light::brightness(
                        body.pose.at,
                        Vec2::unit(body.pose.heading),
                        &self.lighting,
                        &self.physics.robot,
                    ),
                    loudness: sounds::at_microphones(&body.pose, self.sounds.iter().chain(&playing)),
                },
                self.steps,
            );
        }
    }

    /// Exchanges one SPI message with the dsPIC of robot `robot`, and returns the reply. All bits of the reply are ones
    /// if the robot's body has no SPI.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn spi(&mut self, robot: usize, words: &Words) -> Words {
        let ready = self.spi_ready(robot);
        self.spi_ended(robot, &ready, words, ready)
    }

    /// Returns the reply of robot `robot` to the SPI message that is about to begin.
    pub(crate) fn spi_ready(&mut self, robot: usize) -> Words {
        self.robots[robot].spi_ready()
    }

    /// Completes an SPI message in which the body of robot `robot` received `words`. `ready` is the reply that the body
    /// had prepared. Returns the words that the robot's board receives: `board`, unless a fault changes them.
    pub(crate) fn spi_ended(&mut self, robot: usize, ready: &Words, words: &[u16], board: Words) -> Words {
        self.robots[robot].spi_ended(ready, words, board)
    }

    /// Returns the state of the lamps of robot `robot`.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn lamps(&self, robot: usize) -> Lamps {
        self.robots[robot].lamps()
    }

    /// Returns whether the motors of robot `robot` are commanded to move.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn is_driven(&self, robot: usize) -> bool {
        self.robots[robot].is_driven()
    }

    /// Performs one I2C transaction on the bus of robot `robot`. Returns false if no device acknowledges the address.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn i2c(&mut self, robot: usize, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        self.robots[robot].i2c(address, write, read)
    }

    /// Sets the loads of robot `robot` that drain its battery but are not visible on the body's buses: the processor
    /// load of the robot's board (0..=1), and whether the robot's camera streams.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn board_draws(&mut self, robot: usize, processor: f64, camera: bool) {
        let draw = &mut self.robots[robot].draw;
        (draw.processor, draw.camera) = (if processor.is_finite() { processor.clamp(0.0, 1.0) } else { 0.0 }, camera);
    }

    /// Returns the battery of robot `robot`.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn battery(&self, robot: usize) -> &Battery {
        &self.robots[robot].power.battery
    }

    /// Returns the current bodies: robots, then discs.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Returns the number of robots.
    pub fn robots(&self) -> usize {
        self.robots.len()
    }

    /// Returns the number of completed steps.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the elapsed arena time (s).
    pub fn seconds(&self) -> f64 {
        f64::from(self.steps) * STEP_SECONDS
    }

    /// Returns the static objects that cameras see in addition to the bodies.
    pub fn surroundings(&self) -> camera::Surroundings {
        let Physics { half_arena, ref walls, .. } = self.physics;
        camera::Surroundings {
            half_arena,
            walls: walls.clone(),
            patches: self.patches.clone(),
            tags: self.tags.clone(),
        }
    }

    /// Returns half the arena's size along x and y (m).
    pub fn half_arena(&self) -> (f32, f32) {
        self.physics.half_arena
    }

    /// Returns the poses of all bodies within the last step. They are interpolated at `part`, which ranges from 0
    /// (start of the step) to 1 (end of the step).
    pub fn poses(&self, part: f32) -> Vec<Pose> {
        let between = |(from, body): (&Pose, &Body)| from.towards(&body.pose, part);
        self.previous.iter().zip(&self.bodies).map(between).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::Fitted;
    use crate::settings::{BodyKind, for_tests};
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::world::Shape;
    use xpuck_kernels::world::floor::Paint;
    use xpuck_kernels::world::senses::light::Light;
    use xpuck_kernels::world::spec::{Scenario, Start, WorldSpec};
    use xpuck_kernels::world::task::objective::ObjectiveBuilder;
    use xpuck_kernels::world::task::{Region, Task};
    use xpuck_kernels::world::wall::Wall;
    use xpuck_kernels::world::zone::{Zone, ZoneShape};
    use xpuck_registers::spi::{Actions, Command, Pixel, Report};
    use xpuck_registers::stepper::StepsPerSecond;
    use xpuck_registers::{epuck2, erandb};

    fn drive(left: i16, right: i16) -> Words {
        let speeds = [left, right].map(StepsPerSecond::new);
        Command { actions: Actions::SET_MOTOR, speeds, ..Command::default() }.encode()
    }

    #[test]
    fn wall_vanishes_and_paint_appears_when_a_robot_comes() {
        let place = |x: f32| Zone {
            name: "spot".into(),
            shapes: vec![ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius: 0.2 })],
            without: Vec::new(),
        };
        let mut builder = ObjectiveBuilder::new(&[place(0.5)], Vec::new());
        let (closed, open) = (builder.condition("not ever(n(spot))"), builder.condition("ever(n(spot))"));
        let objective = builder.finish("last(n(spot))", 0.0, 1.0).unwrap();
        let mut world = WorldSpec::scenario(1, Scenario::A);
        world.task = Task::Objective(objective.into());
        world.discs.clear();
        world.physics.walls = vec![Wall { from: vec2(0.8, -0.5), to: vec2(0.8, 0.5) }];
        world.conditions.walls = vec![Some(closed.unwrap())];
        let paint = Paint { zone: place(0.5), level: 0.0, condition: Some(open.unwrap()) };
        world.floor = PaintedFloor { paint: vec![paint], ..PaintedFloor::default() }.into();
        world.starts = vec![Start::Poses(vec![Pose { at: vec2(0.0, 0.0), heading: 0.0 }])];
        let fitted = vec![Fitted::Ground];
        let mut arena = Arena::new(&Settings { world: Some(world), fitted, ..for_tests(1) }).unwrap();
        (0..200).for_each(|_| arena.step());
        assert_eq!(arena.physics.walls.len(), 1, "nothing drives, so the run has not begun");
        let mut x = Vec::new();
        for _ in 0..400 {
            arena.spi(0, &drive(600, 600));
            arena.step();
            if arena.physics.walls.is_empty() {
                x.push(arena.bodies[0].pose.at.x);
            }
        }
        assert!(!x.is_empty() && (0.3..0.32).contains(&x[0]), "{x:?}");
        let active = arena.changing.as_ref().unwrap().active();
        let level = |active| arena.paint.level(vec2(0.5, 0.0), active);
        assert_eq!((level(0), level(active)), (0.5, 0.0), "the paint has appeared");
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
    fn kinds_without_watchdog_keep_driving() {
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
    fn lamps_show_what_each_kinds_words_say() {
        let mut arena = one_robot(0.0, 0.8);
        let pixel = |i: usize| Pixel { red: i as u8, green: 255, blue: 0 };
        let pixels = std::array::from_fn(pixel);
        let command = Command { actions: Actions::SET_LED, leds: 0x281, pixels, ..Command::default() };
        arena.spi(0, &command.encode());
        let lamps = arena.lamps(0);
        assert_eq!((lamps.pixels, lamps.ring, lamps.body, lamps.front), (Some(pixels), 0x81, false, true));
        arena.spi(0, &Command { leds: 0, pixels, ..Command::default() }.encode());
        assert_eq!(arena.lamps(0).ring, 0x81, "only with set_led");

        let mut arena = one_of(BodyKind::Epuck1, 0.0, 0.8);
        assert!(
            arena.i2c(0, epuck2::ADDRESS, &[0, 0x55, 0], &mut []) && arena.i2c(0, epuck2::ADDRESS, &[1, 2, 0], &mut [])
        );
        assert_eq!(arena.lamps(0).to_string(), "ring *-*-*-*-, body");

        let mut arena = one_of(BodyKind::Epuck2, 0.0, 0.8);
        let packet = epuck2::Command { sound: 1, leds: [true, false, false, true], ..epuck2::Command::default() };
        arena.i2c(0, epuck2::ADDRESS, &packet.encode(), &mut []);
        assert_eq!((arena.lamps(0).ring, arena.lamps(0).plays), (0b0100_0001, true));
        (0..41).for_each(|_| arena.step());
        assert!(!arena.lamps(0).plays, "a melody ends");
    }

    #[test]
    fn playing_epuck2_is_heard_by_others() {
        let robot = |x: f32| Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, 0.0), heading: 0.0 });
        let settings = Settings { seed: 3, body: BodyKind::Epuck2, ..for_tests(2) };
        let frisbee = Body::at_rest(Shape::FRISBEE, Pose { at: vec2(0.0, 0.6), heading: 0.0 });
        let bodies = vec![robot(0.0), robot(0.3), frisbee];
        let mut arena = Arena::with_bodies(&settings, Physics::default(), Vec::new(), bodies);
        let told = |arena: &mut Arena, sound: u8| {
            let packet = epuck2::Command { sound, ..epuck2::Command::default() }.encode();
            arena.i2c(0, epuck2::ADDRESS, &epuck2::Command::default().encode(), &mut []);
            arena.i2c(1, epuck2::ADDRESS, &packet, &mut []);
            arena.step();
            let mut reply = [0; epuck2::REPORT_BYTES];
            arena.i2c(0, epuck2::ADDRESS, &epuck2::Command::default().encode(), &mut reply);
            epuck2::Report::decode(&reply).unwrap().microphones
        };
        let quiet = told(&mut arena, 0);
        let [right, left, back, front] = told(&mut arena, 2);
        assert!(front > right && front > left && front > back, "it plays ahead: {right} {left} {back} {front}");
        assert!(front > quiet[3] + 20, "{front} after {quiet:?}");
    }

    #[test]
    fn ambient_light_and_acceleration_are_reported() {
        let lamp = Light { at: vec2(0.0, 0.6), height: 0.1, brightness: 0.2 };
        let settings = Settings { seed: 3, lighting: Some(Lighting { room: 0.1, lights: vec![lamp] }), ..for_tests(1) };
        let bodies = vec![
            Body::at_rest(Shape::ROBOT, Pose { at: vec2(0.0, 0.0), heading: 0.0 }),
            Body::at_rest(Shape::FRISBEE, Pose { at: vec2(0.8, 0.0), heading: 0.0 }),
        ];
        let mut arena = Arena::with_bodies(&settings, Physics::default(), Vec::new(), bodies);
        arena.spi(0, &drive(700, 700));
        arena.step();
        let told = Report::decode(&arena.spi(0, &drive(700, 700))).unwrap();
        let [left, right] = [told.ambient[2], told.ambient[5]];
        assert!(right.abs_diff(410) < 12 && left > 1500, "{:?}", told.ambient);
        assert!(told.acceleration[0] > 2060 && told.acceleration[2].abs_diff(2848) < 12, "{:?}", told.acceleration);
    }

    #[test]
    fn range_and_bearing_boards_hear_who_is_within_reach() {
        let at = |x: f32, heading: f32| Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, 0.0), heading });
        let settings = Settings { fitted: vec![Fitted::Erandb], ..for_tests(3) };
        // The first robot is 90 degrees to the left of the second robot's heading. The third robot is out of reach.
        let bodies = vec![
            at(-0.9, 0.0),
            at(-0.5, std::f32::consts::FRAC_PI_2),
            at(0.3, 0.0),
            Body::at_rest(Shape::FRISBEE, Pose { at: vec2(0.8, 0.5), heading: 0.0 }),
        ];
        let mut arena = Arena::with_bodies(&settings, Physics::default(), Vec::new(), bodies);
        let write = |arena: &mut Arena, register: u8, value: u8| {
            assert!(arena.i2c(0, erandb::ADDRESS, &[register, value], &mut []));
        };
        let heard = |arena: &mut Arena, robot: usize| {
            let mut byte = |register: u8| {
                let mut value = [0];
                assert!(arena.i2c(robot, erandb::ADDRESS, &[register], &mut value));
                value[0]
            };
            let available = byte(erandb::AVAILABLE) == 1;
            let bytes = std::array::from_fn(|i| byte(erandb::HEARD + i as u8));
            available.then(|| erandb::decode(&bytes))
        };
        write(&mut arena, erandb::SEND[0], 0);
        write(&mut arena, erandb::SEND[1], 7);
        arena.step();
        let near = heard(&mut arena, 1).expect("it is within reach");
        assert!(near.word == 7 && (near.bearing - std::f32::consts::FRAC_PI_2).abs() < 0.4, "{near:?}");
        assert!((150..400).contains(&near.strength), "{near:?}");
        assert_eq!((heard(&mut arena, 1), heard(&mut arena, 2), heard(&mut arena, 0)), (None, None, None));
        write(&mut arena, erandb::POWER, 200);
        write(&mut arena, erandb::SEND[1], 8);
        arena.step();
        assert_eq!(heard(&mut arena, 1), None, "too weak");
    }

    #[test]
    fn silent_spi_master_stops_wheels() {
        let mut arena = one_robot(-0.5, 0.8);
        arena.spi(0, &drive(714, 714));
        (0..8).for_each(|_| arena.step());
        assert!(arena.bodies()[0].velocity.x > 0.05);
        (0..20).for_each(|_| arena.step());
        assert!(arena.bodies()[0].velocity.length() < 1e-3);
    }

    #[test]
    fn front_sensors_read_wall_ahead() {
        let mut arena = one_robot(0.95, -0.5);
        arena.step();
        let told = Report::decode(&arena.spi(0, &[0; 32])).unwrap();
        // The rays meet the wall 14.8 mm from the robot's rim, which results in 3500 * (1.292^-4 - 0.06) = 1047 counts.
        let near = |i: usize| told.reflected[i].0.abs_diff(1047) < 15;
        assert!(near(0) && near(7), "{:?}", told.reflected);
        assert!(told.reflected[3].0 < 20 && told.reflected[4].0 < 20, "{:?}", told.reflected);
    }

    #[test]
    fn keeper_resets_frisbee_without_visible_path() {
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
    fn same_seed_and_commands_give_same_arena() {
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
