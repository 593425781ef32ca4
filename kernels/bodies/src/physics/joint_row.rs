//! Constraint rows of joints.

/// Constraint row of a joint's motor, or of a joint limit that the joint has reached.
#[derive(Clone, Copy)]
pub(super) struct JointRow {
    pub freedom: usize,
    /// Target velocity minus velocity at the start of the step (rad/s).
    pub wanted: f64,
    /// Lower bound of the impulse (N m s); `high` is the upper bound.
    pub low: f64,
    pub high: f64,
}
