//! Infra-red calibration (thesis 7.3.1): determines the offset and the scale of each sensor relative to the response
//! curve, from readings at known distances to a white card or a white wall.

use super::file::Edit;
use super::motion::Motion;
use super::{CalibrateError, Operator, unfit};
use crate::calibration::{Infrared, OFFSETS, SCALES};
use xpuck_kernels::model::{PROX_ANGLES, ROBOT_RADIUS, WHEELBASE};
use xpuck_registers::infrared::MAX_COUNTS;
use xpuck_registers::stepper::METRES_PER_STEP;

/// Minimum number of usable readings per sensor.
const LEAST: usize = 5;
/// Minimum difference between the curve's values at a sensor's smallest and largest distance (counts).
const SPREAD: f64 = 1000.0;
/// Maximum root mean square error of a sensor's readings (counts). Where the curve is steepest, this corresponds to a
/// distance error of 0.5 mm.
const WORST: f64 = 250.0;
/// Largest distance to the wall, and step between distances, if the robot drives (m).
const DISTANCES: (f64, f64) = (0.030, 0.002);
/// Order in which the sensors are turned to the wall. The robot turns less than a full circle in one direction, and
/// then back, so that turning errors do not accumulate.
const ORDER: [usize; 8] = [3, 2, 1, 0, 7, 6, 5, 4];
/// Range of the distances at which the operator may hold the ring of card (mm).
const BY_HAND: std::ops::RangeInclusive<f32> = 0.0..=50.0;
/// Maximum number of distances at which the operator holds the ring of card.
const MOST_BY_HAND: usize = 50;

/// Reading of a sensor at a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Index of the sensor, 0..8 in the order of the thesis's Table 6.1.
    pub sensor: usize,
    /// Distance from the sensor to the card or the wall (m).
    pub distance: f64,
    /// Reflected infra-red (counts).
    pub counts: f64,
}

/// Fits the offset and the scale of each sensor to its readings. The curve remains that of `present`.
///
/// # Errors
/// One line with the first sensor whose readings do not determine its parameters, and the reason.
pub fn fit(readings: &[Reading], present: &Infrared) -> Result<Infrared, CalibrateError> {
    let mut found = present.clone();
    for sensor in 0..8 {
        let number = sensor + 1;
        let mine = readings.iter().filter(|r| r.sensor == sensor);
        let mut points = Vec::new();
        for reading in mine {
            if !reading.distance.is_finite() || !reading.counts.is_finite() {
                return unfit(format!("a reading of sensor {number} is not a finite number"));
            }
            let curve = f64::from(present.curve.counts(reading.distance as f32));
            // A reading at an end of the converter's range is only a bound of the true value, so it is not used.
            if curve > 0.0 && reading.counts > 0.0 && reading.counts < f64::from(MAX_COUNTS) {
                points.push((curve, reading.counts));
            }
        }
        let (scale, offset, error) = line(&points).map_err(|why| format!("sensor {number}: {why}")).or_else(unfit)?;
        for (name, value, (low, high)) in [("scale", scale, SCALES), ("offset", offset, OFFSETS)] {
            if !(f64::from(low)..=f64::from(high)).contains(&value) {
                let text = format!(
                    "sensor {number}: {name} = {value:.2}, which is outside {low} to {high}; check that the sensor is not covered"
                );
                return unfit(text);
            }
        }
        if error > WORST {
            return unfit(format!(
                "sensor {number}: its readings lie {error:.0} counts off the curve; check that the wall is white"
            ));
        }
        (found.scale[sensor], found.offset[sensor]) = (scale as f32, offset as f32);
    }
    Ok(found)
}

/// Fits a line to points. Returns the line's slope and intercept, and the root mean square error. The error message
/// states why the points do not determine a line.
fn line(points: &[(f64, f64)]) -> Result<(f64, f64, f64), String> {
    let n = points.len() as f64;
    if points.len() < LEAST {
        return Err(format!("{} usable readings; at least {LEAST} are needed", points.len()));
    }
    let (low, high) = points.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.0), h.max(p.0)));
    if high - low < SPREAD {
        return Err("its distances are too similar; they must span 0 to 30 mm".into());
    }
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxy: f64 = points.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = points.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    let slope = sxy / sxx;
    let squares: f64 = points.iter().map(|(x, y)| (y - my - slope * (x - mx)).powi(2)).sum();
    Ok((slope, my - slope * mx, (squares / n).sqrt()))
}

/// Turns each sensor to a wall in front of the robot and reads it, at increasing distances.
///
/// # Errors
/// Any error of the body or the operator; the wheels are then stopped.
pub fn by_driving(motion: &mut Motion<'_>, operator: &mut dyn Operator) -> Result<Vec<Reading>, CalibrateError> {
    operator
        .ready("Place the robot with its front flat against a white wall. It will turn on the spot and drive back.")?;
    let (last, step) = DISTANCES;
    let mut readings = Vec::new();
    for i in 0..=(last / step).round() as u32 {
        back_to(motion, f64::from(i) * step)?;
        for sensor in ORDER {
            let bearing = f64::from(PROX_ANGLES[sensor]);
            turn_to(motion, -bearing)?;
            let counts = motion.read_infrared()?[sensor];
            // The distance is measured along the sensor's axis, which may not be exactly perpendicular to the wall.
            let [x, _, heading] = motion.pose();
            let distance = (f64::from(ROBOT_RADIUS) - x) / (heading + bearing).cos() - f64::from(ROBOT_RADIUS);
            readings.push(Reading { sensor, distance, counts });
        }
        turn_to(motion, 0.0)?;
    }
    Ok(readings)
}

