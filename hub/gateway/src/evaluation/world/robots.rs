//! Robots of a world and their identifiers.

use super::WorldError;
use super::ground::Terrain;
use super::pose::Pose;
use super::shape::{Body, PlacedBody};

/// Maximum number of robots of all connections.
pub const MAX_ROBOTS: usize = 1024;
/// Maximum number of corners of the convex parts of all robots.
pub const MAX_WORLD_CORNERS: usize = 16_384;

/// Robot; it has a pose once its shape is known.
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
    /// For each identifier, the robot's index in the list plus 1; 0 if unused.
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

    /// Bodies of all robots except one.
    pub(super) fn others(&self, at: usize) -> impl Iterator<Item = &PlacedBody> + Clone {
        let (before, after) = self.robots.split_at(at);
        before.iter().chain(&after[1..]).filter_map(|robot| robot.placed.as_ref())
    }

    /// Creates a robot; returns the identifier after the last used identifier, so that a freed identifier is reused as
    /// late as possible.
    ///
    /// # Errors
    /// There are too many robots.
    pub(super) fn create(&mut self, connection: u32) -> Result<u16, WorldError> {
        // There are more identifiers than robots, so one is always free.
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

    /// Index of a connection's robot in the list; marks the robot as in use.
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

    /// Removes the robots that do not satisfy `keep`; returns their number.
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

    /// # Errors
    /// With this body the robots would have too many corners.
    pub(super) fn check_corners(&self, at: usize, body: &Body) -> Result<(), WorldError> {
        let total = self.corners - self.robots[at].corners + body.corners();
        if total > MAX_WORLD_CORNERS { Err(WorldError::TooManyCorners(total)) } else { Ok(()) }
    }

    /// Gives a robot a body and a pose.
    pub(super) fn place(&mut self, at: usize, placed: PlacedBody) {
        let robot = &mut self.robots[at];
        let corners = placed.body.corners();
        self.corners = self.corners - robot.corners + corners;
        robot.corners = corners;
        robot.placed = Some(placed);
    }

    /// Moves a robot that has a body.
    pub(super) fn put(&mut self, at: usize, pose: Pose, terrain: &Terrain) {
        if let Some(placed) = &mut self.robots[at].placed {
            placed.put(pose, terrain);
        }
    }
}
