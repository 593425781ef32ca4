//! Step response of the steering law to changes of the goal (thesis 6.3.2, Eqs. 6.16 to 6.21, Fig. 6.5).
//!
//! At every control update, the law sets speed and turning rate from the goal. The goal's direction relative to the
//! robot is computed with a delayed heading. Between updates, Euler's method integrates speed and turning rate. The
//! goal has length 1, and its direction in the world changes from -45 to 45 degrees and back.
//!
//! With the latency of 0.25 s given in the thesis, overshoot begins below a gain of 0.5. From a gain of about 1.5 on,
//! the heading does not settle. The figure of the thesis differs: the response is critically damped between gains of 2
//! and 5, and close to oscillation at 10. Linear theory agrees with the simulation: a loop oscillates if its rate times
//! its delay is pi / 2 or more. A gain of 2 has a rate of 6.9 / s and a delay of 0.3 s (the latency and half an
//! update). With a latency of 0.025 s, the simulation nearly agrees with the thesis. Critical damping is then slightly
//! below a gain of 2, and lasting oscillation begins at 11.5.

use super::{Estimate, FitError, Report};
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2, TAU};
use std::ops::RangeInclusive;
use xpuck_kernels::model::{CONTROL_PERIOD, V_MAX, WHEELBASE};
use xpuck_stats::plot::{Colour, Plot, Stroke};

/// Time step of the integration (s).
const STEP: f64 = 0.001;
/// Angle by which each change turns the goal's direction (rad).
const SWITCH: f64 = FRAC_PI_2;
/// Fraction of the angle [`SWITCH`] at which the rise time ends.
const RISEN: f64 = 0.9;
/// Deviation from the goal up to which the response counts as settled, as a fraction of the angle [`SWITCH`].
const SETTLED: f64 = 0.05;
/// Minimum time between settling and the next change of the goal (s). A response with less time left does not count as
/// settled. The time is longer than one period of an oscillation about the goal.
const STAYED: f64 = 0.5;
/// Minimum overshoot that is reported, as a fraction of the angle [`SWITCH`].
const LEAST_OVERSHOOT: f64 = 0.001;
/// Maximum number of points of a line in a plot.
const DRAWN: usize = 1000;

/// Valid latencies (s).
const LATENCIES: RangeInclusive<f64> = 0.0..=2.0;
/// Valid gains.
const GAINS: RangeInclusive<f64> = 0.01..=100.0;
/// Valid numbers of gains per simulation.
const COUNTS: RangeInclusive<usize> = 1..=8;
/// Valid holding times of a goal (s).
const SECONDS: RangeInclusive<f64> = 1.0..=60.0;

/// Parameters of the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Steering {
    /// Age of the heading with which the goal's direction is computed (s), 0..=2.
    pub latency_s: f64,
    /// Factors of the turning rate (Eq. 6.18): 1 to 8 values, each 0.01..=100.
    pub gains: Vec<f64>,
    /// Holding time of each of the two goals (s), 1..=60.
    pub seconds: f64,
}

impl Default for Steering {
    /// Returns the latency of 6.3.2, and gains around critical damping and around the stability limit.
    fn default() -> Steering {
        Steering { latency_s: 0.25, gains: vec![0.25, 0.5, 1.0, 2.0], seconds: 4.0 }
    }
}

impl Steering {
    /// Checks that all parameters are in their valid ranges.
    pub fn check(&self) -> Result<(), FitError> {
        let within = |what: &str, value: f64, unit: &str, range: RangeInclusive<f64>| {
            if range.contains(&value) {
                return Ok(());
            }
            let (low, high) = range.into_inner();
            Err(FitError(format!("{what} of {value}{unit} is outside {low} to {high}{unit}")))
        };
        within("a latency", self.latency_s, " s", LATENCIES)?;
        within("a hold", self.seconds, " s", SECONDS)?;
        if !COUNTS.contains(&self.gains.len()) {
            let (low, high) = COUNTS.into_inner();
            return Err(FitError(format!("the number of gains is {}; must be {low} to {high}", self.gains.len())));
        }
        self.gains.iter().try_for_each(|gain| within("a gain", *gain, "", GAINS))
    }
}

/// Returns the number of integration steps in a duration (s).
fn steps(seconds: f64) -> usize {
    (seconds / STEP).round() as usize
}

