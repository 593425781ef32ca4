//! Who hears whom: the message distribution model of thesis 5.2.3, as data, and the pure functions that apply it.
//!
//! A robot broadcasts nothing but its number. Who hears it also learns from where it came: range and bearing. The hub
//! makes virtual senses with this model, and a simulated world may do so too, so that both can be made alike.

use super::Neighbour;
use crate::math::{Vec2, wrap_angle};
use crate::model::{NEIGHBOUR_RANGE, ROBOT_RADIUS};
use crate::random::{Stream, block, normal_pair, unit};
use crate::world::Pose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model. Without an entry a number has the value of [`Messages::default`], which hears all within 0.5 m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Messages {
    /// Messages a second to each robot, 1 to 100.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub rate_hz: f64,
    /// What a message tells was true so long before, s, 0 to 2; the thesis measured 0.2 in all (7.3.3).
    #[schemars(range(min = 0.0, max = 2.0))]
    pub latency_s: f64,
    /// Greatest distance between the robots' centres, m, 0 to 10.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub range_m: f32,
    /// Standard deviation of ranges, m, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub range_noise_m: f32,
    /// Standard deviation of bearings, rad, 0 to 3.2.
    #[schemars(range(min = 0.0, max = 3.2))]
    pub bearing_noise_rad: f32,
    /// Probability that a robot in range is not heard in a message, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f32,
    /// Further probability of loss at the end of the range, 0 to 1. It grows with the square of the distance, and loses
    /// independently of `loss`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_at_range: f32,
    /// How much the sender's front is favoured, 0 (all round) to 8: the range in a direction that is `a` away from its
    /// heading is multiplied by ((1 + cos a) / 2) to this power.
    #[schemars(range(min = 0, max = 8))]
    pub sender_lobe: u8,
    /// The same for the direction from which the receiver hears.
    #[schemars(range(min = 0, max = 8))]
    pub receiver_lobe: u8,
    /// Robots differ: each sends, and each hears, farther by a factor of its own from 1 - spread to 1 + spread,
    /// 0 to 0.9. Two robots may thus hear each other one way only.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub gain_spread: f32,
    /// Which factors the robots have: the same seed gives robot i the same ones.
    pub gain_seed: u64,
    /// What stands in the way.
    pub occlusion: Occlusion,
}

/// Which bodies block the straight line between two robots' centres; all of them are circles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Occlusion {
    /// None.
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
    /// Says whether the numbers are in their ranges.
    ///
    /// # Errors
    /// The first that is not: its key, its value and its range.
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

    /// How far a sender is heard by a receiver that sees it at `between`, as far as directions matter, m.
    fn reach(&self, receiver: Pose, sender: Pose, between: Vec2, range: f32, gain: f32) -> f32 {
        let lobe = |power: u8, heading: f32, towards: Vec2| {
            let facing = if power == 0 || range == 0.0 { 1.0 } else { Vec2::unit(heading).dot(towards) / range };
            (0..power).fold(1.0, |product, _| product * (0.5 + 0.5 * facing))
        };
        let lobes = lobe(self.receiver_lobe, receiver.heading, between);
        self.range_m * gain * lobes * lobe(self.sender_lobe, sender.heading, -between)
    }

    /// What a receiver hears of a sender over a free line; `gain` multiplies the range, `words` decide what is chance.
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

/// When a message is sent, which fixes what is chance in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Seed of the world or the run.
    pub seed: u64,
    /// Number of the world.
    pub world: u32,
    /// Number of the message since the start.
    pub number: u32,
}

/// The model with the factors and the sizes of the bodies around.
#[derive(Clone, Debug)]
pub struct Channel {
    model: Messages,
    /// Of each robot: how much farther it sends, and hears.
    gains: Vec<[f32; 2]>,
    /// Radii of the discs, m.
    discs: Vec<f32>,
}

impl Channel {
    /// For so many robots, at most 65535, and discs of these radii, m.
    pub fn new(model: Messages, robots: usize, discs: Vec<f32>) -> Channel {
        let gain = |word: u32| 1.0 + model.gain_spread * (2.0 * unit(word) - 1.0);
        let gains = (0..robots as u32).map(|robot| {
            let words = block(model.gain_seed, 0, robot, u32::MAX, Stream::Messages, 0);
            [gain(words[0]), gain(words[1])]
        });
        Channel { gains: gains.collect(), model, discs }
    }

    /// Of each robot how much farther it sends, and hears.
    pub(crate) fn gains(&self) -> &[[f32; 2]] {
        &self.gains
    }

    /// Radii of the discs, m.
    pub fn discs(&self) -> &[f32] {
        &self.discs
    }

    /// The model.
    pub fn model(&self) -> &Messages {
        &self.model
    }

    /// Tells `each` the number of every robot that robot `me` hears in a message, and from where, in the order of
    /// their numbers. `bodies` are the robots, then the discs; one that is nowhere neither sends nor stands in the way.
    pub fn hear(&self, moment: Moment, me: usize, bodies: &[Option<Pose>], mut each: impl FnMut(usize, Neighbour)) {
        self.hear_among(moment, me, bodies, 0..self.gains.len(), &mut each);
    }

    /// The same with a look at `robots` only, which are all within [`Channel::reach`], and more, in the order of their
    /// numbers.
    pub(crate) fn hear_among(
        &self,
        moment: Moment,
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
            // Most are too far away, whatever else holds.
            if (sender.at - receiver.at).length_squared() > limit * limit {
                continue;
            }
            let words = block(moment.seed, moment.world, me as u32, moment.number, Stream::Messages, other as u32);
            let Some(neighbour) = self.model.link(receiver, sender, gain, words) else { continue };
            if !self.hidden([me, other], [receiver.at, sender.at], robots.clone(), at) {
                each(other, neighbour);
            }
        }
    }

    /// No robot hears another, or is kept from it by a third, that is farther away, m.
    pub(crate) fn reach(&self) -> f32 {
        let widest = |side: usize| self.gains.iter().map(|gains| gains[side]).fold(0.0, f32::max);
        self.model.range_m * widest(0) * widest(1) + ROBOT_RADIUS
    }

    /// True if one of `robots`, or a disc, stands between two robots; `at` tells where bodies are.
    fn hidden(
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
            // Beside the line, not behind one of its ends; both sides are multiplied by the line's length.
            let (ahead, aside) = (towards.dot(along), towards.cross(along));
            ahead > 0.0 && ahead < square && aside * aside < radius * radius * square
        })
    }
}

#[cfg(test)]
mod tests;
