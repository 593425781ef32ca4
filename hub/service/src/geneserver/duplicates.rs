//! Detects two processes with the same island number. The geneserver treats their genes as those of one island, so
//! neither process receives the genes of the other.

use std::collections::BTreeMap;
use xpuck_wire::log::Line;

/// Detector of duplicate islands, with the latest connections of each island.
#[derive(Default)]
pub struct DuplicateIslands {
    islands: BTreeMap<u16, IslandConnections>,
    notes: Vec<Line>,
}

/// Latest two connections that have used the same island number.
struct IslandConnections {
    now: String,
    before: Option<String>,
    told: bool,
}

impl DuplicateIslands {
    /// Records that a message of an island arrived over a connection. A restarted process uses a new connection. If
    /// the previous connection sends again, two processes use the same island number. This is logged once per island.
    pub fn heard(&mut self, island: u16, connection: &str) {
        let first = || IslandConnections { now: connection.into(), before: None, told: false };
        let speakers = self.islands.entry(island).or_insert_with(first);
        if speakers.now == connection {
            return;
        }
        let again = speakers.before.as_deref() == Some(connection);
        speakers.before = Some(std::mem::replace(&mut speakers.now, connection.into()));
        if again && !speakers.told {
            speakers.told = true;
            self.notes.push(Line::warn(format!(
                "two processes are island {island} at the same time and do not exchange genes; give each its own \
                 --island, or the lower geneservers other --numbers"
            )));
        }
    }

    /// Returns the log lines collected since the last call.
    pub fn take_notes(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restart_is_accepted_and_duplicate_island_logged_once() {
        let mut namesakes = DuplicateIslands::default();
        for connection in ["island-3-10", "island-3-10", "island-3-11", "island-3-11", "island-3-12"] {
            namesakes.heard(3, connection);
        }
        assert!(namesakes.take_notes().is_empty());
        for connection in ["a", "b", "a", "b", "a"] {
            namesakes.heard(4, connection);
        }
        let notes = namesakes.take_notes();
        assert_eq!(notes.len(), 1);
        assert!(notes[0].text.contains("island 4 at the same time"));
    }
}
