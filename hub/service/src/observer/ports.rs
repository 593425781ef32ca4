//! Metrics of the hub's ports: numbers of connections and of evicted connections.

use super::instruments::{Value, add, raise};
use crate::admission::Counts;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Label values of the exported ports.
const PORTS: [&str; 2] = ["robots", "operators"];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Port {
    port: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PortStage {
    port: &'static str,
    stage: &'static str,
}

pub(super) struct PortMetrics {
    connections: Family<PortStage, Value>,
    evicted: Family<Port, Counter>,
}

impl PortMetrics {
    pub fn new(registry: &mut Registry) -> PortMetrics {
        PortMetrics {
            connections: add(
                registry,
                "xpuck_connections",
                "Connections; pending ones are not authenticated yet",
                Family::default(),
            ),
            evicted: add(
                registry,
                "xpuck_connections_evicted",
                "Connections closed to make room for others",
                Family::default(),
            ),
        }
    }

    /// Records the connection counts of the robots' port and the operators' port.
    pub fn show(&self, counts: &[Counts; 2]) {
        for (port, counts) in PORTS.into_iter().zip(counts) {
            for (stage, number) in [("pending", counts.pending), ("established", counts.established)] {
                self.connections.get_or_create(&PortStage { port, stage }).set(number as f64);
            }
            raise(&self.evicted.get_or_create(&Port { port }), counts.evicted);
        }
    }
}
