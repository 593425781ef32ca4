//! From a way to wheels: a robot follows where its way is a little later, turns on the spot where it is far off that
//! direction, and stands rather than touch anything.

use super::plan::Way;
use super::room::Room;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::model::{ROBOT_RADIUS, WHEELBASE};
use xpuck_kernels::world::Pose;

/// A robot steers for where its way is so much later, s.
const AHEAD: f64 = 0.6;
/// While its way waits, it turns to where the way goes on within this time, s.
const LOOK: f64 = 2.5;
/// Fastest, m/s and rad/s.
const SPEED: f32 = 0.11;
const TURN: f32 = 2.5;
/// Turning speed for each radian that the heading is off, 1/s.
const GAIN: f32 = 2.6;
/// Farther off it turns on the spot, rad.
const WIDE: f32 = 0.7;
/// This near its place a robot may drive backwards, m.
const NEAR: f32 = 0.045;
/// At its place when it is so near, m, and its heading is off so little, rad; and until it is so far off again.
const ARRIVED: (f32, f32) = (0.007, 0.05);
const LEFT: (f32, f32) = (0.013, 0.1);
/// How far ahead it is looked for what would be touched, s.
const FORESEEN: [f32; 4] = [0.12, 0.25, 0.4, 0.55];
/// Rims of robots, and of a robot and a disc, and of a robot and a wall, come no nearer than this, m.
const GAPS: (f32, f32, f32) = (0.009, 0.012, 0.004);

/// How a robot is to move: along its heading, m/s, and turning, rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Speed along the heading, m/s.
    pub speed: f32,
    /// Speed of turning, counter-clockwise, rad/s.
    pub turn: f32,
}

impl Motion {
    /// The left and right wheel's speeds over the floor, m/s.
    pub fn wheels(self) -> [f32; 2] {
        let side = self.turn * WHEELBASE / 2.0;
        [self.speed - side, self.speed + side]
    }

    fn velocity(self, heading: f32) -> Vec2 {
        Vec2::unit(heading) * self.speed
    }
}

/// Whether a robot stands at its place; `there` is whether it did a moment ago.
pub fn is_there(pose: Pose, goal: Pose, there: bool) -> bool {
    let (near, straight) = if there { LEFT } else { ARRIVED };
    (pose.at - goal.at).length() < near && wrap_angle(goal.heading - pose.heading).abs() < straight
}

/// How a robot that is `since` seconds into its way goes on; `turning` is whether it turned at its place a moment ago.
pub fn follow(pose: Pose, goal: Pose, way: &Way, since: f64, turning: bool) -> (Motion, bool) {
    let ahead = way.after(since + AHEAD);
    let to_goal = (goal.at - pose.at).length();
    let ends = (ahead - goal.at).length() < 1e-4;
    let near = if turning { LEFT.0 } else { ARRIVED.0 };
    if ends && to_goal < near {
        let off = wrap_angle(goal.heading - pose.heading);
        return (Motion { speed: 0.0, turn: (GAIN * off).clamp(-TURN, TURN) }, true);
    }
    let mut way_to = ahead - pose.at;
    let mut speed = (way_to.length() / AHEAD as f32).min(SPEED);
    if !ends && way_to.length() < 0.012 {
        // It waits, and turns meanwhile.
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

/// Another body: where it is and how it moves, m and m/s.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// Its centre.
    pub at: Vec2,
    /// Its velocity.
    pub velocity: Vec2,
}

impl Other {
    /// A robot that moves so.
    pub fn robot(pose: Pose, motion: Motion) -> Other {
        Other { at: pose.at, velocity: motion.velocity(pose.heading) }
    }
}

/// The same motion, or only its turning where the robot would touch something soon.
pub fn without_touching(pose: Pose, motion: Motion, room: &Room, others: &[Other]) -> Motion {
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
                // Who is approached from behind by another does not stand still for that.
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
    fn a_robot_turns_first_then_drives_and_turns_at_its_place() {
        let goal = pose(0.3, 0.0, 1.0);
        let way = Way((0..=12).map(|k| vec2(0.025 * k as f32, 0.0)).collect());
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
    fn a_robot_stands_before_what_it_would_touch_and_may_leave_it() {
        let room = Room { half: vec2(1.0, 0.75), walls: Vec::new(), discs: vec![(Vec2::ZERO, 0.105)] };
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
