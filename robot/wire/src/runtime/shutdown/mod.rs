//! Shutdown requests. A service ends at once, and a computation ends after its current step.

mod computation;
mod service;

pub use computation::{TRY_AGAIN, computation_flag};
pub use service::{ShutdownTriggers, end_with_stdin, service_flag};
