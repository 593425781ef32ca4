//! The modules that come with the robot: simple competences that do not know what they are good for.
//!
//! The document has them in C and prints none of it, so what they do in detail is our reading of its pages on the example
//! task. Each module has `handle`, for a message that its post-office let through, and where it waits for something `wake_at`
//! (ms, `u32::MAX` for never) and `wake`.

mod avoidance;
mod cargoloader;
mod explore;
mod line_follower;
mod motordriver;
mod navigate;
mod outbox;
mod trackers;

pub(super) use avoidance::Avoidance;
pub(super) use cargoloader::Cargoloader;
pub(super) use explore::Explore;
pub(super) use line_follower::LineFollower;
pub(super) use motordriver::Motordriver;
pub(super) use navigate::Navigate;
pub(super) use outbox::{Envelope, Outbox};
pub(super) use trackers::Trackers;

/// Full power of a wheel of 255, at which a robot of the printed world goes 0.225 units a second.
const FULL: i16 = 150;
/// Motors.
const LEFT: i16 = 0;
const RIGHT: i16 = 1;
const FORK: i16 = 2;
