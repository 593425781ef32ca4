//! The three measurements of `xpuckd bench markers`: pose errors, detection rate while the robot turns, and computation
//! time.

use super::Setup;
use crate::vision::markers::{Marker, Pose};
use crate::vision::synthetic::{self, Optics, marker_pose};
use serde::Serialize;
use std::time::Instant;
use xpuck_kernels::random::Draws;

/// Side length of the thesis's markers (m).
pub(super) const SIZE: f64 = 0.1;
/// Tested distances (m), and tested angles between a tag's normal and the line of sight (degrees).
const DISTANCES: [f64; 7] = [0.3, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0];
const ANGLES: [f64; 5] = [0.0, 20.0, 40.0, 60.0, 70.0];
/// Speeds at which a tag crosses the picture (pixels/s at width 320).
const SPEEDS: [f64; 10] = [0.0, 30.0, 60.0, 90.0, 120.0, 150.0, 180.0, 240.0, 300.0, 360.0];
/// Number of timed detections per kind of picture.
const TIMED: u32 = 60;

/// Pose errors at one distance and angle.
#[derive(Serialize)]
pub(super) struct Accuracy {
    pub distance_m: f64,
    pub angle_deg: f64,
    /// Number of pictures, each with one tag.
    pub frames: u32,
    /// Number of pictures in which the tag was found.
    pub found: u32,
    /// Errors if the detector uses the measured lens.
    pub measured: Errors,
    /// Errors if the detector assumes an ideal pinhole with a field of view of 56 degrees.
    pub nominal: Errors,
}

/// Errors of the estimated poses.
#[derive(Default, Serialize)]
pub(super) struct Errors {
    /// Mean absolute error of the range (mm).
    pub range_mm: f64,
    /// Mean error of the range (mm), positive if the estimates are too large.
    pub range_bias_mm: f64,
    /// Root mean square error of the bearing (degrees).
    pub bearing_deg: f64,
    /// Median angle between the estimated and the true normal of the tag (degrees).
    pub face_deg: f64,
}

/// Detection rates at one position of the robot, at increasing speeds.
#[derive(Serialize)]
pub(super) struct Speeds {
    pub distance_m: f64,
    pub angle_deg: f64,
    /// Pairs of speed (pixels/s) and detection rate (0..=1).
    pub found: Vec<[f64; 2]>,
}

/// Computation time of the detector for one kind of picture (thesis, Table 5.4).
#[derive(Serialize)]
pub(super) struct Time {
    pub picture: &'static str,
    /// Number of tags in the picture.
    pub tags: usize,
    /// Number of tags found in the worst of all detections.
    pub found: usize,
    pub mean_ms: f64,
    pub deviation_ms: f64,
}

/// Draws a bearing and an elevation (rad) at which the whole tag is in the picture.
fn random_direction(distance: f64, draws: &mut Draws) -> (f64, f64) {
    let half = (0.75 * SIZE / distance).atan();
    let mut within = |most: f64| f64::from(draws.range(-1.0, 1.0)) * (most.to_radians() - half).max(0.0);
    (within(25.0), within(18.0))
}

/// Returns the pose of a tag at `distance` (m) whose normal is at `angle` (rad) to the line of sight. The last argument
/// is the tag's bearing and elevation (rad).
fn pose_at(distance: f64, angle: f64, (bearing, elevation): (f64, f64)) -> Pose {
    let level = distance * elevation.cos();
    let at = [level * bearing.cos(), level * bearing.sin(), distance * elevation.sin()];
    marker_pose(at, bearing + angle, 0.0)
}

/// Measures the errors of range, bearing and normal at each tested distance and angle.
pub(super) fn accuracy(setup: &Setup) -> Vec<Accuracy> {
    accuracy_at(setup, &DISTANCES, &ANGLES)
}

