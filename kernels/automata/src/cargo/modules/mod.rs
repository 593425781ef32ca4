//! Modules of the robot: simple competences without knowledge of the task.
//!
//! The report's modules are written in C, but the code is not printed; details follow this project's interpretation
//! of the report's section on the example task. Each module has `handle` for messages that passed its post-office.
//! Modules that wait also have `wake_at` (ms; `u32::MAX` for never) and `wake`.

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

/// Full power of a wheel, of a maximum of 255; a robot of the printed world drives at 0.225 units/s.
const FULL: i16 = 150;
/// Motor numbers.
const LEFT: i16 = 0;
const RIGHT: i16 = 1;
const FORK: i16 = 2;
