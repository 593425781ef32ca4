//! What goes over the wires: arithmetic, no simulation.

use super::topology::Topology;
use super::{Plan, SERVICE};
use serde::Serialize;

/// A gene on the wire, bytes: a champion as text (docs/trees/806768-evolved.bt has 586) with its name and samples.
pub const GENE: f64 = 640.0;
/// Genes of an answer: `migration.receive`.
pub const ANSWER: f64 = 8.0;

/// Messages and bytes, on average, with those islands that are on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Traffic {
    /// Messages of all a second.
    pub messages: f64,
    /// Bytes of all a second.
    pub bytes: f64,
    /// What comes to the busiest server, or to an island where there are none, messages a second.
    pub busiest: f64,
    /// The part of its time that it needs to answer them; 1 if they wait for it.
    pub load: f64,
    /// What the busiest sends, bytes a second.
    pub busiest_bytes: f64,
}

impl Traffic {
    /// Of a topology.
    pub fn of(plan: &Plan, topology: Topology) -> Traffic {
        let on = plan.islands as f64 * plan.network.on();
        let servers = topology.servers(plan.islands);
        if servers.is_empty() {
            return Traffic::of_peers(plan, topology, on);
        }
        let fan_out = topology.fan_out(plan.islands) as f64;
        let (of_island, of_server) = (plan.island_period(topology), plan.server_period(topology));
        let clients: usize = servers[..servers.len() - 1].iter().sum();
        let asked = on / of_island + clients as f64 / of_server;
        let of_islands = fan_out * plan.network.on() / of_island;
        let of_servers = if clients > 0 { fan_out / of_server } else { 0.0 };
        let busiest = of_islands.max(of_servers);
        Traffic {
            messages: 2.0 * asked,
            bytes: asked * (1.0 + ANSWER) * GENE,
            busiest,
            load: (busiest * SERVICE).min(1.0),
            busiest_bytes: busiest * ANSWER * GENE,
        }
    }

    fn of_peers(plan: &Plan, topology: Topology, on: f64) -> Traffic {
        // A partner by chance is asked and answers; neighbours are told.
        let told = match topology {
            Topology::Ring => 2.0,
            Topology::Regular(degree) => degree as f64,
            _ => 2.0,
        };
        let busiest = told * plan.network.on() / plan.period;
        Traffic {
            messages: on * told / plan.period,
            bytes: on * told * GENE / plan.period,
            busiest,
            load: busiest * SERVICE,
            busiest_bytes: told * GENE / plan.period,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::network::Network;

    fn of(islands: usize, topology: Topology) -> Traffic {
        Traffic::of(&Plan { islands, network: Network::Cluster, period: 10.0, ..Plan::default() }, topology)
    }

    #[test]
    fn messages_are_counted_exactly() {
        // 1000 islands ask once in 10 s; 100 and 10 servers once in a second; each is answered.
        assert_eq!(of(1000, Topology::Tree(10)).messages, 2.0 * (100.0 + 110.0));
        assert_eq!(of(1000, Topology::Star).messages, 200.0);
        assert_eq!(of(1000, Topology::Ring).messages, 200.0);
        assert_eq!(of(1000, Topology::Regular(4)).messages, 400.0);
        assert_eq!(of(1000, Topology::Complete).messages, 200.0);
        let graph = Topology::Regular(6).neighbours(500, 1);
        let told: usize = (0..500).map(|i| graph.of(i).len()).sum();
        assert_eq!(of(500, Topology::Regular(6)).messages, told as f64 / 10.0);
    }

    #[test]
    fn a_server_has_an_end() {
        let star = of(1_000_000, Topology::Star);
        assert_eq!((star.load, star.busiest), (1.0, 2500.0));
        assert!((of(10_000, Topology::Star).load - 0.4).abs() < 1e-9);
        assert!((of(1_000_000, Topology::Tree(100)).load - 0.04).abs() < 1e-9);
    }
}
