//! Modules of the robot: simple behaviours without knowledge of the task.
//!
//! The report's modules are written in C, but the report does not print their code. Details therefore follow this
//! project's interpretation of the report's section on the example task. Each module has `handle` for messages that
//! passed its post-office. Modules that wait also have `wake_at`, the time of the next wake-up (ms; `u32::MAX` for
//! never), and `wake`.

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

/// Power of a wheel at full speed; motors accept at most 255. At this power, a robot drives at 0.225 units/s in the
/// world that is printed in the report.
const FULL: i16 = 150;
/// Motor numbers.
const LEFT: i16 = 0;
const RIGHT: i16 = 1;
const FORK: i16 = 2;
