//! The five metrics of a segment of a run (thesis 8.5).

use serde::Serialize;

/// Instants further apart than this are a gap, over which no acceleration is told, s.
pub const LONGEST_STEP: f64 = 0.5;
/// The pushing zone ends so many robot radii outside the frisbee (thesis 8.5).
const PUSHING_ROBOT_RADII: f64 = 1.5;
/// Radius of the loitering zone in frisbee radii (thesis 8.5).
const LOITERING_FRISBEE_RADII: f64 = 3.0;

/// A robot at one instant. One whose place or heading is not finite counts as not there; wheels that are not finite count
/// as unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotState {
    /// Centre, m.
    pub at: (f64, f64),
    /// Heading, rad.
    pub heading: f64,
    /// Speed of the left and the right wheel, m/s; `None` where nobody knows.
    pub wheels: Option<(f64, f64)>,
}

/// A swarm at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant<'a> {
    /// Time, s.
    pub seconds: f64,
    /// The robots, each at the same index in every instant; `None` for one that is dead, lost or not seen.
    pub robots: &'a [Option<RobotState>],
    /// Centre of the frisbee, m; `None` where it was not seen.
    pub frisbee: Option<(f64, f64)>,
}

/// How much the metrics rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Robots whose wheels were known at least once: those that energy and acceleration are summed over.
    pub robots: usize,
    /// Instants at which the frisbee and a robot were seen: those of pushing and loitering.
    pub instants: u64,
    /// Instants of these at which a robot pushed: those of cooperation.
    pub pushing: u64,
    /// Instants at which the wheels of a robot were known: those of energy.
    pub wheels: u64,
}

/// The metrics of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Sum over the robots of each one's mean of |v_left| + |v_right|, m/s. Where every robot is always seen this is the
    /// mean over time of the sum over robots; a robot that was lost for a while counts as it was when it was seen.
    pub energy: f64,
    /// Mean share of the robots seen whose centre is within 1 frisbee radius and 1.5 robot radii of the frisbee's, 0..=1.
    pub pushing: f64,
    /// Mean share of the robots seen whose centre is within 3 frisbee radii of the frisbee's, but that do not push, 0..=1.
    pub loitering: f64,
    /// |sum of the unit headings of the robots that push| over their number, 0..=1, its mean over the instants at which
    /// one pushes at least. The thesis divides by n times the pushing share, which is that number. One robot alone gives
    /// 1; where nobody ever pushed it is 0, and [`Counted::pushing`] says so.
    pub cooperation: f64,
    /// Sum over the robots of each one's mean over time of |dv_left/dt| + |dv_right/dt|, m/s^2. Steps longer than
    /// [`LONGEST_STEP`] are left out. What turns back between two instants is not seen, so compare equal sampling only.
    pub acceleration: f64,
    /// What they rest on.
    pub counted: Counted,
}

impl Metrics {
    /// Names of [`Metrics::values`].
    pub const NAMES: [&'static str; 5] = ["energy", "pushing", "loitering", "cooperation", "acceleration"];

    /// The five of them, in the order of [`Metrics::NAMES`].
    pub fn values(&self) -> [f64; 5] {
        [self.energy, self.pushing, self.loitering, self.cooperation, self.acceleration]
    }

    /// The mean of several runs, each with the same weight; cooperation is that of the runs in which a robot pushed.
    /// Counts of instants add up, and `robots` is the most of any run. None of no runs.
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

/// What is known of one robot's wheels so far.
#[derive(Clone, Copy, Debug, Default)]
struct Wheels {
    /// Sum of |v_left| + |v_right|, and its number of instants.
    speed: f64,
    instants: u64,
    /// Sum of |dv_left| + |dv_right|, and the time over which they changed.
    change: f64,
    seconds: f64,
    /// When they were known last, and what they were.
    last: Option<(f64, (f64, f64))>,
}

impl Wheels {
    fn take(&mut self, seconds: f64, (left, right): (f64, f64)) {
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

/// Takes the instants of a segment one after another and tells its metrics. Instants weigh the same, so they should be
/// evenly spaced apart from gaps. One whose time is not finite or not after the last one's is left out.
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
    /// A meter that has seen nothing; both radii in m.
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

    /// Takes the next instant.
    pub fn take(&mut self, instant: &Instant<'_>) {
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
                self.wheels[robot].take(seconds, wheels);
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

    /// The metrics of what was taken. None where one cannot be told: the frisbee and a robot were never seen together, or
    /// the wheels of no robot were known twice within [`LONGEST_STEP`].
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
            // A robot whose wheels were known but never twice in a row counts as the others do on average.
            acceleration: acceleration * known.len() as f64 / moved.len() as f64,
            counted,
        })
    }
}

#[cfg(test)]
mod tests;
