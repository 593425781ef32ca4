//! Messages between hub, robots and operators, with the version and limits of their format, and the ZeroMQ sockets that
//! carry them. The crate also contains shared types and helpers: signed experiments, the swarm file, file reading, log
//! and output. In browsers, the crate contains only the parsing of files and their errors.

#[cfg(unix)]
mod link;
#[cfg(unix)]
mod messages;
#[cfg(unix)]
mod runtime;
mod text;

#[cfg(unix)]
pub use link::{groot, guard, session, socket, stream};
#[cfg(unix)]
use link::{monitor, waker};
#[cfg(unix)]
pub use messages::{
    codec, estimate, groot_recording, keyring, keys, mark, message, park, peer, peers_report, rollout, seal, settings,
    signed, telemetry, updates, witness,
};
#[cfg(unix)]
use messages::{drive, picture, sensors, status, swarm, tags};
#[cfg(unix)]
pub use runtime::{
    atomic, bytes, clock, gpu_nodes, graphics, latest, library, log, notify, output, priority, process, refusals,
    schema, shutdown, signals, state,
};
#[cfg(unix)]
use runtime::{event, log_line};
pub use text::file;
use text::plain;

pub use file::FileError;
pub use plain::{escape, quote_input};
#[cfg(unix)]
pub use settings::{PushAnswer, PushRow};
#[cfg(unix)]
pub use signals::retry_on_interrupt;
#[cfg(unix)]
pub use status::{Body, ExperimentPhase, LastDirective, Phase, RobotRow, SecurityReport, Segment, Status};
#[cfg(unix)]
pub use swarm::{Addresses, MAX_ROBOTS, Security, Swarm, host_of, is_authority, is_local};
#[cfg(unix)]
pub use waker::{Waker, Wakeups};
