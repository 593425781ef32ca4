//! Delay of motion capture relative to commands (thesis 7.3.3, Fig. 7.6).
//!
//! The commanded wheel speeds drive a simulated robot, so that the inertia of the robot is not counted as delay. For
//! each candidate delay, the simulated forward speed, interpolated linearly, is correlated with the speed from the
//! recorded poses. The fitted delay has the maximum correlation.

use super::numerics::{jackknife, minimum, spread};
use super::poses::{FRISBEE, Run};
use super::{FitError, Report, estimates};
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::DT;
use xpuck_stats::plot::{Colour, Plot};

/// Maximum delay that the search considers (s).
const LONGEST: f64 = 1.0;
/// Tolerance of the search for the delay (s).
const TOLERANCE: f64 = 1e-5;
/// Maximum accepted interval between consecutive frames of poses (s).
const LONGEST_GAP: f64 = 0.2;
/// Number of parts into which samples are divided for the jackknife estimate of the standard error.
const PARTS: usize = 10;

/// Measured forward speed of a robot (m/s) at a time (s). `signal` is the index of the robot's [`Expected`] speed.
#[derive(Clone, Copy, Debug)]
struct Sample {
    signal: usize,
    time: f64,
    speed: f64,
}

/// Simulated forward speed of a robot (m/s). The first value is the speed at time `start` (s). Each further value is
/// the speed at the end of a physics step.
#[derive(Debug)]
struct Expected {
    start: f64,
    speeds: Vec<f64>,
}

impl Expected {
    /// Simulates a single robot that starts at rest and is driven by the commands to body `i`.
    fn simulate(run: &Run, i: usize) -> Expected {
        let start = run.frames[0].time;
        let mut speeds = vec![0.0];
        let steps = ((run.frames[run.frames.len() - 1].time - start) / f64::from(DT)) as u32;
        run.drive_alone(i, steps, |body| speeds.push(f64::from(body.velocity.dot(Vec2::unit(body.pose.heading)))));
        Expected { start, speeds }
    }

    /// Returns the speed at a time (s). During step k the position changes with speed k, so speed k is assigned to the
    /// middle of the step.
    fn at(&self, time: f64) -> f64 {
        let place = ((time - self.start) / f64::from(DT) + 0.5).clamp(0.0, (self.speeds.len() - 1) as f64);
        let below = (place as usize).min(self.speeds.len() - 2);
        let part = place - below as f64;
        self.speeds[below] * (1.0 - part) + self.speeds[below + 1] * part
    }
}

/// Computes the forward speeds of body `i` from its poses by central differences. The first [`LONGEST`] seconds are
/// left out. `signal` is the index of the body's [`Expected`] speed.
fn sensed(run: &Run, i: usize, signal: usize) -> Vec<Sample> {
    let first = run.frames[0].time + LONGEST;
    let speed = |w: &[super::poses::Frame]| {
        let between = w[2].poses[i].at - w[0].poses[i].at;
        let (time, elapsed) = ((w[0].time + w[2].time) / 2.0, w[2].time - w[0].time);
        let speed = f64::from(between.dot(Vec2::unit(w[1].poses[i].heading))) / elapsed;
        Sample { signal, time, speed }
    };
    run.frames.windows(3).map(speed).filter(|s| s.time >= first).collect()
}

/// Returns the correlation of the measured speeds with the expected speeds `delay` (s) earlier. It is 0 if the measured
/// or the expected speeds are constant.
fn correlation(samples: &[Sample], expected: &[Expected], delay: f64) -> f64 {
    let pairs: Vec<(f64, f64)> = samples.iter().map(|s| (s.speed, expected[s.signal].at(s.time - delay))).collect();
    let n = pairs.len() as f64;
    let (ma, mb) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let [mut aa, mut ab, mut bb] = [0.0; 3];
    for (a, b) in &pairs {
        aa += (a - ma).powi(2);
        ab += (a - ma) * (b - mb);
        bb += (b - mb).powi(2);
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { 0.0 }
}

fn best_delay(samples: &[Sample], expected: &[Expected]) -> f64 {
    minimum(&spread(0.0, LONGEST, 101), TOLERANCE, |delay| -correlation(samples, expected, delay))
}

/// Fits one delay to the poses of all robots of all runs.
pub fn fit(runs: &[Run]) -> Result<Report, FitError> {
    let (mut expected, mut samples) = (Vec::new(), Vec::new());
    for run in runs {
        if run.longest_gap() > LONGEST_GAP {
            let gap = run.longest_gap();
            return Err(FitError(format!("frames are up to {gap:.2} s apart; record at least every {LONGEST_GAP} s")));
        }
        for i in (0..run.bodies.len()).filter(|i| run.bodies[*i] != FRISBEE) {
            samples.extend(sensed(run, i, expected.len()));
            expected.push(Expected::simulate(run, i));
        }
    }
    if samples.len() < 2 * PARTS {
        return Err(FitError(format!(
            "only {} poses after the first second; record at least half a minute",
            samples.len()
        )));
    }
    let delay = best_delay(&samples, &expected);
    let best = correlation(&samples, &expected, delay);
    if best < 0.5 {
        return Err(FitError(format!(
            "commanded and sensed speed do not agree at any delay up to {LONGEST} s (correlation {best:.2}); make a \
             robot drive ahead and pause every few seconds without contacts"
        )));
    }
    let parts: Vec<&[Sample]> = samples.chunks(samples.len().div_ceil(PARTS)).collect();
    let errors = jackknife(&parts, |kept| Some(vec![best_delay(&kept.concat(), &expected)]));
    Ok(Report {
        subject: "latency",
        data: format!("{} speed samples of {} robots", samples.len(), expected.len()),
        estimates: estimates(&[("latency_s", "s", "from a command to its pose")], &[delay], errors.as_deref()),
        fit: format!("correlation at this delay: {best:.4}"),
        toml: format!("[messages]\nlatency_s = {delay:.4}\n"),
        panels: vec![example(&samples, &expected), sweep(&samples, &expected, delay)],
    })
}

/// Plots eight seconds of the commanded and the measured speed of one robot (Fig. 7.6).
fn example(samples: &[Sample], expected: &[Expected]) -> Plot {
    let mut plot = Plot::new("commanded and sensed speed (Fig. 7.6)", "time, s", "forward speed, m/s");
    let first = samples[0];
    let shown = samples.iter().filter(|s| s.signal == first.signal && s.time < first.time + 8.0);
    let times: Vec<&Sample> = shown.collect();
    let at = |s: &&Sample| (s.time, expected[s.signal].at(s.time));
    plot.line("commanded", Colour::Orange, times.iter().map(at).collect());
    plot.line("sensed", Colour::Blue, times.iter().map(|s| (s.time, s.speed)).collect());
    plot
}

fn sweep(samples: &[Sample], expected: &[Expected], delay: f64) -> Plot {
    let mut plot = Plot::new("agreement over the delay", "delay, s", "correlation");
    let curve = spread(0.0, LONGEST, 101).into_iter().map(|d| (d, correlation(samples, expected, d)));
    plot.line("", Colour::Blue, curve.collect());
    plot.mark(&format!("{delay:.3} s"), Colour::Red, delay);
    plot
}
