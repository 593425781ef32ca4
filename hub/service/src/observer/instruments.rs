//! Gauges and counters of the metrics.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry};
use std::sync::atomic::AtomicU64;

/// Gauge for a measured value.
pub(super) type Value = Gauge<f64, AtomicU64>;

/// Registers a metric and returns it.
pub(super) fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Raises a counter to `to`, the current value of a count that is kept outside the metrics. The counter never falls.
pub(super) fn raise(counter: &Counter, to: u64) {
    counter.inc_by(to.saturating_sub(counter.get()));
}
