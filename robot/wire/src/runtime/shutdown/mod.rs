//! Shutdown requests: a service ends at once, a computation after its current step.

mod computation;
mod service;

pub use computation::{TRY_AGAIN, computation_flag};
pub use service::{ShutdownTriggers, end_with_stdin, service_flag};
