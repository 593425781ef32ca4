//! Migration of genes between islands.

use serde::Serialize;
use std::collections::VecDeque;

/// Maximum number of recent migrations that are stored individually.
const RECENT: usize = 200;

/// Number of immigrants for each pair of islands, and the most recent migrations.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Migration {
    /// Ids of the robots, in the order of their islands.
    pub ids: Vec<String>,
    /// Number of immigrants, by island of origin (row) and destination (column).
    pub counts: Vec<Vec<u32>>,
    /// Most recent migrations: index of the origin, index of the destination (both from 0), and running time (s).
    pub recent: VecDeque<(u16, u16, f32)>,
}

impl Migration {
    /// Creates an empty migration table.
    pub fn new(ids: &[String]) -> Migration {
        let counts = vec![vec![0; ids.len()]; ids.len()];
        Migration { ids: ids.into(), counts, recent: VecDeque::new() }
    }

    /// Adds islands. `ids` are the ids of all islands, including those added before.
    pub fn set_robots(&mut self, ids: &[String]) {
        self.ids = ids.into();
        self.counts.iter_mut().for_each(|row| row.resize(ids.len(), 0));
        self.counts.resize(ids.len(), vec![0; ids.len()]);
    }

    /// Records the arrival of immigrants. `from` are their islands of origin (from 1), and `to` is the index of the
    /// destination (from 0).
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
