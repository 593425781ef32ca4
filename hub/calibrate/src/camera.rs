//! Reality gap of the camera (Eq. 7.4): difference between the data of the robots' cameras and of a perfect simulated
//! camera at the same poses. The data states where the frisbee is seen. Two parameters that explain the gap are
//! fitted: the delay, and the fraction of misses.
//!
//! A real camera shows a past state. The gap is therefore computed against the simulated view at an earlier time. The
//! fitted delay is the one with the smallest mean gap. Misses are counted at this delay.

use super::numerics::{jackknife, least, line, minimum, spread};
use super::table::{self, Row};
use super::{FitError, Report, estimates};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use xpuck_kernels::math::{Vec2, vec2, wrap_angle};
use xpuck_kernels::model::{V_MAX, WHEELBASE};
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::senses::Blobs;
use xpuck_kernels::world::senses::camera_model::{LONGEST_DELAY, PERFECT_AGE};
use xpuck_kernels::world::{Body, Colour as Seen, Pose, Shape, senses};
use xpuck_stats::plot::{Colour, Plot};
use xpuck_wire::FileError;

/// Divisor of Eq. 7.4: the largest difference between two camera vectors.
const LONGEST_DIFFERENCE: f64 = 2.95;
/// Maximum delay of the fit (s).
const LONGEST: f64 = 0.5;
/// Number of delays in a sweep.
const DELAYS: usize = 101;
/// Time by which a simulated view is shifted forwards and backwards (s). Segments in which the frisbee is then no
/// longer visible are not counted.
const MARGIN: f64 = 0.02;
/// Angle by which a simulated view is turned to both sides (rad). Segments in which the frisbee is then no longer
/// visible are not counted.
const ASIDE: f32 = 0.02;
/// Maximum interval between two samples of a run (s). A longer interval starts a new run.
const LONGEST_GAP: f64 = 0.25;
/// Maximum turning rate of a robot that turns on the spot (rad/s).
const FULL_TURN: f64 = V_MAX as f64 * std::f64::consts::SQRT_2 / WHEELBASE as f64;

/// Sample of a robot's camera data about the frisbee, with the poses of the robot and the frisbee.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Number of the run. A run belongs to one robot.
    pub run: u32,
    /// Time of the sample (s).
    pub time: f64,
    /// Pose of the robot.
    pub robot: Pose,
    /// Centre of the frisbee (m).
    pub frisbee: Vec2,
    /// Whether blue was seen in the left, centre and right segment; `None` for a sample without an image.
    pub segments: Option<[bool; 3]>,
    /// Centres of other robots, which may block the view (m). Their number is the same in all samples of a run.
    pub others: Vec<Vec2>,
}

/// Row of the record.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CameraRow {
    run: u32,
    time_s: f64,
    x_m: f64,
    y_m: f64,
    heading_rad: f64,
    frisbee_x_m: f64,
    frisbee_y_m: f64,
    left: u8,
    centre: u8,
    right: u8,
}

impl Row for CameraRow {
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)> {
        let place = -10.0..=10.0;
        vec![
            ("time_s", self.time_s, -1e9..=1e9),
            ("x_m", self.x_m, place.clone()),
            ("y_m", self.y_m, place.clone()),
            ("heading_rad", self.heading_rad, -7.0..=7.0),
            ("frisbee_x_m", self.frisbee_x_m, place.clone()),
            ("frisbee_y_m", self.frisbee_y_m, place),
            ("left", f64::from(self.left), 0.0..=1.0),
            ("centre", f64::from(self.centre), 0.0..=1.0),
            ("right", f64::from(self.right), 0.0..=1.0),
        ]
    }
}

/// Parses samples. Errors contain `name` as the name of the text.
pub fn read(name: &str, text: &str) -> Result<Vec<Sample>, FileError> {
    let mut samples: Vec<Sample> = Vec::new();
    for (line, r) in table::read::<CameraRow>(name, text)? {
        if samples.last().is_some_and(|s| s.run == r.run && s.time >= r.time_s) {
            let time = r.time_s;
            let message =
                format!("line {line}, column `time_s`: {time} must be later than the time of the previous row");
            return Err(FileError::value(name, message));
        }
        let at = vec2(r.x_m as f32, r.y_m as f32);
        samples.push(Sample {
            run: r.run,
            time: r.time_s,
            robot: Pose { at, heading: wrap_angle(r.heading_rad as f32) },
            frisbee: vec2(r.frisbee_x_m as f32, r.frisbee_y_m as f32),
            segments: Some([r.left, r.centre, r.right].map(|seen| seen == 1)),
            others: Vec::new(),
        });
    }
    Ok(samples)
}

