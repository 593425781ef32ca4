//! The message distribution model of thesis 5.2.3 determines which robots hear each other. This module contains the
//! parameters of the model and its pure functions.
//!
//! A robot broadcasts only its number. Receivers also measure range and bearing of the sender. The hub computes
//! virtual senses with this model, and simulated worlds can use the same model.

use super::Neighbour;
use crate::math::{Vec2, max, wrap_angle};
use crate::model::NEIGHBOUR_RANGE;
use crate::random::{NEXT_BLOCK, Stream, error_words, normal_pair, random_block, unit};
use crate::world::Pose;
use crate::world::wall::Wall;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Message distribution model. Omitted keys have the values of [`Messages::default`], with which robots hear all
/// robots within 0.5 m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Messages {
    /// Message rate to each robot (Hz), 1 to 100.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub rate_hz: f64,
    /// Age of the poses in a message (s), 0 to 2. The thesis measured a total of 0.2 s (7.3.3).
    #[schemars(range(min = 0.0, max = 2.0))]
    pub latency_s: f64,
    /// Maximum distance between the robots' centres (m), 0 to 10.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub range_m: f32,
    /// Standard deviation of measured ranges (m), 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub range_noise_m: f32,
    /// Standard deviation of measured bearings (rad), 0 to 3.2.
    #[schemars(range(min = 0.0, max = 3.2))]
    pub bearing_noise_rad: f32,
    /// Probability that a robot within range is not heard in a message, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f32,
    /// Additional probability of loss at the end of the range, 0 to 1. Within the range, this probability grows with
    /// the square of the distance. It is independent of `loss`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_at_range: f32,
    /// Directivity of the sender towards its front, 0 (omnidirectional) to 8. The range at an angle `a` from the
    /// sender's heading is multiplied by ((1 + cos a) / 2) to the power of this value.
    #[schemars(range(min = 0, max = 8))]
    pub sender_lobe: u8,
    /// Directivity of the receiver towards its front, 0 (omnidirectional) to 8, with the formula of `sender_lobe`.
    #[schemars(range(min = 0, max = 8))]
    pub receiver_lobe: u8,
    /// Spread of the range between robots, 0 to 0.9. Each robot has a range factor for sending and a range factor for
    /// hearing, both from 1 - spread to 1 + spread. A robot may therefore hear another robot that does not hear it.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub gain_spread: f32,
    /// Seed of the robots' range factors. With the same seed, robot i always has the same factors.
    pub gain_seed: u64,
    /// Bodies that block messages.
    pub occlusion: Occlusion,
    /// Number of the last messages whose neighbours v_attr contains, 1 to 20. s_n counts the neighbours of the last
    /// message only.
    #[schemars(range(min = 1, max = MAX_MEMORY))]
    pub memory: u8,
    /// Weight of a neighbour in v_attr.
    pub attraction: Attraction,
}

/// Maximum number of messages whose neighbours v_attr contains.
pub const MAX_MEMORY: u8 = 20;

/// Weight of a neighbour in v_attr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Attraction {
    /// 0.075 m divided by the distance of the centres, at most 1. Without neighbours, v_attr is (1, 0).
    #[default]
    Centre,
    /// 1 / (1 + gap / 1 cm), where the gap is the distance of the rims (AutoMoDe). Without neighbours, v_attr is zero.
    Gap,
}

/// Bodies that block messages if they are on the straight line between the centres of two robots. All bodies are
/// circles.
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
    /// Robots, discs and walls inside the arena.
    Walls,
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
            memory: 1,
            attraction: Attraction::Centre,
        }
    }
}

