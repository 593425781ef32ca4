//! Quantities that formulas use: numbers that depend on where the robots are now, and some on where they were.

use super::Objective;
use super::bodies::{Bodies, DiscValue};
use crate::math::Vec2;
use crate::model::{CONTROL_PERIOD, MAX_ROBOTS};
use crate::world::task::coverage::Coverage;
use crate::world::zone::Zone;
use serde::{Deserialize, Serialize};

/// Robots among which a distance is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Among {
    /// All robots.
    All,
    /// Robots in the region with this index.
    Inside(u16),
    /// Robots outside the region with this index.
    Outside(u16),
}

/// Number that depends on the robots' centres. A robot that is not seen counts in none of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Quantity {
    /// Number of robots in a region.
    Count {
        /// Index of the region.
        zone: u16,
    },
    /// Number of items delivered so far. A robot picks up one item at the source and delivers it at the nest.
    Delivered {
        /// Index of the region with items.
        source: u16,
        /// Index of the region where items are delivered.
        nest: u16,
        /// Index of the region where items are lost.
        lost: Option<u16>,
    },
    /// Number of robots in the largest cluster: a chain of robots whose centres are at most `range` apart.
    Cluster {
        /// Maximum distance of neighbours (m).
        range: f32,
    },
    /// Number of hops between the two most distant robots of the largest cluster, along shortest paths.
    Hops {
        /// Maximum distance of neighbours (m).
        range: f32,
    },
    /// Mean time since a robot was last in a cell of the arena (s); since the start for cells without a visit.
    Age {
        /// Desired side of a cell (m).
        cell: f32,
    },
    /// Number of clusters.
    Clusters {
        /// Maximum distance of neighbours (m).
        range: f32,
    },
    /// Mean distance of a robot to the nearest other robot (m); 0 for a single robot.
    Nearest,
    /// The same, but a distance above `cap` counts as `cap`.
    NearestUpTo {
        /// Highest distance that counts (m).
        cap: f32,
    },
    /// Mean distance of all pairs of robots (m); 0 for a single robot.
    Pairs,
    /// Fraction of the arena's cells that the centre of any robot has visited.
    Visited {
        /// Desired side of a cell (m).
        cell: f32,
    },
    /// Number of robots that moved faster than `speed` since the last update.
    Moving {
        /// Speed (m/s).
        speed: f32,
    },
    /// Mean speed of the robots since the last update (m/s).
    Speed,
    /// Number of crossings of a line so far: from its left side to its right side, minus those in the other direction.
    Crossed {
        /// First end of the line (m).
        from: Vec2,
        /// Second end of the line (m).
        to: Vec2,
    },
    /// Mean distance from the points of a region to the nearest of some robots (m), at most `cap`.
    Distance {
        /// Index of the region.
        zone: u16,
        /// Robots to which the distance is measured.
        among: Among,
        /// Maximum distance (m), which also counts if there are no such robots.
        cap: f32,
    },
    /// Fraction of a region's points that are at most `radius` from a robot.
    Covered {
        /// Index of the region.
        zone: u16,
        /// Distance (m).
        radius: f32,
        /// Maximum distance of neighbours in a cluster (m): only robots of the largest cluster cover; `None`: all do.
        range: Option<f32>,
    },
    /// Place or displacement of a disc; the last one if the disc is not seen.
    Disc {
        /// Index of the disc.
        disc: u16,
        /// Number that is read.
        value: DiscValue,
    },
    /// Number of discs in a region.
    Discs {
        /// Index of the region.
        zone: u16,
    },
    /// Length of the mean heading vector of the robots, 0 to 1.
    Alignment,
    /// Area of a region in the arena (m^2).
    Area {
        /// Index of the region.
        zone: u16,
    },
}

/// Number of updates between two evaluations of a quantity over the points of a region (one second).
pub const FIELD_PERIOD: u32 = 10;

impl Quantity {
    /// True if the quantity is computed over the points of a region, once per [`FIELD_PERIOD`] updates.
    pub fn is_field(&self) -> bool {
        matches!(self, Quantity::Distance { .. } | Quantity::Covered { .. })
    }
}

