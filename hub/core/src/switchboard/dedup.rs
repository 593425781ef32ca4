//! Detection of repeated messages about a generation of a robot's island, so that each generation counts once.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use xpuck_wire::message::Emigrant;

/// Number of generations stored per island. A link repeats only recent messages. After an absence of the hub, a robot
/// repeats at most 500 generations (`robot/core/src/missed.rs`).
const REMEMBERED: usize = 512;

/// Marks of the generations received from each island.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeenGenerations {
    islands: BTreeMap<u16, VecDeque<(u32, u32)>>,
}

impl SeenGenerations {
    /// Marks a generation as received, and returns `false` if it was marked before. A mark contains a checksum of the
    /// emigrant, because a robot that lost its island starts again at generation 1 with other individuals. The checksum
    /// covers only values that can be restored exactly from a record.
    pub fn insert(&mut self, island: u16, generation: u32, emigrant: &Emigrant) -> bool {
        let Emigrant { island: from, number, epoch, tree, count, .. } = emigrant;
        let bytes = postcard::to_stdvec(&(from, number, epoch, tree, count)).unwrap_or_default();
        let mark = (generation, crc32fast::hash(&bytes));
        let taken = self.islands.entry(island).or_default();
        if taken.contains(&mark) {
            return false;
        }
        if taken.len() == REMEMBERED {
            taken.pop_front();
        }
        taken.push_back(mark);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_generation_counts_once_and_memory_is_bounded() {
        let gene = |number| Emigrant {
            island: 1,
            number,
            epoch: 0,
            tree: "successl".into(),
            count: [1, 0],
            sum: [0.1, 0.0],
            square: [0.01, 0.0],
        };
        let mut seen = SeenGenerations::default();
        assert!(seen.insert(1, 1, &gene(5)) && !seen.insert(1, 1, &gene(5)));
        assert!(seen.insert(2, 1, &gene(5)), "another robot");
        assert!(seen.insert(1, 1, &gene(6)), "another island of the same robot");
        let kept: SeenGenerations = postcard::from_bytes(&postcard::to_stdvec(&seen).unwrap()).unwrap();
        assert_eq!(kept, seen);
        (2..1000).for_each(|generation| assert!(seen.insert(1, generation, &gene(1))));
        assert_eq!(seen.islands[&1].len(), REMEMBERED);
    }
}
