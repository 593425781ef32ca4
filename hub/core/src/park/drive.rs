//! Path following: a robot steers towards a point ahead on its path. It turns on the spot if its heading error is
//! large, and stops before it touches something.

use super::free_space::FreeSpace;
use super::plan::TimedPath;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::model::{ROBOT_RADIUS, WHEELBASE};
use xpuck_kernels::world::Pose;

/// Look-ahead time of the point towards which a robot steers (s).
const AHEAD: f64 = 0.6;
/// Look-ahead time for the heading of a robot that waits on its path (s).
const LOOK: f64 = 2.5;
/// Maximum forward speed (m/s) and maximum turning speed (rad/s).
const SPEED: f32 = 0.11;
const TURN: f32 = 2.5;
/// Gain of the heading controller: turning speed per heading error (1/s).
const GAIN: f32 = 2.6;
/// Heading error beyond which the robot turns on the spot (rad).
const WIDE: f32 = 0.7;
/// Distance from the goal within which the robot may drive backwards (m).
const NEAR: f32 = 0.045;
/// Position error (m) and heading error (rad) below which a robot counts as arrived. Afterwards it counts as arrived
/// until one of its errors reaches the greater limit in `DISPLACED`.
const ARRIVED: (f32, f32) = (0.007, 0.05);
const DISPLACED: (f32, f32) = (0.013, 0.1);
/// Look-ahead times at which contact is checked (s).
const FORESEEN: [f32; 4] = [0.12, 0.25, 0.4, 0.55];
/// Minimum gap between two robots, between a robot and a disc, and between a robot and a wall (m).
const GAPS: (f32, f32, f32) = (0.009, 0.012, 0.004);

/// Speeds of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Forward speed (m/s).
    pub speed: f32,
    /// Turning speed, counter-clockwise (rad/s).
    pub turn: f32,
}

impl Motion {
    /// Returns the speeds of the left and right wheel over the floor (m/s).
    pub fn wheels(self) -> [f32; 2] {
        let side = self.turn * WHEELBASE / 2.0;
        [self.speed - side, self.speed + side]
    }

    fn velocity(self, heading: f32) -> Vec2 {
        Vec2::unit(heading) * self.speed
    }
}

/// Returns whether a robot is at its goal. `there` is the previous result, which adds hysteresis.
pub fn has_arrived(pose: Pose, goal: Pose, there: bool) -> bool {
    let (near, straight) = if there { DISPLACED } else { ARRIVED };
    (pose.at - goal.at).length() < near && wrap_angle(goal.heading - pose.heading).abs() < straight
}

/// Returns the motion of a robot `since` seconds after the start of its path, and whether the robot turns on the spot
/// at its goal. `turning` is the second value of the previous call.
pub fn follow(pose: Pose, goal: Pose, way: &TimedPath, since: f64, turning: bool) -> (Motion, bool) {
    let ahead = way.after(since + AHEAD);
    let to_goal = (goal.at - pose.at).length();
    let ends = (ahead - goal.at).length() < 1e-4;
    let near = if turning { DISPLACED.0 } else { ARRIVED.0 };
    if ends && to_goal < near {
        let off = wrap_angle(goal.heading - pose.heading);
        return (Motion { speed: 0.0, turn: (GAIN * off).clamp(-TURN, TURN) }, true);
    }
    let mut way_to = ahead - pose.at;
    let mut speed = (way_to.length() / AHEAD as f32).min(SPEED);
    if !ends && way_to.length() < 0.012 {
        // The robot waits at this point of its path. Meanwhile it turns in the direction in which the path continues.
        let later = (3..=10).map(|k| way.after(since + LOOK * f64::from(k) / 10.0) - pose.at);
        way_to = later.into_iter().find(|later| later.length() > 0.03).unwrap_or(Vec2::ZERO);
        speed = 0.0;
        if way_to == Vec2::ZERO {
            return (Motion::default(), false);
        }
    }
    let mut off = wrap_angle(way_to.angle() - pose.heading);
    if ends && to_goal < NEAR && off.abs() > std::f32::consts::FRAC_PI_2 {
        (off, speed) = (wrap_angle(off + std::f32::consts::PI), -speed);
    }
    let turn = (GAIN * off).clamp(-TURN, TURN);
    let speed = if off.abs() > WIDE { 0.0 } else { speed * Vec2::unit(off).x };
    (Motion { speed, turn }, false)
}

