//! The senses that the hub makes from everybody's poses, and how old they are.

use super::SENSES_STALE;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::tree::Senses;
use xpuck_kernels::world::senses::{Neighbour, attraction};
use xpuck_wire::message;

/// Most neighbours that a message may carry.
const MAX_NEIGHBOURS: usize = 256;

/// The last virtual senses, if there are any.
#[derive(Clone, Debug, Default)]
pub(super) struct VirtualSenses(Option<Reading>);

#[derive(Clone, Debug)]
struct Reading {
    /// When the poses behind them were true, s.
    of: f64,
    up: Vec2,
    attr: Vec2,
    neighbours: u32,
    /// As it was told: the direction of +x of the world, rad, and who was heard.
    told: (f32, Vec<message::Neighbour>),
}

impl VirtualSenses {
    /// Takes what the hub tells; what makes no sense changes nothing.
    pub(super) fn take(&mut self, now: f64, up: f32, neighbours: &[message::Neighbour], age: f64) {
        let finite = up.is_finite()
            && age.is_finite()
            && neighbours.iter().all(|n| n.range.is_finite() && n.bearing.is_finite());
        if !finite || neighbours.len() > MAX_NEIGHBOURS {
            return;
        }
        let list: Vec<Neighbour> =
            neighbours.iter().map(|n| Neighbour { range: n.range, bearing: n.bearing }).collect();
        let of = now - age.max(0.0);
        let (attr, told) = (attraction(&list), (up, neighbours.to_vec()));
        self.0 = Some(Reading { of, up: Vec2::unit(up), attr, neighbours: list.len() as u32, told });
    }

    /// As before the first.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// There are none, or they are too old.
    pub(super) fn stale(&self, now: f64) -> bool {
        self.0.as_ref().is_none_or(|reading| now - reading.of > SENSES_STALE)
    }

    /// Writes them into the tree's senses unless they are stale.
    pub(super) fn fill(&self, now: f64, senses: &mut Senses) {
        if let Some(reading) = self.0.as_ref().filter(|_| !self.stale(now)) {
            (senses.up, senses.attr, senses.neighbours) = (reading.up, reading.attr, reading.neighbours as f32);
        }
    }

    /// The last of them as the hub told them, however old: the direction of +x of the world, rad, and who was heard.
    pub(super) fn told(&self) -> (f32, &[message::Neighbour]) {
        self.0.as_ref().map_or((0.0, &[]), |reading| (reading.told.0, &reading.told.1))
    }

    /// Neighbours in the last of them, however old.
    pub(super) fn neighbours(&self) -> u32 {
        self.0.as_ref().map_or(0, |reading| reading.neighbours)
    }

    /// Their age, s.
    pub(super) fn age(&self, now: f64) -> Option<f32> {
        self.0.as_ref().map(|reading| (now - reading.of) as f32)
    }
}
