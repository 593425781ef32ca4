//! Characteristic curve of the infrared sensors (Eq. 7.3), from readings at known distances.
//!
//! A sensor reads scale * curve(distance) + offset. The curve is that of the mean sensor: the mean of all scales is
//! 1, and the mean of all offsets is 0. The factor of 3500 counts in the curve is kept as published, because a
//! different factor could be compensated by steepness and shift.
//!
//! The curve has a far branch and a near branch, which meet at the knee. For a given ratio shift / steepness, the far
//! branch of each sensor is a straight line over (distance + ratio)^-4. Therefore only the ratio is searched. The
//! near branch is a straight line over the distance. The knee is the distance at which both branches fit best
//! together.

use super::numerics::{golden, jackknife, least, line};
use super::table::{self, Row};
use super::{Estimate, FitError, Report, estimates};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use xpuck_registers::infrared::{Curve, MAX_COUNTS, PUBLISHED, SCALE};
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Plot};
use xpuck_wire::FileError;

/// Search range of the ratio shift / steepness (m).
const RATIOS: (f64, f64) = (0.002, 0.08);
/// Search range of the knee, the distance at which the near branch ends (m).
const KNEES: (f64, f64) = (0.002, 0.015);
/// Minimum number of readings for the far branch of each sensor, and for the near branch of all sensors.
const LEAST_POINTS: usize = 3;

/// Reading of a sensor, which is a row of the record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Number of the sensor. Any number is allowed.
    pub sensor: u8,
    /// Distance to the white card (m).
    pub distance_m: f64,
    /// Reading without the ambient light (ADC counts).
    pub raw: u16,
}

impl Row for Reading {
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)> {
        vec![("distance_m", self.distance_m, 0.0..=0.2), ("raw", f64::from(self.raw), 0.0..=f64::from(MAX_COUNTS))]
    }
}

/// Parses readings. Errors contain `name` as the name of the text.
pub fn read(name: &str, text: &str) -> Result<Vec<Reading>, FileError> {
    Ok(table::read::<Reading>(name, text)?.into_iter().map(|(_, reading)| reading).collect())
}

/// Returns the readings as the text of a table.
pub fn write(readings: &[Reading]) -> String {
    table::write(readings)
}

/// Fitted curve in double precision, with the scales and offsets of the sensors and the sum of squared errors.
#[derive(Clone, Debug)]
struct Aligned {
    steepness: f64,
    shift: f64,
    floor: f64,
    near_level: f64,
    near_slope: f64,
    knee: f64,
    /// Scale and offset of each sensor, in the order of the sensors' readings.
    sensors: Vec<(f64, f64)>,
    squares: f64,
}

/// Returns the usable readings of each sensor. Readings of 0 and of the maximum count are left out, because they only
/// give a bound.
fn by_sensor(readings: &[Reading]) -> BTreeMap<u8, Vec<Reading>> {
    let mut sensors: BTreeMap<u8, Vec<Reading>> = BTreeMap::new();
    for reading in readings.iter().filter(|r| r.raw > 0 && r.raw < MAX_COUNTS) {
        sensors.entry(reading.sensor).or_default().push(*reading);
    }
    sensors
}

/// Fits the far branch of each sensor for a given knee (m) and ratio (m). Each branch is a straight line, given by its
/// value at infinite distance and its slope. Returns the lines and the sum of squared errors. `None` if a sensor has
/// too few readings.
fn far_lines(sensors: &[Vec<Reading>], knee: f64, ratio: f64) -> Option<(Vec<(f64, f64)>, f64)> {
    let (mut lines, mut squares) = (Vec::new(), 0.0);
    for readings in sensors {
        let far = readings.iter().filter(|r| r.distance_m > knee);
        let points: Vec<_> = far.map(|r| ((r.distance_m + ratio).powi(-4), f64::from(r.raw))).collect();
        let (at_infinity, slope) = if points.len() < LEAST_POINTS { None } else { line(&points) }?;
        squares += points.iter().map(|(x, y)| (y - at_infinity - slope * x).powi(2)).sum::<f64>();
        lines.push((at_infinity, slope));
    }
    Some((lines, squares))
}

