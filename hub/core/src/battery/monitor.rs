//! Whether what a robot's power monitor tells can be so.

use super::Doubt;

/// One lithium-ion cell under load, V: the supply gives up at 2.3 V, and a charger ends at 4.2 V.
const VOLTS: std::ops::RangeInclusive<f64> = 2.0..=4.35;
/// The monitor's own range, A, and the least that a board that talks can draw.
const MOST: f64 = 4.09;
const LEAST: f64 = 0.02;
/// Without load a voltage does not change by more than this from one reading to the next, V; with each ampere that the load
/// changes, by so much more.
const JUMP: f64 = 0.12;
const JUMP_PER_AMP: f64 = 0.4;
/// A voltage that jumped and stays is that of another battery after so long, s.
const ANOTHER: f64 = 30.0;
/// So many jumps within so long, s, and nothing is believed.
const JUMPS: u32 = 3;
const JUMPS_WITHIN: f64 = 600.0;
/// A cell that gave so much shows another voltage than before, A h, and another current at the same power.
const SAME_VOLTS: f64 = 0.1;
const SAME_AMPS: f64 = 0.3;
/// A current that changed by so much changes the voltage, A.
const STEP: f64 = 0.3;
/// Between readings further apart the charge that was taken is not known, s.
const GAP: f64 = 120.0;

/// Something that is told again and again.
#[derive(Clone, Copy, Debug, Default)]
struct Same {
    value: f64,
    /// Charge since it is the same, A h.
    taken: f64,
}

impl Same {
    fn take(&mut self, value: f64, taken: f64, near: f64) -> f64 {
        if (value - self.value).abs() > near {
            *self = Same { value, taken: 0.0 };
        }
        self.taken += taken;
        self.taken
    }
}

/// A reading that is believed: V, A, and the time that it stands for, s; true if the battery is another one.
pub(super) struct Believed {
    pub volts: f64,
    pub amps: f64,
    pub seconds: f64,
    pub another: bool,
}

/// What is remembered of the readings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Monitor {
    /// Time, V, A of the last reading that was believed.
    last: Option<(f64, f64, f64)>,
    /// Since when readings are away from it.
    away: Option<f64>,
    jumps: u32,
    jumped: f64,
    volts: Same,
    amps: Same,
    /// Smallest and greatest current since the voltage is the same.
    range: (f64, f64),
}

impl Monitor {
    /// Judges a reading at `now`, s.
    pub fn judge(&mut self, now: f64, volts: f64, watts: f64) -> Result<Believed, Doubt> {
        let amps = watts / volts;
        if !(VOLTS.contains(&volts) && amps.abs() < MOST) {
            return Err(Doubt::Impossible);
        }
        if amps < -LEAST {
            // What follows is another discharge.
            *self = Monitor::default();
            return Err(Doubt::Charged);
        }
        if amps < LEAST {
            return Err(Doubt::NoCurrent);
        }
        let Some((at, v, i)) = self.last.filter(|(at, ..)| (0.0..GAP).contains(&(now - at))) else {
            *self = Monitor { last: Some((now, volts, amps)), ..Monitor::default() };
            return Ok(Believed { volts, amps, seconds: 0.0, another: true });
        };
        if (volts - v).abs() > JUMP + JUMP_PER_AMP * (amps - i).abs() {
            let since = *self.away.get_or_insert(now);
            if now - since < ANOTHER {
                return Err(Doubt::Jumps);
            }
            *self = Monitor { last: Some((now, volts, amps)), jumps: self.jumps, jumped: now, ..Monitor::default() };
            return Ok(Believed { volts, amps, seconds: 0.0, another: true });
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
            true => Err(Doubt::Jumps),
            false => Ok(Believed { volts, amps, seconds, another: false }),
        }
    }

    fn note_same(&mut self, volts: f64, amps: f64, taken: f64) -> Result<(), Doubt> {
        // Half of the chip's steps, and what rounding to milliwatts adds.
        let long = self.volts.take(volts, taken, 6e-4) > SAME_VOLTS;
        self.range = match self.volts.taken == taken {
            true => (amps, amps),
            false => (self.range.0.min(amps), self.range.1.max(amps)),
        };
        let dead = self.range.1 - self.range.0 > STEP;
        let frozen = self.amps.take(amps, taken, 8e-4) > SAME_AMPS;
        if long || dead || frozen { Err(Doubt::Stuck) } else { Ok(()) }
    }
}