/// Set of robots, with one bit per robot.
pub type Members = [u64; MAX_ROBOTS.div_ceil(64)];

/// State of a quantity: data of earlier updates, or a constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Memory {
    /// No state.
    None,
    /// Value that does not change during a run.
    Constant(f32),
    /// Robots that carry an item, and the number of delivered items.
    Items(Members, u32),
    /// Visited cells.
    Cells(Coverage),
    /// Cells, the number of the update in which a robot was last in each, and the number of updates.
    Ages(Coverage, Vec<u32>, u32),
    /// Net number of crossings.
    Crossings(i32),
}

impl Memory {
    /// State of a quantity at the start.
    pub fn new(quantity: &Quantity, zones: &[Zone], half_arena: (f32, f32)) -> Memory {
        match *quantity {
            Quantity::Delivered { .. } => Memory::Items(Members::default(), 0),
            Quantity::Visited { cell } => Memory::Cells(Coverage::new(cell, half_arena)),
            Quantity::Age { cell } => {
                let cells = Coverage::new(cell, half_arena);
                let [columns, rows] = cells.cells();
                Memory::Ages(cells, vec![0; columns * rows], 0)
            }
            Quantity::Crossed { .. } => Memory::Crossings(0),
            Quantity::Area { zone } => Memory::Constant(zones[usize::from(zone)].area(half_arena)),
            _ => Memory::None,
        }
    }

    /// Updates the state. `members` returns the robots in a region. Centres of robots that are not seen are NaN.
    pub fn update(&mut self, quantity: &Quantity, members: impl Fn(u16) -> Members, now: &[Vec2], before: &[Vec2]) {
        match (self, quantity) {
            (Memory::Items(carrying, delivered), Quantity::Delivered { source, nest, lost }) => {
                let (source, nest) = (members(*source), members(*nest));
                let lost = lost.map_or(Members::default(), members);
                for (word, carrying) in carrying.iter_mut().enumerate() {
                    // The source comes first where regions overlap, then the region LOST, and last the nest.
                    let loses = lost[word] & !source[word];
                    let delivers = nest[word] & !source[word] & !loses;
                    *delivered += (delivers & *carrying).count_ones();
                    *carrying = (*carrying | source[word]) & !loses & !delivers;
                }
            }
            (Memory::Cells(coverage), _) => {
                for at in seen(now) {
                    coverage.update(&[at]);
                }
            }
            (Memory::Ages(cells, visits, updates), _) => {
                *updates += 1;
                for at in seen(now) {
                    visits[cells.cell(at)] = *updates;
                }
            }
            (Memory::Crossings(net), Quantity::Crossed { from, to }) => {
                *net += now.iter().zip(before).map(|(now, before)| crossing(*from, *to, *before, *now)).sum::<i32>();
            }
            _ => {}
        }
    }
}

impl Memory {
    /// Sets the state at the end of a run from a register, and from the words of cells: one bit for each visited cell,
    /// or the number of the update of its last visit. The register of ages is the number of updates.
    pub(crate) fn set(&mut self, register: u32, cell_word: impl Fn(usize) -> u32) {
        match self {
            Memory::Items(_, delivered) => *delivered = register,
            Memory::Crossings(net) => *net = register as i32,
            Memory::Cells(coverage) => coverage.set(|cell| cell_word(cell / 32) >> (cell % 32) & 1 == 1),
            Memory::Ages(_, visits, updates) => {
                *updates = register;
                visits.iter_mut().enumerate().for_each(|(cell, visit)| *visit = cell_word(cell));
            }
            Memory::None | Memory::Constant(_) => {}
        }
    }
}

