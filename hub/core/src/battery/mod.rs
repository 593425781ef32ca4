//! How long a robot's battery lasts, fitted to its discharge as it goes.
//!
//! The charge that was taken is counted from the power monitor. The voltage without load, which is the voltage under load and
//! what the path's resistance takes, says by the cell's curve how much of the charge is left; steps of the load show the
//! resistance. What fits all of that best (`fit`) tells what is left, and a smoothed load (`load`) how long that lasts.

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
use monitor::{Believed, Monitor};
use resistance::Resistance;

/// Voltage at which the board's supply gives up (thesis 5.1.4: the lockout was lowered to this), V.
const LOCKOUT: f64 = 2.3;
/// Before so long nothing is told, s.
const SETTLE: f64 = 5.0;
/// Between two fits, s of arena time.
const FIT_EVERY: f64 = 20.0;
/// A cell that fits may hold this, A h: anything else is no cell, or a monitor with another shunt.
const CAPACITIES: std::ops::RangeInclusive<f64> = 1.2..=7.5;
/// Charge after which a cell's capacity must be one of those, A h.
const KNOWN_AFTER: f64 = 0.3;
/// Voltage that a cell wins when its load goes, at most, V.
const RECOVERS: f64 = 0.15;

/// What a robot draws in a run is known after so long in one, s.
const RUN_KNOWN: f64 = 60.0;
/// What a robot draws that evolves at full load, W: all of the thesis's cell in 1.5 h.
pub const FULL_LOAD_WATTS: f32 = 6.6;
/// What it draws that only drives, W (thesis Fig. 5.4).
pub const DRIVING_WATTS: f32 = 3.3;

/// Why nothing is said of a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// No reading has come for some seconds, or none ever.
    #[error("its power monitor does not tell")]
    Unmeasured,
    /// Too little was seen.
    #[error("its power monitor has told for too short a time")]
    Settling,
    /// No number, or one that no cell and no board can have.
    #[error("its power monitor tells what cannot be")]
    Impossible,
    /// A board that runs draws something.
    #[error("its power monitor shows no current: it lost its calibration, or the shunt is bridged")]
    NoCurrent,
    /// The same readings, though charge was taken or the load changed.
    #[error("its power monitor always tells the same")]
    Stuck,
    /// The voltage jumps without a load that would explain it.
    #[error("its battery's voltage jumps: a loose contact or a bad monitor")]
    Jumps,
    /// The voltage rises while charge is taken.
    #[error("its battery's voltage rises under load")]
    Rises,
    /// Current flows into it.
    #[error("its battery is being charged")]
    Charged,
    /// Voltage and charge belong to no cell that there is.
    #[error("what its power monitor tells fits no battery")]
    Misfit,
}

/// What is known of one robot's battery.
#[derive(Clone, Debug, Default)]
pub struct Battery {
    monitor: Monitor,
    resistance: Resistance,
    load: Load,
    fit: Fit,
    /// Charge taken, A h, and time seen, s.
    taken: f64,
    seen: f64,
    fitted: f64,
    /// The lowest voltage without load so far, and a smoothed one, V.
    lowest: Option<(f64, f64)>,
    doubt: Option<Doubt>,
    /// A reading was believed.
    told: bool,
    /// It is in a run, and what it drew on average in the last one, W.
    runs: bool,
    run_watts: Option<f64>,
}

impl Battery {
    /// Takes a reading at `now`, s of arena time: V under load and W, none if the robot could not measure; `runs` says
    /// that the robot is in a run, in which it draws something else than before and after.
    pub fn take(&mut self, now: f64, volts: Option<f32>, watts: Option<f32>, runs: bool) {
        if runs != self.runs {
            self.runs = runs;
            self.load.turn();
        }
        let (Some(volts), Some(watts)) = (volts, watts) else {
            self.doubt = Some(Doubt::Unmeasured);
            return;
        };
        match self.monitor.judge(now, f64::from(volts), f64::from(watts)) {
            Ok(believed) => self.believe(now, &believed),
            Err(doubt) => self.doubt = Some(doubt),
        }
    }

