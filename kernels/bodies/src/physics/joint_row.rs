//! Constraint rows of joints.

/// Constraint row of a joint: a motor, or a limit that is reached.
#[derive(Clone, Copy)]
pub(super) struct JointRow {
    pub freedom: usize,
    /// Target velocity minus current velocity.
    pub wanted: f64,
    /// Bounds of the impulse.
    pub low: f64,
    pub high: f64,
}