/// Does the same as [`accuracy`], but at the given distances (m) and angles (degrees).
pub(super) fn accuracy_at(setup: &Setup, distances: &[f64], angles: &[f64]) -> Vec<Accuracy> {
    let mut known = setup.markers(SIZE, Some(setup.measured));
    let mut unknown = setup.markers(SIZE, None);
    let cases = distances.iter().flat_map(|distance| angles.iter().map(move |angle| (*distance, *angle)));
    let mut rows = Vec::new();
    for (case, (distance_m, angle_deg)) in cases.enumerate() {
        let mut told: [Vec<(Marker, Pose)>; 2] = [Vec::new(), Vec::new()];
        for frame in 0..setup.frames {
            let mut draws = setup.draws(0, case as u32, frame);
            let side = if draws.unit() < 0.5 { -1.0 } else { 1.0 };
            let pose = pose_at(distance_m, side * angle_deg.to_radians(), random_direction(distance_m, &mut draws));
            let id = draws.below(587) as u16;
            let picture = synthetic::render(&[(id, pose)], SIZE, &setup.optics, &mut draws);
            for (markers, told) in [&mut known, &mut unknown].into_iter().zip(&mut told) {
                told.extend(markers.detect(&picture).iter().filter(|m| m.id == id).map(|m| (*m, pose)));
            }
        }
        let found = told[0].len() as u32;
        let [measured, nominal] = told.map(|told| errors(&told));
        rows.push(Accuracy { distance_m, angle_deg, frames: setup.frames, found, measured, nominal });
    }
    rows
}

fn errors(told: &[(Marker, Pose)]) -> Errors {
    if told.is_empty() {
        return Errors::default();
    }
    let mean = |value: &dyn Fn(&(Marker, Pose)) -> f64| told.iter().map(value).sum::<f64>() / told.len() as f64;
    let range = |(marker, pose): &(Marker, Pose)| 1000.0 * (marker.pose.range() - pose.range());
    let bearing = |(marker, pose): &(Marker, Pose)| (marker.pose.bearing() - pose.bearing()).to_degrees();
    let face = |(marker, pose): &(Marker, Pose)| {
        let along: f64 = marker.pose.outward.iter().zip(pose.outward).map(|(a, b)| a * b).sum();
        along.clamp(-1.0, 1.0).acos().to_degrees()
    };
    let mut faces: Vec<f64> = told.iter().map(face).collect();
    faces.sort_by(f64::total_cmp);
    Errors {
        range_mm: mean(&|t| range(t).abs()),
        range_bias_mm: mean(&range),
        bearing_deg: mean(&|t| bearing(t).powi(2)).sqrt(),
        face_deg: faces[faces.len() / 2],
    }
}

/// Returns the viewing geometry for three robot positions in an arena of 2 m x 1.5 m, with a tag in the middle of each
/// wall. Each pair is the distance to a tag (m), and the angle between the tag's normal and the line of sight (rad).
fn geometry() -> Vec<(f64, f64)> {
    const PLACES: [[f64; 2]; 3] = [[0.0, 0.0], [0.5, 0.25], [-0.45, -0.55]];
    // Positions of the tags, and their normals.
    const TAGS: [([f64; 2], [f64; 2]); 4] =
        [([1.0, 0.0], [-1.0, 0.0]), ([-1.0, 0.0], [1.0, 0.0]), ([0.0, 0.75], [0.0, -1.0]), ([0.0, -0.75], [0.0, 1.0])];
    let pair = |place: [f64; 2], (tag, face): ([f64; 2], [f64; 2])| {
        let to = [place[0] - tag[0], place[1] - tag[1]];
        let distance = to[0].hypot(to[1]);
        (distance, ((to[0] * face[0] + to[1] * face[1]) / distance).acos())
    };
    PLACES.iter().flat_map(|place| TAGS.iter().map(move |tag| pair(*place, *tag))).collect()
}

