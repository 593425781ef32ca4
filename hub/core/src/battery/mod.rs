//! Estimate of a robot's remaining battery time, fitted to the battery's discharge during operation.
//!
//! The drawn charge is counted from the power monitor's readings. The open-circuit voltage is the voltage under load
//! plus the drop across the resistance between cell and monitor, which is measured from load steps. The cell's curve
//! relates the open-circuit voltage to the state of charge. A fit to these data (`fit`) gives the remaining charge, and
//! a smoothed load (`load`) gives the remaining time.

mod curve;
mod fit;
mod load;
mod monitor;
mod resistance;
#[cfg(test)]
mod tests;

use curve::open_circuit;
use fit::Fit;
use load::Load;
use monitor::{AcceptedReading, Monitor};
use resistance::Resistance;

/// Voltage below which the board's supply switches off (V). The lockout was lowered to this value (thesis 5.1.4).
const LOCKOUT: f64 = 2.3;
/// Minimum observation time before the first estimate (s).
const SETTLE: f64 = 5.0;
/// Interval between two fits (s of arena time).
const FIT_EVERY: f64 = 20.0;
/// Plausible capacities (A h). A value outside this range indicates a faulty monitor or a different shunt.
const CAPACITIES: std::ops::RangeInclusive<f64> = 1.2..=7.5;
/// Drawn charge above which the fitted capacity must be plausible (A h).
const KNOWN_AFTER: f64 = 0.3;
/// Maximum rise of the open-circuit voltage that the recovery of a cell after a load can explain (V).
const RECOVERS: f64 = 0.15;

/// Minimum weighted duration of a run's readings after which their mean power counts as the power of a run (s).
const RUN_KNOWN: f64 = 60.0;
/// Power of a robot that evolves at full load (W). This load drains the cell of the thesis in 1.5 h.
pub const FULL_LOAD_WATTS: f32 = 6.6;
/// Power of a robot that drives but does not evolve (W) (thesis Fig. 5.4).
pub const DRIVING_WATTS: f32 = 3.3;

/// Reason for a missing estimate of the battery time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEstimate {
    /// The robot could not measure, or has not sent a reading yet.
    #[error("no reading from its power monitor")]
    Unmeasured,
    /// There are too few readings so far.
    #[error("too few readings from its power monitor so far")]
    Settling,
    /// The reading is not a number, or is impossible for a cell and a board.
    #[error("its power monitor reports an impossible value")]
    Impossible,
    /// The reading shows no current, although a running board always draws current.
    #[error("its power monitor shows no current: it lost its calibration, or the shunt is bridged")]
    NoCurrent,
    /// The readings are constant, although charge was drawn or the load changed.
    #[error("its power monitor reports a constant value")]
    Stuck,
    /// The voltage jumps by more than a change of the load can explain.
    #[error("its battery's voltage jumps: a loose contact or a faulty monitor")]
    Jumps,
    /// The open-circuit voltage rises although charge is drawn.
    #[error("its battery's voltage rises under load")]
    Rises,
    /// Current flows into the battery.
    #[error("its battery is being charged")]
    Charged,
    /// Voltage and charge do not match any real cell.
    #[error("the readings of its power monitor do not fit any battery")]
    Misfit,
}

/// State of the estimate for one robot's battery.
#[derive(Clone, Debug, Default)]
pub struct Battery {
    monitor: Monitor,
    resistance: Resistance,
    load: Load,
    fit: Fit,
    /// Drawn charge (A h) and observation time (s).
    taken: f64,
    seen: f64,
    fitted: f64,
    /// Lowest smoothed open-circuit voltage so far, and current smoothed open-circuit voltage (V).
    lowest: Option<(f64, f64)>,
    doubt: Option<NoEstimate>,
    /// Whether at least one reading was accepted.
    has_reading: bool,
    /// Whether the robot is in a run. `run_watts` is the robot's mean power in the last run (W).
    runs: bool,
    run_watts: Option<f64>,
}

impl Battery {
    /// Processes a reading at `now` (s of arena time): voltage under load (V) and power (W), each `None` if the robot
    /// could not measure it. `runs` states whether the robot is in a run, because its power is then different.
    pub fn add_reading(&mut self, now: f64, volts: Option<f32>, watts: Option<f32>, runs: bool) {
        if runs != self.runs {
            self.runs = runs;
            self.load.turn();
        }
        let (Some(volts), Some(watts)) = (volts, watts) else {
            self.doubt = Some(NoEstimate::Unmeasured);
            return;
        };
        match self.monitor.judge(now, f64::from(volts), f64::from(watts)) {
            Ok(believed) => self.believe(now, &believed),
            Err(doubt) => self.doubt = Some(doubt),
        }
    }

