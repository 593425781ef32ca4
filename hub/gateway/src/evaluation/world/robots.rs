//! The robots of a world and their identifiers.

use super::WorldError;
use super::ground::Terrain;
use super::pose::Pose;
use super::shape::{Body, Placed};

/// Robots at a time, of all connections together.
pub const MAX_ROBOTS: usize = 1024;
/// Corners of all robots together, once their polygons are cut into convex ones.
pub const MAX_WORLD_CORNERS: usize = 16_384;

/// A robot, which has a place once its shape is known.
#[derive(Debug)]
pub(super) struct Robot {
    pub identifier: u16,
    pub connection: u32,
    /// When its identifier last came in a message, s.
    pub last_used: f64,
    pub placed: Option<Placed>,
    corners: usize,
}

#[derive(Debug)]
pub(super) struct Robots {
    robots: Vec<Robot>,
    /// For each identifier, one more than its robot's place in the list; 0 for none.
    places: Box<[u16]>,
    last_identifier: u16,
    /// Corners of all bodies.
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

    /// The bodies of all robots but one.
    pub(super) fn others(&self, at: usize) -> impl Iterator<Item = &Placed> + Clone {
        let (before, after) = self.robots.split_at(at);
        before.iter().chain(&after[1..]).filter_map(|robot| robot.placed.as_ref())
    }

    /// A new robot's identifier: the one after the last, so that one that became free is used again only after all others were.
    ///
    /// # Errors
    /// There are too many robots.
    pub(super) fn create(&mut self, connection: u32) -> Result<u16, WorldError> {
        // Fewer robots than identifiers: one of these is free.
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

    /// Where in the list a connection's robot is; notes that it is in use.
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

    /// Removes the others; tells how many.
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
    /// With that body instead of its own the robots would have too many corners.
    pub(super) fn check_corners(&self, at: usize, body: &Body) -> Result<(), WorldError> {
        let total = self.corners - self.robots[at].corners + body.corners();
        if total > MAX_WORLD_CORNERS { Err(WorldError::TooManyCorners(total)) } else { Ok(()) }
    }

    /// Gives a robot a body and a place.
    pub(super) fn place(&mut self, at: usize, placed: Placed) {
        let robot = &mut self.robots[at];
        let corners = placed.body.corners();
        self.corners = self.corners - robot.corners + corners;
        robot.corners = corners;
        robot.placed = Some(placed);
    }

    /// Puts a robot that has a body elsewhere.
    pub(super) fn put(&mut self, at: usize, pose: Pose, terrain: &Terrain) {
        if let Some(placed) = &mut self.robots[at].placed {
            placed.put(pose, terrain);
        }
    }
}
