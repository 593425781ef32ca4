//! Who gave genes to whom.

use serde::Serialize;
use std::collections::VecDeque;

/// Exchanges that are kept one by one.
const RECENT: usize = 200;

/// Immigrants by island of origin and of arrival.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Migration {
    /// The islands.
    pub ids: Vec<String>,
    /// How many immigrants the island of a column was sent from that of a row.
    pub counts: Vec<Vec<u32>>,
    /// The last ones: from, to and when, s of running time.
    pub recent: VecDeque<(u16, u16, f32)>,
}

impl Migration {
    /// Nobody gave anything yet.
    pub fn new(ids: &[String]) -> Migration {
        let counts = vec![vec![0; ids.len()]; ids.len()];
        Migration { ids: ids.into(), counts, recent: VecDeque::new() }
    }

    /// More islands, at the end: these are all.
    pub fn set_robots(&mut self, ids: &[String]) {
        self.ids = ids.into();
        self.counts.iter_mut().for_each(|row| row.resize(ids.len(), 0));
        self.counts.resize(ids.len(), vec![0; ids.len()]);
    }

    /// Immigrants came from islands, which count from 1, to the robot at a place, from 0.
    pub fn add(&mut self, from: &[u16], to: usize, run_seconds: f64) {
        for source in from.iter().map(|island| usize::from(*island).wrapping_sub(1)) {
            let Some(count) = self.counts.get_mut(source).and_then(|row| row.get_mut(to)) else { continue };
            *count = count.saturating_add(1);
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back((source as u16, to as u16, run_seconds as f32));
        }
    }
}
