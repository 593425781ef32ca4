//! Verifies recorded control updates. The recorded tree is ticked again on the recorded blackboard, and senses are
//! computed again from the recorded poses.

mod clock;
mod senses;
mod ticks;

pub use clock::RobotClock;
pub use senses::{SenseRow, SenseVerifier};
pub use ticks::{Difference, RobotTicks, TickVerifier};
