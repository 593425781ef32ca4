//! Helpers for programs under test: processes, files, ports and records.

mod demo;
mod folder;
pub mod http;
mod json;
mod ports;
mod process;
mod recorded;
mod swarm;

pub use demo::{Demo, command_in};
pub use folder::{Folder, Layout};
pub use json::valid_json;
pub use ports::free_ports;
pub use process::{Children, Process, has_open_files, processes, send_signal, xpuck, xpuckd};
pub use recorded::{copy_folder, recorded_evolution, recorded_run};
pub use swarm::{EXPERIMENT, OPERATOR_KEY, Swarm};
