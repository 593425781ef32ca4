//! Estimate of a robot's load, its mean power over a long time. Short changes of the power are averaged. A power that
//! differs for a long time replaces the estimate.

/// Averaging time of the load (s). It covers several phases of an experiment and the pauses between them.
const SMOOTH: f64 = 1200.0;
/// Averaging time of the momentary power, which is compared with the load (s).
const MOMENT: f64 = 10.0;
/// Relative deviation of the momentary power from the mean power above which the load counts as different.
const OTHER: f64 = 0.1;
/// Minimum duration after which a different load becomes the new load (s).
const STAYS: f64 = 240.0;
/// Factor by which the duration of a different load must exceed the longest previous deviation.
const LONGER: f64 = 1.5;
/// Duration after which a different load always becomes the new load (s).
const AT_MOST: f64 = 600.0;

/// Mean power of a robot (W).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    /// Weighted energy (J) and weighted time (s), whose ratio is the mean power. Older readings have lower weights.
    energy: f64,
    seconds: f64,
    moment: Option<f64>,
    /// Recent peak power, which decays towards the mean (W).
    peak: f64,
    /// Position of the momentary power relative to the mean: -1 below, 0 near, 1 above. `stay` contains the energy (J)
    /// and the time (s) since `side` changed.
    side: i8,
    stay: (f64, f64),
    /// Duration of the longest deviation so far (s).
    longest: f64,
}

impl Load {
    /// Adds a reading of `watts` (W) that lasted for `seconds` (s).
    pub fn add_sample(&mut self, watts: f64, seconds: f64) {
        let keep = (-seconds / SMOOTH).exp();
        self.energy = self.energy * keep + watts * seconds;
        self.seconds = self.seconds * keep + seconds;
        let part = 1.0 - (-seconds / MOMENT).exp();
        let moment = self.moment.get_or_insert(watts);
        *moment += part * (watts - *moment);
        let mean = self.energy / self.seconds.max(1e-9);
        self.peak = watts.max(mean + (self.peak - mean) * keep);
        let off = *moment / mean.max(1e-9) - 1.0;
        let side = if off > OTHER {
            1
        } else if off < -OTHER {
            -1
        } else {
            0
        };
        if side != self.side {
            if self.side != 0 {
                self.longest = self.longest.max(self.stay.1);
            }
            (self.side, self.stay) = (side, (0.0, 0.0));
        }
        self.stay.0 += watts * seconds;
        self.stay.1 += seconds;
        if self.side != 0 && self.stay.1 > STAYS.max(LONGER * self.longest).min(AT_MOST) {
            // A later deviation must last longer than this one to become the new load.
            self.longest = self.longest.max(self.stay.1);
            (self.energy, self.seconds) = self.stay;
            (self.side, self.stay) = (0, (0.0, 0.0));
        }
    }

    /// Discards all earlier readings, because the activity of the robot has changed, for example at the start of a
    /// run.
    pub fn turn(&mut self) {
        *self = Load::default();
    }

    /// Returns the sum of the durations of all readings, each with its weight in the mean power (s).
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns the mean power (W), or `None` before the first reading.
    pub fn watts(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.energy / self.seconds)
    }

    /// Returns the ratio of the recent peak power to the mean power, 1 to 10. Returns 1 before the first reading.
    pub fn crest(&self) -> f64 {
        self.watts().map_or(1.0, |mean| (self.peak / mean.max(1e-9)).clamp(1.0, 10.0))
    }
}
