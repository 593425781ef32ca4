//! Selection of the islands from which an island receives genes, for migration policies that do not use all islands.

use std::collections::{BTreeMap, BTreeSet};
use xpuck_kernels::random::Draws;

/// Positions of the islands in the arena (m).
pub type Places = BTreeMap<u16, [f32; 2]>;

/// Returns the `count` islands nearest to index `index` of `islands`, alternately from the left and the right. The
/// list is a ring: its first and last islands are adjacent.
pub fn ring(islands: &[u16], index: usize, count: usize) -> Vec<u16> {
    let n = islands.len();
    let steps = (1..n).flat_map(|step| [index + n - step, index + step]);
    let mut found = BTreeSet::new();
    steps.map(|i| islands[i % n]).filter(|island| found.insert(*island)).take(count.min(n - 1)).collect()
}

/// Returns the `count` islands nearest to `island` within `range` (m; `None`: unlimited). The result is empty if the
/// position of `island` is unknown.
pub fn near(places: &Places, island: u16, range: Option<f32>, count: usize) -> Vec<u16> {
    let Some(here) = places.get(&island) else { return Vec::new() };
    let range = range.unwrap_or(f32::INFINITY);
    let distance = |there: &[f32; 2]| (here[0] - there[0]).hypot(here[1] - there[1]);
    let others = places.iter().filter(|(other, _)| **other != island);
    let mut within: Vec<(f32, u16)> =
        others.map(|(other, there)| (distance(there), *other)).filter(|(d, _)| *d <= range).collect();
    let order = |a: &(f32, u16), b: &(f32, u16)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if within.len() > count {
        within.select_nth_unstable_by(count, order);
        within.truncate(count);
    }
    within.sort_by(order);
    within.into_iter().map(|(_, other)| other).collect()
}

/// Draws `count` different islands, except the island at `index`. All sets of `count` islands have equal probability
/// (Floyd's sampling).
pub fn random(islands: &[u16], index: usize, count: usize, draws: &mut Draws) -> Vec<u16> {
    let others = islands.len() - 1;
    let mut chosen = BTreeSet::new();
    for last in others - count.min(others)..others {
        let drawn = draws.below(last as u32 + 1) as usize;
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().map(|i| islands[if i < index { i } else { i + 1 }]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::Stream;

    #[test]
    fn ring_closes_and_never_repeats_island() {
        let islands = [2, 3, 5, 7, 11];
        assert_eq!(ring(&islands, 0, 2), [11, 3]);
        assert_eq!(ring(&islands, 4, 3), [7, 2, 5]);
        assert_eq!(ring(&islands, 2, 64), [3, 7, 2, 11]);
        assert_eq!(ring(&[2, 3], 0, 2), [3]);
        assert!(ring(&[2], 0, 2).is_empty());
    }

    #[test]
    fn near_means_within_range_and_the_nearest_first() {
        let places: Places =
            [(1, [0.0, 0.0]), (2, [0.3, 0.0]), (3, [0.0, -0.2]), (4, [3.0, 4.0]), (5, [0.3, 0.0])].into();
        assert_eq!(near(&places, 1, None, 10), [3, 2, 5, 4]);
        assert_eq!(near(&places, 1, Some(0.3), 10), [3, 2, 5]);
        assert_eq!(near(&places, 1, Some(5.0), 2), [3, 2]);
        assert!(near(&places, 9, None, 10).is_empty(), "nobody knows where island 9 is");
    }

    #[test]
    fn draws_are_of_others_different_and_fair() {
        let islands: Vec<u16> = (10..15).collect();
        let mut times = BTreeMap::new();
        for step in 0..3000 {
            let drawn = random(&islands, 1, 2, &mut Draws::new(1, 11, 0, step, Stream::Migration));
            assert!(drawn.len() == 2 && drawn[0] != drawn[1] && !drawn.contains(&11), "{drawn:?}");
            drawn.into_iter().for_each(|island| *times.entry(island).or_insert(0) += 1);
        }
        // Each of the 4 islands is drawn with probability 1/2. The expected count is 1500, with a standard deviation
        // of 27.
        assert!(times.len() == 4 && times.values().all(|n| (1380..1620).contains(n)), "{times:?}");
        assert_eq!(random(&islands, 0, 64, &mut Draws::new(1, 10, 0, 0, Stream::Migration)), [11, 12, 13, 14]);
        assert!(random(&[7], 0, 2, &mut Draws::new(1, 7, 0, 0, Stream::Migration)).is_empty());
    }
}
