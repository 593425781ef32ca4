//! Statistics of samples: what a sample looks like, whether samples differ and by how much, and lines through points.
//!
//! Everything is a pure function of finite numbers. A function whose answer does not exist (too few values, values that
//! do not vary where they must, a number that is not finite) gives none.

pub mod correlation;
pub mod density;
pub mod effect;
pub mod fit;
pub mod interval;
pub mod line;
pub mod mann_whitney;
pub mod multiple;
pub mod normality;
mod rank;
pub mod several;
pub mod spread;
pub mod t;
pub mod tail;

#[cfg(test)]
mod check;

pub use mann_whitney::{Comparison, mann_whitney};
pub use multiple::holm;
pub use spread::{Spread, mean, mean_and_sd, median, quantile};
pub use t::student_t_975;

/// Whether every value is a finite number.
fn finite(sample: &[f64]) -> bool {
    sample.iter().all(|x| x.is_finite())
}

/// Whether all values are the same; so are none, and one.
fn constant(sample: &[f64]) -> bool {
    sample.windows(2).all(|pair| pair[0] == pair[1])
}
