//! Every message between hub, robots and operator, with its version and limits, and the ZeroMQ sockets that carry
//! them; and what travels or is shared by all: signed experiments, the swarm file, how genes migrate, how files are
//! read, and what a program writes to its log and its output.

pub mod atomic;
pub mod bytes;
pub mod clock;
pub mod codec;
mod event;
pub mod file;
pub mod gpu_nodes;
pub mod graphics;
pub mod groot;
pub mod guard;
pub mod keyring;
pub mod keys;
pub mod library;
pub mod log;
mod log_line;
pub mod message;
mod migration;
mod monitor;
pub mod notify;
pub mod output;
mod picture;
mod plain;
pub mod precedence;
pub mod process;
pub mod refusals;
pub mod rollout;
pub mod schema;
pub mod seal;
pub mod session;
pub mod settings;
pub mod shutdown;
mod signals;
pub mod signed;
pub mod socket;
pub mod state;
mod status;
pub mod stream;
mod swarm;
pub mod telemetry;
pub mod updates;
mod waker;

pub use file::FileError;
pub use migration::{Migration, Policy};
pub use plain::plain;
pub use settings::{PushAnswer, PushRow};
pub use signals::uninterrupted;
pub use status::{Body, ExperimentPhase, LastDirective, Phase, RobotRow, SecurityReport, Segment, Status};
pub use swarm::{Addresses, MAX_ROBOTS, Security, Swarm, host_of, is_authority, is_local};
pub use waker::{Waker, Wakeups};
