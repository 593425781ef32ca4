//! Keys of the message model in a robot model or a world. Unlike [`Messages`], omitted keys have no value of their own.

use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_kernels::world::senses::messages::{Attraction, Messages, Occlusion};

/// Messages between robots. Omitted keys have the values of the base: of the robot model, or of docs/senses.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MessageKeys {
    /// Message rate to each robot (Hz), 1 to 100.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub rate_hz: Option<f64>,
    /// Age of the poses in a message (s), 0 to 2.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub latency_s: Option<f64>,
    /// Maximum distance between the robots' centres (m), 0 to 10.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub range_m: Option<f32>,
    /// Standard deviation of measured ranges (m), 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub range_noise_m: Option<f32>,
    /// Standard deviation of measured bearings (rad), 0 to 3.2.
    #[schemars(range(min = 0.0, max = 3.2))]
    pub bearing_noise_rad: Option<f32>,
    /// Probability that a robot within range is not heard in a message, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: Option<f32>,
    /// Additional probability of loss at the end of the range, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_at_range: Option<f32>,
    /// Directivity of the sender towards its front, 0 (omnidirectional) to 8.
    #[schemars(range(min = 0, max = 8))]
    pub sender_lobe: Option<u8>,
    /// Directivity of the receiver towards its front, 0 (omnidirectional) to 8.
    #[schemars(range(min = 0, max = 8))]
    pub receiver_lobe: Option<u8>,
    /// Spread of the range between robots, 0 to 0.9.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub gain_spread: Option<f32>,
    /// Seed of the robots' range factors.
    pub gain_seed: Option<u64>,
    /// Bodies that block messages.
    pub occlusion: Option<Occlusion>,
    /// Number of the last messages whose neighbours v_attr contains, 1 to 20.
    #[schemars(range(min = 1, max = 20))]
    pub memory: Option<u8>,
    /// Weight of a neighbour in v_attr.
    pub attraction: Option<Attraction>,
}

impl MessageKeys {
    /// Returns a message model with the given keys changed.
    pub fn over(&self, base: &Messages) -> Messages {
        Messages {
            rate_hz: self.rate_hz.unwrap_or(base.rate_hz),
            latency_s: self.latency_s.unwrap_or(base.latency_s),
            range_m: self.range_m.unwrap_or(base.range_m),
            range_noise_m: self.range_noise_m.unwrap_or(base.range_noise_m),
            bearing_noise_rad: self.bearing_noise_rad.unwrap_or(base.bearing_noise_rad),
            loss: self.loss.unwrap_or(base.loss),
            loss_at_range: self.loss_at_range.unwrap_or(base.loss_at_range),
            sender_lobe: self.sender_lobe.unwrap_or(base.sender_lobe),
            receiver_lobe: self.receiver_lobe.unwrap_or(base.receiver_lobe),
            gain_spread: self.gain_spread.unwrap_or(base.gain_spread),
            gain_seed: self.gain_seed.unwrap_or(base.gain_seed),
            occlusion: self.occlusion.unwrap_or(base.occlusion),
            memory: self.memory.unwrap_or(base.memory),
            attraction: self.attraction.unwrap_or(base.attraction),
        }
    }
}