/// Another robot, with its velocity.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// Position of the centre (m).
    pub at: Vec2,
    /// Velocity (m/s).
    pub velocity: Vec2,
}

impl Other {
    /// Creates the entry of a robot from its pose and motion.
    pub fn robot(pose: Pose, motion: Motion) -> Other {
        Other { at: pose.at, velocity: motion.velocity(pose.heading) }
    }
}

/// Returns the given motion of a robot, with forward speed 0 if the robot would otherwise soon touch a disc, a wall or
/// another robot.
pub fn without_touching(pose: Pose, motion: Motion, room: &FreeSpace, others: &[Other]) -> Motion {
    let velocity = motion.velocity(pose.heading);
    let (robots, discs, walls) = GAPS;
    let nearer = |gap: f32, now: f32, least: f32| gap < least && gap < now - 0.001;
    let touches = FORESEEN.into_iter().any(|time| {
        let at = pose.at + velocity * time;
        let gap = |other: &Other| (at - other.at - other.velocity * time).length() - 2.0 * ROBOT_RADIUS;
        let now = |other: &Other| (pose.at - other.at).length() - 2.0 * ROBOT_RADIUS;
        nearer(room.to_discs(at), room.to_discs(pose.at), discs)
            || nearer(room.to_walls(at), room.to_walls(pose.at), walls)
            || others.iter().any(|other| {
                // A robot does not stop for another robot that approaches from behind.
                let apart = pose.at - other.at;
                velocity.dot(apart) < 0.0 && nearer(gap(other), now(other), robots)
            })
    });
    if touches { Motion { speed: 0.0, ..motion } } else { motion }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::vec2;

    fn pose(x: f32, y: f32, heading: f32) -> Pose {
        Pose { at: vec2(x, y), heading }
    }

    #[test]
    fn robot_turns_then_drives_then_turns_at_goal() {
        let goal = pose(0.3, 0.0, 1.0);
        let way = TimedPath((0..=12).map(|k| vec2(0.025 * k as f32, 0.0)).collect());
        let (motion, _) = follow(pose(0.0, 0.0, 2.0), goal, &way, 0.0, false);
        assert!(motion.speed == 0.0 && motion.turn < -1.0, "{motion:?}");
        let (motion, _) = follow(pose(0.0, 0.0, 0.0), goal, &way, 0.0, false);
        assert!((motion.speed - 0.1).abs() < 0.01 && motion.turn.abs() < 1e-3, "{motion:?}");
        let (motion, turning) = follow(pose(0.302, 0.001, 0.0), goal, &way, 3.0, false);
        assert!(turning && motion.speed == 0.0 && motion.turn > 1.0, "{motion:?}");
        let (motion, _) = follow(pose(0.32, 0.0, 0.1), goal, &way, 3.0, false);
        assert!(motion.speed < -0.02 && motion.turn.abs() < 0.5, "backwards: {motion:?}");
        assert!(motion.wheels().iter().all(|wheel| wheel.abs() < 0.13));
    }

    #[test]
    fn robot_stops_before_contact_and_may_drive_away() {
        let room = FreeSpace { half: vec2(1.0, 0.75), walls: Vec::new(), discs: vec![(Vec2::ZERO, 0.105)] };
        let ahead = Motion { speed: 0.1, turn: 0.3 };
        let at = |x: f32, heading: f32, others: &[Other]| without_touching(pose(x, 0.0, heading), ahead, &room, others);
        assert_eq!(at(-0.18, 0.0, &[]).speed, 0.0, "the frisbee is ahead");
        assert_eq!(at(-0.18, 3.1, &[]).speed, 0.1, "the frisbee is behind");
        assert_eq!(at(0.95, 0.0, &[]).speed, 0.0, "a wall is ahead");
        let other = |velocity| [Other { at: vec2(0.62, 0.0), velocity }];
        assert_eq!(at(0.5, 0.0, &other(Vec2::ZERO)).speed, 0.0);
        assert_eq!(at(0.5, 0.0, &other(vec2(0.1, 0.0))).speed, 0.1, "it goes ahead as fast");
        assert_eq!(at(0.5, 3.1, &other(vec2(-0.1, 0.0))).speed, 0.1, "it follows");
    }
}
