//! Which generations of which robots were taken, so that a message that comes again counts once.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use xpuck_wire::message::{Birth, Gene};

/// Generations remembered of each island. A link repeats what was sent last, not what was sent long ago.
const REMEMBERED: usize = 64;

/// Marks of the generations that were taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    islands: BTreeMap<u16, VecDeque<(u32, u32)>>,
}

impl Marks {
    /// Marks a generation; false if the same was taken before. A robot that lost its island begins again at generation 1
    /// with other individuals, and those count.
    pub fn take(&mut self, island: u16, generation: u32, emigrant: &Gene, births: &[Birth]) -> bool {
        let bytes = postcard::to_stdvec(&(emigrant, births)).unwrap_or_default();
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
    fn the_same_generation_counts_once_and_the_memory_is_bounded() {
        let gene = |number| Gene {
            island: 1,
            number,
            epoch: 0,
            tree: "successl".into(),
            count: [1, 0],
            sum: [0.1, 0.0],
            square: [0.01, 0.0],
        };
        let mut marks = Marks::default();
        assert!(marks.take(1, 1, &gene(5), &[]) && !marks.take(1, 1, &gene(5), &[]));
        assert!(marks.take(2, 1, &gene(5), &[]), "another robot");
        assert!(marks.take(1, 1, &gene(6), &[]), "another island of the same robot");
        let kept: Marks = postcard::from_bytes(&postcard::to_stdvec(&marks).unwrap()).unwrap();
        assert_eq!(kept, marks);
        (2..1000).for_each(|generation| assert!(marks.take(1, generation, &gene(1), &[])));
        assert_eq!(marks.islands[&1].len(), REMEMBERED);
    }
}