/// Returns the samples as the text of a table.
pub fn write(samples: &[Sample]) -> String {
    let rounded = |x: f32| (f64::from(x) * 1e6).round() / 1e6;
    let [left, centre, right] =
        [0, 1, 2].map(|i| move |s: &Sample| u8::from(s.segments.is_some_and(|segments| segments[i])));
    table::write(samples.iter().map(|s| CameraRow {
        run: s.run,
        time_s: (s.time * 1e6).round() / 1e6,
        x_m: rounded(s.robot.at.x),
        y_m: rounded(s.robot.at.y),
        heading_rad: rounded(s.robot.heading),
        frisbee_x_m: rounded(s.frisbee.x),
        frisbee_y_m: rounded(s.frisbee.y),
        left: left(s),
        centre: centre(s),
        right: right(s),
    }))
}

/// Sample with a camera image, and its gaps to the earlier views of a perfect camera.
#[derive(Debug)]
struct View<'a> {
    /// Samples of the run up to and including the sample of this view, which is the last. The first sample is at least
    /// [`LONGEST`] older.
    past: &'a [Sample],
    /// Angle of the camera to the left of the robot's heading (rad).
    mount: f32,
    /// Absolute turning rate of the robot (rad/s).
    turn: f64,
    /// Gap of Eq. 7.4 for each delay of the sweep.
    gaps: Vec<f64>,
}

impl<'a> View<'a> {
    fn new(past: &'a [Sample], mount: f32) -> View<'a> {
        let [.., a, b] = past else { unreachable!("a view has a past") };
        let turn = f64::from(wrap_angle(b.robot.heading - a.robot.heading)).abs() / (b.time - a.time);
        let mut view = View { past, mount, turn, gaps: Vec::new() };
        view.gaps = delays().into_iter().map(|delay| view.gap(delay)).collect();
        view
    }

    /// Returns the simulated view of a perfect camera, `delay` seconds before the time of the sample.
    fn simulated(&self, delay: f64) -> [bool; 3] {
        self.turned(delay, 0.0)
    }

    /// Returns the same view as [`View::simulated`], but with the camera turned to the left by `aside` (rad).
    fn turned(&self, delay: f64, aside: f32) -> [bool; 3] {
        let now = self.past.len() - 1;
        let time = self.past[now].time - delay;
        let after = self.past.partition_point(|s| s.time <= time).clamp(1, now);
        let (a, b) = (&self.past[after - 1], &self.past[after]);
        let part = ((time - a.time) / (b.time - a.time)).clamp(0.0, 1.0) as f32;
        let mut robot = a.robot.towards(&b.robot, part);
        robot.heading = wrap_angle(robot.heading + self.mount + aside);
        let frisbee = Pose { at: a.frisbee + (b.frisbee - a.frisbee) * part, heading: 0.0 };
        let mut bodies = vec![Body::at_rest(Shape::ROBOT, robot), Body::at_rest(Shape::FRISBEE, frisbee)];
        let others = a.others.iter().zip(&b.others).map(|(a, b)| Pose { at: *a + (*b - *a) * part, heading: 0.0 });
        bodies.extend(others.map(|pose| Body::at_rest(Shape::ROBOT, pose)));
        senses::camera(&bodies, 0, &[], &Physics::default()).0[Seen::Blue as usize]
    }

    fn real(&self) -> [bool; 3] {
        self.past[self.past.len() - 1].segments.unwrap_or_default()
    }

    /// Returns the gap of Eq. 7.4 between the camera data and the view of a perfect camera, `delay` seconds before the
    /// time of the sample.
    fn gap(&self, delay: f64) -> f64 {
        self.gap_of(&self.simulated(delay))
    }

    /// Returns the gap of Eq. 7.4 between a simulated view and the camera data.
    fn gap_of(&self, simulated: &[bool; 3]) -> f64 {
        let vector = |segments| {
            let mut blobs = Blobs::default();
            blobs.0[Seen::Blue as usize] = segments;
            blobs.vector(Seen::Blue)
        };
        f64::from((vector(*simulated) - vector(self.real())).length()) / LONGEST_DIFFERENCE
    }
}

/// Returns the delays of the sweep (s).
fn delays() -> Vec<f64> {
    spread(0.0, LONGEST, DELAYS)
}

/// Returns a view for each sample that has an image and is at least [`LONGEST`] later than the first sample of its run.
/// `mount` returns the camera angle of a run (rad).
fn views<'a>(samples: &'a [Sample], mount: impl Fn(u32) -> f32 + Sync) -> Vec<View<'a>> {
    let runs: Vec<&[Sample]> = samples.chunk_by(|a, b| a.run == b.run && b.time - a.time <= LONGEST_GAP).collect();
    let of_run = |run: &&'_ [Sample]| -> Vec<usize> {
        (1..run.len()).filter(|i| run[*i].segments.is_some() && run[*i].time - run[0].time >= LONGEST).collect()
    };
    runs.par_iter()
        .flat_map_iter(|run| of_run(run).into_iter().map(|i| View::new(&run[..=i], mount(run[0].run))))
        .collect()
}

