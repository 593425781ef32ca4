//! The load that goes on: short changes are averaged, and one that stays is the new load.

/// Averages over about so long, s: some phases of an experiment and the rests between them.
const SMOOTH: f64 = 1200.0;
/// What is drawn at the moment, averaged over so long, s, tells on which side of the load it is.
const MOMENT: f64 = 10.0;
/// A load this far from the mean is another one, as a part of it.
const OTHER: f64 = 0.1;
/// Another load counts from now on if it stays for so long, s, and ...
const STAYS: f64 = 240.0;
/// ... so many times longer than such a stay lasted before.
const LONGER: f64 = 1.5;
/// What stays for so long, s, counts in any case.
const AT_MOST: f64 = 600.0;

/// Mean power that is drawn, W.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    /// Energy, J, and time, s, in the mean.
    energy: f64,
    seconds: f64,
    moment: Option<f64>,
    /// The greatest lately, W: it decays towards the mean.
    peak: f64,
    /// Side of the mean on which the moment is, since when, and energy and time there.
    side: i8,
    stay: (f64, f64),
    /// The longest stay that ended, s.
    longest: f64,
}

impl Load {
    /// `watts` were drawn for `seconds`.
    pub fn take(&mut self, watts: f64, seconds: f64) {
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
            // Perhaps the first of many that are as long.
            self.longest = self.longest.max(self.stay.1);
            (self.energy, self.seconds) = self.stay;
            (self.side, self.stay) = (0, (0.0, 0.0));
        }
    }

    /// What the robot does has changed for good, such as by the start of a run: what was drawn before does not count.
    pub fn turn(&mut self) {
        *self = Load::default();
    }

    /// Time that is in the mean, s.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The mean, W; none before the first reading.
    pub fn watts(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.energy / self.seconds)
    }

    /// How many times the mean the greatest load lately was, at least 1.
    pub fn crest(&self) -> f64 {
        self.watts().map_or(1.0, |mean| (self.peak / mean.max(1e-9)).clamp(1.0, 10.0))
    }
}
