//! Recording of node state changes for a viewer of BehaviorTree.CPP, in the encoding of its protocol.

use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Numbers of the node states in the protocol. A node that was not ticked is idle, whatever its previous state.
const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const FAILURE: u8 = 3;
/// Maximum number of stored changes; the oldest are dropped, as in BehaviorTree.CPP.
const MOST: usize = 1000;
/// Length of an encoded change (bytes): microseconds since the start (6), node number (2), state (1).
const BYTES: usize = 9;

/// State changes of nodes since a viewer started recording.
#[derive(Debug, Default)]
pub struct Recording {
    began: Option<Instant>,
    changes: VecDeque<[u8; BYTES]>,
    last: Vec<u8>,
}

impl Recording {
    /// Starts a new recording; returns the time since 1970 (us) as decimal text.
    pub fn start(&mut self) -> String {
        *self = Recording { began: Some(Instant::now()), ..Recording::default() };
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros()).to_string()
    }

    /// Stops recording; recorded changes stay available.
    pub fn stop(&mut self) {
        self.began = None;
    }

    /// Whether a recording is in progress.
    pub fn is_on(&self) -> bool {
        self.began.is_some()
    }

    /// Records node states after an update: each change of state, and each repeated success or failure of a node.
    pub fn note(&mut self, nodes: impl ExactSizeIterator<Item = (u16, u8)>) {
        let Some(began) = self.began else { return };
        let time = (began.elapsed().as_micros() as u64).to_le_bytes();
        self.last.resize(nodes.len(), IDLE);
        for (i, (uid, state)) in nodes.enumerate() {
            let new = if state > FAILURE { IDLE } else { state };
            let ended_again = new == self.last[i] && new > RUNNING;
            let idle = ended_again.then_some(IDLE);
            let changed = (new != self.last[i] || ended_again).then_some(new);
            for state in idle.into_iter().chain(changed) {
                let mut change = [0; BYTES];
                change[..6].copy_from_slice(&time[..6]);
                change[6..8].copy_from_slice(&uid.to_le_bytes());
                change[8] = state;
                self.changes.push_back(change);
            }
            self.last[i] = new;
        }
        self.changes.drain(..self.changes.len().saturating_sub(MOST));
    }

    /// Returns and removes the recorded changes.
    pub fn take(&mut self) -> Vec<u8> {
        self.changes.drain(..).flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_recorded_between_start_and_stop() {
        let mut recording = Recording::default();
        let note = |recording: &mut Recording, nodes: &[(u16, u8)]| recording.note(nodes.iter().copied());
        note(&mut recording, &[(1, 2)]);
        assert_eq!((recording.is_on(), recording.take().len()), (false, 0));
        assert!(recording.start().parse::<u64>().unwrap() > 1_600_000_000_000_000);
        note(&mut recording, &[(1, 1), (5, 2)]);
        note(&mut recording, &[(1, 1), (5, 2)]);
        note(&mut recording, &[(1, 11), (5, 12)]);
        let told: Vec<(u16, u8)> =
            recording.take().chunks(BYTES).map(|c| (u16::from_le_bytes([c[6], c[7]]), c[8])).collect();
        assert_eq!(told, [(1, 1), (5, 2), (5, 0), (5, 2), (1, 0), (5, 0)]);
        recording.stop();
        note(&mut recording, &[(1, 1)]);
        assert!(recording.take().is_empty());
        recording.start();
        (0..2000).for_each(|_| note(&mut recording, &[(1, 2)]));
        assert_eq!(recording.take().len(), MOST * BYTES);
    }
}