/// Returns each delay (s) of the sweep with the mean gap at this delay.
fn sweep(views: &[&View]) -> Vec<(f64, f64)> {
    let mean = |k: usize| views.iter().map(|v| v.gaps[k]).sum::<f64>() / views.len() as f64;
    delays().into_iter().enumerate().map(|(k, delay)| (delay, mean(k))).collect()
}

/// Returns the delay of the minimum gap (s): the intersection of two lines, fitted to the curve on both sides of its
/// minimum. The gap of a single delay is less accurate, because it depends on the few samples at the edge of a
/// segment.
fn valley(curve: &[(f64, f64)]) -> f64 {
    const FLANK: usize = 8;
    let best = least(&curve.iter().map(|c| c.1).collect::<Vec<_>>());
    let left = line(&curve[best.saturating_sub(FLANK)..best]);
    let right = line(&curve[(best + 1).min(DELAYS)..(best + 1 + FLANK).min(DELAYS)]);
    let delay = match (left, right) {
        (Some((a, slope_a)), Some((b, slope_b))) if slope_a < 0.0 && slope_b > 0.0 => (b - a) / (slope_a - slope_b),
        _ => curve[best].0,
    };
    delay.clamp(0.0, LONGEST)
}

/// Returns the fraction of misses and the mean gap at a delay (s). A miss is a segment in which a perfect camera sees
/// the frisbee, but the robot's camera does not. A segment counts only if a perfect camera also sees the frisbee in it
/// at a slightly earlier and a slightly later time, and after a slight turn to each side. In all other segments, small
/// errors of the pose could change the view.
fn misses(views: &[&View], delay: f64) -> (f64, f64) {
    let (mut due, mut missed, mut gap) = (0.0, 0.0, 0.0);
    for view in views {
        let around = [(-MARGIN, 0.0), (0.0, 0.0), (MARGIN, 0.0), (0.0, -ASIDE), (0.0, ASIDE)];
        let around = around.map(|(later, aside)| view.turned(delay + later, aside));
        for (segment, seen) in view.real().into_iter().enumerate() {
            let expected = around.iter().all(|view| view[segment]);
            due += f64::from(u8::from(expected));
            missed += f64::from(u8::from(expected && !seen));
        }
        gap += view.gap(delay);
    }
    (if due > 0.0 { missed / due } else { 0.0 }, gap / views.len() as f64)
}

/// Returns the delay (s), the fraction of misses, the recorded gap, and the gap that remains at this delay.
fn parameters(views: &[&View]) -> Vec<f64> {
    let curve = sweep(views);
    let delay = valley(&curve);
    let (missed, left) = misses(views, delay);
    vec![delay, missed, curve[0].1, left]
}

/// Camera parameters, fitted to a run of several robots whose cameras may be turned.
#[derive(Clone, Debug, PartialEq)]
pub struct Mounted {
    /// Four values: age of the camera images (s), fraction of missed segments, mean recorded gap of Eq. 7.4, and mean
    /// gap that remains at this age.
    pub values: [f64; 4],
    /// Standard errors of `values`, if they could be estimated.
    pub errors: Option<[f64; 4]>,
    /// Angle of each robot's camera to the left of the robot's heading (rad), with its standard error. `None` for a
    /// robot with too few images of the frisbee.
    pub turns: Vec<Option<(f64, Option<f64>)>>,
    /// Delays (s), with the mean gap at each delay.
    pub curve: Vec<(f64, f64)>,
}

/// Maximum angle of a camera to either side (rad).
const MOST_ASIDE: f64 = 0.26;
/// Number of angles in a sweep from side to side, one per degree.
const TURNS: usize = 31;
/// Minimum number of images of the frisbee that are needed to determine the angle of a camera.
const LEAST_SEEN: usize = 40;

