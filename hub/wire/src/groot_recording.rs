//! What a viewer of BehaviorTree.CPP records of a running tree: every change of a node's state, as its protocol has them.

use crate::groot::NodeState;
use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Most changes that are kept; the oldest leave, as in BehaviorTree.CPP.
const MOST: usize = 1000;
/// Bytes of a change: microseconds since the start (6), the node's number (2), its state (1).
const BYTES: usize = 9;

/// Changes of states since a viewer started to record.
#[derive(Debug, Default)]
pub struct Recording {
    began: Option<Instant>,
    changes: VecDeque<[u8; BYTES]>,
    last: Vec<u8>,
}

impl Recording {
    /// Starts anew and returns the time of day, microseconds since 1970, in digits.
    pub fn start(&mut self) -> String {
        *self = Recording { began: Some(Instant::now()), ..Recording::default() };
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros()).to_string()
    }

    /// Stops; what was recorded can still be taken.
    pub fn stop(&mut self) {
        self.began = None;
    }

    /// Whether a viewer records.
    pub fn is_on(&self) -> bool {
        self.began.is_some()
    }

    /// Notes the states of the nodes after an update: those that changed, and the end of each node that ended again.
    pub fn note(&mut self, nodes: &[(u16, NodeState)]) {
        let Some(began) = self.began else { return };
        let time = (began.elapsed().as_micros() as u64).to_le_bytes();
        self.last.resize(nodes.len(), NodeState::Idle as u8);
        for (i, (uid, state)) in nodes.iter().enumerate() {
            // What was not ticked is idle, whatever it did before.
            let new = if *state as u8 > NodeState::Failure as u8 { NodeState::Idle as u8 } else { *state as u8 };
            let ended_again = new == self.last[i] && new > NodeState::Running as u8;
            let idle = ended_again.then_some(NodeState::Idle as u8);
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

    /// Takes what was recorded since it was last taken.
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
        recording.note(&[(1, NodeState::Success)]);
        assert_eq!((recording.is_on(), recording.take().len()), (false, 0));
        assert!(recording.start().parse::<u64>().unwrap() > 1_600_000_000_000_000);
        recording.note(&[(1, NodeState::Running), (5, NodeState::Success)]);
        recording.note(&[(1, NodeState::Running), (5, NodeState::Success)]);
        recording.note(&[(1, NodeState::IdleAfterRunning), (5, NodeState::IdleAfterSuccess)]);
        let told: Vec<(u16, u8)> =
            recording.take().chunks(BYTES).map(|c| (u16::from_le_bytes([c[6], c[7]]), c[8])).collect();
        assert_eq!(told, [(1, 1), (5, 2), (5, 0), (5, 2), (1, 0), (5, 0)]);
        recording.stop();
        recording.note(&[(1, NodeState::Running)]);
        assert!(recording.take().is_empty());
        recording.start();
        (0..2000).for_each(|_| recording.note(&[(1, NodeState::Success)]));
        assert_eq!(recording.take().len(), MOST * BYTES);
    }
}
