//! Virtual senses with their age. The hub computes these senses from the poses of all robots.

use super::SENSES_STALE;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::tree::Senses;
use xpuck_kernels::world::senses::{Neighbour, attraction};
use xpuck_wire::message;

/// Maximum number of neighbours in a message with virtual senses.
const MAX_NEIGHBOURS: usize = 256;

/// Latest virtual senses, if any.
#[derive(Clone, Debug, Default)]
pub(super) struct VirtualSenses(Option<Reading>);

#[derive(Clone, Debug)]
struct Reading {
    /// Time of the poses from which the hub computed the senses (s).
    of: f64,
    up: Vec2,
    attr: Vec2,
    neighbours: u32,
    /// Senses as received from the hub: the direction of the world's +x (rad), and the robots in range.
    told: (f32, Vec<message::Neighbour>),
}

impl VirtualSenses {
    /// Stores the senses that the hub sent, unless they are invalid. `age` is the age of the senses at `now` (s).
    pub(super) fn update(&mut self, now: f64, up: f32, neighbours: &[message::Neighbour], age: f64) {
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

    /// Drops the stored senses.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// Returns whether the senses are missing or stale at `now` (s).
    pub(super) fn stale(&self, now: f64) -> bool {
        self.0.as_ref().is_none_or(|reading| now - reading.of > SENSES_STALE)
    }

    /// Writes the virtual senses to the senses of the tree, unless they are stale at `now` (s).
    pub(super) fn fill(&self, now: f64, senses: &mut Senses) {
        if let Some(reading) = self.0.as_ref().filter(|_| !self.stale(now)) {
            (senses.up, senses.attr, senses.neighbours) = (reading.up, reading.attr, reading.neighbours as f32);
        }
    }

    /// Returns the latest senses as received, regardless of their age: the direction of the world's +x (rad), and the
    /// robots in range. Without senses, returns 0 and no robots.
    pub(super) fn last_report(&self) -> (f32, &[message::Neighbour]) {
        self.0.as_ref().map_or((0.0, &[]), |reading| (reading.told.0, &reading.told.1))
    }

    /// Returns the number of neighbours in the latest senses, regardless of the age of the senses; 0 without senses.
    pub(super) fn neighbours(&self) -> u32 {
        self.0.as_ref().map_or(0, |reading| reading.neighbours)
    }

    /// Returns the age of the latest senses at `now` (s); `None` without senses.
    pub(super) fn age(&self, now: f64) -> Option<f32> {
        self.0.as_ref().map(|reading| (now - reading.of) as f32)
    }
}
