//! Contacts with walls and obstacles, and distances to the edges of lines and light.

use super::World;
use super::count::Crossing;
use super::numbers::{between, gaussian, later, max_f64};
use crate::cargo::motion::{Pose, direction};
use crate::cargo::scene::TICK;
use xpuck_kernels::math::{Vec2, min, vec2};

impl World<'_> {
    /// Updates the contact with walls and obstacles at `time` (ms). If the contact has begun or ended since `last`
    /// (ms), returns the time of this change and [`Crossing::Contact`]. Otherwise returns `time` and
    /// [`Crossing::None`].
    pub(super) fn meet(&mut self, last: f64, time: f64) -> (f64, Crossing) {
        if let Some(normal) = self.contact {
            let away = |t: f64| self.command.0 * direction(self.stretch.pose(t).heading).dot(normal);
            let (earlier, now) = (away(last), away(time));
            if now > 0.0 {
                let at = between(last, time, earlier, now);
                let pose = self.stretch.pose(time);
                self.start_motion(time, pose);
                self.schedule_senses();
                return (at, Crossing::Contact);
            }
            self.senses.pressed = direction(self.stretch.pose(time).heading).dot(normal) < 0.0;
            self.due.walls = if self.stretch.turn == 0.0 { u32::MAX } else { self.now + TICK };
            return (time, Crossing::None);
        }
        let clearance = self.clearance(self.stretch.pose(time).at).0;
        if clearance >= 0.0 {
            self.due.walls = later(self.now, clearance, self.stretch.speed.abs());
            return (time, Crossing::None);
        }
        let (mut free, mut met) = (max_f64(last, self.stretch.since), time);
        for _ in 0..12 {
            let middle = 0.5 * (free + met);
            if self.clearance(self.stretch.pose(middle).at).0 >= 0.0 { free = middle } else { met = middle }
        }
        let mut pose = self.stretch.pose(free);
        self.contact = Some(self.clearance(pose.at).1);
        pose.heading += gaussian(self.prepared.scene.noise.obstacle, &mut self.draws);
        self.start_motion(free, pose);
        self.schedule_senses();
        (free, Crossing::Contact)
    }

    /// Returns the distance from the robot's rim to the nearest wall or obstacle, and the direction away from the
    /// nearest wall or obstacle.
    pub(super) fn clearance(&self, at: Vec2) -> (f32, Vec2) {
        let scene = &self.prepared.scene;
        let mut nearest = (at.x, vec2(1.0, 0.0));
        let [width, height] = scene.size;
        for (distance, normal) in
            [(width - at.x, vec2(-1.0, 0.0)), (at.y, vec2(0.0, 1.0)), (height - at.y, vec2(0.0, -1.0))]
        {
            if distance < nearest.0 {
                nearest = (distance, normal);
            }
        }
        for rect in &scene.obstacles {
            let away = at - rect.nearest(at);
            let distance = away.length();
            if distance < nearest.0 && distance > 0.0 {
                nearest = (distance, away * (1.0 / distance));
            }
        }
        (nearest.0 - scene.body.radius, nearest.1)
    }

    /// Returns the distance from the line sensor to the nearest edge of a line. The distance is negative on a line.
    pub(super) fn line_edge(&self, pose: Pose) -> f32 {
        let body = &self.prepared.scene.body;
        let spot = pose.at + direction(pose.heading) * (body.radius * body.line_sensor);
        self.prepared.segments.iter().fold(f32::MAX, |least, segment| min(least, segment.signed_distance(spot)))
    }

    /// Returns the distance from `at` to the nearest edge of a lit disc. The distance is negative inside a disc.
    pub(super) fn light_edge(&self, at: Vec2) -> f32 {
        let lamps = self.prepared.scene.lamps.iter().zip(&self.prepared.lit_radii).enumerate();
        lamps
            .filter(|(i, _)| self.lamps >> i & 1 == 1)
            .fold(f32::MAX, |least, (_, (lamp, radius))| min(least, (at - vec2(lamp.x, lamp.y)).length() - radius))
    }
}
