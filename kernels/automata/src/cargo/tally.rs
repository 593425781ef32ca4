//! Measurements from which the score of a run is computed.

/// Number of scripts whose executions are counted, starting with script 1.
pub const COUNTED_SCRIPTS: usize = 8;

/// Measured durations (ms) and counts of a run, in the terms of the report's fitness function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Duration of contact with an obstacle.
    pub obstacle_time: f64,
    /// Duration in the light of a lamp, without contact with an obstacle.
    pub lit_time: f64,
    /// Duration of forward motion with line contact, without contact with an obstacle.
    pub line_time: f64,
    /// Part of `line_time` in the light of a lamp.
    pub lit_line_time: f64,
    /// Distance travelled by the robot's centre (arena units).
    pub distance: f64,
    /// Number of changes of wheel speeds during line contact. A change of both wheels counts as two changes.
    pub changes: u32,
    /// Part of `changes` in the light of a lamp.
    pub lit_changes: u32,
    /// Number of executions of each script. Script 1 is at index 0.
    pub scripts: [u32; COUNTED_SCRIPTS],
}

/// Weight of each measurement in a [`Tally`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Weight per ms of contact with an obstacle.
    pub obstacle_time: f64,
    /// Weight per ms under a lamp.
    pub lit_time: f64,
    /// Weight per ms of forward motion with line contact.
    pub line_time: f64,
    /// Weight per ms of forward motion with line contact under a lamp.
    pub lit_line_time: f64,
    /// Weight per arena unit of distance.
    pub distance: f64,
    /// Weight per wheel speed change with line contact.
    pub changes: f64,
    /// Weight per wheel speed change with line contact under a lamp.
    pub lit_changes: f64,
    /// Weight per execution of each script. Script 1 is at index 0.
    pub scripts: [f64; COUNTED_SCRIPTS],
    /// Constant that is added to the weighted sum.
    pub offset: f64,
    /// Whether durations, distance and changes are counted only after the first loading of cargo.
    pub only_after_load: bool,
}

impl Weights {
    /// Returns the score of a run so far: the offset plus the weighted sum of the measurements.
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
