//! CMA-ES: minimising a function of real numbers by a normal distribution whose mean, step size and covariance adapt.
//!
//! After Hansen, "The CMA Evolution Strategy: A Tutorial" (arXiv 1604.00772). [`Strategy`] only proposes points and takes
//! their values, so a caller evaluates a whole generation at once, on as many threads as it likes; [`minimise`] does that
//! with a closure and stops by itself. Nothing is done against noise: evaluate each point several times and tell the mean.

mod bounds;
mod error;
mod minimise;
mod parameters;
mod stop;
mod strategy;
mod tell;

#[cfg(test)]
mod check;

pub use bounds::Bounds;
pub use error::CmaError;
pub use minimise::{Found, minimise};
pub use parameters::Parameters;
pub use stop::{Limits, Stop};
pub use strategy::Strategy;
