//! Manual operations on the arena from outside the simulated world: placing, pushing and removing bodies, charging
//! batteries, and driving robots whose boards are silent.

use super::Arena;
use crate::robot::Guest;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::physics::{self, Physics};
use xpuck_kernels::world::{Body, Pose, senses};

/// Parameters of the search for a free place (m): maximum distance from the wanted place, distance between circles,
/// and distance between places on a circle.
const SEARCH_RADIUS: f32 = 0.5;
const CIRCLE_STEP: f32 = 0.01;
const PLACE_SPACING: f32 = 0.02;
/// Gap between bodies that are placed next to each other (m).
const GAP: f32 = 0.001;
/// Maximum speed of a pushed disc (m/s).
pub const MAX_PUSH_SPEED: f32 = 2.0;
/// Place of removed robots: y coordinate, and minimum of the x coordinates (m). No sensor or camera reaches this place.
const OUTSIDE: f32 = 1000.0;

impl Arena {
    /// Places a body at rest at `at` (m), or at the nearest free place within 0.5 m. `body` is an index in the list of
    /// the robots, then the discs. Without a finite `heading` (rad), the body keeps its heading. Returns the new
    /// position; `None` if the body does not exist, there is no room, or the robot was removed.
    pub fn put(&mut self, body: usize, at: Vec2, heading: Option<f32>) -> Option<Vec2> {
        if body >= self.bodies.len() || self.is_removed(body) {
            return None;
        }
        let at = free_place(&self.bodies, body, at, &self.physics)?;
        let heading = heading.filter(|heading| heading.is_finite()).unwrap_or(self.bodies[body].pose.heading);
        let there = &mut self.bodies[body];
        (there.pose, there.velocity, there.spin) = (Pose { at, heading }, Vec2::ZERO, 0.0);
        // The body did not move by itself, so poses are not interpolated between the old and the new place.
        self.previous[body] = there.pose;
        Some(at)
    }

    /// Sets the velocity of a disc (m/s), limited to [`MAX_PUSH_SPEED`], and clears the disc's spin. `disc` is an index
    /// in the list of the discs. Returns false if the disc does not exist or the velocity is not finite.
    pub fn push(&mut self, disc: usize, velocity: Vec2) -> bool {
        let place = self.robots.len() + disc;
        let Some(disc) = self.bodies.get_mut(place) else { return false };
        let speed = velocity.length();
        let limited = if speed > MAX_PUSH_SPEED { velocity * (MAX_PUSH_SPEED / speed) } else { velocity };
        if !(limited.x.is_finite() && limited.y.is_finite()) {
            return false;
        }
        (disc.velocity, disc.spin) = (limited, 0.0);
        true
    }

    /// Removes a robot for the rest of the run: empties the robot's battery and moves the robot far away. Motion
    /// capture still reports the robot. Returns false if the robot does not exist.
    pub fn remove(&mut self, robot: usize) -> bool {
        let Some(away) = self.away.get_mut(robot) else { return false };
        *away = true;
        self.robots[robot].power.battery.set_charge(0.0);
        let pose = Pose { at: vec2(OUTSIDE + robot as f32, OUTSIDE), heading: 0.0 };
        self.bodies[robot] = Body::at_rest(self.bodies[robot].shape, pose);
        self.previous[robot] = pose;
        true
    }

    /// Returns whether the robot was removed.
    pub fn is_removed(&self, robot: usize) -> bool {
        self.away.get(robot).copied().unwrap_or(false)
    }

    /// Sets the charge of a robot's battery (0..=1). Returns false if the robot does not exist.
    pub fn charge(&mut self, robot: usize, part: f64) -> bool {
        let robot = self.robots.get_mut(robot);
        robot.map(|robot| robot.power.battery.set_charge(part)).is_some()
    }

    /// Returns whether the robot's board addressed the robot's body in the last 2 s.
    pub fn is_commanded(&self, robot: usize) -> bool {
        self.robots.get(robot).is_some_and(|robot| robot.is_spoken_to())
    }

    /// Sets the manual drive command that applies while the robot's board is silent; `None` stops the robot.
    pub fn set_manual_drive(&mut self, robot: usize, guest: Option<Guest>) {
        if let Some(robot) = self.robots.get_mut(robot) {
            robot.invite(guest);
        }
    }

    /// Returns noise-free readings of the robot's proximity sensors: 1 - distance/range, or 0 if nothing is in range.
    /// All readings are 0 if the robot does not exist.
    pub fn proximity(&self, robot: usize) -> [f32; 8] {
        if robot < self.robots.len() { senses::proximity(&self.bodies, robot, &self.physics) } else { [0.0; 8] }
    }

    /// Returns the positions and heights of the lights (m).
    pub fn lights(&self) -> impl Iterator<Item = (Vec2, f32)> {
        self.lighting.lights.iter().map(|light| (light.at, light.height))
    }

    /// Advances the physics by one step for all bodies that were not removed.
    pub(super) fn move_bodies(&mut self) {
        if !self.away.contains(&true) {
            return physics::step(&mut self.bodies, &self.physics, self.seed, 0, self.steps);
        }
        let away = &self.away;
        let there = || (0..self.bodies.len()).filter(|i| !away.get(*i).copied().unwrap_or(false));
        let mut bodies: Vec<Body> = there().map(|i| self.bodies[i]).collect();
        physics::step(&mut bodies, &self.physics, self.seed, 0, self.steps);
        let places: Vec<usize> = there().collect();
        places.into_iter().zip(bodies).for_each(|(i, body)| self.bodies[i] = body);
    }
}

