//! Five behaviour metrics of a segment of a run (thesis 8.5).

use serde::Serialize;

/// Maximum interval between two instants from which an acceleration is computed (s). A longer interval is a gap without
/// an acceleration.
pub const LONGEST_STEP: f64 = 0.5;
/// Distance from the frisbee's edge within which a robot pushes (robot radii; thesis 8.5).
const PUSHING_ROBOT_RADII: f64 = 1.5;
/// Distance from the frisbee's centre within which a robot loiters (frisbee radii; thesis 8.5).
const LOITERING_FRISBEE_RADII: f64 = 3.0;

/// State of a robot at one instant. If its position or heading is not finite, the robot counts as absent. If a wheel
/// speed is not finite, the wheel speeds count as unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotState {
    /// Position of the robot's centre (m).
    pub at: (f64, f64),
    /// Heading (rad).
    pub heading: f64,
    /// Speed of the left and the right wheel (m/s); `None` if unknown.
    pub wheels: Option<(f64, f64)>,
}

/// State of a swarm at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant<'a> {
    /// Time (s).
    pub seconds: f64,
    /// States of the robots. A robot has the same index at every instant. `None`: the robot is dead, lost or not
    /// seen.
    pub robots: &'a [Option<RobotState>],
    /// Position of the frisbee's centre (m); `None` if it was not seen.
    pub frisbee: Option<(f64, f64)>,
}

/// Numbers of samples from which the metrics were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Number of robots whose wheel speeds were known at least once. Energy and acceleration are sums over these
    /// robots.
    pub robots: usize,
    /// Number of instants at which the frisbee and at least one robot were seen. Pushing and loitering are means over
    /// these instants.
    pub instants: u64,
    /// Number of instants at which at least one robot pushed. Cooperation is a mean over these instants.
    pub pushing: u64,
    /// Number of instants at which the wheel speeds of at least one robot were known.
    pub wheels: u64,
}

/// Behaviour metrics of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Sum over the robots of the mean of |v_left| + |v_right| (m/s). If every robot is always seen, this equals the
    /// mean over time of the sum over the robots. A robot that is lost for a while contributes the mean over the time
    /// in which it was seen.
    pub energy: f64,
    /// Mean share of the seen robots that push (0..=1). A robot pushes if its centre is within 1 frisbee radius + 1.5
    /// robot radii of the frisbee's centre.
    pub pushing: f64,
    /// Mean share of the seen robots that loiter (0..=1). A robot loiters if it does not push and its centre is
    /// within 3 frisbee radii of the frisbee's centre.
    pub loitering: f64,
    /// Length of the sum of the pushing robots' unit heading vectors, divided by the number of pushing robots
    /// (0..=1). This is averaged over the instants with at least one pushing robot. The thesis divides by n times the
    /// pushing share, which equals the number of pushing robots. A single pushing robot gives 1. If no robot ever
    /// pushes, the value is 0, and [`Counted::pushing`] is 0.
    pub cooperation: f64,
    /// Sum over the robots of the mean over time of |dv_left/dt| + |dv_right/dt| (m/s^2). Intervals longer than
    /// [`LONGEST_STEP`] are left out. Changes between two instants are not visible, so only runs with equal sampling
    /// intervals are comparable.
    pub acceleration: f64,
    /// Numbers of samples from which the metrics were computed.
    pub counted: Counted,
}

impl Metrics {
    /// Names of the metrics, in the order of [`Metrics::values`].
    pub const NAMES: [&'static str; 5] = ["energy", "pushing", "loitering", "cooperation", "acceleration"];

    /// Returns the five metrics in the order of [`Metrics::NAMES`].
    pub fn values(&self) -> [f64; 5] {
        [self.energy, self.pushing, self.loitering, self.cooperation, self.acceleration]
    }

    /// Returns the mean of several runs with equal weights; `None` if there are no runs. Cooperation is averaged over
    /// the runs in which a robot pushed. Counts of instants are summed, and `robots` is the maximum over the runs.
    pub fn mean(runs: &[Metrics]) -> Option<Metrics> {
        let over = |runs: &[Metrics], value: fn(&Metrics) -> f64| {
            (!runs.is_empty()).then(|| runs.iter().map(value).sum::<f64>() / runs.len() as f64)
        };
        let pushed: Vec<Metrics> = runs.iter().filter(|run| run.counted.pushing > 0).copied().collect();
        Some(Metrics {
            energy: over(runs, |run| run.energy)?,
            pushing: over(runs, |run| run.pushing)?,
            loitering: over(runs, |run| run.loitering)?,
            cooperation: over(&pushed, |run| run.cooperation).unwrap_or(0.0),
            acceleration: over(runs, |run| run.acceleration)?,
            counted: Counted {
                robots: runs.iter().map(|run| run.counted.robots).max()?,
                instants: runs.iter().map(|run| run.counted.instants).sum(),
                pushing: runs.iter().map(|run| run.counted.pushing).sum(),
                wheels: runs.iter().map(|run| run.counted.wheels).sum(),
            },
        })
    }
}

/// Accumulated wheel data of one robot.
#[derive(Clone, Copy, Debug, Default)]
struct Wheels {
    /// Sum of |v_left| + |v_right| over instants (m/s), and the number of these instants.
    speed: f64,
    instants: u64,
    /// Sum of |dv_left| + |dv_right| over intervals (m/s), and the total duration of these intervals (s).
    change: f64,
    seconds: f64,
    /// Time of the last known wheel speeds (s), and their values (m/s).
    last: Option<(f64, (f64, f64))>,
}

impl Wheels {
    fn add_sample(&mut self, seconds: f64, (left, right): (f64, f64)) {
        self.speed += left.abs() + right.abs();
        self.instants += 1;
        if let Some((before, (l, r))) = self.last
            && seconds - before <= LONGEST_STEP
        {
            self.change += (left - l).abs() + (right - r).abs();
            self.seconds += seconds - before;
        }
        self.last = Some((seconds, (left, right)));
    }
}

/// Accumulator that computes the metrics of a segment from its instants. All instants have equal weight, so their
/// spacing should be even, except for gaps. An instant is ignored if its time is not finite or not after the previous
/// instant.
#[derive(Clone, Debug)]
pub struct MetricsMeter {
    pushing_radius: f64,
    loitering_radius: f64,
    last: Option<f64>,
    wheels: Vec<Wheels>,
    counted: Counted,
    pushing: f64,
    loitering: f64,
    cooperation: f64,
}

impl MetricsMeter {
    /// Creates an accumulator without data from the radii of the frisbee and of a robot (m).
    pub fn new(frisbee_radius: f64, robot_radius: f64) -> MetricsMeter {
        MetricsMeter {
            pushing_radius: frisbee_radius + PUSHING_ROBOT_RADII * robot_radius,
            loitering_radius: LOITERING_FRISBEE_RADII * frisbee_radius,
            last: None,
            wheels: Vec::new(),
            counted: Counted::default(),
            pushing: 0.0,
            loitering: 0.0,
            cooperation: 0.0,
        }
    }

