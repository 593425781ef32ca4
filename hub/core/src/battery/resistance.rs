//! The resistance between the cell's inside and the monitor, from steps of the load.

/// Steps of the current below this tell nothing beside the monitor's own milliampere, A.
const STEP: f64 = 0.006;
/// Between two readings further apart the cell's own voltage may have moved, s.
const APART: f64 = 15.0;
/// No path has more than this, ohm; and what the monitor's voltage may be wrong by, V.
const MOST: f64 = 2.0;
const SLACK: f64 = 0.005;
/// Error of a voltage difference, V: two readings in steps of 1.25 mV, of a current that may change between them.
const ERROR: f64 = 0.002;
/// Error that no number of steps takes away, ohm: a cell goes on to sag for seconds after a step.
const SAG: f64 = 0.003;
/// Of what older steps said, so much is kept at each new one of an ampere: contacts change.
const KEEP: f64 = 0.99;

/// Least squares over the steps seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resistance {
    /// Sums of squares of current steps, A^2, and of their products with the voltage steps, A V.
    squares: f64,
    products: f64,
    last: Option<(f64, f64, f64)>,
}

impl Resistance {
    /// Takes a reading at `now`, s.
    pub fn take(&mut self, now: f64, volts: f64, amps: f64) {
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

    /// Ohm, and its standard error; none before the first step.
    pub fn measured(&self) -> Option<(f64, f64)> {
        (self.squares > 0.0).then(|| (self.products / self.squares, (ERROR * ERROR / self.squares + SAG * SAG).sqrt()))
    }
}
