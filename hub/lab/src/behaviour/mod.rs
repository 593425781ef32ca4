//! Five behaviour metrics of a swarm per segment (thesis 8.5), from records and from simulations.

mod metrics;
mod simulated;

pub use metrics::{Counted, Instant, LONGEST_STEP, Metrics, MetricsMeter, RobotState};
pub use simulated::{Simulated, simulated};