/// Drives backwards until the robot's distance from its start position is `away` (m).
fn back_to(motion: &mut Motion<'_>, away: f64) -> Result<(), CalibrateError> {
    let steps = ((-motion.pose()[0] - away) / f64::from(METRES_PER_STEP)).round() as i64;
    motion.go([steps, steps]).map(drop)
}

/// Turns the robot to `heading` (rad). At heading 0, the robot faces the wall.
fn turn_to(motion: &mut Motion<'_>, heading: f64) -> Result<(), CalibrateError> {
    let arc = (heading - motion.pose()[2]) / 2.0 * f64::from(WHEELBASE) * f64::from(motion.wheels().baseline);
    let steps = (arc / f64::from(METRES_PER_STEP)).round() as i64;
    motion.go([-steps, steps]).map(drop)
}

/// Reads all sensors while the operator holds a ring of card around the robot, at each of these distances (mm).
///
/// # Errors
/// If a distance is invalid, or any error of the body or the operator.
pub fn by_hand(
    motion: &mut Motion<'_>,
    distances: &[f32],
    operator: &mut dyn Operator,
) -> Result<Vec<Reading>, CalibrateError> {
    if distances.len() > MOST_BY_HAND || !distances.iter().all(|d| BY_HAND.contains(d)) {
        return unfit(format!(
            "--by-hand: at most {MOST_BY_HAND} distances are allowed, each from {} to {} mm",
            BY_HAND.start(),
            BY_HAND.end()
        ));
    }
    let mut readings = Vec::new();
    for millimetres in distances {
        operator.ready(&format!("Hold a ring of white card at {millimetres} mm from all sensors."))?;
        let distance = f64::from(*millimetres) * 1e-3;
        let counts = motion.read_infrared()?;
        readings.extend((0..8).map(|sensor| Reading { sensor, distance, counts: counts[sensor] }));
    }
    Ok(readings)
}

/// Returns the entries for the robot's file.
pub fn edits(infrared: &Infrared) -> Vec<Edit> {
    vec![
        Edit::list(&["infrared", "offset"], &infrared.offset.map(|v| (v * 10.0).round() / 10.0)),
        Edit::list(&["infrared", "scale"], &infrared.scale),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::test_bench::{Bench, Script};
    use super::*;
    use crate::calibration::Wheels;
    use std::sync::atomic::AtomicBool;

    fn hidden() -> Infrared {
        let scale = std::array::from_fn(|i| 0.8 + 0.04 * i as f32);
        Infrared { offset: std::array::from_fn(|i| 40.0 - 10.0 * i as f32), scale, ..Infrared::default() }
    }

    fn assert_found(found: &Infrared) {
        for i in 0..8 {
            assert!((found.scale[i] / hidden().scale[i] - 1.0).abs() < 0.03, "{found:?}");
            assert!((found.offset[i] - hidden().offset[i]).abs() < 30.0, "{found:?}");
        }
    }

    #[test]
    fn hidden_sensors_are_found_by_driving_away_from_a_wall() {
        let (bench, stop) = (Bench::default(), AtomicBool::new(false));
        {
            let mut truth = bench.truth();
            truth.infrared = hidden();
            truth.wheels = Wheels { left: 1.004, right: 0.997, baseline: 1.004 };
            truth.wall = Some(f64::from(ROBOT_RADIUS));
        }
        let (mut wait, mut ready, mut answer) = (|_| (), |_: &str| (), |_: &str| f64::NAN);
        let mut motion = Motion::new(bench.body(), Wheels::default(), &stop, &mut wait);
        let mut operator = Script { ready: &mut ready, answer: &mut answer };
        let readings = by_driving(&mut motion, &mut operator).unwrap();
        assert_eq!(readings.len(), 8 * 16);
        assert_found(&fit(&readings, &Infrared::default()).unwrap());
        drop(motion);
        assert!(bench.stands());
    }

    #[test]
    fn hidden_sensors_are_found_by_hand() {
        let given: Vec<Reading> = (0..31)
            .flat_map(|mm| (0..8).map(move |sensor| (sensor, f64::from(mm) * 1e-3)))
            .map(|(sensor, distance)| {
                let curve = hidden().curve.counts(distance as f32);
                let counts = f64::from(curve * hidden().scale[sensor] + hidden().offset[sensor]);
                Reading { sensor, distance, counts: counts.clamp(0.0, 4095.0) }
            })
            .collect();
        assert_found(&fit(&given, &Infrared::default()).unwrap());

        let error = |readings: &[Reading]| fit(readings, &Infrared::default()).unwrap_err().to_string();
        let with = |change: &dyn Fn(&mut Reading)| {
            let mut readings = given.clone();
            readings.iter_mut().filter(|r| r.sensor == 2).for_each(change);
            error(&readings)
        };
        assert!(with(&|r| r.counts = f64::NAN).starts_with("a reading of sensor 3 is not a finite number"));
        assert!(with(&|r| r.counts = 4095.0).starts_with("sensor 3: 0 usable readings"));
        assert!(with(&|r| r.distance = 0.02 + 0.1 * r.distance).contains("too similar"));
        assert!(with(&|r| r.counts = 4094.0 - r.counts).contains("scale = -"));
        assert!(with(&|r| r.counts += 600.0 * (r.distance * 5e3).sin()).contains("counts off the curve"));
        assert!(error(&[]).contains("sensor 1: 0 usable"));
    }
}
