//! Messages between hub, robots and operators, with the version and limits of their format, and the ZeroMQ sockets that
//! carry them. The crate also contains shared types and helpers: signed experiments, the swarm file, gene migration,
//! file reading, log and output.

mod link;
mod messages;
mod runtime;

pub use link::{groot, guard, session, socket, stream};
use link::{monitor, waker};
pub use messages::{
    codec, estimate, groot_recording, keyring, keys, mark, message, park, peer, peers_report, rollout, seal, settings,
    signed, telemetry, updates, witness,
};
use messages::{drive, migration, picture, sensors, status, swarm, tags};
pub use runtime::{
    atomic, bytes, clock, file, gpu_nodes, graphics, latest, library, log, notify, output, priority, process, refusals,
    schema, shutdown, signals, state,
};
use runtime::{event, log_line, plain};

pub use file::FileError;
pub use migration::{Migration, Policy};
pub use plain::{escape, quote_input};
pub use settings::{PushAnswer, PushRow};
pub use signals::retry_on_interrupt;
pub use status::{Body, ExperimentPhase, LastDirective, Phase, RobotRow, SecurityReport, Segment, Status};
pub use swarm::{Addresses, MAX_ROBOTS, Security, Swarm, host_of, is_authority, is_local};
pub use waker::{Waker, Wakeups};
