//! Rows of constraints on joints.

/// A row on one joint: a motor, or a limit that is reached.
#[derive(Clone, Copy)]
pub(super) struct JointRow {
    pub freedom: usize,
    /// Velocity that it aims at, less the one that there is.
    pub wanted: f64,
    /// Bounds of the impulse.
    pub low: f64,
    pub high: f64,
}
