//! How a swarm behaves, in five numbers a segment (thesis 8.5): from records and from simulations alike.

mod metrics;
mod simulated;

pub use metrics::{Counted, Instant, LONGEST_STEP, Metrics, MetricsMeter, RobotState};
pub use simulated::{Simulated, simulated};
