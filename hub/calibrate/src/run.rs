//! Calibration from the record of one run: pose delay, wheel factors, motion noise, cameras.

use super::camera::{self, Mounted, Sample};
use super::drive::{self, Factors, Stretch};
use super::numerics::jackknife;
use super::recorded::RecordData;
use super::{Estimate, FitError, Report, latency};
use rayon::prelude::*;
use xpuck_experiment::Calibration;
use xpuck_experiment::calibration::{Body, FACTORS, Lateness, MAX_CAMERA_ANGLE, Mount, Wheels};
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::senses::camera_model::{CameraModel, LONGEST_DELAY, PERFECT_AGE};
use xpuck_stats::plot::{Colour, Plot};

/// Maximum gap between a robot and a wall or another body at which contact is possible (m).
const CLEAR: f32 = 0.003;
/// Time after a contact during which the contact may affect the robot's motion (s).
const FELT: f64 = 0.3;
/// Minimum number of contact-free motion segments, over all robots, for estimating the noise.
const LEAST_FOR_NOISE: usize = 400;
/// Minimum number of contact-free motion segments for fitting a robot's wheel factors.
const LEAST_STRETCHES: usize = 40;
/// Maximum number of motion segments in a figure.
const DRAWN: usize = 800;
/// Degrees per radian.
const DEGREE: f64 = 180.0 / std::f64::consts::PI;

/// Fitted wheel factors of one robot.
struct Driven {
    factors: Factors,
    errors: Option<Vec<f64>>,
    stretches: Vec<Stretch>,
}

/// Fits all parameters that a run determines. `had` is the calibration with which the robots ran. Fitted wheel factors
/// are multiplied by the factors in `had`, and fitted camera angles are added to the angles in `had`.
///
/// # Errors
/// No parameter can be determined from the run.
pub fn fit(record: &RecordData, had: &Calibration) -> Result<Report, FitError> {
    let robots = record.robots.len();
    let alone: Vec<_> = (0..robots).map(|robot| record.alone(robot)).collect();
    let late = latency::fit(&alone.concat());
    let lateness = late.as_ref().map_or(0.0, |report| report.estimates[0].value);
    let driven: Vec<Option<Driven>> =
        (0..robots).into_par_iter().map(|robot| driven(record, robot, &alone[robot], lateness)).collect();
    let cameras = camera::fit_mounted(&samples(record, lateness), robots);
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    let mut found = Calibration::default();
    if let Ok(report) = &late {
        let row = &report.estimates[0];
        let total = row.value + record.held_back;
        let meaning = "from a pose to its arrival at a robot".into();
        rows.push(Estimate { name: "latency_s".into(), value: total, error: row.error, unit: "s", meaning });
        found.messages = Some(Lateness { latency_s: rounded(total) });
    }
    told_of_motion(&driven, record, had, &mut rows, &mut notes, &mut found);
    if let Some(mounted) = &cameras {
        let read = mounted.values[0] + wait(record);
        told_of_cameras(mounted, read, record, had, &mut rows, &mut notes, &mut found);
    }
    if rows.is_empty() {
        return Err(FitError(
            "latency, wheel factors and camera parameters cannot be determined; record a few minutes of driving, partly without contacts"
                .into(),
        ));
    }
    let stretches: usize = driven.iter().flatten().map(|d| d.stretches.len()).sum();
    let silent: Vec<&str> = (0..robots).filter(|r| driven[*r].is_none()).map(|r| record.robots[r].as_str()).collect();
    let mut fit = match &late {
        Ok(report) => format!("latency: {}", report.fit),
        Err(why) => format!("latency: {why}"),
    };
    notes.extend(record.damage.iter().cloned());
    if stretches < LEAST_FOR_NOISE {
        notes.push(format!(
            "{stretches} stretches are too few to estimate noise; at least {LEAST_FOR_NOISE} are needed"
        ));
    }
    notes.iter().for_each(|note| fit += &format!("\n{note}"));
    if !silent.is_empty() {
        fit += &format!("\ntoo little driving without contacts: {}", silent.join(", "));
    }
    if cameras.is_none() {
        fit += "\ntoo few images of the frisbee";
    }
    let toml = toml::to_string(&found).map_err(|error| FitError(error.to_string()))?;
    Ok(Report {
        subject: "run",
        data: format!("{robots} robots, {stretches} stretches of at least half a second without contacts"),
        estimates: rows,
        fit,
        toml,
        panels: panels(&driven, cameras.as_ref(), lateness),
    })
}

fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

fn driven(record: &RecordData, robot: usize, alone: &[super::poses::Run], late: f64) -> Option<Driven> {
    let free = |from: f64, to: f64| touches_nothing(record, robot, from - FELT, to);
    let stretches: Vec<Stretch> = alone.iter().flat_map(|run| drive::stretches(run, late, free)).collect();
    if stretches.len() < LEAST_STRETCHES {
        return None;
    }
    let factors = drive::factors(&stretches)?;
    let errors = jackknife(&stretches, |kept| drive::factors(kept).map(|f| f.to_vec()));
    Some(Driven { factors, errors, stretches })
}

/// Returns whether the robot was clear of all walls and bodies between two times (s), according to the poses. Returns
/// `false` if the robot's pose is missing.
fn touches_nothing(record: &RecordData, robot: usize, from: f64, to: f64) -> bool {
    let (hx, hy) = record.half_arena;
    let first = record.seen.partition_point(|seen| seen.time < from);
    let frames = record.seen[first..].iter().take_while(|seen| seen.time <= to);
    frames.into_iter().all(|seen| {
        let Some(me) = seen.poses[robot] else { return false };
        let walls = (hx - me.at.x.abs()).min(hy - me.at.y.abs()) > ROBOT_RADIUS + CLEAR;
        let clear = |(i, other): (usize, &Option<xpuck_kernels::world::Pose>)| {
            let radius = if i == record.frisbee() { record.frisbee_radius } else { ROBOT_RADIUS };
            i == robot || other.is_none_or(|other| (other.at - me.at).length() > ROBOT_RADIUS + radius + CLEAR)
        };
        walls && seen.poses.iter().enumerate().all(clear)
    })
}

/// Returns poses and images of all robots as samples whose run number is the robot's index. `late` is the delay of the
/// recorded poses (s).
fn samples(record: &RecordData, late: f64) -> Vec<Sample> {
    (0..record.robots.len()).into_par_iter().flat_map_iter(|robot| samples_of(record, robot, late)).collect()
}

fn samples_of(record: &RecordData, robot: usize, late: f64) -> Vec<Sample> {
    let sample = |time: f64, poses: &[Option<xpuck_kernels::world::Pose>], segments| {
        let (me, frisbee) = (poses[robot]?, poses[record.frisbee()]?);
        let others = (0..record.robots.len()).filter(|i| *i != robot);
        // A robot without a pose is placed far away, because all samples of a run need the same number of other robots.
        let nowhere = xpuck_kernels::math::vec2(1e3, 1e3);
        let others = others.map(|i| poses[i].map_or(nowhere, |pose| pose.at)).collect();
        Some(Sample { run: robot as u32, time, robot: me, frisbee: frisbee.at, segments, others })
    };
    let mut samples: Vec<Sample> =
        record.seen.iter().filter_map(|seen| sample(seen.time - late, &seen.poses, None)).collect();
    let mut last = f64::NEG_INFINITY;
    for told in &record.told[robot] {
        let Some(pictured) = told.pictured else { continue };
        // Consecutive updates refer to the same image until a new one arrives.
        if pictured - last < 0.02 {
            continue;
        }
        last = pictured;
        if let Some(poses) = record.at(pictured + late) {
            samples.extend(sample(pictured, &poses, Some(told.blue)));
        }
    }
    samples.sort_by(|a, b| a.time.total_cmp(&b.time));
    samples.dedup_by(|b, a| b.time <= a.time && b.segments.is_none());
    samples
}

