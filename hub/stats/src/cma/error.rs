//! Errors of CMA-ES.

/// Reason why a strategy cannot be created or continued.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what they are")]
pub enum CmaError {
    #[error("the mean has {found} numbers, but there are {expected} variables")]
    Dimension { found: usize, expected: usize },
    #[error("the bounds have {found} variables, but there are {expected}")]
    Bounds { found: usize, expected: usize },
    #[error("the mean and the step size must be finite numbers, and the step size greater than 0")]
    Start,
    #[error("expected {expected} points and values, found {points} points and {values} values")]
    Points { points: usize, values: usize, expected: usize },
    #[error("point {0} has a wrong number of variables, or a variable that is not finite")]
    Point(usize),
    #[error("the value of point {0} is not a number")]
    Value(usize),
    #[error("the number of points per generation is {0}; it must be 4 to 65535")]
    Size(usize),
}
