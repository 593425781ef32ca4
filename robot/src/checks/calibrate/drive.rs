//! Wheel calibration (thesis 7.2.3). The operator measures several moves of the robot. A least-squares fit to these
//! moves gives the travel per step of each wheel, and the wheelbase.
//!
//! The factors f are relative to the nominal values. With steps s, nominal step length m and nominal wheelbase b, a
//! move gives two equations: m (f_left s_left + f_right s_right) / 2 = path, and m (f_right s_right - f_left s_left) -
//! b f_baseline turn = 0. The path is the length of the arc, computed from the measured distance and turn. Both
//! equations are linear in the factors. A turn on the spot gives only the second equation.

use super::file::Edit;
use super::motion::Motion;
use super::{CalibrateError, Operator, unfit};
use crate::calibration::{FACTORS, Wheels};
use std::f64::consts::PI;
use xpuck_kernels::math::linear::solve;
use xpuck_kernels::model::WHEELBASE;
use xpuck_registers::stepper::METRES_PER_STEP;

/// Length of a straight move (m).
const LENGTH: f64 = 0.5;
/// Number of full turns of a turning move.
const TURNS: f64 = 3.0;
/// Residual of a move above which its measurement is rejected (m of wheel travel).
const WORST: f64 = 0.01;

/// Minimum pivot of a solvable system of equations, relative to the largest diagonal element.
const OPEN: f64 = 1e-9;

/// Move of the robot, as measured by the operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// Number of steps of the left and the right wheel, negative if backwards.
    pub steps: [i64; 2],
    /// Straight-line distance from start to end (m); `None` for a turn on the spot.
    pub distance: Option<f64>,
    /// Change of heading (rad), positive to the left, including full turns.
    pub turn: f64,
}

/// Fits the wheel factors to the moves.
///
/// # Errors
/// If the moves do not determine the factors, a factor is out of range, or a measurement contradicts the others.
pub fn fit(moves: &[Move]) -> Result<Wheels, CalibrateError> {
    let (metre, base) = (f64::from(METRES_PER_STEP), f64::from(WHEELBASE));
    let mut rows: Vec<([f64; 3], f64, usize)> = Vec::new();
    for (i, m) in moves.iter().enumerate() {
        if !m.turn.is_finite() || m.distance.is_some_and(|d| !d.is_finite()) {
            return unfit(format!("measurement {} is not a finite number", i + 1));
        }
        let [left, right] = m.steps.map(|steps| steps as f64 * metre);
        if let Some(chord) = m.distance {
            let half = m.turn / 2.0;
            let arc = if half.abs() < 1e-6 { chord } else { chord * half / half.sin() };
            rows.push(([left / 2.0, right / 2.0, 0.0], arc, i));
        }
        rows.push(([-left, right, -base * m.turn], 0.0, i));
    }
    if !moves.iter().any(|m| m.distance.is_some()) || !moves.iter().any(|m| m.turn.abs() > PI) {
        return unfit("at least one straight move and one of more than half a turn are needed");
    }
    let Some(factors) = least_squares(&rows) else {
        return unfit("the moves are too similar to distinguish the wheels");
    };
    for (name, factor) in ["left", "right", "baseline"].iter().zip(factors) {
        let (low, high) = (f64::from(FACTORS.0), f64::from(FACTORS.1));
        if !(low..=high).contains(&factor) {
            return unfit(format!("the moves give {name} = {factor:.3}, which is outside {low:.1} to {high:.1}"));
        }
    }
    for (row, right, i) in &rows {
        let error = row.iter().zip(factors).map(|(a, f)| a * f).sum::<f64>() - right;
        if error.abs() > WORST {
            return unfit(format!(
                "measurement {} differs by {:.0} mm from the others; measure again",
                i + 1,
                1e3 * error.abs()
            ));
        }
    }
    let [left, right, baseline] = factors.map(|f| f as f32);
    Ok(Wheels { left, right, baseline })
}

/// Returns the least-squares solution of equations given as (coefficients, right side, index of the move). `None` if
/// the normal equations are singular.
fn least_squares(rows: &[([f64; 3], f64, usize)]) -> Option<[f64; 3]> {
    let (mut a, mut right) = (vec![vec![0.0; 3]; 3], vec![vec![0.0]; 3]);
    for (row, value, _) in rows {
        for i in 0..3 {
            (0..3).for_each(|j| a[i][j] += row[i] * row[j]);
            right[i][0] += row[i] * value;
        }
    }
    let largest = (0..3).map(|i| a[i][i]).fold(0.0, f64::max);
    let found = solve(a, right, OPEN * largest)?;
    Some([0, 1, 2].map(|i| found[i][0]))
}

