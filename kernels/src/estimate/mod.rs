//! System identification from motion (thesis 9.2.1). A robot compares the predicted motion of itself and of pushed
//! objects with the observed motion. From the difference, it estimates the parameters of its simulator during
//! operation.
//!
//! Each robot's [`Estimator`] collects evidence. The robots exchange their [`Report`]s, and a [`Consensus`] on each
//! robot leads to one common [`WorldModel`]. All results are pure functions of the observations.

mod consensus;
mod estimator;
mod parameter;
mod window;

pub use consensus::{Consensus, FRESH_S};
pub use estimator::{Estimator, Report};
pub use parameter::{Parameter, WorldModel};
pub use window::{NEAR, NeighbourState, PoseSnapshot};
