//! Chooses patterns whose minimum separation is as large as possible.
//!
//! For a given separation, patterns form a graph. An edge connects two patterns whose difference is at least the
//! separation. The chosen patterns are a clique of this graph. Separations are tried in descending order, and the
//! first separation with a clique is optimal.

use super::{Pattern, SAME, all};

/// Maximum number of sets of patterns that are examined for one separation. A search for 16 patterns, as in the
/// thesis, examines 17 sets.
const MAX_STEPS: u32 = 200_000;

/// Chosen patterns and their minimum separation.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The patterns.
    pub patterns: Vec<Pattern>,
    /// Minimum of the differences between any two patterns, and of each pattern's asymmetry (mm).
    pub separation_mm: f64,
    /// Whether `separation_mm` is proven to be optimal; false if the search for a larger separation was aborted.
    pub best: bool,
}

/// Chooses `count` patterns from a grid with `side` points along a side (2..=4); `None` if `count` is 0 or the grid
/// has fewer patterns.
pub fn choose(count: usize, side: u8) -> Option<Choice> {
    let patterns = all(side);
    if count == 0 || count > patterns.len() {
        return None;
    }
    let n = patterns.len();
    // The diagonal of the matrix contains the asymmetry of each pattern. The other elements are the separations.
    let value = |i: usize, j: usize| {
        if i == j { patterns[i].asymmetry() } else { patterns[i].separation(&patterns[j]) }
    };
    let values: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| value(i, j)).collect()).collect();
    let mut levels: Vec<f64> = values.iter().flatten().copied().collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup_by(|a, b| (*a - *b).abs() < SAME);
    let mut best = true;
    for level in levels.into_iter().rev() {
        let far = |i: usize, j: usize| values[i][j] > level - SAME;
        let nodes: u128 = (0..n).filter(|i| far(*i, *i)).map(|i| 1 << i).sum();
        let edges = (0..n).map(|i| (0..n).filter(|j| *j != i && far(i, *j)).map(|j| 1u128 << j).sum()).collect();
        let mut search = Search { edges, count, steps: 0 };
        match search.clique(0, nodes) {
            SearchResult::Set(set) => {
                let patterns = (0..n).filter(|i| set >> i & 1 == 1).map(|i| patterns[i]).collect();
                return Some(Choice { patterns, separation_mm: level, best });
            }
            SearchResult::Nothing => {}
            SearchResult::GivenUp => best = false,
        }
    }
    None
}

enum SearchResult {
    Set(u128),
    Nothing,
    GivenUp,
}

/// Branch-and-bound search for a clique among at most 128 patterns. A set of patterns has one bit per pattern.
struct Search {
    edges: Vec<u128>,
    count: usize,
    steps: u32,
}

impl Search {
    /// Searches for a clique that contains all patterns of `chosen`. Its other patterns are taken from `candidates`,
    /// each of which has edges to all patterns of `chosen`.
    fn clique(&mut self, chosen: u128, mut candidates: u128) -> SearchResult {
        self.steps += 1;
        let missing = self.count - chosen.count_ones() as usize;
        if missing == 0 {
            return SearchResult::Set(chosen);
        }
        if self.steps > MAX_STEPS {
            return SearchResult::GivenUp;
        }
        let (order, colours) = self.colour(candidates);
        for (node, colour) in order.into_iter().zip(colours).rev() {
            // Nodes of the same colour have no edges between them, so a clique contains at most one node of each
            // colour.
            if colour < missing {
                return SearchResult::Nothing;
            }
            match self.clique(chosen | 1 << node, candidates & self.edges[node]) {
                SearchResult::Nothing => candidates &= !(1 << node),
                found => return found,
            }
        }
        SearchResult::Nothing
    }

    /// Colours the nodes `left` greedily. Returns the nodes ordered by colour, and the colour of each node (1, 2,
    /// ...).
    fn colour(&self, mut left: u128) -> (Vec<usize>, Vec<usize>) {
        let (mut order, mut colours) = (Vec::new(), Vec::new());
        for colour in 1.. {
            let mut open = left;
            if open == 0 {
                break;
            }
            while open != 0 {
                let node = open.trailing_zeros() as usize;
                left &= !(1 << node);
                open &= !(1 << node) & !self.edges[node];
                order.push(node);
                colours.push(colour);
            }
        }
        (order, colours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the minimum separation of a set of patterns, including the asymmetry of each pattern.
    fn least(patterns: &[Pattern]) -> f64 {
        let pairs = patterns.iter().enumerate().flat_map(|(i, a)| patterns[..i].iter().map(|b| a.separation(b)));
        pairs.chain(patterns.iter().map(Pattern::asymmetry)).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn on_a_small_grid_no_other_choice_is_better() {
        let patterns = all(3);
        let n = patterns.len();
        assert_eq!(n, 7);
        for count in 1..=n {
            let sets = (0u32..1 << n).filter(|set| set.count_ones() as usize == count);
            let chosen = |set: u32| (0..n).filter(|i| set >> i & 1 == 1).map(|i| patterns[i]).collect::<Vec<_>>();
            let exhaustive = sets.map(|set| least(&chosen(set))).fold(0.0, f64::max);
            let choice = choose(count, 3).unwrap();
            assert_eq!(choice.patterns.len(), count);
            assert!((choice.separation_mm - exhaustive).abs() < 1e-9 && choice.best, "{count}: {choice:?}");
            assert!((least(&choice.patterns) - exhaustive).abs() < 1e-9);
        }
        assert_eq!((choose(n + 1, 3), choose(0, 3)), (None, None));
    }

    #[test]
    fn sixteen_robots_have_patterns_that_differ_by_6_mm() {
        let choice = choose(16, 4).unwrap();
        assert_eq!(choice.patterns.len(), 16);
        assert!(choice.best && (choice.separation_mm - 6.370_894).abs() < 1e-5, "{}", choice.separation_mm);
        assert!((least(&choice.patterns) - choice.separation_mm).abs() < 1e-9);
        assert_eq!(choose(16, 4).unwrap(), choice, "the same each time");
    }

    #[test]
    fn no_two_of_sixteen_agree_however_they_are_turned_or_mirrored() {
        let choice = choose(16, 4).unwrap();
        let moves = |pattern: &Pattern| -> Vec<Vec<[i32; 2]>> {
            let moved = |turn| {
                let mut points: Vec<[i32; 2]> =
                    pattern.points.iter().map(|(r, c)| [i32::from(*r), i32::from(*c)]).collect();
                for _ in 0..turn % 4 {
                    points.iter_mut().for_each(|p| *p = [-p[1], p[0]]);
                }
                if turn >= 4 {
                    points.iter_mut().for_each(|p| p[1] = -p[1]);
                }
                let low = [0, 1].map(|axis| points.iter().map(|p| p[axis]).min().unwrap());
                points.iter_mut().for_each(|p| *p = [p[0] - low[0], p[1] - low[1]]);
                points.sort_unstable();
                points
            };
            (0..8).map(moved).collect()
        };
        let all: Vec<_> = choice.patterns.iter().flat_map(moves).collect();
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), 16 * 8);
    }
}
