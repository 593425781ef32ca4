//! Statistics of samples: summaries, tests and sizes of differences, and lines through points.
//!
//! All functions are pure functions of finite numbers. A function without a defined result (too few values, constant
//! values, a number that is not finite) returns `None`.

pub mod correlation;
pub mod density;
pub mod effect;
pub mod fit;
pub mod interval;
pub mod line;
pub mod mann_whitney;
pub mod multi_sample;
pub mod multiple;
pub mod normality;
mod rank;
pub mod spread;
pub mod t;
pub mod tail;

#[cfg(test)]
mod check;

pub use mann_whitney::{Comparison, mann_whitney};
pub use multiple::holm;
pub use spread::{Spread, mean, mean_and_sd, median, quantile};
pub use t::student_t_975;

/// Returns whether every value is a finite number.
fn finite(sample: &[f64]) -> bool {
    sample.iter().all(|x| x.is_finite())
}

/// Returns whether all values are equal, which is also true for zero or one value.
fn constant(sample: &[f64]) -> bool {
    sample.windows(2).all(|pair| pair[0] == pair[1])
}
