//! What a run is judged by.

/// Scripts that are counted.
pub const COUNTED_SCRIPTS: usize = 8;

/// Times in ms and counts of a run, in the terms of the document's fitness function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Touching an obstacle.
    pub obstacle_time: f64,
    /// Under a lamp.
    pub lit_time: f64,
    /// Going forward with contact to a line.
    pub line_time: f64,
    /// Of this, under a lamp.
    pub lit_line_time: f64,
    /// Way of the robot's centre, units.
    pub distance: f64,
    /// Changes of wheels, each by itself, with contact to a line.
    pub changes: u32,
    /// Of these, under a lamp.
    pub lit_changes: u32,
    /// How often each script ran, the first at 0.
    pub scripts: [u32; COUNTED_SCRIPTS],
}

/// What each thing of a [`Tally`] is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Each ms touching an obstacle.
    pub obstacle_time: f64,
    /// Each ms under a lamp.
    pub lit_time: f64,
    /// Each ms along a line.
    pub line_time: f64,
    /// Each ms along a line under a lamp.
    pub lit_line_time: f64,
    /// Each unit of way.
    pub distance: f64,
    /// Each change of a wheel on a line.
    pub changes: f64,
    /// Each change of a wheel on a line under a lamp.
    pub lit_changes: f64,
    /// Each run of a script, the first at 0.
    pub scripts: [f64; COUNTED_SCRIPTS],
    /// Added to all.
    pub offset: f64,
    /// Whether times, way and changes count only once cargo was loaded.
    pub only_after_load: bool,
}

impl Weights {
    /// The score of a run so far.
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