    fn believe(&mut self, now: f64, reading: &AcceptedReading) {
        let AcceptedReading { volts, amps, seconds, new_battery: another } = *reading;
        if another {
            *self = self.anew();
        }
        (self.doubt, self.has_reading) = (None, true);
        self.resistance.add_reading(now, volts, amps);
        self.load.add_sample(volts * amps, seconds);
        if self.runs && self.load.seconds() >= RUN_KNOWN {
            self.run_watts = self.load.watts();
        }
        self.taken += amps * seconds / 3600.0;
        self.seen += seconds;
        if seconds > 0.0 {
            let complete = self.fit.add_reading(self.taken, volts, amps, seconds);
            if complete || self.seen - self.fitted >= FIT_EVERY || self.fitted == 0.0 {
                self.fitted = self.seen;
                self.fit.fit(self.resistance.measured());
            }
        }
        self.watch_rise(volts, amps, seconds);
    }

    /// Returns the initial state for a new battery in the same robot. Load, mean power and monitor checks are kept.
    fn anew(&self) -> Battery {
        let Battery { monitor, load, runs, run_watts, .. } = *self;
        Battery { monitor, load, runs, run_watts, ..Battery::default() }
    }

    /// Restarts the estimate if the smoothed open-circuit voltage rises by more than [`RECOVERS`], which is impossible
    /// while a cell is discharged.
    fn watch_rise(&mut self, volts: f64, amps: f64, seconds: f64) {
        // Without a measured resistance, the voltage drop is unknown.
        let Some((ohms, _)) = self.resistance.measured() else { return };
        let open = volts + amps * ohms;
        let (lowest, smooth) = self.lowest.unwrap_or((open, open));
        let smooth = smooth + (1.0 - (-seconds / 30.0).exp()) * (open - smooth);
        self.lowest = Some((lowest.min(smooth), smooth));
        if smooth - lowest > RECOVERS {
            // The battery may have been replaced, so the estimate is restarted.
            *self = Battery { doubt: Some(NoEstimate::Rises), ..self.anew() };
        }
    }

    /// Returns the remaining time at the current mean power (min of arena time). While the mean power is unknown, uses
    /// [`DRIVING_WATTS`].
    ///
    /// # Errors
    /// Returns the reason for a missing estimate.
    pub fn minutes_left(&self) -> Result<f32, NoEstimate> {
        self.minutes_at(self.watts().unwrap_or(DRIVING_WATTS))
    }

    /// Returns the remaining time at the power `watts` (min of arena time).
    ///
    /// # Errors
    /// Returns the reason for a missing estimate.
    pub fn minutes_at(&self, watts: f32) -> Result<f32, NoEstimate> {
        if let Some(doubt) = self.doubt {
            return Err(doubt);
        }
        if self.seen < SETTLE {
            return Err(if self.has_reading { NoEstimate::Settling } else { NoEstimate::Unmeasured });
        }
        let cell = self.fit.cell();
        if self.taken > KNOWN_AFTER && !CAPACITIES.contains(&cell.capacity) {
            return Err(NoEstimate::Misfit);
        }
        let left = cell.charge - self.taken / cell.capacity;
        Ok((hours(left, f64::from(watts), self.load.crest(), cell.ohms) * cell.capacity * 60.0) as f32)
    }

    /// Returns the remaining time in a run (min of arena time), at the mean power of the robot's last run. Before the
    /// first run, uses [`FULL_LOAD_WATTS`] if the robot evolves and [`DRIVING_WATTS`] if not, or the current mean power
    /// if it is higher.
    ///
    /// # Errors
    /// Returns the reason for a missing estimate.
    pub fn minutes_of_run(&self, evolves: bool) -> Result<f32, NoEstimate> {
        let usual = if evolves { FULL_LOAD_WATTS } else { DRIVING_WATTS };
        let present = self.watts().unwrap_or(0.0);
        self.minutes_at(self.run_watts.map_or(usual.max(present), |watts| watts as f32))
    }

    /// Returns the mean power (W). Returns `None` if there was no reading since the start or the end of a run.
    pub fn watts(&self) -> Option<f32> {
        self.load.watts().map(|watts| watts as f32)
    }

    /// Returns the fitted capacity (A h), and the resistance between cell and monitor (ohm).
    pub fn cell(&self) -> (f32, f32) {
        let cell = self.fit.cell();
        (cell.capacity as f32, cell.ohms as f32)
    }
}

/// Returns the time (h) for which a cell of 1 A h can supply a mean power `watts` (W) through a resistance `ohms`
/// (ohm). `left` is the cell's state of charge (0 to 1). The time ends when the cell is empty, or when a peak power of
/// `crest` times the mean pulls the voltage behind the resistance below [`LOCKOUT`].
fn hours(left: f64, watts: f64, crest: f64, ohms: f64) -> f64 {
    /// Number of integration steps.
    const PARTS: usize = 64;
    // Solves U = E - R P / U for the voltage U under load. Returns `None` if the resistance is too high for the power.
    let volts = |open: f64, watts: f64| {
        let under = open * open - 4.0 * ohms * watts;
        (under >= 0.0).then(|| (open + under.sqrt()) / 2.0)
    };
    let width = left.max(0.0) / PARTS as f64;
    let mut hours = 0.0;
    for part in 0..PARTS {
        let open = open_circuit(left - (part as f64 + 0.5) * width).0;
        let Some(mean) = volts(open, watts).filter(|_| volts(open, crest * watts).is_some_and(|low| low >= LOCKOUT))
        else {
            break;
        };
        hours += width * mean / watts;
    }
    hours
}