/// Returns the curve with the smallest error for a given knee (m). `None` if the readings do not determine a curve.
fn with_knee(sensors: &[Vec<Reading>], knee: f64) -> Option<Aligned> {
    far_lines(sensors, knee, RATIOS.0)?;
    let cost = |ratio| far_lines(sensors, knee, ratio).map_or(f64::INFINITY, |(_, squares)| squares);
    let ratio = golden(RATIOS.0, RATIOS.1, 1e-7, cost);
    let (lines, far_squares) = far_lines(sensors, knee, ratio)?;
    let (n, scale) = (lines.len() as f64, f64::from(SCALE));
    let slope = lines.iter().map(|l| l.1).sum::<f64>() / n;
    let floor = -lines.iter().map(|l| l.0).sum::<f64>() / n / scale;
    if slope <= 0.0 {
        return None;
    }
    let steepness = (scale / slope).sqrt().sqrt();
    let aligned = lines.iter().map(|(at_infinity, s)| (s / slope, at_infinity + s / slope * scale * floor)).collect();
    let mut found = Aligned {
        steepness,
        shift: ratio * steepness,
        floor,
        near_level: 0.0,
        near_slope: 0.0,
        knee,
        sensors: aligned,
        squares: far_squares,
    };
    let mut near = Vec::new();
    for (readings, (gain, offset)) in sensors.iter().zip(&found.sensors) {
        let points = readings.iter().filter(|r| r.distance_m <= knee);
        near.extend(points.map(|r| (r.distance_m, (f64::from(r.raw) - offset) / gain / scale)));
    }
    if near.len() < LEAST_POINTS {
        return None;
    }
    let (level, slope) = line(&near)?;
    (found.near_level, found.near_slope) = (level, -slope);
    found.squares += near.iter().map(|(x, y)| ((y - level - slope * x) * scale).powi(2)).sum::<f64>();
    Some(found)
}

/// Returns the curve with the smallest error over all knees. Knees are tried midway between adjacent distances of the
/// readings. Also returns each knee (mm) with the root mean square error of its curve (counts).
fn align(sensors: &[Vec<Reading>]) -> Option<(Aligned, Vec<(f64, f64)>)> {
    let mut distances: Vec<f64> = sensors.iter().flatten().map(|r| r.distance_m).collect();
    distances.sort_by(f64::total_cmp);
    distances.dedup();
    let between = distances.windows(2).map(|d| (d[0] + d[1]) / 2.0);
    let knees = between.filter(|knee| (KNEES.0..=KNEES.1).contains(knee));
    let tries: Vec<Aligned> = knees.filter_map(|knee| with_knee(sensors, knee)).collect();
    let squares: Vec<f64> = tries.iter().map(|t| t.squares).collect();
    let count = sensors.iter().map(Vec::len).sum::<usize>() as f64;
    let curve = tries.iter().map(|t| (1e3 * t.knee, (t.squares / count).sqrt())).collect();
    (!tries.is_empty()).then(|| (tries[least(&squares)].clone(), curve))
}

