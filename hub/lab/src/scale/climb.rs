//! Simulates the fitness on all islands over time. Each island improves by a growth law, and islands exchange genes
//! through a topology. The time unit is a generation. Delays within a generation are neglected, because they are
//! about a hundredth of a generation.

use super::law::{LIMIT, Law};
use super::network::Network;
use super::topology::{Neighbours, Topology};
use super::{CLIMB, Plan};
use serde::Serialize;
use xpuck_kernels::random::{Stream, random_block, unit};

/// Fitness of the champions after a generation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Standing {
    /// Number of completed generations.
    pub generation: u32,
    /// Fitness of the best island.
    pub best: f64,
    /// Mean fitness of all islands.
    pub mean: f64,
    /// Median fitness of the islands; for an even number of islands, the lower of the two middle values.
    pub median: f64,
}

/// Simulates all islands over all generations, and returns the fitness after each generation. If `topology` is
/// `None`, the islands never exchange genes. `progress` is called after each generation. The simulation ends early if
/// `progress` returns true.
pub fn climb(plan: &Plan, law: Law, topology: Option<Topology>, progress: &mut dyn FnMut() -> bool) -> Vec<Standing> {
    let n = plan.islands;
    let mut missing = vec![LIMIT as f32; n];
    let mut before = vec![LIMIT as f32; n];
    let mut on: Vec<bool> = (0..n).map(|i| unit(words(plan, i, 0)[0]) < plan.network.on() as f32).collect();
    let mut ways = Ways::new(plan, topology);
    let mut course = Vec::with_capacity(plan.generations as usize);
    for generation in 1..=plan.generations {
        for (island, (mine, on)) in missing.iter_mut().zip(&mut on).enumerate() {
            let words = words(plan, island, generation);
            *on = stays(plan.network, plan.period, *on, unit(words[0]));
            if *on {
                *mine = law.next(*mine, unit(words[1]), unit(words[2]));
            }
        }
        ways.exchange(plan, generation, &mut missing, &mut before, &on);
        course.push(standing(generation, &missing, &mut before));
        if progress() {
            break;
        }
    }
    course
}

fn words(plan: &Plan, island: usize, generation: u32) -> [u32; 4] {
    random_block(plan.seed, island as u32, CLIMB, generation, Stream::Evolution, 0)
}

/// Returns whether an island takes part (is on) in the next period. `on` is its current state, and `luck` is a random
/// number in 0..1.
fn stays(network: Network, period: f64, on: bool, luck: f32) -> bool {
    let Some((mean_on, mean_off)) = network.churn() else { return true };
    let changes = (period / if on { mean_on } else { mean_off }).min(1.0);
    on != (f64::from(luck) < changes)
}

/// Returns the fitness of the champions, given the deficit of each island to the fitness limit. `spare` is a buffer
/// that is overwritten.
fn standing(generation: u32, missing: &[f32], spare: &mut [f32]) -> Standing {
    spare.copy_from_slice(missing);
    let (_, median, _) = spare.select_nth_unstable_by(missing.len() / 2, f32::total_cmp);
    let fitness = |missing: f64| (LIMIT - missing).max(0.0);
    let median = fitness(f64::from(*median));
    let best = fitness(f64::from(missing.iter().copied().fold(f32::INFINITY, f32::min)));
    let mean = fitness(missing.iter().map(|d| f64::from(*d)).sum::<f64>() / missing.len() as f64);
    Standing { generation, best, mean, median }
}

/// State of the gene exchange between islands.
struct Ways {
    topology: Option<Topology>,
    graph: Neighbours,
    /// Deficit of the best gene that each server knows, by level.
    servers: Vec<Vec<f32>>,
    fan_out: usize,
    /// Number of exchanges between a server and its parent in a generation.
    hops: usize,
    /// Number of generations between two exchanges of an island with its server.
    turns: usize,
}

impl Ways {
    fn new(plan: &Plan, topology: Option<Topology>) -> Ways {
        let shape = topology.unwrap_or(Topology::Complete);
        let servers = shape.servers(plan.islands).into_iter().map(|n| vec![LIMIT as f32; n]).collect();
        let fan_out = shape.fan_out(plan.islands);
        let hops = (plan.period / plan.server_period(shape)).floor().max(1.0) as usize;
        let turns = (plan.island_period(shape) / plan.period).ceil() as usize;
        Ways { topology, graph: shape.neighbours(plan.islands, plan.seed), servers, fan_out, hops, turns }
    }

