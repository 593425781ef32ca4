//! Resistance of the path from a battery cell to its power monitor, including the cell's internal resistance. It is
//! estimated from the voltage steps that load steps cause.

/// Minimum current step (A). Smaller steps are too close to the monitor's resolution of 1 mA.
const STEP: f64 = 0.006;
/// Maximum interval between two readings (s). Over a longer interval the cell's own voltage may change.
const APART: f64 = 15.0;
/// Maximum plausible resistance (ohm), and maximum error of the monitor's voltage (V). A voltage step is accepted if
/// it is at most the current step times this resistance, plus this error.
const MOST: f64 = 2.0;
const SLACK: f64 = 0.005;
/// Standard error of the difference between two voltage readings (V). Readings have a resolution of 1.25 mV, and the
/// current may change between a reading of the voltage and the reading of the power.
const ERROR: f64 = 0.002;
/// Part of the resistance's standard error that averaging does not reduce (ohm). It arises because the voltage of a
/// cell continues to fall for seconds after a load step.
const SAG: f64 = 0.003;
/// Forgetting factor of the estimate, because contact resistances change. A current step of 1 A multiplies the weight
/// of all earlier steps by this factor.
const KEEP: f64 = 0.99;

/// Least-squares estimate of the resistance over all load steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resistance {
    /// Weighted sum of the squared current steps (A^2), and of the products of current and voltage steps (A V).
    squares: f64,
    products: f64,
    last: Option<(f64, f64, f64)>,
}

impl Resistance {
    /// Records the voltage and the current at `now` (s). If the load has changed since the previous reading, the
    /// estimate is updated.
    pub fn add_reading(&mut self, now: f64, volts: f64, amps: f64) {
        if let Some((at, v, i)) = self.last.replace((now, volts, amps)) {
            let (dv, di) = (volts - v, amps - i);
            let possible = dv.abs() <= MOST * di.abs() + SLACK;
            if now - at <= APART && possible && di.abs() >= STEP {
                let keep = KEEP.powf(di * di);
                self.squares = self.squares * keep + di * di;
                self.products = self.products * keep - dv * di;
            }
        }
    }

    /// Returns the resistance and its standard error (ohm), or `None` before the first load step.
    pub fn measured(&self) -> Option<(f64, f64)> {
        (self.squares > 0.0).then(|| (self.products / self.squares, (ERROR * ERROR / self.squares + SAG * SAG).sqrt()))
    }
}
