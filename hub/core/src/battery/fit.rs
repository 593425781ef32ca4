//! Fit of the cell's parameters to the observed discharge: capacity, remaining charge, and resistance between cell and
//! monitor.
//!
//! The fit is a maximum a posteriori estimate by Gauss-Newton steps. The cell's curve is not known exactly, and its
//! errors at similar states of charge are correlated. This correlation prevents the fit from trusting the curve more
//! than the counted charge.

use super::curve::open_circuit;

/// Prior of the cell's capacity, mean and standard deviation (A h). The datasheet has 3.35 A h, and thesis Fig. 5.4
/// shows 2.8 A h.
const CAPACITY: (f64, f64) = (3.0, 0.6);
/// Prior of the initial state of charge, mean and standard deviation (0 to 1).
const CHARGE: (f64, f64) = (0.7, 0.6);
/// Prior of the resistance between cell and monitor, mean and standard deviation (ohm). The thesis (5.1.4) measured 0.2
/// ohm before the board was repaired, and 0.1 ohm after it.
const OHMS: (f64, f64) = (0.15, 0.08);
/// Standard deviation of the cell's curve from the published curve (V), and correlation length of this deviation
/// (fraction of a full charge).
const CURVE: (f64, f64) = (0.015, 0.3);
/// Standard error of the voltage of a point (V).
const POINT: f64 = 0.004;
/// Maximum number of points of the discharge. If there are more, two adjacent points are merged.
const POINTS: usize = 32;
/// Charge drawn during a section of the discharge after which the section becomes a new point (A h).
const WIDTH: f64 = 0.01;
/// Constant that is added to the charge drawn since a point when points are compared for a merge (A h). It limits the
/// preference for recent points.
const RECENT: f64 = 0.1;
/// Number of Gauss-Newton steps per fit. Each fit starts at the solution of the previous fit.
const STEPS: usize = 4;

/// Means over a section of the discharge: charge drawn since the start of the count (A h), voltage (V) and current (A).
/// `seconds` is the duration of the section (s).
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    taken: f64,
    volts: f64,
    amps: f64,
    seconds: f64,
}

impl Point {
    fn add(&mut self, other: Point) {
        let whole = self.seconds + other.seconds;
        let mean = |a: f64, b: f64| (a * self.seconds + b * other.seconds) / whole;
        *self = Point {
            taken: mean(self.taken, other.taken),
            volts: mean(self.volts, other.volts),
            amps: mean(self.amps, other.amps),
            seconds: whole,
        };
    }
}

/// Fitted parameters of the cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    /// State of charge at the start of the charge count (0 to 1).
    pub charge: f64,
    /// Capacity (A h).
    pub capacity: f64,
    /// Resistance between cell and monitor (ohm).
    pub ohms: f64,
}

/// Observed discharge and its fit.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    points: Vec<Point>,
    open: Point,
    cell: Cell,
}

impl Default for Fit {
    fn default() -> Fit {
        let cell = Cell { charge: CHARGE.0, capacity: CAPACITY.0, ohms: OHMS.0 };
        Fit { points: Vec::new(), open: Point::default(), cell }
    }
}

impl Fit {
    /// Adds a reading that represents an interval of `seconds` (s). `taken` is the charge drawn so far (A h). Returns
    /// whether the reading completes a point.
    pub fn add_reading(&mut self, taken: f64, volts: f64, amps: f64, seconds: f64) -> bool {
        self.open.add(Point { taken, volts, amps, seconds });
        if self.open.amps * self.open.seconds / 3600.0 < WIDTH {
            return false;
        }
        self.points.push(std::mem::take(&mut self.open));
        if self.points.len() > POINTS {
            self.merge();
        }
        true
    }

    /// Merges two adjacent points: the pair with the smallest ratio of its own charge to the charge drawn after it.
    fn merge(&mut self) {
        let (now, charge) = (self.points[POINTS].taken, |p: &Point| p.amps * p.seconds / 3600.0);
        let wide = |i: &usize| {
            let (a, b) = (&self.points[*i], &self.points[i + 1]);
            (charge(a) + charge(b)) / (now - b.taken + RECENT)
        };
        let Some(least) = (0..POINTS).min_by(|a, b| wide(a).total_cmp(&wide(b))) else { return };
        let next = self.points.remove(least + 1);
        self.points[least].add(next);
    }

    /// Returns the cell parameters of the last fit.
    pub fn cell(&self) -> Cell {
        self.cell
    }

