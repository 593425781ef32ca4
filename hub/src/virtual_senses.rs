//! Virtual compass and range and bearing, made from poses (thesis 6.3.3, 7.3.3). A plain state machine.

use crate::config::Senses;
use crate::mocap::Frame;
use std::collections::VecDeque;
use xpuck_kernels::math::wrap_angle;
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_wire::message::ToRobot;

/// Frames held back at most; two seconds at 100 Hz.
const HELD: usize = 200;

/// Holds poses back for the latency and makes each robot's message from them.
#[derive(Debug)]
pub struct VirtualSenses {
    settings: Senses,
    seed: u64,
    held: VecDeque<(f64, Frame)>,
    round: u32,
    next: f64,
}

impl VirtualSenses {
    /// A maker of senses; `seed` fixes its noise.
    pub fn new(settings: Senses, seed: u64) -> VirtualSenses {
        VirtualSenses { settings, seed, held: VecDeque::new(), round: 0, next: 0.0 }
    }

    /// Takes a frame that came at `now`.
    pub fn take(&mut self, now: f64, frame: Frame) {
        if self.held.len() == HELD {
            self.held.pop_front();
        }
        self.held.push_back((now, frame));
    }

    /// The messages due at `now`, for those of `robots` that are seen.
    pub fn due(&mut self, now: f64, robots: &[String]) -> Vec<(String, ToRobot)> {
        if now < self.next {
            return Vec::new();
        }
        let period = 1.0 / self.settings.rate_hz;
        // After a stall the rate goes on from now instead of sending what was missed.
        self.next = if now - self.next > 4.0 * period { now + period } else { self.next + period };
        while self.held.get(1).is_some_and(|(at, _)| now - at >= self.settings.latency_s) {
            self.held.pop_front();
        }
        let Some((at, frame)) = self.held.front().filter(|(at, _)| now - at >= self.settings.latency_s) else {
            return Vec::new();
        };
        self.round = self.round.wrapping_add(1);
        let message = |(i, id): (usize, &String)| Some((id.clone(), self.sense(frame, now - at, i, id, robots)?));
        robots.iter().enumerate().filter_map(message).collect()
    }

    fn sense(&self, frame: &Frame, age: f64, me: usize, id: &str, robots: &[String]) -> Option<ToRobot> {
        let pose = frame.pose(id)?;
        let mut draws = Draws::new(self.seed, 0, me as u32, self.round, Stream::Device);
        let mut neighbours = Vec::new();
        for other in robots.iter().filter(|r| *r != id) {
            let Some(theirs) = frame.pose(other) else { continue };
            let between = theirs.at - pose.at;
            let range = between.length();
            if range > self.settings.range_m || draws.unit() < self.settings.loss {
                continue;
            }
            let (a, b) = normal_pair(draws.word(), draws.word());
            let bearing = wrap_angle(between.angle() - pose.heading) + a * self.settings.bearing_noise_rad;
            neighbours.push(((range + b * self.settings.range_noise_m).max(0.0), wrap_angle(bearing)));
        }
        Some(ToRobot::Senses { up: -pose.heading, neighbours, age })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocap::Tracked;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::world::Pose;

    fn frame(number: u32, bodies: &[(&str, f32, f32, f32)]) -> Frame {
        let tracked =
            |b: &(&str, f32, f32, f32)| Tracked { name: b.0.into(), pose: Pose { at: vec2(b.1, b.2), heading: b.3 } };
        Frame { number, bodies: bodies.iter().map(tracked).collect() }
    }

    fn robots() -> Vec<String> {
        ["xp01", "xp02", "xp03"].map(String::from).to_vec()
    }

    #[test]
    fn range_bearing_and_compass_are_exact_without_noise() {
        let mut senses = VirtualSenses::new(Senses { latency_s: 0.0, ..Senses::default() }, 1);
        senses.take(0.0, frame(1, &[("xp01", 0.0, 0.0, 1.0), ("xp02", 0.0, 0.3, 0.0), ("xp03", 0.9, 0.0, 0.0)]));
        let sent = senses.due(0.0, &robots());
        assert_eq!(sent.len(), 3);
        let ToRobot::Senses { up, neighbours, age } = &sent[0].1 else { panic!() };
        assert_eq!((*up, *age, neighbours.len()), (-1.0, 0.0, 1));
        let (range, bearing) = neighbours[0];
        assert!((range - 0.3).abs() < 1e-6 && (bearing - (std::f32::consts::FRAC_PI_2 - 1.0)).abs() < 1e-6);
    }

    #[test]
    fn poses_are_held_back_and_sent_at_the_rate() {
        let mut senses = VirtualSenses::new(Senses { latency_s: 0.1, ..Senses::default() }, 1);
        let mut ages = Vec::new();
        for i in 0..100 {
            let now = f64::from(i) * 0.02;
            senses.take(now, frame(i, &[("xp01", 0.0, 0.0, 0.0)]));
            for (_, message) in senses.due(now, &robots()) {
                let ToRobot::Senses { age, .. } = message else { panic!() };
                ages.push(age);
            }
        }
        assert!((44..=50).contains(&ages.len()), "25 a second for 2 s: {}", ages.len());
        assert!(ages.iter().all(|a| (0.1 - 1e-9..0.13).contains(a)), "{ages:?}");
    }

    #[test]
    fn loss_and_noise_are_as_set_and_hidden_robots_get_nothing() {
        let settings = Senses { latency_s: 0.0, loss: 0.5, bearing_noise_rad: 0.1, ..Senses::default() };
        let mut senses = VirtualSenses::new(settings, 1);
        let mut bearings = Vec::new();
        for i in 0..1000 {
            // A little over the period, so that rounding cannot make a message due too late.
            let now = f64::from(i) * 0.041;
            senses.take(now, frame(i, &[("xp01", 0.0, 0.0, 0.0), ("xp02", 0.2, 0.0, 0.0)]));
            let sent = senses.due(now, &robots());
            assert!(sent.iter().all(|(id, _)| id != "xp03"));
            let ToRobot::Senses { neighbours, .. } = &sent[0].1 else { panic!() };
            bearings.extend(neighbours.iter().map(|n| f64::from(n.1)));
        }
        assert!((430..570).contains(&bearings.len()), "half are lost: {}", bearings.len());
        let square = bearings.iter().map(|b| b * b).sum::<f64>() / bearings.len() as f64;
        assert!((square.sqrt() - 0.1).abs() < 0.02, "{}", square.sqrt());
    }
}