/// Drives straight ahead and turns on the spot, `times` times each. Asks the operator for the distance and the turn of
/// each move.
///
/// # Errors
/// Any error of the body or the operator; the wheels are then stopped.
pub fn measure(motion: &mut Motion<'_>, times: u8, operator: &mut dyn Operator) -> Result<Vec<Move>, CalibrateError> {
    let ahead = (LENGTH / f64::from(METRES_PER_STEP)).round() as i64;
    let turning = (TURNS * PI * f64::from(WHEELBASE) / f64::from(METRES_PER_STEP)).round() as i64;
    let mut moves = Vec::new();
    for i in 1..=times {
        operator.ready(&format!("{i} of {times}: mark the robot's position; it will drive {LENGTH} m ahead."))?;
        let steps = motion.go([ahead; 2])?;
        let distance = operator.number("How far is it from the mark, mm?", 300.0..=700.0)? * 1e-3;
        let turn =
            operator.number("By how many degrees did it turn, to the left positive?", -45.0..=45.0)?.to_radians();
        moves.push(Move { steps, distance: Some(distance), turn });
        operator
            .ready(&format!("{i} of {times}: mark the robot's heading; it will turn {TURNS} times to the left."))?;
        let steps = motion.go([-turning, turning])?;
        let full = 360.0 * TURNS;
        let question = format!("By how many degrees did it turn in total ({full} expected)?");
        let turn = operator.number(&question, 0.8 * full..=1.2 * full)?.to_radians();
        moves.push(Move { steps, distance: None, turn });
    }
    Ok(moves)
}

/// Returns the entries for the robot's file.
pub fn edits(wheels: &Wheels) -> Vec<Edit> {
    let Wheels { left, right, baseline } = *wheels;
    vec![
        Edit::one(&["drive", "left"], left),
        Edit::one(&["drive", "right"], right),
        Edit::one(&["drive", "baseline"], baseline),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::test_bench::{Bench, Script};
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn hidden_wheels_are_found_by_driving() {
        let hidden = Wheels { left: 1.02, right: 0.99, baseline: 1.04 };
        let (bench, stop) = (Bench::default(), AtomicBool::new(false));
        bench.truth().wheels = hidden;
        let (start, asked) = (Cell::new([0.0; 3]), Cell::new(0));
        let mut ready = |_: &str| start.set(bench.truth().pose);
        let mut answer = |question: &str| {
            let (from, to) = (start.get(), bench.truth().pose);
            // The operator answers in whole millimetres and degrees.
            asked.set(asked.get() + 1);
            match question.contains("mm") {
                true => (1e3 * (to[0] - from[0]).hypot(to[1] - from[1])).round(),
                false => (to[2] - from[2]).to_degrees().round(),
            }
        };
        let mut wait = |_| ();
        let mut motion = Motion::new(bench.body(), Wheels::default(), &stop, &mut wait);
        let moves = measure(&mut motion, 3, &mut Script { ready: &mut ready, answer: &mut answer }).unwrap();
        assert_eq!((moves.len(), asked.get()), (6, 9));
        let found = fit(&moves).unwrap();
        let near = |a: f32, b: f32| (a / b - 1.0).abs() < 0.01;
        assert!(
            near(found.left, hidden.left) && near(found.right, hidden.right) && near(found.baseline, hidden.baseline),
            "{found:?}"
        );
    }

    #[test]
    fn inconclusive_measurements_are_rejected_with_reason() {
        let ahead = Move { steps: [3882, 3882], distance: Some(0.5), turn: 0.0 };
        let round = Move { steps: [-3879, 3879], distance: None, turn: 6.0 * PI };
        assert_eq!(rounded(&fit(&[ahead, round]).unwrap()), [1.0; 3]);
        let error = |moves: &[Move]| fit(moves).unwrap_err().to_string();
        assert!(error(&[ahead]).contains("more than half a turn"));
        assert!(error(&[round]).contains("straight"));
        assert!(error(&[ahead, Move { turn: f64::NAN, ..round }]).contains("measurement 2 is not a finite number"));
        assert!(error(&[ahead, Move { turn: 3.0 * PI, ..round }]).contains("baseline = 2.0"));
        assert!(error(&[ahead, ahead, round, Move { distance: Some(0.55), ..ahead }]).contains("from the others"));
        assert!(error(&[Move { steps: [0; 2], ..ahead }, Move { steps: [0; 2], ..round }]).contains("too similar"));
    }

    fn rounded(wheels: &Wheels) -> [f32; 3] {
        [wheels.left, wheels.right, wheels.baseline].map(|f| (f * 1e3).round() / 1e3)
    }
}
