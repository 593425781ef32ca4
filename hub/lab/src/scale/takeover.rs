//! Simulates a takeover: the best gene spreads from one island to all others, while no better gene arises.

use super::network::NetworkModel;
use super::topology::{Neighbours, Topology};
use super::{PHASE, Plan, SERVICE};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xpuck_kernels::random::{Draws, Stream};

/// Maximum number of beats (exchanges) of an island if partners are drawn at random.
const MOST_BEATS: u32 = 20_000;

/// Beats of islands and servers: the times at which they exchange genes. Each node has one beat per period, at an
/// individual phase. Islands that are off have no beats.
#[derive(Clone, Copy)]
struct Beats {
    seed: u64,
    weather: NetworkModel,
    period: f64,
}

impl Beats {
    /// Returns the phase of a node as a fraction of its period (0..1).
    fn phase(&self, level: usize, number: usize) -> f64 {
        f64::from(Draws::new(self.seed, number as u32, PHASE + level as u32, 0, Stream::Migration).unit())
    }

    /// Returns the first beat of a server at or after `from` (s). Servers are always on.
    fn of_server(&self, level: usize, number: usize, from: f64, period: f64) -> f64 {
        let phase = self.phase(level, number);
        ((from / period - phase).ceil().max(0.0) + phase) * period
    }

    /// Returns the first beat of an island at or after `from` (s).
    fn of_island(&self, island: usize, from: f64) -> f64 {
        let mut beat = self.of_server(0, island, from, self.period);
        loop {
            match self.weather.presence(island, beat) {
                (true, _) => return beat,
                (false, until) => beat = self.of_server(0, island, until, self.period),
            }
        }
    }
}

/// Returns the time at which the gene arrives at each island (s); infinite if the gene does not reach the island.
pub fn arrivals(plan: &Plan, topology: Topology, stop: &dyn Fn() -> bool) -> Vec<f64> {
    let weather = NetworkModel::new(plan.network, plan.seed);
    let beats = Beats { seed: plan.seed, weather, period: plan.period };
    let mut draws = Draws::new(plan.seed, 0, super::ORIGIN, 0, Stream::Migration);
    // The gene arises on an island that is on.
    let mut origin = draws.below(plan.islands as u32) as usize;
    while !weather.presence(origin, 0.0).0 {
        origin = (origin + 1) % plan.islands;
    }
    match topology {
        Topology::Star | Topology::Tree(_) => through_servers(plan, topology, beats, origin),
        Topology::Complete => by_chance(plan, beats, origin, stop),
        Topology::Ring | Topology::Regular(_) => {
            among_peers(plan, &topology.neighbours(plan.islands, plan.seed), beats, origin)
        }
    }
}

/// Spreads the gene upwards from server to server, then downwards to all islands. At each beat of the lower level, a
/// client sends a request and the server answers.
fn through_servers(plan: &Plan, topology: Topology, beats: Beats, origin: usize) -> Vec<f64> {
    let servers = topology.servers(plan.islands);
    let fan_out = topology.fan_out(plan.islands).max(1);
    let islands = Beats { period: plan.island_period(topology), ..beats };
    let beat = |level: usize, number: usize, from: f64| match level {
        0 => islands.of_island(number, from),
        _ => beats.of_server(level, number, from, plan.server_period(topology)),
    };
    let mut known: Vec<Vec<f64>> = vec![vec![f64::INFINITY; plan.islands]];
    known.extend(servers.iter().map(|n| vec![f64::INFINITY; *n]));
    let (mut node, mut at) = (origin, 0.0);
    known[0][node] = at;
    for (below, here) in known.iter_mut().skip(1).enumerate() {
        at = beat(below, node, at) + beats.weather.delay(below, node, 0) + SERVICE;
        node /= fan_out;
        here[node] = at;
    }
    for level in (1..known.len()).rev() {
        let (below, here) = known.split_at_mut(level);
        for (child, mine) in below[level - 1].iter_mut().enumerate() {
            let above = here[0][child / fan_out];
            let (there, back) = (beats.weather.delay(level - 1, child, 1), beats.weather.delay(level - 1, child, 2));
            let asked = beat(level - 1, child, above - there);
            *mine = mine.min(asked + there + SERVICE + back);
        }
    }
    known.swap_remove(0)
}

