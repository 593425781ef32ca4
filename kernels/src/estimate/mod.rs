//! System identification from motion: a robot compares the predicted motion of itself and of pushed objects with the
//! observed motion. From the difference it estimates the parameters of its simulator during operation (thesis 9.2.1).
//!
//! One robot's [`Estimator`] collects evidence; with a [`Consensus`], robots that exchange their [`Report`]s agree on
//! one [`WorldModel`]. All results are pure functions of the observations.

mod consensus;
mod estimator;
mod parameter;
mod window;

pub use consensus::{Consensus, FRESH_S};
pub use estimator::{Estimator, Report};
pub use parameter::{Parameter, WorldModel};
pub use window::{NEAR, NeighbourState, PoseSnapshot};
