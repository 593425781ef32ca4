//! World simulator, which reports poses and sensor readings to robot simulators (section 3.2 of the specification).
//!
//! The module performs no input or output. Equal descriptions, seeds and messages give equal answers. [`World`]
//! answers messages. For collisions and sensors, a robot is an upright prism. The tilt of the ground below its point
//! (0, 0) has no effect on this prism.

mod beam;
mod convex;
pub mod description;
mod face;
mod ground;
mod outline;
mod pose;
mod random;
mod robots;
mod scene;
mod sense;
mod shape;
mod shift;
mod sweep;
mod travel;
mod vector;

#[cfg(test)]
mod tests;

use description::{Description, DescriptionError};
use pose::{Motion, Pose};
use random::Random;
use robots::{Robot, Robots};
use scene::Scene;
use sense::Sense;
use shape::{Body, PlacedBody};

use super::body::BodyShape;
use super::message::Message;
use super::place::{Beam, Position, Target};

pub use outline::OutlineError;
pub use robots::{MAX_ROBOTS, MAX_WORLD_CORNERS};
pub use sense::MAX_RANGE;
pub use shape::{MAX_CORNERS, ShapeError};

/// Fraction of a move below which the robot counts as blocked and keeps its pose.
const NO_PART: f64 = 1e-9;

/// World and its robots. The world answers the messages of robot simulators.
#[derive(Debug)]
pub struct World {
    scene: Scene,
    robots: Robots,
    random: Random,
}

