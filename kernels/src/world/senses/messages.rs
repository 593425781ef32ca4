//! The message distribution model of thesis 5.2.3, which decides which robots hear each other: parameters and pure
//! functions.
//!
//! A robot broadcasts only its number. Receivers also measure range and bearing of the sender. The hub computes
//! virtual senses with this model, and simulated worlds can use the same model.

use super::Neighbour;
use crate::math::{Vec2, wrap_angle};
use crate::model::{NEIGHBOUR_RANGE, ROBOT_RADIUS};
use crate::random::{Stream, normal_pair, random_block, unit};
use crate::world::Pose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Message distribution model. Omitted keys have the values of [`Messages::default`], where robots hear all robots
/// within 0.5 m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Messages {
    /// Message rate to each robot (Hz), 1 to 100.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub rate_hz: f64,
    /// Age of the poses in a message (s), 0 to 2; the thesis measured a total of 0.2 s (7.3.3).
    #[schemars(range(min = 0.0, max = 2.0))]
    pub latency_s: f64,
    /// Maximum distance between the robots' centres (m), 0 to 10.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub range_m: f32,
    /// Standard deviation of ranges (m), 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub range_noise_m: f32,
    /// Standard deviation of bearings (rad), 0 to 3.2.
    #[schemars(range(min = 0.0, max = 3.2))]
    pub bearing_noise_rad: f32,
    /// Probability that a robot within range is not heard in a message, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f32,
    /// Additional probability of loss at the end of the range, 0 to 1. It grows with the square of the distance and
    /// is independent of `loss`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_at_range: f32,
    /// Directivity of the sender towards its front, 0 (omnidirectional) to 8: the range at an angle `a` from its
    /// heading is multiplied by ((1 + cos a) / 2) to this power.
    #[schemars(range(min = 0, max = 8))]
    pub sender_lobe: u8,
    /// Directivity of the receiver towards its front, 0 (omnidirectional) to 8, as for `sender_lobe`.
    #[schemars(range(min = 0, max = 8))]
    pub receiver_lobe: u8,
    /// Spread of the range between robots, 0 to 0.9: each robot has one factor for sending and one for hearing, from
    /// 1 - spread to 1 + spread. Two robots may therefore hear each other in one direction only.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub gain_spread: f32,
    /// Seed of the robots' range factors: the same seed gives robot i the same factors.
    pub gain_seed: u64,
    /// Bodies that block messages.
    pub occlusion: Occlusion,
}

/// Bodies that block the straight line between two robots' centres; all bodies are circles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Occlusion {
    /// No bodies.
    #[default]
    None,
    /// Robots.
    Robots,
    /// Robots and discs.
    All,
}

impl Default for Messages {
    fn default() -> Messages {
        Messages {
            rate_hz: 25.0,
            latency_s: 0.06,
            range_m: NEIGHBOUR_RANGE,
            range_noise_m: 0.0,
            bearing_noise_rad: 0.0,
            loss: 0.0,
            loss_at_range: 0.0,
            sender_lobe: 0,
            receiver_lobe: 0,
            gain_spread: 0.0,
            gain_seed: 0,
            occlusion: Occlusion::None,
        }
    }
}

impl Messages {
    /// Validates the ranges of the values.
    ///
    /// # Errors
    /// The first value out of range: its key, value and range.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("rate_hz", self.rate_hz, 1.0, 100.0),
            ("latency_s", self.latency_s, 0.0, 2.0),
            ("range_m", self.range_m.into(), 0.0, 10.0),
            ("range_noise_m", self.range_noise_m.into(), 0.0, 1.0),
            ("bearing_noise_rad", self.bearing_noise_rad.into(), 0.0, 3.2),
            ("loss", self.loss.into(), 0.0, 1.0),
            ("loss_at_range", self.loss_at_range.into(), 0.0, 1.0),
            ("sender_lobe", self.sender_lobe.into(), 0.0, 8.0),
            ("receiver_lobe", self.receiver_lobe.into(), 0.0, 8.0),
            ("gain_spread", self.gain_spread.into(), 0.0, 0.9),
        ];
        match rows.into_iter().find(|(_, value, low, high)| !(low..=high).contains(&value)) {
            Some((key, value, low, high)) => Err(format!("messages.{key} = {value} is outside {low}..={high}")),
            None => Ok(()),
        }
    }

    /// Maximum distance at which a receiver hears a sender at the relative position `between`, given both headings
    /// (m).
    fn reach(&self, receiver: Pose, sender: Pose, between: Vec2, range: f32, gain: f32) -> f32 {
        let lobe = |power: u8, heading: f32, towards: Vec2| {
            let facing = if power == 0 || range == 0.0 { 1.0 } else { Vec2::unit(heading).dot(towards) / range };
            (0..power).fold(1.0, |product, _| product * (0.5 + 0.5 * facing))
        };
        let lobes = lobe(self.receiver_lobe, receiver.heading, between);
        self.range_m * gain * lobes * lobe(self.sender_lobe, sender.heading, -between)
    }

    /// Result of a message over an unobstructed line; `gain` multiplies the range, `words` are random.
    fn link(&self, receiver: Pose, sender: Pose, gain: f32, words: [u32; 4]) -> Option<Neighbour> {
        let between = sender.at - receiver.at;
        let range = between.length();
        let reach = self.reach(receiver, sender, between, range, gain);
        if range > reach {
            return None;
        }
        let part = if reach > 0.0 { range / reach } else { 0.0 };
        let heard = (1.0 - self.loss) * (1.0 - self.loss_at_range * part * part);
        if unit(words[0]) >= heard {
            return None;
        }
        let (a, b) = normal_pair(words[1], words[2]);
        let bearing = wrap_angle(between.angle() - receiver.heading) + a * self.bearing_noise_rad;
        Some(Neighbour { range: (range + b * self.range_noise_m).max(0.0), bearing: wrap_angle(bearing) })
    }
}