/// Fits the curve to readings. With a robot's name, the parameters include the scales and offsets of its eight
/// sensors, which are numbered in the order of Table 6.1.
pub fn fit(readings: &[Reading], robot: Option<&str>) -> Result<Report, FitError> {
    let sensors = by_sensor(readings);
    let (numbers, groups): (Vec<u8>, Vec<Vec<Reading>>) = sensors.into_iter().unzip();
    let Some((found, knees)) = align(&groups) else {
        return Err(FitError(
            "the readings do not cover both branches: each sensor needs distances from 0 to 30 mm, at least 3 \
             readings on each side of 2 to 15 mm, counts other than 0 and 4095, and higher counts at shorter \
             distances"
                .into(),
        ));
    };
    let values = |a: &Aligned| vec![a.steepness, a.shift, a.floor, a.near_level, a.near_slope, a.knee];
    let without = |kept: &[Reading]| Some(values(&align(&by_sensor(kept).into_values().collect::<Vec<_>>())?.0));
    let mut errors = jackknife(readings, without);
    // The knee is only known to lie between two adjacent distances of the readings. Its standard error is therefore at
    // least that of a uniform distribution over the largest spacing.
    let spacing = knees.windows(2).map(|k| (k[1].0 - k[0].0) * 1e-3).fold(0.0, f64::max);
    if let Some(errors) = &mut errors {
        errors[5] = errors[5].max(spacing / 12f64.sqrt());
    }
    let rows = [
        ("steepness", "1/m", "decay rate of the far branch"),
        ("shift", "", "shift of the far branch"),
        ("floor", "", "offset subtracted from the far branch"),
        ("near_level", "", "value of the near branch at 0 m"),
        ("near_slope", "1/m", "slope of the near branch"),
        ("knee", "m", "distance at which the near branch ends"),
    ];
    let count = groups.iter().map(Vec::len).sum::<usize>();
    let values = values(&found);
    let mut toml = String::from("[infrared.curve]\n");
    for ((name, _, _), value) in rows.iter().zip(&values) {
        toml += &format!("{name} = {:.6}\n", Figure(*value));
    }
    let mut fitted = estimates(&rows, &values, errors.as_deref());
    for (number, (scale, offset)) in numbers.iter().zip(&found.sensors) {
        let of = |name: &str, value: f64, unit, meaning: &str| Estimate {
            name: format!("sensor {number} {name}"),
            value,
            error: None,
            unit,
            meaning: meaning.into(),
        };
        fitted.push(of("scale", *scale, "", "gain of the sensor"));
        fitted.push(of("offset", *offset, "counts", "reading without an obstacle"));
    }
    if let Some(robot) = robot {
        if found.sensors.len() != 8 {
            return Err(FitError(format!(
                "the readings are of {} sensors, but robot {robot} has eight; leave out --robot",
                found.sensors.len()
            )));
        }
        let list = |of: &dyn Fn(&(f64, f64)) -> String| found.sensors.iter().map(of).collect::<Vec<_>>().join(", ");
        toml += &format!(
            "\n[robots.{robot}.infrared]\noffset = [{}]\nscale = [{}]\n",
            list(&|s| format!("{:.1}", Figure(s.1))),
            list(&|s| format!("{:.4}", Figure(s.0)))
        );
    }
    Ok(Report {
        subject: "ir",
        data: format!(
            "{count} readings of {} sensors; {} readings at the end of the range were left out",
            groups.len(),
            readings.len() - count
        ),
        estimates: fitted,
        fit: format!("error of a reading: {:.1} counts", (found.squares / count as f64).sqrt()),
        toml,
        panels: vec![curves(&groups, &found), knee_plot(&found, knees)],
    })
}

impl Aligned {
    fn curve(&self) -> Curve {
        Curve {
            steepness: self.steepness as f32,
            shift: self.shift as f32,
            floor: self.floor as f32,
            near_level: self.near_level as f32,
            near_slope: self.near_slope as f32,
            knee: self.knee as f32,
        }
    }
}

/// Plots the readings, corrected by scale and offset of their sensors, with the fitted curve (Fig. 7.4).
fn curves(sensors: &[Vec<Reading>], found: &Aligned) -> Plot {
    let mut plot = Plot::new("readings, aligned, and the fitted curve (Fig. 7.4)", "distance, mm", "counts");
    let aligned = sensors.iter().zip(&found.sensors).flat_map(|(readings, (scale, offset))| {
        readings.iter().map(move |r| (1e3 * r.distance_m, (f64::from(r.raw) - offset) / scale))
    });
    plot.points("readings", Colour::Grey, aligned.collect());
    let draw = |curve: Curve| -> Vec<(f64, f64)> {
        (0..=150).map(|i| (f64::from(i) * 0.2, f64::from(curve.counts(i as f32 * 0.2e-3)))).collect()
    };
    plot.line("as printed", Colour::Orange, draw(PUBLISHED));
    plot.line("fitted", Colour::Blue, draw(found.curve()));
    plot
}

fn knee_plot(found: &Aligned, knees: Vec<(f64, f64)>) -> Plot {
    let mut plot = Plot::new("error over the distance of the knee", "knee, mm", "error of a reading, counts");
    plot.line("", Colour::Blue, knees);
    plot.mark(&format!("{:.2}", 1e3 * found.knee), Colour::Red, 1e3 * found.knee);
    plot
}
