//! CMA-ES: minimisation of a function of real numbers by a normal distribution whose mean, step size and covariance
//! adapt.
//!
//! After Hansen, "The CMA Evolution Strategy: A Tutorial" (arXiv 1604.00772). [`Strategy`] only proposes points and
//! takes their values, so the caller can evaluate a whole generation in parallel. [`minimise`] does this with a
//! closure and its own stopping criteria. There is no noise handling: for a noisy function, evaluate each point
//! several times and pass the mean.

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
pub use minimise::{Minimum, minimise};
pub use parameters::Parameters;
pub use stop::{Limits, Stop};
pub use strategy::Strategy;
