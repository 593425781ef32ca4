//! Every message between hub, robots and operator, with its version and limits, and the ZeroMQ sockets that carry
//! them; and what travels or is shared by all: the experiment, the swarm file, and how genes migrate.

pub mod codec;
mod experiment;
pub mod file;
pub mod groot;
pub mod message;
mod migration;
pub mod socket;
mod status;
mod swarm;
pub mod telemetry;

pub use experiment::{Evolution, Experiment, Task};
pub use file::FileError;
pub use migration::{Migration, Policy};
pub use status::{Body, Phase, RobotRow, Segment, Status};
pub use swarm::{Addresses, Swarm};
