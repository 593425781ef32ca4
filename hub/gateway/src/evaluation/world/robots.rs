//! Robots of a world and their identifiers.

use super::WorldError;
use super::ground::Terrain;
use super::pose::Pose;
use super::shape::{Body, PlacedBody};

/// Maximum number of robots of all connections together.
pub const MAX_ROBOTS: usize = 1024;
/// Maximum total number of corners in the convex parts of all robots.
pub const MAX_WORLD_CORNERS: usize = 16_384;

/// Robot of a connection. It gets a body and a pose (`placed`) when its shape is received and a free pose is found.
#[derive(Debug)]
pub(super) struct Robot {
    pub identifier: u16,
    pub connection: u32,
    /// Time of the last message with the robot's identifier (s).
    pub last_used: f64,
    pub placed: Option<PlacedBody>,
    corners: usize,
}

#[derive(Debug)]
pub(super) struct Robots {
    robots: Vec<Robot>,
    /// For each identifier, the index of its robot in `robots` plus 1; 0 if no robot has the identifier.
    places: Box<[u16]>,
    last_identifier: u16,
    /// Number of corners of all bodies.
    corners: usize,
    pub now: f64,
}

impl Robots {
    pub(super) fn new() -> Self {
        let places = vec![0; 1 << 16].into_boxed_slice();
        Self { robots: Vec::new(), places, last_identifier: 0, corners: 0, now: 0.0 }
    }

    pub(super) fn all(&self) -> &[Robot] {
        &self.robots
    }

    /// Returns the bodies of all robots except the one at index `at`.
    pub(super) fn others(&self, at: usize) -> impl Iterator<Item = &PlacedBody> + Clone {
        let (before, after) = self.robots.split_at(at);
        before.iter().chain(&after[1..]).filter_map(|robot| robot.placed.as_ref())
    }

    /// Creates a robot, and returns its identifier. The search starts after the last assigned identifier, so that a
    /// freed identifier is reused as late as possible.
    ///
    /// # Errors
    /// There are too many robots.
    pub(super) fn create(&mut self, connection: u32) -> Result<u16, WorldError> {
        // There are more identifiers than robots, so an identifier is always free.
        if self.robots.len() >= MAX_ROBOTS {
            return Err(WorldError::TooManyRobots);
        }
        let mut identifier = self.last_identifier;
        loop {
            identifier = identifier.checked_add(1).unwrap_or(1);
            if self.places[usize::from(identifier)] == 0 {
                break;
            }
        }
        self.last_identifier = identifier;
        self.robots.push(Robot { identifier, connection, last_used: self.now, placed: None, corners: 0 });
        self.places[usize::from(identifier)] = self.robots.len() as u16;
        Ok(identifier)
    }

    /// Returns the index in `robots` of a connection's robot, and records the time at which a message addressed the
    /// robot. Returns `None` if the connection has no robot with this identifier.
    pub(super) fn find(&mut self, connection: u32, identifier: u16) -> Option<usize> {
        let at = usize::from(self.places[usize::from(identifier)]).checked_sub(1)?;
        let robot = self.robots.get_mut(at).filter(|robot| robot.connection == connection)?;
        robot.last_used = self.now;
        Some(at)
    }

    pub(super) fn kill(&mut self, connection: u32, identifier: u16) {
        if self.find(connection, identifier).is_some() {
            self.retain(|robot| robot.identifier != identifier);
        }
    }

    /// Removes the robots for which `keep` is false. Returns the number of removed robots.
    pub(super) fn retain(&mut self, keep: impl FnMut(&Robot) -> bool) -> usize {
        let before = self.robots.len();
        let mut keep = keep;
        let (places, corners) = (&mut self.places, &mut self.corners);
        self.robots.retain(|robot| {
            let kept = keep(robot);
            if !kept {
                places[usize::from(robot.identifier)] = 0;
                *corners -= robot.corners;
            }
            kept
        });
        for (place, robot) in (1..).zip(&self.robots) {
            self.places[usize::from(robot.identifier)] = place;
        }
        before - self.robots.len()
    }

    /// Checks that the robots would not have too many corners if the robot at index `at` had this body.
    ///
    /// # Errors
    /// The robots would have too many corners.
    pub(super) fn check_corners(&self, at: usize, body: &Body) -> Result<(), WorldError> {
        let total = self.corners - self.robots[at].corners + body.corners();
        if total > MAX_WORLD_CORNERS { Err(WorldError::TooManyCorners(total)) } else { Ok(()) }
    }

    /// Gives the robot at index `at` a body and a pose, in place of any earlier body.
    pub(super) fn place(&mut self, at: usize, placed: PlacedBody) {
        let robot = &mut self.robots[at];
        let corners = placed.body.corners();
        self.corners = self.corners - robot.corners + corners;
        robot.corners = corners;
        robot.placed = Some(placed);
    }

    /// Sets the pose of the robot at index `at`, if the robot has a body.
    pub(super) fn put(&mut self, at: usize, pose: Pose, terrain: &Terrain) {
        if let Some(placed) = &mut self.robots[at].placed {
            placed.put(pose, terrain);
        }
    }
}