/// Returns the mean age of camera images at the control updates (s).
fn wait(record: &RecordData) -> f64 {
    let waits = || record.told.iter().flatten().filter_map(|told| Some(told.time - told.pictured?));
    waits().sum::<f64>() / waits().count().max(1) as f64
}

fn told_of_motion(
    driven: &[Option<Driven>],
    record: &RecordData,
    had: &Calibration,
    rows: &mut Vec<Estimate>,
    notes: &mut Vec<String>,
    found: &mut Calibration,
) {
    let all: Vec<(Stretch, Factors)> =
        driven.iter().flatten().flat_map(|d| d.stretches.iter().map(|s| (*s, d.factors))).collect();
    if all.len() >= LEAST_FOR_NOISE {
        let alphas = drive::alphas(&all);
        let errors = jackknife(&all, |kept| Some(drive::alphas(kept).to_vec()));
        let meanings = ["alpha 1, noise of the distance", "alpha 2, noise of the turn", "alpha 3, turn per distance"];
        for (i, meaning) in meanings.into_iter().enumerate() {
            let error = errors.as_ref().map(|errors| errors[i]);
            let unit = if i == 2 { "rad/m" } else { "" };
            rows.push(Estimate { name: format!("noise[{i}]"), value: alphas[i], error, unit, meaning: meaning.into() });
        }
        for (i, alpha) in alphas.iter().enumerate().filter(|(_, alpha)| **alpha > 1.0) {
            notes.push(format!("noise[{i}] = {alpha:.3} is above 1, the maximum in a world: 1 is written"));
        }
        found.physics.noise = Some(alphas.map(|alpha| rounded(alpha.min(1.0)) as f32));
    }
    for (robot, driven) in record.robots.iter().zip(driven) {
        let Some(Driven { factors, errors, .. }) = driven else { continue };
        let before = had.robots.get(robot).and_then(|body| body.drive).unwrap_or_default();
        let before = [before.left, before.right, before.baseline].map(f64::from);
        let names = ["left", "right", "baseline"];
        let total = [0, 1, 2].map(|i| factors[i] * before[i]);
        for i in 0..3 {
            rows.push(Estimate {
                name: format!("{robot} {}", names[i]),
                value: total[i],
                error: errors.as_ref().map(|errors| errors[i]),
                unit: "",
                meaning: ["distance of the left wheel", "distance of the right wheel", "distance between the wheels"]
                    [i]
                    .into(),
            });
        }
        let (low, high) = FACTORS;
        for (name, f) in names.into_iter().zip(total).filter(|(_, f)| !(low..=high).contains(&(*f as f32))) {
            notes.push(format!(
                "{robot} {name} = {f:.3} is outside {low} to {high}: the nearest limit is written; repair the robot"
            ));
        }
        let [left, right, baseline] = total.map(|f| (rounded(f) as f32).clamp(low, high));
        found.robots.entry(robot.clone()).or_default().drive = Some(Wheels { left, right, baseline });
    }
}

