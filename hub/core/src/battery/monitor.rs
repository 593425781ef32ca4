//! Plausibility checks of power monitor readings.

use super::NoEstimate;

/// Valid voltage of a single lithium-ion cell under load (V). The lockout of the supply is at 2.3 V, and chargers stop
/// at 4.2 V.
const VOLTS: std::ops::RangeInclusive<f64> = 2.0..=4.35;
/// Maximum current that the monitor can measure (A). `LEAST` is the minimum current of a board that is able to send
/// readings (A).
const MOST: f64 = 4.09;
const LEAST: f64 = 0.02;
/// Maximum voltage change between consecutive readings at constant load (V). `JUMP_PER_AMP` is its increase per ampere
/// of load change (V/A).
const JUMP: f64 = 0.12;
const JUMP_PER_AMP: f64 = 0.4;
/// Duration of a changed voltage after a jump that indicates a new battery (s).
const ANOTHER: f64 = 30.0;
/// Number of jumps after which all readings are rejected. `JUMPS_WITHIN` is the time without a jump after which the
/// count is reset (s).
const JUMPS: u32 = 3;
const JUMPS_WITHIN: f64 = 600.0;
/// Drawn charge after which a working monitor must report a different voltage (A h). `SAME_AMPS` is the corresponding
/// charge for the current (A h).
const SAME_VOLTS: f64 = 0.1;
const SAME_AMPS: f64 = 0.3;
/// Change of the current above which a working monitor must also report a different voltage (A).
const STEP: f64 = 0.3;
/// Interval between readings above which the drawn charge counts as unknown and the checks restart (s).
const GAP: f64 = 120.0;

/// Detector for a monitor that reports a constant value.
#[derive(Clone, Copy, Debug, Default)]
struct ConstantDetector {
    value: f64,
    /// Charge drawn since the value last changed (A h).
    taken: f64,
}

impl ConstantDetector {
    fn add_sample(&mut self, value: f64, taken: f64, near: f64) -> f64 {
        if (value - self.value).abs() > near {
            *self = ConstantDetector { value, taken: 0.0 };
        }
        self.taken += taken;
        self.taken
    }
}

/// Accepted reading: voltage (V), current (A), and represented duration (s). `new_battery` marks the first reading of a
/// new battery.
pub(super) struct AcceptedReading {
    pub volts: f64,
    pub amps: f64,
    pub seconds: f64,
    pub new_battery: bool,
}

/// State of the plausibility checks for one robot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Monitor {
    /// Time (s), voltage (V) and current (A) of the last accepted reading.
    last: Option<(f64, f64, f64)>,
    /// Time of the first rejected reading after a jump of the voltage (s). `None` if the last reading had no jump.
    away: Option<f64>,
    jumps: u32,
    jumped: f64,
    volts: ConstantDetector,
    amps: ConstantDetector,
    /// Minimum and maximum current since the voltage last changed (A).
    range: (f64, f64),
}

impl Monitor {
    /// Checks a reading at `now` (s), with a voltage (V) and a power (W). Returns the accepted reading, or the reason
    /// of the rejection.
    pub fn judge(&mut self, now: f64, volts: f64, watts: f64) -> Result<AcceptedReading, NoEstimate> {
        let amps = watts / volts;
        if !(VOLTS.contains(&volts) && amps.abs() < MOST) {
            return Err(NoEstimate::Impossible);
        }
        if amps < -LEAST {
            // Charging ends the current discharge, so the checks restart.
            *self = Monitor::default();
            return Err(NoEstimate::Charged);
        }
        if amps < LEAST {
            return Err(NoEstimate::NoCurrent);
        }
        let Some((at, v, i)) = self.last.filter(|(at, ..)| (0.0..GAP).contains(&(now - at))) else {
            *self = Monitor { last: Some((now, volts, amps)), ..Monitor::default() };
            return Ok(AcceptedReading { volts, amps, seconds: 0.0, new_battery: true });
        };
        if (volts - v).abs() > JUMP + JUMP_PER_AMP * (amps - i).abs() {
            let since = *self.away.get_or_insert(now);
            if now - since < ANOTHER {
                return Err(NoEstimate::Jumps);
            }
            *self = Monitor { last: Some((now, volts, amps)), jumps: self.jumps, jumped: now, ..Monitor::default() };
            return Ok(AcceptedReading { volts, amps, seconds: 0.0, new_battery: true });
        }
        if self.away.take().is_some() {
            (self.jumps, self.jumped) = (self.jumps + 1, now);
        }
        if now - self.jumped > JUMPS_WITHIN {
            self.jumps = 0;
        }
        let seconds = now - at;
        self.last = Some((now, volts, amps));
        self.note_same(volts, amps, amps * seconds / 3600.0)?;
        match self.jumps >= JUMPS {
            true => Err(NoEstimate::Jumps),
            false => Ok(AcceptedReading { volts, amps, seconds, new_battery: false }),
        }
    }

    fn note_same(&mut self, volts: f64, amps: f64, taken: f64) -> Result<(), NoEstimate> {
        // Values that differ by at most the tolerance count as equal. The tolerances (V and A) are half a step of the
        // monitor chip plus the error from the rounding to milliwatts.
        let long = self.volts.add_sample(volts, taken, 6e-4) > SAME_VOLTS;
        self.range = match self.volts.taken == taken {
            true => (amps, amps),
            false => (self.range.0.min(amps), self.range.1.max(amps)),
        };
        let dead = self.range.1 - self.range.0 > STEP;
        let frozen = self.amps.add_sample(amps, taken, 8e-4) > SAME_AMPS;
        if long || dead || frozen { Err(NoEstimate::Stuck) } else { Ok(()) }
    }
}