    fn believe(&mut self, now: f64, reading: &Believed) {
        let Believed { volts, amps, seconds, another } = *reading;
        if another {
            *self = self.anew();
        }
        (self.doubt, self.told) = (None, true);
        self.resistance.take(now, volts, amps);
        self.load.take(volts * amps, seconds);
        if self.runs && self.load.seconds() >= RUN_KNOWN {
            self.run_watts = self.load.watts();
        }
        self.taken += amps * seconds / 3600.0;
        self.seen += seconds;
        if seconds > 0.0 {
            let complete = self.fit.take(self.taken, volts, amps, seconds);
            if complete || self.seen - self.fitted >= FIT_EVERY || self.fitted == 0.0 {
                self.fitted = self.seen;
                self.fit.fit(self.resistance.measured());
            }
        }
        self.watch_rise(volts, amps, seconds);
    }

    /// Another battery in the same robot, which draws as before.
    fn anew(&self) -> Battery {
        let Battery { monitor, load, runs, run_watts, .. } = *self;
        Battery { monitor, load, runs, run_watts, ..Battery::default() }
    }

    /// A cell that is discharged shows less and less without load.
    fn watch_rise(&mut self, volts: f64, amps: f64, seconds: f64) {
        // What the load takes is known after its first step.
        let Some((ohms, _)) = self.resistance.measured() else { return };
        let open = volts + amps * ohms;
        let (lowest, smooth) = self.lowest.unwrap_or((open, open));
        let smooth = smooth + (1.0 - (-seconds / 30.0).exp()) * (open - smooth);
        self.lowest = Some((lowest.min(smooth), smooth));
        if smooth - lowest > RECOVERS {
            // Perhaps another battery; what it tells from now on is looked at anew.
            *self = Battery { doubt: Some(Doubt::Rises), ..self.anew() };
        }
    }

    /// Minutes of arena time that it lasts with what is drawn on average.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn minutes_left(&self) -> Result<f32, Doubt> {
        self.minutes_at(self.watts().unwrap_or(DRIVING_WATTS))
    }

    /// The same with another power, W.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn minutes_at(&self, watts: f32) -> Result<f32, Doubt> {
        if let Some(doubt) = self.doubt {
            return Err(doubt);
        }
        if self.seen < SETTLE {
            return Err(if self.told { Doubt::Settling } else { Doubt::Unmeasured });
        }
        let cell = self.fit.cell();
        if self.taken > KNOWN_AFTER && !CAPACITIES.contains(&cell.capacity) {
            return Err(Doubt::Misfit);
        }
        let left = cell.charge - self.taken / cell.capacity;
        Ok((hours(left, f64::from(watts), self.load.crest(), cell.ohms) * cell.capacity * 60.0) as f32)
    }

    /// Minutes for which it would feed a run: with what the robot drew in its last run, or else with what one draws that
    /// `evolves` or only drives, if it does not draw more already.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn minutes_of_run(&self, evolves: bool) -> Result<f32, Doubt> {
        let usual = if evolves { FULL_LOAD_WATTS } else { DRIVING_WATTS };
        let present = self.watts().unwrap_or(0.0);
        self.minutes_at(self.run_watts.map_or(usual.max(present), |watts| watts as f32))
    }

    /// Mean power drawn, W; none before the first reading.
    pub fn watts(&self) -> Option<f32> {
        self.load.watts().map(|watts| watts as f32)
    }

    /// The cell that fits: what it holds, A h, and the resistance before the monitor, ohm.
    pub fn cell(&self) -> (f32, f32) {
        let cell = self.fit.cell();
        (cell.capacity as f32, cell.ohms as f32)
    }
}

/// Hours for which a cell of 1 A h with this part of its charge feeds a mean power, W, through a resistance, ohm, until it is
/// empty or the greatest power, `crest` times the mean, pulls the voltage behind the resistance below [`LOCKOUT`].
fn hours(left: f64, watts: f64, crest: f64, ohms: f64) -> f64 {
    /// Parts of the charge that is left.
    const PARTS: usize = 64;
    // U = E - R P/U; none if the path cannot carry the power.
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
