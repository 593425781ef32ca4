//! Resistance between the cell's inside and the monitor, measured from load steps.

/// Minimum current step (A); smaller ones are too close to the monitor's resolution of 1 mA.
const STEP: f64 = 0.006;
/// Maximum interval between two readings (s); over longer intervals the cell's own voltage may change.
const APART: f64 = 15.0;
/// Maximum resistance of a real path (ohm), and error of the monitor's voltage (V).
const MOST: f64 = 2.0;
const SLACK: f64 = 0.005;
/// Standard error of a voltage difference (V): two readings with a resolution of 1.25 mV, at a current that may change
/// in between.
const ERROR: f64 = 0.002;
/// Error that averaging does not reduce (ohm): the voltage of a cell continues to sag for seconds after a step.
const SAG: f64 = 0.003;
/// Factor on the weight of older steps at each new step of 1 A, because contact resistances change.
const KEEP: f64 = 0.99;

/// Least-squares estimate over the load steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resistance {
    /// Sum of squares of the current steps (A^2), and sum of their products with the voltage steps (A V).
    squares: f64,
    products: f64,
    last: Option<(f64, f64, f64)>,
}

impl Resistance {
    /// Takes a reading at `now` (s).
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

    /// Resistance and its standard error (ohm); `None` before the first step.
    pub fn measured(&self) -> Option<(f64, f64)> {
        (self.squares > 0.0).then(|| (self.products / self.squares, (ERROR * ERROR / self.squares + SAG * SAG).sqrt()))
    }
}
