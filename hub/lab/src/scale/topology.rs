//! Topologies of gene exchange.

use std::fmt::{Display, Formatter};
use std::str::FromStr;
use xpuck_kernels::random::{Draws, Stream};

/// Topology that connects islands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One geneserver for all islands.
    Star,
    /// A tree of geneservers. Each geneserver serves this number of islands or geneservers, and has one parent.
    Tree(usize),
    /// Each island sends to its two neighbours.
    Ring,
    /// A random regular graph. Each island always sends to the same islands. Their number is the value of the variant,
    /// and is even.
    Regular(usize),
    /// In each period, each island asks a randomly drawn island.
    Complete,
}

impl Topology {
    /// Returns the number of servers on each level, starting at the lowest level. The result is empty for peer
    /// topologies.
    pub fn servers(self, islands: usize) -> Vec<usize> {
        let fan_out = match self {
            Topology::Star => islands.max(1),
            Topology::Tree(fan_out) => fan_out,
            _ => return Vec::new(),
        };
        let mut levels = vec![islands.div_ceil(fan_out)];
        while let Some(more) = levels.last().copied().filter(|n| *n > 1) {
            levels.push(more.div_ceil(fan_out));
        }
        levels
    }

    /// Returns the maximum number of clients per server; 0 for peer topologies.
    pub fn fan_out(self, islands: usize) -> usize {
        match self {
            Topology::Star => islands,
            Topology::Tree(fan_out) => fan_out.min(islands),
            _ => 0,
        }
    }

    /// Returns the islands to which each island sends. The lists are empty for topologies with servers or with changing
    /// partners.
    pub fn neighbours(self, islands: usize, seed: u64) -> Neighbours {
        let n = islands as u32;
        match self {
            Topology::Ring => {
                let pair = |i: u32| [(i + n - 1) % n, (i + 1) % n];
                Neighbours { degree: 2, list: (0..n).flat_map(pair).collect() }
            }
            Topology::Regular(degree) => Neighbours { degree, list: regular(n, degree, seed) },
            _ => Neighbours { degree: 0, list: Vec::new() },
        }
    }
}

/// Concatenated lists of neighbours, one list of equal length per island.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// Number of neighbours of each island.
    pub degree: usize,
    list: Vec<u32>,
}

impl Neighbours {
    /// Returns the neighbours of an island.
    pub fn neighbours(&self, island: usize) -> &[u32] {
        &self.list[island * self.degree..][..self.degree]
    }
}

/// Returns the neighbour lists of a random regular graph. The graph consists of `degree / 2` random cycles through
/// all islands. The neighbours of an island are its predecessor and its successor in each cycle.
fn regular(n: u32, degree: usize, seed: u64) -> Vec<u32> {
    let mut list = vec![0; n as usize * degree];
    for circle in 0..degree / 2 {
        let mut order: Vec<u32> = (0..n).collect();
        for i in (1..n).rev() {
            // Each step uses its own stream. A stream has 2^18 words, which may be fewer than the number of islands.
            let j = Draws::new(seed, i, super::GRAPH, circle as u32, Stream::Migration).below(i + 1);
            order.swap(i as usize, j as usize);
        }
        for (k, i) in order.iter().enumerate() {
            let at = *i as usize * degree + 2 * circle;
            list[at] = order[(k + n as usize - 1) % n as usize];
            list[at + 1] = order[(k + 1) % n as usize];
        }
    }
    list
}

impl Display for Topology {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Topology::Star => write!(f, "star"),
            Topology::Tree(fan_out) => write!(f, "tree:{fan_out}"),
            Topology::Ring => write!(f, "ring"),
            Topology::Regular(degree) => write!(f, "regular:{degree}"),
            Topology::Complete => write!(f, "complete"),
        }
    }
}

/// Error of an invalid topology name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}`: expected star, tree:FAN-OUT (2 to 1000000), ring, regular:DEGREE (even, 2 to 64) or complete")]
pub struct NoTopology(String);

impl FromStr for Topology {
    type Err = NoTopology;

    fn from_str(text: &str) -> Result<Topology, NoTopology> {
        let wrong = || NoTopology(text.into());
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        match text.split_once(':') {
            None => match text {
                "star" => Ok(Topology::Star),
                "ring" => Ok(Topology::Ring),
                "complete" => Ok(Topology::Complete),
                _ => Err(wrong()),
            },
            Some(("tree", n)) => {
                Some(number(n)?).filter(|n| (2..=1_000_000).contains(n)).map(Topology::Tree).ok_or_else(wrong)
            }
            Some(("regular", n)) => {
                Some(number(n)?).filter(|n| (2..=64).contains(n) && n % 2 == 0).map(Topology::Regular).ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_level_count_is_logarithmic() {
        assert_eq!(Topology::Tree(10).servers(1_000_000), [100_000, 10_000, 1000, 100, 10, 1]);
        assert_eq!(Topology::Tree(100).servers(1_000_000), [10_000, 100, 1]);
        assert_eq!(Topology::Tree(32).servers(1_000_000), [31_250, 977, 31, 1]);
        assert_eq!(Topology::Star.servers(1_000_000), [1]);
        assert!(Topology::Ring.servers(9).is_empty());
    }

    #[test]
    fn regular_graph_is_symmetric_with_equal_degrees() {
        let graph = Topology::Regular(4).neighbours(1000, 7);
        let mut told = vec![0; 1000];
        for i in 0..1000 {
            assert_eq!(graph.neighbours(i).len(), 4);
            for j in graph.neighbours(i) {
                told[*j as usize] += 1;
                assert!(graph.neighbours(*j as usize).contains(&(i as u32)));
            }
        }
        assert!(told.iter().all(|n| *n == 4));
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["star", "tree:32", "ring", "regular:4", "complete"] {
            assert_eq!(name.parse::<Topology>().unwrap().to_string(), name);
        }
        for wrong in ["", "tree", "tree:1", "tree:x", "regular:3", "web:4"] {
            assert!(wrong.parse::<Topology>().unwrap_err().to_string().contains("tree:FAN-OUT"), "{wrong}");
        }
    }
}
