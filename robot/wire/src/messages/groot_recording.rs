//! Recording of changes of nodes' states for Groot2, the viewer of BehaviorTree.CPP, in the encoding of the Groot2
//! protocol.

use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Numbers of the node states in the Groot2 protocol. In a recording, a node that was not ticked is idle, regardless of
/// its previous state.
const IDLE: u8 = 0;
const RUNNING: u8 = 1;
const FAILURE: u8 = 3;
/// Maximum number of stored changes. Further changes replace the oldest ones, as in BehaviorTree.CPP.
const MOST: usize = 1000;
/// Length of an encoded change (bytes). A change consists of the time since the start in us (6 bytes), the node's
/// number (2 bytes) and its state (1 byte).
const BYTES: usize = 9;

/// Changes of nodes' states since a viewer started the recording.
#[derive(Debug, Default)]
pub struct Recording {
    began: Option<Instant>,
    changes: VecDeque<[u8; BYTES]>,
    last: Vec<u8>,
}

impl Recording {
    /// Starts a new recording. Returns the time since 1970 (us) as decimal text.
    pub fn start(&mut self) -> String {
        *self = Recording { began: Some(Instant::now()), ..Recording::default() };
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros()).to_string()
    }

    /// Stops the recording. Changes that are already recorded stay available.
    pub fn stop(&mut self) {
        self.began = None;
    }

    /// Whether a recording is in progress.
    pub fn is_on(&self) -> bool {
        self.began.is_some()
    }

    /// Records the changes of node states since the previous call. `nodes` has the number and the state of each node. A
    /// repeated success or failure is recorded as a change to idle and back.
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

    /// Returns and removes the recorded changes, encoded one after another.
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