/// Fits the camera parameters to the samples of a run. The run number of a sample is the index of its robot, from 0.
/// `None` if there are too few images of the frisbee.
pub fn fit_mounted(samples: &[Sample], robots: usize) -> Option<Mounted> {
    let straight = views(samples, |_| 0.0);
    let seen = |view: &&View<'_>| view.real() != [false; 3];
    if straight.iter().filter(seen).count() < LEAST_SEEN {
        return None;
    }
    let delay = valley(&sweep(&straight.iter().collect::<Vec<_>>()));
    let aside = |views: &[&View<'_>]| {
        let gap =
            |turn: f64| views.iter().map(|v| v.gap_of(&v.turned(delay, turn as f32))).sum::<f64>() / views.len() as f64;
        minimum(&spread(-MOST_ASIDE, MOST_ASIDE, TURNS), 1e-3, gap)
    };
    let turn = |robot: usize| {
        let own: Vec<&View<'_>> = straight.iter().filter(|v| v.past[0].run as usize == robot).collect();
        if own.iter().copied().filter(seen).count() < LEAST_SEEN {
            return None;
        }
        let errors = jackknife(&own, |kept| Some(vec![aside(kept)]));
        Some((aside(&own), errors.map(|errors| errors[0])))
    };
    let turns: Vec<Option<(f64, Option<f64>)>> = (0..robots).into_par_iter().map(turn).collect();
    let mounted = views(samples, |robot| turns[robot as usize].map_or(0.0, |(turn, _)| turn as f32));
    let mounted: Vec<&View<'_>> = mounted.iter().collect();
    let values = parameters(&mounted).try_into().ok()?;
    let errors = jackknife(&mounted, |kept| Some(parameters(kept))).and_then(|errors| errors.try_into().ok());
    Some(Mounted { values, errors, turns, curve: sweep(&mounted) })
}

/// Fits the delay and the fraction of misses to samples.
pub fn fit(samples: &[Sample]) -> Result<Report, FitError> {
    let views = views(samples, |_| 0.0);
    let seen = views.iter().filter(|v| v.real() != [false; 3]).count();
    if seen < 20 || seen == views.len() {
        return Err(FitError(format!(
            "of {} samples with half a second of history, {seen} show the frisbee; turn robots on the spot near it, \
             and record a sample at least every {LONGEST_GAP} s",
            views.len()
        )));
    }
    let views: Vec<&View> = views.iter().collect();
    let values = parameters(&views);
    let errors = jackknife(&views, |kept| Some(parameters(kept)));
    let rows = [
        ("delay_s", "s", "age of the image"),
        ("misses", "", "fraction of due segments not seen, at this age"),
        ("gap", "", "mean gap of Eq. 7.4, as recorded"),
        ("gap_left", "", "mean gap not explained by the delay"),
    ];
    Ok(Report {
        subject: "camera",
        data: format!("{} samples, {seen} with the frisbee in view", views.len()),
        estimates: estimates(&rows, &values, errors.as_deref()),
        fit: format!("gap of Eq. 7.4: {:.3}, corrected for the delay {:.3}", values[2], values[3]),
        toml: format!(
            "[camera]\ndelay_s = {:.4}\nmisses = {:.4}\n",
            (values[0] - f64::from(PERFECT_AGE)).clamp(0.0, LONGEST_DELAY.into()),
            values[1]
        ),
        panels: vec![gap_plot(&views, values[0]), delay_plot(&views, values[0])],
    })
}

/// Plots the gap over the turning rate (Fig. 7.5). The plot has a point for each sample, and quartiles and means at ten
/// turning rates.
fn gap_plot(views: &[&View], delay: f64) -> Plot {
    let mut plot = Plot::new("gap over the turning speed (Fig. 7.5)", "turning speed, rad/s", "gap of Eq. 7.4");
    let gaps: Vec<(f64, f64, f64)> = views.par_iter().map(|v| (v.turn, v.gaps[0], v.gap(delay))).collect();
    let (mut recorded, mut left, mut quartiles) = (Vec::new(), Vec::new(), Vec::new());
    for bin in 1..=10 {
        let nominal = FULL_TURN * f64::from(bin) / 10.0;
        let near = |g: &&(f64, f64, f64)| (g.0 - nominal).abs() < FULL_TURN / 20.0;
        let mut found: Vec<(f64, f64)> = gaps.iter().filter(near).map(|g| (g.1, g.2)).collect();
        if found.is_empty() {
            continue;
        }
        let n = found.len();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        quartiles.push((nominal, found[n / 4].0, found[3 * n / 4].0));
        recorded.push((nominal, found.iter().map(|f| f.0).sum::<f64>() / n as f64));
        left.push((nominal, found.iter().map(|f| f.1).sum::<f64>() / n as f64));
    }
    plot.points("", Colour::Grey, gaps.iter().map(|g| (g.0, g.1)).collect());
    plot.band("middle half", Colour::Blue, quartiles);
    plot.line("mean", Colour::Blue, recorded);
    plot.line("mean, corrected for the delay", Colour::Green, left);
    plot
}

fn delay_plot(views: &[&View], delay: f64) -> Plot {
    let mut plot = Plot::new("gap over the assumed delay", "delay, s", "mean gap");
    plot.line("", Colour::Blue, sweep(views));
    plot.mark(&format!("{delay:.3} s"), Colour::Red, delay);
    plot
}