/// Measures the detection rate while the robot turns (thesis, Fig. 5.9).
pub(super) fn speeds(setup: &Setup) -> Vec<Speeds> {
    let mut markers = setup.markers(SIZE, Some(setup.measured));
    let scale = setup.optics.lens.size[0] / 320.0;
    let mut rows = Vec::new();
    for (case, (distance, angle)) in geometry().into_iter().enumerate() {
        let mut found = Vec::new();
        for (n, speed) in SPEEDS.into_iter().enumerate() {
            let mut seen = 0u32;
            for frame in 0..setup.frames {
                let mut draws = setup.draws(1 + n as u32, case as u32, frame);
                let (bearing, _) = random_direction(distance, &mut draws);
                let side = if draws.unit() < 0.5 { -1.0 } else { 1.0 };
                let pose = pose_at(distance, side * angle, (bearing, 0.0));
                let optics = Optics { turning: side * speed * scale / setup.optics.lens.focal[0], ..setup.optics };
                let picture = synthetic::render(&[(case as u16, pose)], SIZE, &optics, &mut draws);
                seen += u32::from(markers.detect(&picture).iter().any(|marker| marker.id == case as u16));
            }
            found.push([speed * scale, f64::from(seen) / f64::from(setup.frames)]);
        }
        rows.push(Speeds { distance_m: distance, angle_deg: angle.to_degrees(), found });
    }
    rows
}

/// Returns pairs of speed (pixels/s) and detection rate, with the rate averaged over all positions.
pub(super) fn mean_rate(rows: &[Speeds]) -> Vec<[f64; 2]> {
    let speeds = rows.first().map_or(0, |row| row.found.len());
    let at = |n: usize| {
        let sum: f64 = rows.iter().map(|row| row.found[n][1]).sum();
        [rows[0].found[n][0], sum / rows.len() as f64]
    };
    (0..speeds).map(at).collect()
}

/// Returns the speed at which the mean detection rate falls to one half (pixels/s). `None` if the rate does not cross
/// one half at the tested speeds.
pub(super) fn half_rate_speed(rows: &[Speeds]) -> Option<f64> {
    mean_rate(rows).windows(2).find_map(|pair| {
        let [[slow, more], [fast, less]] = [pair[0], pair[1]];
        (more >= 0.5 && less < 0.5).then(|| slow + (more - 0.5) / (more - less) * (fast - slow))
    })
}

/// Measures the computation time for pictures without tags, with 4 tags of 100 mm and with 81 tags of 20 mm (thesis,
/// Table 5.4).
pub(super) fn times(setup: &Setup) -> Vec<Time> {
    let grid = |across: u16, size: f64, ahead: f64| -> Vec<(u16, Pose)> {
        let middle = f64::from(across - 1) / 2.0;
        let place = |n: u16| {
            let (row, column) = (f64::from(n / across) - middle, f64::from(n % across) - middle);
            (n, marker_pose([ahead, -column * size * 1.25, -row * size * 1.25], 0.0, 0.0))
        };
        (0..across * across).map(place).collect()
    };
    let cases = [
        ("no tags", Vec::new(), SIZE),
        ("4 of 100 mm", grid(2, SIZE, 0.4), SIZE),
        ("81 of 20 mm", grid(9, 0.02, 0.33), 0.02),
    ];
    let one = |(case, (picture, tags, size)): (usize, (&'static str, Vec<_>, f64))| {
        let mut markers = setup.markers(size, Some(setup.measured));
        let (mut times, mut found) = (Vec::new(), usize::MAX);
        // Ten pictures with different noise are used in turn.
        let frame = |n| synthetic::render(&tags, size, &setup.optics, &mut setup.draws(100, case as u32, n));
        let frames: Vec<_> = (0..10).map(frame).collect();
        for n in 0..TIMED as usize {
            let begun = Instant::now();
            let seen = markers.detect(&frames[n % frames.len()]).len();
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
            found = found.min(seen);
        }
        let mean_ms = times.iter().sum::<f64>() / times.len() as f64;
        let deviation_ms = (times.iter().map(|t| (t - mean_ms).powi(2)).sum::<f64>() / times.len() as f64).sqrt();
        Time { picture, tags: tags.len(), found, mean_ms, deviation_ms }
    };
    cases.into_iter().enumerate().map(one).collect()
}