/// Spreads the gene between peers. At each beat, an island with the gene sends it to all of its neighbours. A message
/// to an island that is off is lost; the sender repeats it at the next beat.
fn among_peers(plan: &Plan, graph: &Neighbours, beats: Beats, origin: usize) -> Vec<f64> {
    let mut known = vec![f64::INFINITY; plan.islands];
    let mut next = BinaryHeap::new();
    known[origin] = 0.0;
    next.push((Reverse(OrderedTime(0.0)), origin));
    while let Some((Reverse(OrderedTime(at)), island)) = next.pop() {
        if at > known[island] {
            continue;
        }
        for (which, other) in graph.neighbours(island).iter().enumerate() {
            let other = *other as usize;
            if known[other] <= at {
                continue;
            }
            let delay = beats.weather.delay(0, island, which as u32);
            let mut beat = beats.of_island(island, at);
            let arrives = loop {
                let arrives = beat + delay;
                if arrives >= known[other] {
                    break arrives;
                }
                match beats.weather.presence(other, arrives) {
                    (true, _) => break arrives,
                    (false, until) => beat = beats.of_island(island, until - delay),
                }
            };
            if arrives < known[other] {
                known[other] = arrives;
                next.push((Reverse(OrderedTime(arrives)), other));
            }
        }
    }
    known
}

/// Spreads the gene by random requests. At each beat, an island without the gene asks a randomly drawn island.
fn by_chance(plan: &Plan, beats: Beats, origin: usize, stop: &dyn Fn() -> bool) -> Vec<f64> {
    let n = plan.islands;
    let mut known = vec![f64::INFINITY; n];
    known[origin] = 0.0;
    let phases: Vec<f32> = (0..n).map(|i| beats.phase(0, i) as f32).collect();
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by(|a, b| phases[*a as usize].total_cmp(&phases[*b as usize]));
    for round in 0..MOST_BEATS {
        order.retain(|i| known[*i as usize].is_infinite());
        if order.is_empty() || stop() {
            break;
        }
        for island in order.iter().map(|i| *i as usize) {
            let beat = (f64::from(round) + f64::from(phases[island])) * plan.period;
            let mut draws = Draws::new(plan.seed, island as u32, super::PARTNER, round, Stream::Migration);
            let other = draws.below(n as u32) as usize;
            let on = |i: usize| beats.weather.presence(i, beat).0;
            if known[other] > beat || !on(island) || !on(other) {
                continue;
            }
            known[island] = beat
                + [2 * round, 2 * round + 1].map(|which| beats.weather.delay(0, island, which)).iter().sum::<f64>();
        }
    }
    known
}

/// A time (s) with a total order, for a priority queue.
#[derive(Clone, Copy, PartialEq)]
struct OrderedTime(f64);

impl Eq for OrderedTime {}

