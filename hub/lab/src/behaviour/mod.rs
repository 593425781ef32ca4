//! Five behaviour metrics of a swarm for each segment of a run (thesis 8.5), from records and from simulations.

mod metrics;
mod regions;
mod simulated;

pub use metrics::{Counted, Instant, LONGEST_STEP, Metrics, MetricsMeter, RobotState};
pub use regions::RegionMeter;
pub use simulated::{Simulated, simulated};
