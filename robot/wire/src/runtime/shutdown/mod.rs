//! How a program learns that it is to end: a service at once, a computation after its step in hand.

mod computation;
mod service;

pub use computation::{TRY_AGAIN, computation_flag};
pub use service::{Ends, end_with_stdin, service_flag};
