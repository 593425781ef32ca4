//! Helpers for all programs: replacement of files, logs, output, signals, threads and processes. These modules do not
//! depend on the message types.

pub mod atomic;
pub mod bytes;
pub mod clock;
pub mod event;
pub mod gpu_nodes;
pub mod graphics;
pub mod latest;
pub mod library;
pub mod log;
pub mod log_line;
pub mod notify;
pub mod output;
pub mod priority;
pub mod process;
pub mod refusals;
pub mod schema;
pub mod shutdown;
pub mod signals;
pub mod state;
