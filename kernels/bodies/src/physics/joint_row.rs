//! Constraint rows of joints.

/// Constraint row of a joint: a motor, or a limit that is reached.
#[derive(Clone, Copy)]
pub(super) struct JointRow {
    pub freedom: usize,
    /// Target velocity minus current velocity (rad/s).
    pub wanted: f64,
    /// Lower bound of the impulse (N m s); `high` is the upper bound.
    pub low: f64,
    pub high: f64,
}