/// 1 if a movement crosses a line from its left to its right side, -1 for the other direction, else 0. The line itself
/// belongs to the right side.
fn crossing(from: Vec2, to: Vec2, before: Vec2, now: Vec2) -> i32 {
    let line = to - from;
    let side = |at: Vec2| line.cross(at - from);
    let (a, b) = (side(before), side(now));
    // NaN of a robot that is not seen is on neither side.
    let direction = if a > 0.0 && b <= 0.0 {
        1
    } else if a <= 0.0 && b > 0.0 {
        -1
    } else {
        return 0;
    };
    let at = before + (now - before) * (a / (a - b));
    let along = line.dot(at - from);
    if (0.0..=line.length_squared()).contains(&along) { direction } else { 0 }
}

/// Centres of the robots that are seen.
fn seen(centres: &[Vec2]) -> impl Iterator<Item = Vec2> + Clone + '_ {
    centres.iter().copied().filter(|at| !at.x.is_nan())
}

/// Robots and regions from which quantities are computed.
pub struct View<'a> {
    /// The objective.
    pub objective: &'a Objective,
    /// Bit mask of the conditions that hold.
    pub active: u32,
    /// Robots in each region, if they are known.
    pub members: Option<&'a [Members]>,
    /// Points of each region.
    pub points: &'a [Vec<Vec2>],
    /// Centres of the robots; NaN for robots that are not seen (m).
    pub now: &'a [Vec2],
    /// Centres in the last update.
    pub before: &'a [Vec2],
    /// Headings of the robots, and discs.
    pub(super) bodies: &'a Bodies,
}

impl View<'_> {
    /// Value of a quantity.
    pub fn value(&self, quantity: &Quantity, memory: &Memory) -> f32 {
        match (*quantity, memory) {
            (Quantity::Count { zone }, _) => self.count(zone) as f32,
            (Quantity::Delivered { .. }, Memory::Items(_, delivered)) => *delivered as f32,
            (Quantity::Visited { .. }, Memory::Cells(coverage)) => coverage.fitness(),
            (Quantity::Crossed { .. }, Memory::Crossings(net)) => *net as f32,
            (Quantity::Cluster { range }, _) => cluster_sizes(self.now, range).0 as f32,
            (Quantity::Hops { range }, _) => hops(self.now, range) as f32,
            (Quantity::Age { .. }, Memory::Ages(_, visits, updates)) => {
                mean(visits.iter().map(|visit| (updates - visit) as f32 * CONTROL_PERIOD))
            }
            (Quantity::Clusters { range }, _) => cluster_sizes(self.now, range).1 as f32,
            (Quantity::Nearest, _) => self.nearest(f32::INFINITY),
            (Quantity::NearestUpTo { cap }, _) => self.nearest(cap),
            (Quantity::Pairs, _) => self.pairs(),
            (Quantity::Moving { speed }, _) => self.speeds().filter(|of| *of > speed).count() as f32,
            (Quantity::Speed, _) => mean(self.speeds()),
            (Quantity::Distance { zone, among, cap }, _) => self.distance(zone, among, cap),
            (Quantity::Covered { zone, radius, range }, _) => self.covered(zone, radius, range),
            (Quantity::Disc { disc, value }, _) => self.bodies.disc_value(disc, value),
            (Quantity::Discs { zone }, _) => self.bodies.discs().filter(|at| self.inside(zone, *at)).count() as f32,
            (Quantity::Alignment, _) => self.bodies.alignment(),
            (Quantity::Area { .. }, Memory::Constant(area)) => *area,
            _ => 0.0,
        }
    }

    /// Number of robots in a region.
    fn count(&self, zone: u16) -> u32 {
        match self.members {
            Some(_) if !self.objective.zone_exists(zone, self.active) => 0,
            Some(members) => members[usize::from(zone)].iter().map(|word| word.count_ones()).sum(),
            None => self.now.iter().filter(|at| self.inside(zone, **at)).count() as u32,
        }
    }

    /// True if a region exists and contains a point.
    fn inside(&self, zone: u16, at: Vec2) -> bool {
        self.objective.zone_exists(zone, self.active) && self.objective.zones[usize::from(zone)].contains(at)
    }

    /// Points of a region; none if it does not exist now.
    fn points(&self, zone: u16) -> &[Vec2] {
        if self.objective.zone_exists(zone, self.active) { &self.points[usize::from(zone)] } else { &[] }
    }

    /// Speeds of the robots that are seen now and were seen in the last update (m/s).
    fn speeds(&self) -> impl Iterator<Item = f32> + '_ {
        let speed = |(now, before): (&Vec2, &Vec2)| (*now - *before).length() / CONTROL_PERIOD;
        self.now.iter().zip(self.before).map(speed).filter(|speed| !speed.is_nan())
    }

    fn nearest(&self, cap: f32) -> f32 {
        let nearest = |(i, at): (usize, Vec2)| {
            let others = seen(self.now).enumerate().filter(move |(j, _)| *j != i);
            others.map(|(_, other)| (other - at).length_squared()).fold(f32::INFINITY, crate::math::min).sqrt()
        };
        let distances = seen(self.now).enumerate().map(nearest).filter(|distance| distance.is_finite());
        mean(distances.map(|distance| crate::math::min(distance, cap)))
    }

    fn pairs(&self) -> f32 {
        let all = seen(self.now);
        let pairs = all.clone().enumerate().flat_map(|(i, a)| all.clone().take(i).map(move |b| (b - a).length()));
        mean(pairs)
    }

    fn distance(&self, zone: u16, among: Among, cap: f32) -> f32 {
        let counts = |at: &Vec2| match among {
            Among::All => true,
            Among::Inside(zone) => self.inside(zone, *at),
            Among::Outside(zone) => !self.inside(zone, *at),
        };
        let robots: Vec<Vec2> = seen(self.now).filter(counts).collect();
        mean(self.points(zone).iter().map(|point| {
            let nearest = robots.iter().map(|at| (*at - *point).length_squared()).fold(f32::INFINITY, crate::math::min);
            crate::math::min(nearest.sqrt(), cap)
        }))
    }

    fn covered(&self, zone: u16, radius: f32, range: Option<f32>) -> f32 {
        let robots: Vec<Vec2> = match range {
            None => seen(self.now).collect(),
            Some(range) => {
                let all = clusters(self.now, range);
                // If clusters have equal sizes, the one with the lowest robot index counts.
                let largest = all.iter().rev().max_by_key(|cluster| cluster.len());
                largest.into_iter().flatten().map(|robot| self.now[usize::from(*robot)]).collect()
            }
        };
        let near = |point: &Vec2| robots.iter().any(|at| (*at - *point).length_squared() <= radius * radius);
        mean(self.points(zone).iter().map(|point| if near(point) { 1.0 } else { 0.0 }))
    }
}