impl Ord for OrderedTime {
    fn cmp(&self, other: &OrderedTime) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedTime {
    fn partial_cmp(&self, other: &OrderedTime) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::network::Network;
    use crate::scale::{SERVER_PERIOD, Spread, spread};

    fn plan(islands: usize, seed: u64) -> Plan {
        Plan { islands, seed, network: Network::Cluster, period: 10.0, ..Plan::default() }
    }

    fn takeover_spread(plan: &Plan, topology: Topology) -> Spread {
        spread(&mut arrivals(plan, topology, &|| false))
    }

    #[test]
    fn star_takeover_takes_at_most_two_periods() {
        // The gene waits U(0, 1) periods for the next beat of its origin, and then U(0, 1) periods for the next beat
        // of each other island.
        let times: Vec<Spread> = (0..40).map(|seed| takeover_spread(&plan(1000, seed), Topology::Star)).collect();
        let mean = |value: fn(&Spread) -> f64| times.iter().map(value).sum::<f64>() / 40.0;
        assert!((mean(|s| s.half) - 10.0).abs() < 1.5, "{}", mean(|s| s.half));
        assert!((mean(|s| s.all) - 15.0).abs() < 1.5, "{}", mean(|s| s.all));
        assert!(times.iter().all(|s| s.all < 20.1));
    }

    #[test]
    fn overloaded_star_server_slows_takeover() {
        // The server needs 0.4 ms for each of 100000 islands. A cycle therefore takes 40 s instead of 10 s.
        let full = takeover_spread(&plan(100_000, 1), Topology::Star);
        assert!((full.all - full.half - 20.0).abs() < 1.0, "{full:?}");
    }

    #[test]
    fn ring_takeover_time_is_proportional_to_half_its_size() {
        // An island sends the gene on at its next beat. A neighbour's phase is U(0, 1) periods after the sender's
        // phase, so a hop takes half a period on average.
        for n in [1000, 4000] {
            let ring = takeover_spread(&plan(n, 3), Topology::Ring);
            let (hops, hop) = (n as f64 / 2.0, 5.0);
            assert!((ring.all / (hops * hop) - 1.0).abs() < 0.1, "{n}: {ring:?}");
            assert!((ring.half / ring.all - 0.5).abs() < 0.05, "{n}: {ring:?}");
        }
    }

    #[test]
    fn tree_takeover_time_is_logarithmic() {
        // In a tree of L levels of servers, the gene first waits for a beat of its origin. It then waits for L - 1
        // beats of servers upwards and L - 1 beats downwards, and finally for a beat of the receiving island. Each wait
        // takes half a period on average.
        for (n, levels) in [(1000, 3.0), (10_000, 4.0), (100_000, 5.0)] {
            let times: Vec<f64> =
                (0..20).map(|seed| takeover_spread(&plan(n, seed), Topology::Tree(10)).half).collect();
            let mean = times.iter().sum::<f64>() / 20.0;
            let theory = 10.0 + 2.0 * (levels - 1.0) * 0.5 * SERVER_PERIOD;
            assert!((mean - theory).abs() < 2.5, "{n}: {mean}, not {theory}");
        }
    }

    #[test]
    fn partners_by_chance_follow_the_logistic_curve() {
        // Each island without the gene asks one island per period. The share x of islands with the gene follows dx/dt
        // = x (1 - x), with t in periods. For a start from one island, chance adds Euler's constant to the mean time.
        let n = 20_000;
        let mean = (0..16).map(|seed| takeover_spread(&plan(n, seed), Topology::Complete).half).sum::<f64>() / 16.0;
        let theory = 10.0 * ((n as f64).ln() + 0.577);
        assert!((mean / theory - 1.0).abs() < 0.08, "{mean}, not {theory}");
        let mut times = arrivals(&plan(n, 1), Topology::Complete, &|| false);
        times.sort_by(f64::total_cmp);
        // While few islands have the gene, their number grows by a factor of e per period.
        let growth = times[n / 20] - times[n / 200];
        assert!((growth / (10.0 * 10f64.ln()) - 1.0).abs() < 0.1, "{growth}");
    }

    #[test]
    fn random_regular_graph_takeover_is_logarithmic() {
        let at = |n: usize| takeover_spread(&plan(n, 2), Topology::Regular(4)).half;
        let (small, large) = (at(1000), at(100_000));
        assert!(large < 2.6 * small && large > small, "{small} {large}");
    }

    #[test]
    fn absent_volunteers_are_reached_after_their_return() {
        let plan = Plan { network: Network::Volunteers, ..plan(20_000, 5) };
        for topology in [Topology::Tree(32), Topology::Regular(4), Topology::Complete] {
            let found = takeover_spread(&plan, topology);
            assert!(found.half < 300.0 && found.all > 3600.0 && found.all.is_finite(), "{topology}: {found:?}");
        }
    }
}
