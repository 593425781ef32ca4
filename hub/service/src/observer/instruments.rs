//! Values and counters that the metrics are made of.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry};
use std::sync::atomic::AtomicU64;

/// A measured value.
pub(super) type Value = Gauge<f64, AtomicU64>;

/// Registers a metric and keeps it.
pub(super) fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Lets a counter follow one that is kept elsewhere.
pub(super) fn raise(counter: &Counter, to: u64) {
    counter.inc_by(to.saturating_sub(counter.get()));
}