    /// Adds an instant. An instant that is not later than the previous one is ignored.
    pub fn add_sample(&mut self, instant: &Instant<'_>) {
        let seconds = instant.seconds;
        if !seconds.is_finite() || self.last.is_some_and(|last| seconds <= last) {
            return;
        }
        self.last = Some(seconds);
        let there = |robot: &RobotState| robot.at.0.is_finite() && robot.at.1.is_finite() && robot.heading.is_finite();
        let robots = || instant.robots.iter().map(|robot| robot.filter(there));
        self.take_wheels(seconds, robots().map(|robot| robot?.wheels));
        if let Some((x, y)) = instant.frisbee
            && x.is_finite()
            && y.is_finite()
        {
            self.take_places((x, y), robots().flatten());
        }
    }

    fn take_wheels(&mut self, seconds: f64, wheels: impl Iterator<Item = Option<(f64, f64)>>) {
        let mut known = false;
        for (robot, wheels) in wheels.enumerate() {
            if self.wheels.len() <= robot {
                self.wheels.push(Wheels::default());
            }
            if let Some(wheels) = wheels.filter(|(left, right)| left.is_finite() && right.is_finite()) {
                self.wheels[robot].add_sample(seconds, wheels);
                known = true;
            }
        }
        self.counted.wheels += u64::from(known);
    }

    fn take_places(&mut self, frisbee: (f64, f64), robots: impl Iterator<Item = RobotState>) {
        let (mut seen, mut pushing, mut loitering) = (0u32, 0u32, 0u32);
        let mut headings = (0.0, 0.0);
        for robot in robots {
            let distance = (robot.at.0 - frisbee.0).hypot(robot.at.1 - frisbee.1);
            seen += 1;
            if distance <= self.pushing_radius {
                pushing += 1;
                headings = (headings.0 + robot.heading.cos(), headings.1 + robot.heading.sin());
            } else if distance <= self.loitering_radius {
                loitering += 1;
            }
        }
        if seen > 0 {
            self.counted.instants += 1;
            self.pushing += f64::from(pushing) / f64::from(seen);
            self.loitering += f64::from(loitering) / f64::from(seen);
        }
        if pushing > 0 {
            self.counted.pushing += 1;
            self.cooperation += headings.0.hypot(headings.1) / f64::from(pushing);
        }
    }

    /// Returns the metrics of all instants so far. Returns `None` if a metric is undefined. This is the case if the
    /// frisbee and a robot were never seen at the same instant. It is also the case if no robot's wheel speeds were
    /// known at two instants within [`LONGEST_STEP`].
    pub fn finish(&self) -> Option<Metrics> {
        let known: Vec<&Wheels> = self.wheels.iter().filter(|wheels| wheels.instants > 0).collect();
        let moved: Vec<&Wheels> = known.iter().filter(|wheels| wheels.seconds > 0.0).copied().collect();
        let counted = Counted { robots: known.len(), ..self.counted };
        if counted.instants == 0 || moved.is_empty() {
            return None;
        }
        let acceleration: f64 = moved.iter().map(|wheels| wheels.change / wheels.seconds).sum();
        Some(Metrics {
            energy: known.iter().map(|wheels| wheels.speed / wheels.instants as f64).sum(),
            pushing: self.pushing / counted.instants as f64,
            loitering: self.loitering / counted.instants as f64,
            cooperation: self.cooperation / counted.pushing.max(1) as f64,
            // Some robots may have no acceleration, because their wheel speeds were never known at two instants within
            // `LONGEST_STEP`. They are given the mean of the other robots.
            acceleration: acceleration * known.len() as f64 / moved.len() as f64,
            counted,
        })
    }
}

#[cfg(test)]
mod tests;