/// Mean of some values; 0 if there are none.
fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0f64, 0u32), |(sum, count), value| (sum + f64::from(value), count + 1));
    (sum / f64::from(count.max(1))) as f32
}

/// Clusters of the robots that are seen, each with the indices of its members.
fn clusters(centres: &[Vec2], range: f32) -> Vec<Vec<u16>> {
    let mut free: Vec<u16> = (0..centres.len() as u16).filter(|i| !centres[usize::from(*i)].x.is_nan()).collect();
    let mut found = Vec::new();
    while !free.is_empty() {
        let mut members = vec![free.remove(0)];
        let mut next = 0;
        while next < members.len() {
            let at = centres[usize::from(members[next])];
            let near = |robot: &u16| (centres[usize::from(*robot)] - at).length_squared() <= range * range;
            members.extend(free.iter().copied().filter(near));
            free.retain(|robot| !near(robot));
            next += 1;
        }
        found.push(members);
    }
    found
}

/// Size of the largest cluster, and the number of clusters, without memory on the heap.
fn cluster_sizes(centres: &[Vec2], range: f32) -> (usize, usize) {
    let mut places = [Vec2::ZERO; MAX_ROBOTS];
    let mut count = 0;
    for at in seen(centres) {
        places[count] = at;
        count += 1;
    }
    let places = &mut places[..count];
    let (mut largest, mut clusters, mut begin) = (0, 0, 0);
    while begin < count {
        // Robots from `begin` to `end` are the cluster so far; its robots are moved to the front.
        let (mut next, mut end) = (begin, begin + 1);
        while next < end {
            let at = places[next];
            let rest = end;
            for other in rest..count {
                if (places[other] - at).length_squared() <= range * range {
                    places.swap(other, end);
                    end += 1;
                }
            }
            next += 1;
        }
        (largest, clusters, begin) = (largest.max(end - begin), clusters + 1, end);
    }
    (largest, clusters)
}