impl Messages {
    /// Validates the ranges of the values.
    ///
    /// # Errors
    /// Returns key, value and range of the first value that is out of range.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("rate_hz", self.rate_hz, 1.0, 100.0),
            ("latency_s", self.latency_s, 0.0, 2.0),
            ("range_m", self.range_m.into(), 0.0, 10.0),
            ("range_noise_m", self.range_noise_m.into(), 0.0, 1.0),
            ("bearing_noise_rad", self.bearing_noise_rad.into(), 0.0, f64::from(3.2_f32)),
            ("loss", self.loss.into(), 0.0, 1.0),
            ("loss_at_range", self.loss_at_range.into(), 0.0, 1.0),
            ("sender_lobe", self.sender_lobe.into(), 0.0, 8.0),
            ("receiver_lobe", self.receiver_lobe.into(), 0.0, 8.0),
            ("gain_spread", self.gain_spread.into(), 0.0, 0.9),
            ("memory", self.memory.into(), 1.0, MAX_MEMORY.into()),
        ];
        match rows.into_iter().find(|(_, value, low, high)| !(low..=high).contains(&value)) {
            Some((key, value, low, high)) => Err(format!("messages.{key} = {value} is outside {low} to {high}")),
            None => Ok(()),
        }
    }

    /// Computes the maximum distance at which `receiver` hears `sender` (m). The result depends on the headings of both
    /// robots. `between` is the vector from receiver to sender (m), and `range` is its length (m). `gain` is the
    /// product of the range factors.
    #[inline(always)]
    pub(crate) fn reach(&self, receiver: Pose, sender: Pose, between: Vec2, range: f32, gain: f32) -> f32 {
        let lobe = |power: u8, heading: f32, towards: Vec2| {
            let facing = if power == 0 || range == 0.0 { 1.0 } else { Vec2::unit(heading).dot(towards) / range };
            (0..power).fold(1.0, |product, _| product * (0.5 + 0.5 * facing))
        };
        let lobes = lobe(self.receiver_lobe, receiver.heading, between);
        self.range_m * gain * lobes * lobe(self.sender_lobe, sender.heading, -between)
    }

    /// Returns whether the receiver hears the sender at a distance (m), if no body blocks the message. `reach` is the
    /// result of [`Messages::reach`], and `chance` is a uniform random number in [0, 1).
    #[inline(always)]
    pub(crate) fn hears(&self, range: f32, reach: f32, chance: f32) -> bool {
        let part = if reach > 0.0 { range / reach } else { 0.0 };
        let heard = (1.0 - self.loss) * (1.0 - self.loss_at_range * part * part);
        (range <= reach) & (chance < heard)
    }

    /// Returns true if measured ranges or bearings have errors.
    pub(crate) fn has_noise(&self) -> bool {
        self.range_noise_m > 0.0 || self.bearing_noise_rad > 0.0
    }

    /// Returns true if v_attr is summed in the world frame, which is faster: with the weights of gaps, and without errors.
    pub(crate) fn sums_in_world_frame(&self) -> bool {
        self.attraction == Attraction::Gap && !self.has_noise()
    }

    /// Returns range and bearing that a robot with this heading (rad) measures. `between` is the vector to the sender
    /// (m), and `range` is its length (m). `errors` contains two standard normal deviates.
    #[inline(always)]
    pub(crate) fn measured(&self, heading: f32, between: Vec2, range: f32, errors: (f32, f32)) -> Neighbour {
        let bearing = wrap_angle(between.angle() - heading) + errors.0 * self.bearing_noise_rad;
        Neighbour { range: max(range + errors.1 * self.range_noise_m, 0.0), bearing: wrap_angle(bearing) }
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

impl MessageId {
    /// Random words of the message of a sender to a receiver.
    #[inline(always)]
    pub(crate) fn words(&self, receiver: u32, sender: u32) -> [u32; 4] {
        random_block(self.seed, self.world, receiver, self.number, Stream::Messages, sender)
    }

    /// Uniform random number in [0, 1) that decides whether the receiver hears the sender.
    #[inline(always)]
    pub(crate) fn chance(&self, model: &Messages, receiver: u32, sender: u32) -> f32 {
        if model.memory == 1 {
            return unit(self.words(receiver, sender)[0]);
        }
        let key = [self.seed as u32, (self.seed >> 32) as u32];
        let words = error_words(key, self.world, packet_block(receiver, sender), self.number, Stream::Packets);
        packet_chance(packet_half(words[sender as usize % 8 / 2], sender))
    }
}

/// Number of the robot in the block of random words that decides whether a robot with a memory hears a sender. Such robots
/// draw in every update for every pair, so a block serves eight senders.
#[inline(always)]
pub(crate) fn packet_block(receiver: u32, sender: u32) -> u32 {
    receiver | ((sender / 8) * NEXT_BLOCK)
}

/// Half of a random word of a block that decides whether the packet of a sender is heard.
#[inline(always)]
pub(crate) fn packet_half(word: u32, sender: u32) -> u32 {
    word >> (16 * (sender % 2)) & 0xffff
}

/// Converts a number of [`packet_half`] to a number in [0, 1).
#[inline(always)]
pub(crate) fn packet_chance(word: u32) -> f32 {
    word as f32 * (1.0 / 65_536.0)
}

/// Message distribution model with the range factors of the robots and the sizes of the discs.
#[derive(Clone, Debug)]
pub struct Channel {
    model: Messages,
    /// Range factors of each robot, for sending and for hearing.
    gains: Vec<[f32; 2]>,
    /// Radius of a robot (m).
    radius: f32,
    /// Radii of the discs (m).
    discs: Vec<f32>,
    /// Walls inside the arena.
    walls: Vec<Wall>,
}

/// Bodies that may block messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Obstacles {
    /// Radius of a robot (m).
    pub radius: f32,
    /// Radii of the discs (m).
    pub discs: Vec<f32>,
    /// Walls inside the arena.
    pub walls: Vec<Wall>,
}

