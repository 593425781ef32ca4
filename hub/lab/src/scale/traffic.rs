//! Network traffic, calculated without simulation.

use super::topology::Topology;
use super::{Plan, SERVICE};
use serde::Serialize;

/// Size of a gene in transit (bytes): a champion as text, with its name and samples. The text of
/// docs/trees/806768-evolved.bt has 586 bytes.
pub const GENE: f64 = 640.0;
/// Number of genes in an answer of a geneserver, as in the setting `migration.receive`.
pub const ANSWER: f64 = 8.0;

/// Mean rates of messages and bytes between the islands that are on and their servers or peers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Traffic {
    /// Total message rate (1/s).
    pub messages: f64,
    /// Total data rate (bytes/s).
    pub bytes: f64,
    /// Rate of messages that the busiest server receives, or that an island receives in a topology without servers
    /// (1/s).
    pub busiest: f64,
    /// Share of time that the busiest node spends on answers; 1 for an overloaded server.
    pub load: f64,
    /// Rate of data that the busiest node sends (bytes/s).
    pub busiest_bytes: f64,
}

impl Traffic {
    /// Returns the traffic of a topology.
    pub fn from_plan(plan: &Plan, topology: Topology) -> Traffic {
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
        // Number of messages per island and period. A random partner receives a request and sends an answer. Fixed
        // neighbours only receive.
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

    fn cluster_traffic(islands: usize, topology: Topology) -> Traffic {
        Traffic::from_plan(&Plan { islands, network: Network::Cluster, period: 10.0, ..Plan::default() }, topology)
    }

    #[test]
    fn messages_are_counted_exactly() {
        // Each of 1000 islands sends a request every 10 s. Each of 100 servers on level 1 and 10 servers on level 2
        // sends a request every second. Each request is answered.
        assert_eq!(cluster_traffic(1000, Topology::Tree(10)).messages, 2.0 * (100.0 + 110.0));
        assert_eq!(cluster_traffic(1000, Topology::Star).messages, 200.0);
        assert_eq!(cluster_traffic(1000, Topology::Ring).messages, 200.0);
        assert_eq!(cluster_traffic(1000, Topology::Regular(4)).messages, 400.0);
        assert_eq!(cluster_traffic(1000, Topology::Complete).messages, 200.0);
        let graph = Topology::Regular(6).neighbours(500, 1);
        let told: usize = (0..500).map(|i| graph.neighbours(i).len()).sum();
        assert_eq!(cluster_traffic(500, Topology::Regular(6)).messages, told as f64 / 10.0);
    }

    #[test]
    fn star_server_load_saturates() {
        let star = cluster_traffic(1_000_000, Topology::Star);
        assert_eq!((star.load, star.busiest), (1.0, 2500.0));
        assert!((cluster_traffic(10_000, Topology::Star).load - 0.4).abs() < 1e-9);
        assert!((cluster_traffic(1_000_000, Topology::Tree(100)).load - 0.04).abs() < 1e-9);
    }
}
