//! Measurements on which a run is scored.

/// Number of scripts whose executions are counted.
pub const COUNTED_SCRIPTS: usize = 8;

/// Durations (ms) and counts of a run, in the terms of the report's fitness function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Duration of contact with an obstacle.
    pub obstacle_time: f64,
    /// Duration under a lamp.
    pub lit_time: f64,
    /// Duration of forward motion with line contact.
    pub line_time: f64,
    /// Part of `line_time` under a lamp.
    pub lit_line_time: f64,
    /// Distance travelled by the robot's centre (units).
    pub distance: f64,
    /// Number of wheel speed changes with line contact; each wheel counts separately.
    pub changes: u32,
    /// Part of `changes` under a lamp.
    pub lit_changes: u32,
    /// Execution count of each script, script 1 at index 0.
    pub scripts: [u32; COUNTED_SCRIPTS],
}

/// Weight of each measurement in a [`Tally`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Per ms of contact with an obstacle.
    pub obstacle_time: f64,
    /// Per ms under a lamp.
    pub lit_time: f64,
    /// Per ms of forward motion with line contact.
    pub line_time: f64,
    /// Per ms of forward motion with line contact under a lamp.
    pub lit_line_time: f64,
    /// Per unit of distance.
    pub distance: f64,
    /// Per wheel speed change with line contact.
    pub changes: f64,
    /// Per wheel speed change with line contact under a lamp.
    pub lit_changes: f64,
    /// Per execution of a script, script 1 at index 0.
    pub scripts: [f64; COUNTED_SCRIPTS],
    /// Constant offset.
    pub offset: f64,
    /// Whether durations, distance and changes count only after cargo was first loaded.
    pub only_after_load: bool,
}

impl Weights {
    /// Returns the score of a run so far.
    pub fn score(&self, tally: &Tally) -> f64 {
        let scripts: f64 = self.scripts.iter().zip(&tally.scripts).map(|(w, &n)| w * f64::from(n)).sum();
        self.offset
            + self.obstacle_time * tally.obstacle_time
            + self.lit_time * tally.lit_time
            + self.line_time * tally.line_time
            + self.lit_line_time * tally.lit_line_time
            + self.distance * tally.distance
            + self.changes * f64::from(tally.changes)
            + self.lit_changes * f64::from(tally.lit_changes)
            + scripts
    }
}
