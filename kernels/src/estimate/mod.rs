//! What motion tells of the world: a robot compares where its wheels should have taken it, and whatever it pushes, with
//! where they went, and estimates the parameters of its simulator while it works (thesis 9.2.1).
//!
//! One robot's [`Estimator`] gathers evidence; [`Council`] is how robots that tell each other their [`Report`]s come to one
//! [`WorldModel`]. Everything is a pure function of what was seen.

mod agree;
mod estimator;
mod parameter;
mod window;

pub use agree::{Council, FRESH_S};
pub use estimator::{Estimator, Report};
pub use parameter::{Parameter, WorldModel};
pub use window::{Glimpse, Mate, NEAR};
