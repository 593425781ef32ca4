//! The cell that fits best what was seen of the discharge: how much it held, what is left of it, and the resistance before
//! the monitor.
//!
//! A maximum a posteriori fit by Gauss-Newton steps. The cell's curve is not known exactly, and where it is too high at one
//! charge it is too high beside it as well: the errors of the curve are correlated, which keeps the fit from believing a
//! curve more than the charge that was counted.

use super::curve::open_circuit;

/// Charge that a robot's cell holds before anything was seen, A h: the data sheet has 3.35, and thesis Fig. 5.4 shows 2.8.
const CAPACITY: (f64, f64) = (3.0, 0.6);
/// Part of the charge that is there before anything was seen.
const CHARGE: (f64, f64) = (0.7, 0.6);
/// Resistance before anything was seen, ohm (thesis 5.1.4: 0.2 before the board was mended, 0.1 after).
const OHMS: (f64, f64) = (0.15, 0.08);
/// How far the cell's curve lies beside the published one, V, and over which part of the charge it does so alike.
const CURVE: (f64, f64) = (0.015, 0.3);
/// Error of one point, V.
const POINT: f64 = 0.004;
/// Most points of the discharge; where there are more, neighbours become one.
const POINTS: usize = 32;
/// Charge of one point when it is new, A h.
const WIDTH: f64 = 0.01;
/// Points of this last charge stay narrow, A h.
const RECENT: f64 = 0.1;
/// Gauss-Newton steps of one fit: it begins where the last one ended.
const STEPS: usize = 4;

/// The mean over a stretch of the discharge: charge taken before, A h, voltage, V, current, A.
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

/// A cell as it is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    /// Part of its charge that was there when counting began.
    pub charge: f64,
    /// What it holds, A h.
    pub capacity: f64,
    /// Ohm.
    pub ohms: f64,
}

/// The discharge so far.
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
    /// A reading after `taken` A h, which stood for `seconds`. True if a point became complete.
    pub fn take(&mut self, taken: f64, volts: f64, amps: f64, seconds: f64) -> bool {
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

    /// Makes one of two neighbours: of those that are narrow beside how long ago they were.
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

    /// The cell of the last fit.
    pub fn cell(&self) -> Cell {
        self.cell
    }

    /// Fits the cell to everything seen; `measured` is the resistance from steps of the load, with its error.
    pub fn fit(&mut self, measured: Option<(f64, f64)>) {
        let mut points = self.points.clone();
        if self.open.seconds > 0.0 {
            points.push(self.open);
        }
        if points.is_empty() {
            return;
        }
        if self.points.is_empty() {
            // The first guess: the charge at which the curve has the voltage that was seen.
            let first = points[0];
            let ohms = measured.map_or(OHMS.0, |(ohms, _)| ohms.clamp(0.0, 2.0));
            self.cell.charge = super::curve::charge_at(first.volts + first.amps * ohms).clamp(0.02, 1.1);
        }
        // Charge and its inverse capacity, so that what is left is linear in both.
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
                    // V = open(x0 - q x1) - I x2, and what is left over.
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
            // A step may not leave what the curve is good for.
            x[0] = (x[0] + step[0].clamp(-0.2, 0.2)).clamp(0.01, 1.15);
            x[1] = (x[1] + step[1].clamp(-0.05, 0.05)).clamp(0.1, 1.0);
            x[2] = (x[2] + step[2].clamp(-0.1, 0.1)).clamp(0.0, 2.0);
        }
        self.cell = Cell { charge: x[0], capacity: 1.0 / x[1], ohms: x[2] };
    }
}

/// The lower factor of the covariance of points at these parts of the charge.
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

/// Makes the rows' errors independent and of size one.
fn whiten(lower: &[Vec<f64>], rows: &mut [[f64; 4]]) {
    for (i, factors) in lower.iter().enumerate().take(rows.len()) {
        let (done, rest) = rows.split_at_mut(i);
        for (k, value) in rest[0].iter_mut().enumerate() {
            let sum: f64 = done.iter().zip(factors).map(|(row, factor)| factor * row[k]).sum();
            *value = (*value - sum) / factors[i];
        }
    }
}

/// Least squares of three unknowns: rows of coefficients and right side. None if the rows do not determine them.
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