/// Number of hops between the two most distant robots of the largest cluster, along shortest paths. If clusters have
/// equal sizes, the one with the lowest robot index counts.
fn hops(centres: &[Vec2], range: f32) -> u32 {
    let all = clusters(centres, range);
    let Some(members) = all.iter().rev().max_by_key(|cluster| cluster.len()) else { return 0 };
    let at = |robot: u16| centres[usize::from(robot)];
    let farthest = |first: u16| {
        let (mut reached, mut left) = (vec![first], members.clone());
        left.retain(|robot| *robot != first);
        let mut hops = 0;
        while !left.is_empty() {
            let near =
                |robot: &u16| reached.iter().any(|other| (at(*robot) - at(*other)).length_squared() <= range * range);
            let (next, rest): (Vec<u16>, Vec<u16>) = left.iter().partition(|robot| near(robot));
            (reached, left) = (next, rest);
            hops += 1;
        }
        hops
    };
    members.iter().map(|robot| farthest(*robot)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;

    const MISSING: Vec2 = vec2(f32::NAN, f32::NAN);

    #[test]
    fn clusters_are_chains_and_missing_robots_are_in_none() {
        let centres = [0.0, 0.1, 0.5, 0.2, 0.55].map(|x| vec2(x, 0.0));
        assert_eq!(clusters(&centres, 0.11), [vec![0, 1, 3], vec![2, 4]]);
        assert_eq!(clusters(&[MISSING, centres[0], MISSING], 1.0), [vec![1]]);
        for number in 0..200 {
            let mut draws = crate::random::Draws::new(3, number, 0, 0, crate::random::Stream::Simtest);
            let mut place =
                || if draws.below(9) == 0 { MISSING } else { vec2(draws.range(-1.0, 1.0), draws.range(-1.0, 1.0)) };
            let all: Vec<Vec2> = (0..30).map(|_| place()).collect();
            let lists = clusters(&all, 0.3);
            let largest = lists.iter().map(Vec::len).max().unwrap();
            assert_eq!(cluster_sizes(&all, 0.3), (largest, lists.len()));
        }
    }

    #[test]
    fn hops_are_the_longest_of_the_shortest_paths() {
        let row = [0.0, 0.1, 0.2, 0.3, 0.9].map(|x| vec2(x, 0.0));
        assert_eq!((hops(&row, 0.11), hops(&row, 0.21), hops(&row, 0.05), hops(&[], 1.0)), (3, 2, 0, 0));
        let square = [vec2(0.0, 0.0), vec2(0.1, 0.0), vec2(0.1, 0.1), vec2(0.0, 0.1)];
        assert_eq!((hops(&square, 0.11), hops(&square, 0.15)), (2, 1));
    }

    #[test]
    fn crossings_have_a_sign_and_end_with_the_line() {
        let (from, to) = (vec2(0.5, 0.0), vec2(-0.5, 0.0));
        let go = |x: f32, before: f32, now: f32| crossing(from, to, vec2(x, before), vec2(x, now));
        // The line points to -x, so +y is on its right side.
        assert_eq!([go(0.0, -0.1, 0.1), go(0.0, 0.1, -0.1), go(0.0, 0.1, 0.2)], [1, -1, 0]);
        assert_eq!([go(0.6, -0.1, 0.1), go(f32::NAN, -0.1, 0.1), go(0.0, f32::NAN, 0.1)], [0, 0, 0]);
        assert_eq!(go(0.0, -0.1, 0.0) + go(0.0, 0.0, 0.1), 1, "a stop on the line counts once");
    }
}
