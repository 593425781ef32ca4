//! Detects two processes with the same island number. Their genes have the same names, so neither process receives the
//! genes of the other.

use std::collections::BTreeMap;
use xpuck_wire::log::Line;

/// Connections by island.
#[derive(Default)]
pub struct DuplicateIslands {
    islands: BTreeMap<u16, IslandConnections>,
    notes: Vec<Line>,
}

/// Last two connections with an island's number.
struct IslandConnections {
    now: String,
    before: Option<String>,
    told: bool,
}

impl DuplicateIslands {
    /// Records a message of an island from a connection. A restarted process has a new connection. If an old connection
    /// sends again, there are two processes; this is logged once.
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

    /// Lines for the log since the last call.
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