impl Channel {
    /// Creates a channel for the given number of robots (at most 65535).
    pub fn new(model: Messages, robots: usize, Obstacles { radius, discs, walls }: Obstacles) -> Channel {
        let gain = |word: u32| 1.0 + model.gain_spread * (2.0 * unit(word) - 1.0);
        let gains = (0..robots as u32).map(|robot| {
            let words = random_block(model.gain_seed, 0, robot, u32::MAX, Stream::Messages, 0);
            [gain(words[0]), gain(words[1])]
        });
        Channel { gains: gains.collect(), model, radius, discs, walls }
    }

    /// Returns the range factors of each robot, for sending and for hearing.
    pub(crate) fn gains(&self) -> &[[f32; 2]] {
        &self.gains
    }

    /// Returns the product of the range factors of a sender and a receiver.
    #[inline(always)]
    pub(crate) fn gain(&self, receiver: usize, sender: usize) -> f32 {
        self.gains[sender][0] * self.gains[receiver][1]
    }

    /// Returns the radius of a robot (m).
    pub(crate) fn radius(&self) -> f32 {
        self.radius
    }

    /// Returns the radii of the bodies (m) and the walls that block messages.
    pub(crate) fn blocking(&self) -> (impl Iterator<Item = f32> + '_, &[Wall]) {
        let (robots, discs, walls) = match self.model.occlusion {
            Occlusion::None => (0, 0, &[][..]),
            Occlusion::Robots => (self.gains.len(), 0, &[][..]),
            Occlusion::All => (self.gains.len(), self.discs.len(), &[][..]),
            Occlusion::Walls => (self.gains.len(), self.discs.len(), self.walls.as_slice()),
        };
        (std::iter::repeat_n(self.radius, robots).chain(self.discs[..discs].iter().copied()), walls)
    }

    /// Returns whether a body blocks a line. `towards` is the position of the body relative to the start of the line (m),
    /// `along` is the line, and `square` is its squared length (m^2).
    ///
    /// The body blocks the line if its centre is between the line's ends, and closer to the line than its radius. Both
    /// sides of the comparison are multiplied by the square of the line's length.
    #[inline(always)]
    pub(crate) fn covers(towards: Vec2, along: Vec2, square: f32, radius: f32) -> bool {
        let (ahead, aside) = (towards.dot(along), towards.cross(along));
        (ahead > 0.0) & (ahead < square) & (aside * aside < radius * radius * square)
    }

