//! Whether recorded control updates are true: the recorded tree is ticked on the recorded blackboard, and senses are
//! computed anew from the recorded poses.

mod clock;
mod senses;
mod ticks;

pub use clock::RobotClock;
pub use senses::{SenseRow, SenseVerifier};
pub use ticks::{Difference, RobotTicks, TickVerifier};
