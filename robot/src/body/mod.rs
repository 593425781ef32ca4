//! Body of the robot, which combines the robot's devices: device threads, conditioned readings, and lamps.

pub mod conditioning;
pub mod devices;
pub mod hardware;
pub mod lamps;
pub mod link;
pub mod poller;
pub mod sensors;
#[cfg(feature = "apriltag")]
mod tag_sense;
#[cfg(feature = "apriltag")]
mod tag_watch;