fn told_of_cameras(
    mounted: &Mounted,
    read: f64,
    record: &RecordData,
    had: &Calibration,
    rows: &mut Vec<Estimate>,
    notes: &mut Vec<String>,
    found: &mut Calibration,
) {
    let names = [
        ("age_s", "s", "age of an image on arrival"),
        ("misses", "", "fraction of due segments not seen, at this age"),
        ("gap", "", "mean gap of Eq. 7.4, as recorded"),
        ("gap_left", "", "mean gap not explained by delay and mounting"),
    ];
    for (i, (name, unit, meaning)) in names.into_iter().enumerate() {
        let error = mounted.errors.map(|errors| errors[i]);
        let value = mounted.values[i];
        rows.push(Estimate { name: format!("camera {name}"), value, error, unit, meaning: meaning.into() });
    }
    let error = mounted.errors.map(|errors| errors[0]);
    let meaning = "mean age of an image when a tree reads it".into();
    rows.push(Estimate { name: "camera read_s".into(), value: read, error, unit: "s", meaning });
    let delay = rounded(read - f64::from(PERFECT_AGE)) as f32;
    let meaning = format!("read_s minus {PERFECT_AGE} s, the mean age with the simulator's perfect camera");
    rows.push(Estimate { name: "camera delay_s".into(), value: delay.into(), error, unit: "s", meaning });
    if !(0.0..=LONGEST_DELAY).contains(&delay) {
        notes
            .push(format!("camera delay_s = {delay:.3} is outside 0 to {LONGEST_DELAY}: the nearest limit is written"));
    }
    let misses = rounded(mounted.values[1]) as f32;
    found.camera = Some(CameraModel { delay_s: delay.clamp(0.0, LONGEST_DELAY), misses: misses.clamp(0.0, 1.0) });
    for (robot, turn) in record.robots.iter().zip(&mounted.turns) {
        let Some((turn, error)) = turn else { continue };
        let before = had.robots.get(robot).and_then(|body| body.camera).unwrap_or_default();
        let value = turn * DEGREE + f64::from(before.turn_deg);
        let error = error.map(|error| error * DEGREE);
        let meaning = "camera's direction, to the left of ahead".into();
        rows.push(Estimate { name: format!("{robot} turn_deg"), value, error, unit: "deg", meaning });
        if value.abs() > f64::from(MAX_CAMERA_ANGLE) {
            notes.push(format!(
                "{robot} turn_deg = {value:.1} exceeds the limit of +-{MAX_CAMERA_ANGLE}: the limit is written; repair the robot"
            ));
        }
        let turn_deg = (((value * 100.0).round() / 100.0) as f32).clamp(-MAX_CAMERA_ANGLE, MAX_CAMERA_ANGLE);
        let body: &mut Body = found.robots.entry(robot.clone()).or_default();
        body.camera = Some(Mount { turn_deg });
    }
}

/// Draws a short horizontal bar at the robot's number on the x axis.
fn bar(plot: &mut Plot, label: &str, colour: Colour, robot: u32, value: f64) {
    let robot = f64::from(robot);
    plot.line(label, colour, vec![(robot - 0.3, value), (robot + 0.3, value)]);
}

fn panels(driven: &[Option<Driven>], cameras: Option<&Mounted>, late: f64) -> Vec<Plot> {
    let mut wheels = Plot::new("wheels", "robot", "fraction of the nominal distance").whole_x();
    for (i, (name, colour)) in [("left", Colour::Blue), ("right", Colour::Orange)].into_iter().enumerate() {
        for (n, (robot, driven)) in (1..).zip(driven).filter_map(|(n, d)| Some((n, d.as_ref()?))).enumerate() {
            bar(&mut wheels, if n == 0 { name } else { "" }, colour, robot, driven.factors[i]);
        }
    }
    let mut all = vec![wheels];
    if let Some(mounted) = cameras {
        let mut turns = Plot::new("cameras", "robot", "degrees to the left of ahead").whole_x();
        for (robot, turn) in (1..).zip(&mounted.turns).filter_map(|(n, turn)| Some((n, (*turn)?.0))) {
            bar(&mut turns, "", Colour::Red, robot, turn * DEGREE);
        }
        let mut gap = Plot::new("camera's gap over the assumed delay", "delay, s", "mean gap of Eq. 7.4");
        gap.line("", Colour::Blue, mounted.curve.clone());
        gap.mark(&format!("{:.3} s", mounted.values[0]), Colour::Red, mounted.values[0]);
        all.extend([turns, gap]);
    }
    let mut ways = Plot::new(&format!("distances, poses delayed by {late:.3} s"), "commanded, m", "seen, m");
    let of = |d: &Driven| d.stretches.iter().map(|s| ((s.wheels[0] + s.wheels[1]) / 2.0, s.way)).collect::<Vec<_>>();
    let points: Vec<(f64, f64)> = driven.iter().flatten().flat_map(of).collect();
    let every = points.len().div_ceil(DRAWN).max(1);
    ways.points("", Colour::Grey, points.into_iter().step_by(every).collect());
    all.push(ways);
    all
}