/// Returns speed (m/s) and turning rate (rad/s) by the steering law (Eqs. 6.12, 6.17, 6.18). The goal has length 1 and
/// is at angle `phi` from the heading (rad).
fn steer(phi: f64, gain: f64) -> (f64, f64) {
    let phi = phi.clamp(-FRAC_PI_2, FRAC_PI_2);
    let fastest = f64::from(V_MAX) * SQRT_2;
    (fastest * phi.cos() / 2.0, gain * fastest * phi.sin() / f64::from(WHEELBASE))
}

/// Wraps an angle (rad) to -pi..pi.
fn wrapped(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

/// Response of a robot with one gain.
#[derive(Debug)]
struct Response {
    gain: f64,
    /// Heading at each integration step, unwrapped (rad).
    headings: Vec<f64>,
    /// Position at each integration step (m).
    way: Vec<(f64, f64)>,
}

impl Response {
    /// Simulates a robot that starts at rest with a heading of -45 degrees. The goal's direction is 45 degrees for
    /// `hold` integration steps, then -45 degrees for `hold` steps. `latency` is also a number of steps.
    fn simulate(gain: f64, latency: usize, hold: usize) -> Response {
        let update = steps(f64::from(CONTROL_PERIOD));
        let (mut heading, mut place): (f64, (f64, f64)) = (-SWITCH / 2.0, (0.0, 0.0));
        let (mut headings, mut way) = (vec![heading], vec![place]);
        let [mut speed, mut turn] = [0f64; 2];
        for i in 0..2 * hold {
            if i % update == 0 {
                let goal = if i < hold { SWITCH / 2.0 } else { -SWITCH / 2.0 };
                // For times before the start, the delayed heading is the initial heading.
                let seen = headings[i.saturating_sub(latency)];
                (speed, turn) = steer(wrapped(goal - seen), gain);
            }
            place = (place.0 + speed * heading.cos() * STEP, place.1 + speed * heading.sin() * STEP);
            heading += turn * STEP;
            headings.push(heading);
            way.push(place);
        }
        Response { gain, headings, way }
    }

    /// Returns the fraction of the first change of direction that the heading has completed, at each integration step
    /// until the second change.
    fn done(&self) -> Vec<f64> {
        let hold = self.headings.len() / 2;
        self.headings[..=hold].iter().map(|heading| (heading + SWITCH / 2.0) / SWITCH).collect()
    }

    /// Returns the rise time (s); `None` if the heading does not complete 90 % of the first change of direction.
    fn rise(&self) -> Option<f64> {
        self.done().iter().position(|done| *done >= RISEN).map(|i| i as f64 * STEP)
    }

    /// Returns the overshoot as a fraction of the angle [`SWITCH`], or 0 if it is too small to be reported.
    fn overshoot(&self) -> f64 {
        let past = self.done().into_iter().fold(0.0, f64::max) - 1.0;
        if past < LEAST_OVERSHOOT { 0.0 } else { past }
    }

    /// Returns the settling time (s); `None` if the response does not settle.
    fn settling(&self) -> Option<f64> {
        let done = self.done();
        let first = done.iter().rposition(|done| (done - 1.0).abs() > SETTLED).map_or(0, |last| last + 1);
        (first + steps(STAYED) < done.len()).then_some(first as f64 * STEP)
    }

    fn estimates(&self) -> Vec<Estimate> {
        let rows = [
            ("rise", self.rise(), "s", "to 90 % of the step"),
            ("overshoot", Some(self.overshoot()), "", "part of the step"),
            ("settling", self.settling(), "s", "until it stays within 5 % of the step"),
        ];
        let row = |(name, value, unit, meaning): (&str, Option<f64>, &'static str, &str)| {
            let name = format!("gain {}: {name}", self.gain);
            Some(Estimate { name, value: value?, error: None, unit, meaning: meaning.into() })
        };
        rows.into_iter().filter_map(row).collect()
    }

    /// Returns the number of integration steps between two points of a plot.
    fn stride(&self) -> usize {
        self.headings.len().div_ceil(DRAWN)
    }
}

/// Simulates the response for each gain. The report has no row for a response that does not rise or does not settle.
pub fn respond(steering: &Steering) -> Result<Report, FitError> {
    steering.check()?;
    let (latency, hold) = (steps(steering.latency_s), steps(steering.seconds));
    let responses: Vec<Response> = steering.gains.iter().map(|gain| Response::simulate(*gain, latency, hold)).collect();
    Ok(Report {
        subject: "steering",
        data: format!(
            "goal from -45 to 45 degrees and back, {} s each; latency {} s, update period {} s",
            steering.seconds, steering.latency_s, CONTROL_PERIOD
        ),
        estimates: responses.iter().flat_map(Response::estimates).collect(),
        fit: damping(&responses, steering.seconds),
        toml: String::new(),
        panels: vec![headings(&responses, steering.seconds), ways(&responses)],
    })
}

/// Returns a text that describes which gains enclose critical damping, and with which gains the heading does not
/// settle.
fn damping(responses: &[Response], seconds: f64) -> String {
    let gains = |overshoots: bool| {
        let of_these = responses.iter().filter(move |r| (r.overshoot() > 0.0) == overshoots);
        of_these.map(|r| r.gain)
    };
    let calm = gains(false).max_by(f64::total_cmp);
    let next = gains(true).filter(|gain| calm.is_none_or(|calm| *gain > calm)).min_by(f64::total_cmp);
    let mut text = match (calm, next) {
        (Some(calm), Some(next)) => format!(
            "largest listed gain without overshoot: {calm}; the next gain, {next}, overshoots: critical damping lies between them"
        ),
        (Some(calm), None) => format!("largest listed gain without overshoot: {calm}; no larger one is listed"),
        (None, _) => "every listed gain overshoots".into(),
    };
    let restless: Vec<String> =
        responses.iter().filter(|r| r.settling().is_none()).map(|r| r.gain.to_string()).collect();
    if !restless.is_empty() {
        text += &format!("; not settled in {seconds} s: {}", restless.join(", "));
    }
    text
}

/// Plots the heading over time for each gain, and the goal (Fig. 6.5). The line of a gain ends when the heading exceeds
/// 180 degrees, so that the other lines stay legible.
fn headings(responses: &[Response], seconds: f64) -> Plot {
    let mut plot = Plot::new("heading after steps of the goal, by gain (Fig. 6.5)", "time, s", "heading, degrees");
    let switch = SWITCH.to_degrees() / 2.0;
    let goal = vec![(0.0, -switch), (0.0, switch), (seconds, switch), (seconds, -switch), (2.0 * seconds, -switch)];
    plot.line("goal", Stroke::from(Colour::Grey).dashed(), goal);
    for (i, response) in responses.iter().enumerate() {
        let all = response.headings.iter().enumerate().step_by(response.stride());
        let shown = all.take_while(|(_, heading)| heading.abs() <= PI);
        let points = shown.map(|(step, heading)| (step as f64 * STEP, heading.to_degrees()));
        plot.line(&response.gain.to_string(), Stroke::of_series(i), points.collect());
    }
    plot
}

/// Plots the path of the robot for each gain.
fn ways(responses: &[Response]) -> Plot {
    let mut plot = Plot::new("path during the steps, by gain", "x, m", "y, m").same_scale();
    for (i, response) in responses.iter().enumerate() {
        let points = response.way.iter().step_by(response.stride()).copied();
        plot.line(&response.gain.to_string(), Stroke::of_series(i), points.collect());
    }
    plot
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(latency_s: f64, gains: &[f64]) -> Report {
        respond(&Steering { latency_s, gains: gains.to_vec(), ..Steering::default() }).unwrap()
    }

    fn value(report: &Report, name: &str) -> Option<f64> {
        report.estimates.iter().find(|e| e.name == name).map(|e| e.value)
    }

    /// Asserts rise time (s), overshoot and settling time (s) of a gain. The tolerance is 2 ms for times and 0.001 for
    /// the overshoot. With `settling` = `None`, the response must not settle.
    fn assert_answer(report: &Report, gain: &str, rise: f64, overshoot: f64, settling: Option<f64>) {
        let of = |what: &str| value(report, &format!("gain {gain}: {what}"));
        let near = |found: Option<f64>, expected: f64, off: f64| (found.unwrap() - expected).abs() <= off;
        assert!(near(of("rise"), rise, 0.0021), "{gain}: {:?}", of("rise"));
        assert!(near(of("overshoot"), overshoot, 0.001), "{gain}: {:?}", of("overshoot"));
        match settling {
            Some(expected) => assert!(near(of("settling"), expected, 0.0021), "{gain}: {:?}", of("settling")),
            None => assert_eq!(of("settling"), None, "{gain}"),
        }
    }

    #[test]
    fn thesis_latency_gain_1_rings_gain_2_never_settles() {
        let report = answer(0.25, &[0.25, 0.35, 0.5, 1.0, 2.0]);
        assert_answer(&report, "0.25", 2.351, 0.0, Some(2.901));
        assert_answer(&report, "0.35", 1.513, 0.0, Some(1.801));
        assert_answer(&report, "0.5", 0.934, 0.0241, Some(1.043));
        assert_answer(&report, "1", 0.411, 0.3005, Some(2.356));
        assert_answer(&report, "2", 0.204, 0.9637, None);
        assert!(
            report.fit.starts_with("largest listed gain without overshoot: 0.35; the next gain, 0.5"),
            "{}",
            report.fit
        );
        assert!(report.fit.ends_with("; not settled in 4 s: 2"), "{}", report.fit);
        assert_eq!((report.toml.as_str(), report.panels.len()), ("", 2));
        assert!(answer(0.25, &[1.0, 5.0, 10.0]).fit.ends_with("not settled in 4 s: 5, 10"));
    }

    #[test]
    fn short_latency_damps_near_gain_2_oscillates_near_10() {
        let report = answer(0.025, &[1.0, 2.0, 5.0, 10.0]);
        assert_answer(&report, "1", 0.586, 0.0, Some(0.722));
        assert_answer(&report, "2", 0.242, 0.0338, Some(0.269));
        assert_answer(&report, "5", 0.082, 0.3987, Some(0.702));
        assert_answer(&report, "10", 0.041, 1.2083, None);
    }

    #[test]
    fn zero_latency_overshoots_above_gain_3() {
        let report = answer(0.0, &[2.0, 3.0, 5.0, 6.0]);
        assert_answer(&report, "2", 0.280, 0.0, Some(0.342));
        assert_answer(&report, "3", 0.171, 0.0, Some(0.186));
        assert_answer(&report, "5", 0.082, 0.1042, Some(0.306));
        assert_answer(&report, "6", 0.068, 0.3250, None);
    }

    #[test]
    fn slow_and_wild_gains_have_no_rows_for_what_they_do_not_reach() {
        let report = answer(2.0, &[0.01, 100.0]);
        assert_eq!(value(&report, "gain 0.01: rise"), None);
        assert_eq!(value(&report, "gain 0.01: overshoot"), Some(0.0));
        assert_eq!(value(&report, "gain 0.01: settling"), None);
        assert!(report.estimates.iter().all(|e| e.value.is_finite()));
        assert_eq!(answer(0.25, &[2.0]).fit, "every listed gain overshoots; not settled in 4 s: 2");
        assert_eq!(answer(0.25, &[0.25]).fit, "largest listed gain without overshoot: 0.25; no larger one is listed");
    }

    #[test]
    fn steering_law_turns_on_spot_to_rear_target() {
        let (speed, turn) = steer(0.75 * PI, 1.0);
        assert!(speed.abs() < 1e-12 && (turn - 3.4688).abs() < 1e-3, "{speed} {turn}");
        let (speed, turn) = steer(0.0, 1.0);
        assert!((speed - 0.09192).abs() < 1e-4 && turn == 0.0, "{speed} {turn}");
        assert!((wrapped(1.5 * PI) + FRAC_PI_2).abs() < 1e-12);
    }

    #[test]
    fn invalid_steering_parameters_are_rejected() {
        let error = |change: &dyn Fn(&mut Steering)| {
            let mut steering = Steering::default();
            change(&mut steering);
            respond(&steering).unwrap_err().to_string()
        };
        assert_eq!(error(&|s| s.latency_s = 2.5), "a latency of 2.5 s is outside 0 to 2 s");
        assert_eq!(error(&|s| s.latency_s = f64::NAN), "a latency of NaN s is outside 0 to 2 s");
        assert_eq!(error(&|s| s.seconds = 0.5), "a hold of 0.5 s is outside 1 to 60 s");
        assert_eq!(error(&|s| s.gains[1] = 0.0), "a gain of 0 is outside 0.01 to 100");
        assert_eq!(error(&|s| s.gains = vec![]), "the number of gains is 0; must be 1 to 8");
        assert_eq!(error(&|s| s.gains = vec![1.0; 9]), "the number of gains is 9; must be 1 to 8");
        assert_eq!(Steering::default().check(), Ok(()));
    }
}