    /// Returns the radii of the discs (m).
    pub fn discs(&self) -> &[f32] {
        &self.discs
    }

    /// Returns the message distribution model.
    pub fn model(&self) -> &Messages {
        &self.model
    }

    /// Calls `each` for every robot that robot `me` hears in a message, in ascending order. The arguments are the
    /// index of the heard robot, and its measured range and bearing. `bodies` contains robots, then discs. A body
    /// without a pose neither sends, receives nor blocks messages.
    pub fn receive(
        &self,
        moment: MessageId,
        me: usize,
        bodies: &[Option<Pose>],
        mut each: impl FnMut(usize, Neighbour),
    ) {
        self.receive_from(moment, me, bodies, 0..self.gains.len(), &mut each);
    }

    /// Performs [`Channel::receive`] for a subset of the robots. `robots` must contain all robots within the distance
    /// [`Channel::reach`], in ascending order.
    pub(crate) fn receive_from(
        &self,
        moment: MessageId,
        me: usize,
        bodies: &[Option<Pose>],
        robots: impl Iterator<Item = usize> + Clone,
        mut each: impl FnMut(usize, Neighbour),
    ) {
        let heading = bodies.get(me).copied().flatten().map_or(0.0, |pose| pose.heading);
        self.heard_from(moment, me, bodies, robots, |other, along, range| {
            let words = if self.model.has_noise() { moment.words(me as u32, other as u32) } else { [0; 4] };
            let errors = if self.model.has_noise() { normal_pair(words[1], words[2]) } else { (0.0, 0.0) };
            each(other, self.model.measured(heading, along, range, errors));
        });
    }

    /// Calls `each` for every robot that robot `me` hears, like [`Channel::receive_from`], with the vector to the robot
    /// (m) and its length (m), without errors.
    pub(crate) fn heard_from(
        &self,
        moment: MessageId,
        me: usize,
        bodies: &[Option<Pose>],
        robots: impl Iterator<Item = usize> + Clone,
        mut each: impl FnMut(usize, Vec2, f32),
    ) {
        let at = |body: usize| bodies.get(body).copied().flatten();
        let Some(receiver) = at(me) else { return };
        for other in robots.clone() {
            let Some(sender) = at(other).filter(|_| other != me) else { continue };
            let gain = self.gain(me, other);
            let limit = self.model.range_m * gain;
            // Skips robots that are out of range before the more expensive computations. Most robots are out of
            // range.
            if (sender.at - receiver.at).length_squared() > limit * limit {
                continue;
            }
            let along = sender.at - receiver.at;
            let range = along.length();
            let reach = self.model.reach(receiver, sender, along, range, gain);
            let hears = self.model.hears(range, reach, moment.chance(&self.model, me as u32, other as u32));
            if hears && !self.is_occluded([me, other], [receiver.at, sender.at], robots.clone(), at) {
                each(other, along, range);
            }
        }
    }

    /// Returns the maximum distance at which a robot can be heard, or can block the message of another robot (m).
    pub(crate) fn reach(&self) -> f32 {
        let widest = |side: usize| self.gains.iter().map(|gains| gains[side]).fold(0.0, f32::max);
        self.model.range_m * widest(0) * widest(1) + self.radius
    }

    /// Returns whether a disc or one of `robots` blocks the line between two robots. `two` contains the indices of the
    /// two robots. `at` returns the pose of the body with the given index.
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
            Occlusion::All | Occlusion::Walls => self.discs.len(),
        };
        if self.model.occlusion == Occlusion::Walls && self.walls.iter().any(|wall| wall.blocks(from, to - from)) {
            return true;
        }
        let along = to - from;
        let square = along.length_squared();
        robots.chain(count..count + discs).any(|i| {
            let Some(body) = at(i).filter(|_| !two.contains(&i)) else { return false };
            let radius = if i < count { self.radius } else { self.discs[i - count] };
            Channel::covers(body.at - from, along, square, radius)
        })
    }
}

#[cfg(test)]
mod tests;