/// Identity of a message, which determines its random values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageId {
    /// Seed of the world or the run.
    pub seed: u64,
    /// Index of the world.
    pub world: u32,
    /// Number of the message since the start.
    pub number: u32,
}

/// The model with the range factors of the robots and the sizes of the discs.
#[derive(Clone, Debug)]
pub struct Channel {
    model: Messages,
    /// Range factors of each robot for sending and for hearing.
    gains: Vec<[f32; 2]>,
    /// Radii of the discs (m).
    discs: Vec<f32>,
}

impl Channel {
    /// Creates a channel for the given number of robots, at most 65535, and discs with these radii (m).
    pub fn new(model: Messages, robots: usize, discs: Vec<f32>) -> Channel {
        let gain = |word: u32| 1.0 + model.gain_spread * (2.0 * unit(word) - 1.0);
        let gains = (0..robots as u32).map(|robot| {
            let words = random_block(model.gain_seed, 0, robot, u32::MAX, Stream::Messages, 0);
            [gain(words[0]), gain(words[1])]
        });
        Channel { gains: gains.collect(), model, discs }
    }

    /// Range factors of each robot for sending and for hearing.
    pub(crate) fn gains(&self) -> &[[f32; 2]] {
        &self.gains
    }

    /// Radii of the discs (m).
    pub fn discs(&self) -> &[f32] {
        &self.discs
    }

    /// The model.
    pub fn model(&self) -> &Messages {
        &self.model
    }

    /// Calls `each` for every robot that robot `me` hears in a message, with its number and relative position, in
    /// ascending order. `bodies` contains robots, then discs; a body without a pose neither sends nor blocks.
    pub fn receive(
        &self,
        moment: MessageId,
        me: usize,
        bodies: &[Option<Pose>],
        mut each: impl FnMut(usize, Neighbour),
    ) {
        self.receive_from(moment, me, bodies, 0..self.gains.len(), &mut each);
    }

    /// Performs [`Channel::receive`] for the candidates `robots` only, which must include all robots within
    /// [`Channel::reach`], in ascending order.
    pub(crate) fn receive_from(
        &self,
        moment: MessageId,
        me: usize,
        bodies: &[Option<Pose>],
        robots: impl Iterator<Item = usize> + Clone,
        mut each: impl FnMut(usize, Neighbour),
    ) {
        let at = |body: usize| bodies.get(body).copied().flatten();
        let Some(receiver) = at(me) else { return };
        for other in robots.clone() {
            let Some(sender) = at(other).filter(|_| other != me) else { continue };
            let gain = self.gains[other][0] * self.gains[me][1];
            let limit = self.model.range_m * gain;
            // Most robots are out of range and are skipped first.
            if (sender.at - receiver.at).length_squared() > limit * limit {
                continue;
            }
            let words =
                random_block(moment.seed, moment.world, me as u32, moment.number, Stream::Messages, other as u32);
            let Some(neighbour) = self.model.link(receiver, sender, gain, words) else { continue };
            if !self.is_occluded([me, other], [receiver.at, sender.at], robots.clone(), at) {
                each(other, neighbour);
            }
        }
    }

    /// Maximum distance at which a robot can be heard or can block another robot (m).
    pub(crate) fn reach(&self) -> f32 {
        let widest = |side: usize| self.gains.iter().map(|gains| gains[side]).fold(0.0, f32::max);
        self.model.range_m * widest(0) * widest(1) + ROBOT_RADIUS
    }

    /// True if one of `robots`, or a disc, blocks the line between two robots; `at` returns the poses of bodies.
    fn is_occluded(
        &self,
        two: [usize; 2],
        [from, to]: [Vec2; 2],
        robots: impl Iterator<Item = usize>,
        at: impl Fn(usize) -> Option<Pose>,
    ) -> bool {
        let count = self.gains.len();
        let discs = match self.model.occlusion {
            Occlusion::None => return false,
            Occlusion::Robots => 0,
            Occlusion::All => self.discs.len(),
        };
        let along = to - from;
        let square = along.length_squared();
        robots.chain(count..count + discs).any(|i| {
            let Some(body) = at(i).filter(|_| !two.contains(&i)) else { return false };
            let radius = if i < count { ROBOT_RADIUS } else { self.discs[i - count] };
            let towards = body.at - from;
            // The body is beside the line and not beyond its ends; both sides are multiplied by the line's length.
            let (ahead, aside) = (towards.dot(along), towards.cross(along));
            ahead > 0.0 && ahead < square && aside * aside < radius * radius * square
        })
    }
}

#[cfg(test)]
mod tests;
