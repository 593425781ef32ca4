//! Every message between hub, robots and operator, with its version and limits, and the ZeroMQ sockets that carry
//! them; and the two documents that travel or are shared by all: the experiment and the swarm file.

pub mod codec;
mod experiment;
pub mod file;
pub mod groot;
pub mod message;
pub mod socket;
mod status;
mod swarm;

pub use experiment::{Evolution, Experiment, Task};
pub use file::FileError;
pub use status::{Body, Phase, RobotRow, Segment, Status};
pub use swarm::{Addresses, Swarm};