    /// Fits the cell to all points. `measured` contains the resistance measured from load steps and its standard error
    /// (ohm), or `None` if no load step was measured.
    pub fn fit(&mut self, measured: Option<(f64, f64)>) {
        let mut points = self.points.clone();
        if self.open.seconds > 0.0 {
            points.push(self.open);
        }
        if points.is_empty() {
            return;
        }
        if self.points.is_empty() {
            // The initial estimate is the state of charge at which the curve has the observed open-circuit voltage.
            let first = points[0];
            let ohms = measured.map_or(OHMS.0, |(ohms, _)| ohms.clamp(0.0, 2.0));
            self.cell.charge = super::curve::charge_at(first.volts + first.amps * ohms).clamp(0.02, 1.1);
        }
        // The unknowns are the initial state of charge, the inverse of the capacity, and the resistance. The inverse is
        // used because the state of charge at a point is linear in it.
        let inverse = (1.0 / CAPACITY.0, CAPACITY.1 / CAPACITY.0 / CAPACITY.0);
        let mut x = [self.cell.charge, 1.0 / self.cell.capacity, self.cell.ohms];
        let priors = [CHARGE, inverse, OHMS];
        for _ in 0..STEPS {
            let parts: Vec<f64> = points.iter().map(|p| x[0] - p.taken * x[1]).collect();
            let lower = cholesky(&parts);
            let mut rows: Vec<[f64; 4]> = points
                .iter()
                .zip(&parts)
                .map(|(p, part)| {
                    let (open, slope) = open_circuit(*part);
                    // Linearises V = open(x0 - q x1) - I x2, where q is the drawn charge. The last column is the
                    // residual.
                    [slope, -slope * p.taken, -p.amps, p.volts - (open - p.amps * x[2])]
                })
                .collect();
            whiten(&lower, &mut rows);
            for (i, (mean, error)) in priors.into_iter().enumerate() {
                let mut row = [0.0; 4];
                (row[i], row[3]) = (1.0 / error, (mean - x[i]) / error);
                rows.push(row);
            }
            if let Some((ohms, error)) = measured {
                rows.push([0.0, 0.0, 1.0 / error, (ohms - x[2]) / error]);
            }
            let Some(step) = solve(&rows) else { return };
            // Limits the step for stability, and the unknowns to plausible ranges.
            x[0] = (x[0] + step[0].clamp(-0.2, 0.2)).clamp(0.01, 1.15);
            x[1] = (x[1] + step[1].clamp(-0.05, 0.05)).clamp(0.1, 1.0);
            x[2] = (x[2] + step[2].clamp(-0.1, 0.1)).clamp(0.0, 2.0);
        }
        self.cell = Cell { charge: x[0], capacity: 1.0 / x[1], ohms: x[2] };
    }
}

/// Returns the lower Cholesky factor of the covariance matrix of the voltage errors of points. `parts` contains the
/// points' states of charge.
fn cholesky(parts: &[f64]) -> Vec<Vec<f64>> {
    let n = parts.len();
    let mut lower = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let alike = CURVE.0 * CURVE.0 * (-(parts[i] - parts[j]).abs() / CURVE.1).exp();
            let own = if i == j { POINT * POINT } else { 0.0 };
            let done: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            lower[i][j] =
                if i == j { (alike + own - done).max(1e-12).sqrt() } else { (alike + own - done) / lower[j][j] };
        }
    }
    lower
}

/// Transforms the rows so that their errors are independent and have unit variance.
fn whiten(lower: &[Vec<f64>], rows: &mut [[f64; 4]]) {
    for (i, factors) in lower.iter().enumerate().take(rows.len()) {
        let (done, rest) = rows.split_at_mut(i);
        for (k, value) in rest[0].iter_mut().enumerate() {
            let sum: f64 = done.iter().zip(factors).map(|(row, factor)| factor * row[k]).sum();
            *value = (*value - sum) / factors[i];
        }
    }
}

/// Solves a least-squares problem with three unknowns. Each row has three coefficients and the right-hand side. Returns
/// `None` if the rows do not determine the unknowns.
fn solve(rows: &[[f64; 4]]) -> Option<[f64; 3]> {
    let mut m = [[0.0; 4]; 3];
    for row in rows {
        for i in 0..3 {
            for k in 0..4 {
                m[i][k] += row[i] * row[k];
            }
        }
    }
    for i in 0..3 {
        if m[i][i].is_nan() || m[i][i] <= 1e-12 {
            return None;
        }
        let pivot = m[i];
        for (_, other) in m.iter_mut().enumerate().filter(|(k, _)| *k != i) {
            let factor = other[i] / pivot[i];
            other.iter_mut().zip(pivot).for_each(|(a, b)| *a -= factor * b);
        }
    }
    Some([m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]])
}