/// Reason to close a connection. The protocol has no message that reports errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// The message is not a message from a robot simulator.
    #[error("{0} is not accepted by a world simulator")]
    WrongMessage(&'static str),
    /// The maximum number of robots is reached.
    #[error("there are already {MAX_ROBOTS} robots; no more are allowed")]
    TooManyRobots,
    /// The shape is not a valid body.
    #[error("BodyShape: {0}")]
    Shape(#[from] ShapeError),
    /// The shape would exceed the maximum number of corners of all robots.
    #[error("the convex parts of all robots would have {0} corners; at most {MAX_WORLD_CORNERS} are allowed")]
    TooManyCorners(usize),
}

impl World {
    /// Creates a world without robots.
    ///
    /// # Errors
    /// The description is invalid.
    pub fn new(description: &Description, seed: u64) -> Result<Self, DescriptionError> {
        Ok(Self { scene: Scene::new(description)?, robots: Robots::new(), random: Random::new(seed) })
    }

    /// Processes a message and returns the answer; `None` if the specification requires no answer. `connection` is
    /// the caller's number of the connection. Sensors of a robot detect the robots of all connections, but a
    /// connection cannot move or remove robots of other connections.
    ///
    /// # Errors
    /// The connection must be closed, for the given reason. The world is unchanged in this case.
    pub fn answer(&mut self, connection: u32, message: &Message) -> Result<Option<Message>, WorldError> {
        Ok(Some(match message {
            Message::CreateRobot => Message::YourIdentifier { identifier: self.robots.create(connection)? },
            Message::KillRobot { identifier } => {
                self.robots.kill(connection, *identifier);
                return Ok(None);
            }
            Message::BodyShape { identifier, shape } => self.shape(connection, *identifier, shape)?,
            Message::JumpTo { identifier, target } => self.go(connection, *identifier, target, Self::jump),
            Message::MoveTo { identifier, target } => self.go(connection, *identifier, target, Self::travel),
            Message::VisualSensor { identifier, beam } => {
                let (distance, colour) = self.sense(connection, *identifier, beam, Sense::Light);
                Message::VisualSensorReading { identifier: *identifier, distance, colour }
            }
            Message::SonicSensor { identifier, beam } => {
                let (distance, _) = self.sense(connection, *identifier, beam, Sense::Sound);
                Message::SonicSensorReading { identifier: *identifier, distance }
            }
            other => return Err(WorldError::WrongMessage(other.name())),
        }))
    }

    /// Removes all robots of an ended connection. Returns the number of removed robots.
    pub fn close(&mut self, connection: u32) -> usize {
        self.robots.retain(|robot| robot.connection != connection)
    }

    /// Sets the current time `now` (s), and removes all robots whose identifier was in no message for more than
    /// `idle` (s). Returns the number of removed robots. Call this function at regular intervals, because the time of
    /// its last call is recorded as the time of a message.
    pub fn expire(&mut self, now: f64, idle: f64) -> usize {
        self.robots.now = now;
        self.robots.retain(|robot| now - robot.last_used <= idle)
    }

    /// Returns the number of robots.
    pub fn robots(&self) -> usize {
        self.robots.all().len()
    }

    fn shape(&mut self, connection: u32, identifier: u16, shape: &BodyShape) -> Result<Message, WorldError> {
        let body = Body::new(shape)?;
        let Some(at) = self.robots.find(connection, identifier) else { return Ok(unknown(identifier)) };
        self.robots.check_corners(at, &body)?;
        let others = self.robots.others(at);
        let pose = match &self.robots.all()[at].placed {
            None => shift::random_pose(&self.scene, others, &body, &mut self.random),
            Some(placed) => shift::nearest_pose(&self.scene, others, &body, &placed.pose),
        };
        if let Some(pose) = pose {
            self.robots.place(at, PlacedBody::new(body, pose, &self.scene.terrain));
        }
        let stress = if pose.is_some() { 0.0 } else { 1.0 };
        Ok(self.position(at, stress))
    }

    fn go(
        &mut self,
        connection: u32,
        identifier: u16,
        target: &Target,
        how: impl Fn(&Self, usize, &PlacedBody, &Target) -> (Pose, f64),
    ) -> Message {
        let Some(at) = self.robots.find(connection, identifier) else { return unknown(identifier) };
        let Some(placed) = &self.robots.all()[at].placed else { return self.position(at, 1.0) };
        let (pose, stress) = how(self, at, placed, target);
        self.robots.put(at, pose, &self.scene.terrain);
        self.position(at, stress)
    }

    /// Returns the target and stress 0 if the target is free. Otherwise, returns the current pose and stress 1.
    fn jump(&self, at: usize, placed: &PlacedBody, target: &Target) -> (Pose, f64) {
        let pose = Pose::from_target(target);
        let free = || travel::is_free(&self.scene, self.robots.others(at), &placed.body, &pose, sweep::TOUCH / 2.0);
        if pose == placed.pose || free() { (pose, 0.0) } else { (placed.pose, 1.0) }
    }

    /// Returns the pose that the robot reaches before an obstacle, and the fraction of the move that was prevented.
    fn travel(&self, at: usize, placed: &PlacedBody, target: &Target) -> (Pose, f64) {
        let (motion, part) = Motion::new(placed.pose, target);
        let lambda = travel::largest_free(&self.scene, self.robots.others(at), &placed.body, &motion);
        let moved = lambda * part;
        if moved == 1.0 {
            (Pose::from_target(target), 0.0)
        } else if moved < NO_PART && lambda < NO_PART {
            (placed.pose, 1.0)
        } else {
            (motion.pose(lambda), 1.0 - moved)
        }
    }

    fn sense(&mut self, connection: u32, identifier: u16, beam: &Beam, sense: Sense) -> (f64, description::Colour) {
        let own = self.robots.find(connection, identifier);
        let own = |at: usize| Some(at) == own;
        let robots = self.robots.all().iter().enumerate();
        let robots = robots.filter_map(|(at, robot)| Some((robot.placed.as_ref()?, own(at))));
        sense::nearest(&self.scene, robots, beam, sense)
    }

    fn position(&self, at: usize, stress: f64) -> Message {
        let Robot { identifier, placed, .. } = &self.robots.all()[at];
        let position = placed.as_ref().map_or_else(Position::default, |placed| {
            let [tilt_forward, tilt_across] = placed.tilts();
            let Pose { x, y, direction } = placed.pose;
            let death = self.scene.kills(placed);
            Position { x, y, z: placed.spot.height, direction, tilt_forward, tilt_across, stress, death }
        });
        Message::YourPosition { identifier: *identifier, position: Position { stress, ..position } }
    }
}

/// Returns the answer for an unknown robot. It reports the robot as dead, so that the robot simulator gives the robot
/// up.
fn unknown(identifier: u16) -> Message {
    Message::YourPosition { identifier, position: Position { stress: 1.0, death: true, ..Position::default() } }
}