/// Finds a free place for the body `me`, near `wanted`. The search tries concentric circles around `wanted`, the
/// smallest first. Returns `None` if no place within `SEARCH_RADIUS` is free.
fn free_place(bodies: &[Body], me: usize, wanted: Vec2, physics: &Physics) -> Option<Vec2> {
    let radius = bodies[me].shape.radius + GAP;
    let (half_x, half_y) = (physics.half_arena.0 - radius, physics.half_arena.1 - radius);
    if !(wanted.x.is_finite() && wanted.y.is_finite()) || half_x < 0.0 || half_y < 0.0 {
        return None;
    }
    let inside = |at: Vec2| vec2(at.x.clamp(-half_x, half_x), at.y.clamp(-half_y, half_y));
    let free = |at: &Vec2| {
        physics.walls.iter().all(|wall| wall.offset(*at).length() >= radius)
            && bodies
                .iter()
                .enumerate()
                .all(|(i, other)| i == me || (other.pose.at - *at).length() >= other.shape.radius + radius)
    };
    let middle = inside(wanted);
    let circles = (0..=(SEARCH_RADIUS / CIRCLE_STEP) as u32).flat_map(|circle| {
        let away = circle as f32 * CIRCLE_STEP;
        let places = ((std::f32::consts::TAU * away / PLACE_SPACING) as u32).max(1);
        (0..places).map(move |place| Vec2::unit(std::f32::consts::TAU * place as f32 / places as f32) * away)
    });
    // Places outside the arena are moved to the arena's edge.
    let found = circles.map(|offset| inside(middle + offset)).find(free)?;
    ((found - wanted).length() <= SEARCH_RADIUS).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::for_tests;
    use xpuck_kernels::model::{DT, ROBOT_RADIUS, V_MAX};
    use xpuck_registers::spi::{Command, Pixel};

    fn arena(robots: usize) -> Arena {
        Arena::new(&for_tests(robots)).unwrap()
    }

    #[test]
    fn bodies_are_put_where_there_is_room() {
        let mut arena = arena(3);
        assert_eq!(arena.put(0, vec2(0.4, 0.3), Some(1.0)), Some(vec2(0.4, 0.3)));
        let beside = arena.put(1, vec2(0.4, 0.3), None).unwrap();
        let apart = (beside - vec2(0.4, 0.3)).length();
        assert!((2.0 * ROBOT_RADIUS..2.0 * ROBOT_RADIUS + 0.02).contains(&apart), "{apart}");
        assert_eq!((arena.put(2, vec2(1e30, 0.0), None), arena.put(2, vec2(1.6, 0.0), None)), (None, None), "too far");
        let in_wall = arena.put(2, vec2(1.2, 0.0), None).unwrap();
        assert!(in_wall.x > 0.95 && in_wall.x + ROBOT_RADIUS < 1.0, "{in_wall:?}");
        assert_eq!((arena.put(2, vec2(f32::NAN, 0.0), None), arena.put(9, Vec2::ZERO, None)), (None, None));
        assert!((arena.bodies()[0].pose.heading - 1.0).abs() < 1e-6);
        // Discs can also be placed. The new position is visible at once.
        assert!(arena.put(3, vec2(-0.2, 0.1), None).is_some());
        assert_eq!(arena.poses(0.0)[3].at, vec2(-0.2, 0.1));
    }

    #[test]
    fn push_is_limited_and_moves_disc() {
        let mut arena = arena(1);
        arena.put(0, vec2(-0.8, 0.0), None);
        arena.put(1, vec2(0.0, 0.0), None);
        assert!(arena.push(0, vec2(1e9, 0.0)) && !arena.push(0, vec2(f32::NAN, 0.0)) && !arena.push(7, Vec2::ZERO));
        assert!((arena.bodies()[1].velocity.length() - MAX_PUSH_SPEED).abs() < 1e-3);
        arena.step();
        assert!(arena.bodies()[1].pose.at.x > 0.02);
    }

    #[test]
    fn removed_robot_is_out_of_reach() {
        let mut arena = arena(2);
        arena.put(0, vec2(0.3, 0.0), None);
        arena.put(1, vec2(0.4, 0.0), None);
        assert!(arena.remove(1) && !arena.remove(5) && arena.is_removed(1));
        (0..10).for_each(|_| arena.step());
        assert!(arena.bodies()[1].pose.at.x > 100.0 && arena.bodies()[0].pose.at.x < 0.31);
        assert!(arena.battery(1).is_empty() && arena.put(1, Vec2::ZERO, None).is_none());
        assert_eq!(arena.proximity(0), [0.0; 8]);
    }

    #[test]
    fn guest_drives_only_while_board_is_silent() {
        let mut arena = arena(1);
        arena.put(0, vec2(0.3, 0.0), Some(0.0));
        let colour = Pixel { red: 255, green: 0, blue: 0 };
        arena.set_manual_drive(0, Some(Guest { wheels: [9.0, 9.0], colour: Some(colour) }));
        (0..40).for_each(|_| arena.step());
        let driven = arena.bodies()[0].pose.at.x - 0.3;
        assert!((driven - V_MAX * 40.0 * DT).abs() < 0.02, "{driven}");
        assert_eq!(arena.lamps(0).pixels.unwrap()[0], colour);
        // A command of the board takes precedence over the manual drive command.
        arena.spi(0, &Command::default().encode());
        assert!(arena.is_commanded(0));
        let before = arena.bodies()[0].pose.at;
        (0..20).for_each(|_| arena.step());
        assert!((arena.bodies()[0].pose.at - before).length() < 0.02 && arena.lamps(0).pixels.unwrap()[0] != colour);
        (0..80).for_each(|_| arena.step());
        assert!(!arena.is_commanded(0) && arena.bodies()[0].pose.at.x > before.x + 0.02);
    }
}