    fn exchange(&mut self, plan: &Plan, generation: u32, missing: &mut [f32], before: &mut [f32], on: &[bool]) {
        match self.topology {
            None => {}
            Some(Topology::Star | Topology::Tree(_)) => self.through_servers(generation as usize, missing, on),
            Some(Topology::Complete) => {
                before.copy_from_slice(missing);
                for (island, mine) in missing.iter_mut().enumerate().filter(|(i, _)| on[*i]) {
                    let word = words(plan, island, generation)[3];
                    let other = ((u64::from(word) * before.len() as u64) >> 32) as usize;
                    if on[other] {
                        *mine = mine.min(before[other]);
                    }
                }
            }
            Some(Topology::Ring | Topology::Regular(_)) => {
                before.copy_from_slice(missing);
                for (island, mine) in missing.iter_mut().enumerate().filter(|(i, _)| on[*i]) {
                    for other in self.graph.neighbours(island).iter().map(|o| *o as usize).filter(|o| on[*o]) {
                        *mine = mine.min(before[other]);
                    }
                }
            }
        }
    }

    /// Exchanges genes through servers. First, islands receive the best gene of their server, and report their own
    /// best gene. Then servers exchange genes with their parents, level by level.
    fn through_servers(&mut self, generation: usize, missing: &mut [f32], on: &[bool]) {
        let (fan_out, turns) = (self.fan_out, self.turns);
        let first = &mut self.servers[0];
        let clients = missing.iter_mut().enumerate().filter(|(i, _)| on[*i] && (i + generation).is_multiple_of(turns));
        for (island, mine) in clients {
            let server = &mut first[island / fan_out];
            (*mine, *server) = (mine.min(*server), mine.min(*server));
        }
        for _ in 0..self.hops {
            let mut changed = false;
            for level in (1..self.servers.len()).rev() {
                let (below, above) = self.servers.split_at_mut(level);
                for (child, mine) in below[level - 1].iter_mut().enumerate() {
                    let theirs = &mut above[0][child / fan_out];
                    changed |= *mine != *theirs;
                    (*mine, *theirs) = (mine.min(*theirs), mine.min(*theirs));
                }
            }
            if !changed {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::law::{BUDGET, fitness};

    fn plan(islands: usize, generations: u32) -> Plan {
        Plan { islands, generations, network: Network::Cluster, seed: 1, ..Plan::default() }
    }

    fn last(plan: &Plan, law: Law, topology: Option<Topology>) -> Standing {
        *climb(plan, law, topology, &mut || false).last().unwrap()
    }

    #[test]
    fn nine_islands_around_a_server_climb_as_the_measured_runs() {
        for law in [Law::Draws, Law::Steps] {
            let all = (0..60).map(|seed| last(&Plan { seed, ..plan(9, 84) }, law, Some(Topology::Star)).best);
            let mean = all.sum::<f64>() / 60.0;
            assert!((mean - fitness(BUDGET)).abs() < 0.015, "{law:?}: {mean}");
        }
    }

    #[test]
    fn migration_lifts_mean_and_with_steps_also_best() {
        let gain = |law, value: fn(&Standing) -> f64| {
            let plan = plan(500, 60);
            value(&last(&plan, law, Some(Topology::Tree(10)))) - value(&last(&plan, law, None))
        };
        assert!(gain(Law::Draws, |s| s.best).abs() < 0.002);
        assert!(gain(Law::Draws, |s| s.mean) > 0.05);
        assert!(gain(Law::Steps, |s| s.best) > 0.02);
    }

    #[test]
    fn ring_climbs_more_slowly_than_tree() {
        let plan = plan(5000, 60);
        let of = |topology| last(&plan, Law::Steps, Some(topology)).mean;
        assert!(of(Topology::Tree(32)) > of(Topology::Ring) + 0.01);
    }

    #[test]
    fn same_seed_gives_same_results() {
        let plan = Plan { network: Network::Volunteers, ..plan(2000, 20) };
        let of = |topology| climb(&plan, Law::Steps, Some(topology), &mut || false);
        assert_eq!(of(Topology::Regular(4)), of(Topology::Regular(4)));
    }
}
