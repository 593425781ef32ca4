//! Filter that passes only plausible poses, and counts rejected poses by reason. It is a state machine on the
//! motion-capture system's own clock, so that network delays do not appear as jumps.

use super::{Frame, RawBody, RawFrame, Tracked};
use crate::config::{Arena, Gates as Limits};
use std::collections::{BTreeMap, BTreeSet};
use xpuck_kernels::math::{atan2, vec2};
use xpuck_kernels::world::Pose;

/// Maximum deviation of a rotation matrix R from orthonormality: maximum absolute value of the elements of R^T R - I.
const ORTHONORMAL: f64 = 0.05;
/// Minimum cosine of the angle between a body's z axis and the vertical. It allows a tilt of 60 degrees.
const UPRIGHT: f64 = 0.5;
/// Maximum absolute value of each coordinate (m). Larger values could overflow f32.
const MAX_DISTANCE: f64 = 1000.0;
/// Distance from the origin beyond which poses of robots and the frisbee are rejected, as a multiple of the longer
/// side of the arena.
const ARENA_LENGTHS: f64 = 3.0;
/// Uncertainty of a position (m). It is much less than the diameter of a robot (0.07 m). If motion capture exchanges
/// the names of two robots, their positions jump by at least this diameter.
const SLACK: f64 = 0.01;
/// Duration for which the frame numbers of a system must increase before its restart is accepted (s of the system's
/// clock).
const RESTART: f64 = 1.0;
/// Maximum decrease of the timestamp from one frame to the next (s). In a system with several sources of timestamps,
/// the clocks of the sources may differ slightly.
const SKEW: f64 = 0.1;
/// Minimum age of a pose (s). It is negative, because the rounded time of a measurement may be slightly later than the
/// time of the frame.
const FUTURE: f64 = -1e-3;
/// Minimum interval between reports of rejected poses (s of the system's clock).
const REPORT: f64 = 10.0;

/// Reason for rejecting a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The frame number does not increase: the server is frozen or has restarted.
    Stale,
    /// A number is not finite, or the rotation is invalid or not upright.
    NoPose,
    /// The quality reported by the system is below the minimum.
    Quality,
    /// The measurement is too old, or its time is in the future.
    Age,
    /// The position is far outside the arena. The server's unit of length is probably different.
    Outside,
    /// The robot cannot have driven so far since its last pose. It was carried, or confused with another robot.
    Jump,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 6] =
        [Reason::Stale, Reason::NoPose, Reason::Quality, Reason::Age, Reason::Outside, Reason::Jump];

    /// Returns a short description of the reason, which is used in the status and in metrics.
    pub fn words(self) -> &'static str {
        match self {
            Reason::Stale => "of a stale frame",
            Reason::NoPose => "invalid",
            Reason::Quality => "of low quality",
            Reason::Age => "of an impossible or too high age",
            Reason::Outside => "outside the arena",
            Reason::Jump => "too far away",
        }
    }
}

/// Number of a frame, and its time on the system's own clock (s).
#[derive(Clone, Copy, Debug)]
struct Clock {
    number: u32,
    time: f64,
}

impl Clock {
    fn follows(&self, before: &Clock) -> bool {
        self.number > before.number && self.time > before.time - SKEW
    }
}

/// Position of a body (m), and time of its measurement (s).
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [f64; 2],
    time: f64,
}

impl Place {
    fn distance(&self, other: &Place) -> f64 {
        (self.at[0] - other.at[0]).hypot(self.at[1] - other.at[1])
    }
}

/// State of a robot. `believed` is the last accepted position. `instead` is a rejected position that may replace it,
/// and the time since which the robot has been seen there (s).
#[derive(Clone, Copy, Debug)]
struct Track {
    believed: Place,
    instead: Option<(Place, f64)>,
}

/// Filter of the poses of a swarm.
#[derive(Debug)]
pub struct PoseFilter {
    limits: Limits,
    robots: BTreeSet<String>,
    /// Maximum distance of robots and the frisbee from the origin (m), and the frisbee's name; `None` without this
    /// limit.
    bounds: Option<(f64, String)>,
    last: Option<Clock>,
    /// Whether the connection is new and has not delivered a frame yet.
    fresh: bool,
    /// First and latest frame of a possible restart of the system; `None` if frames arrive in order.
    restart: Option<(Clock, Clock)>,
    /// Positions of the bodies in the last received frame, whether accepted or not.
    newest: Vec<[f64; 3]>,
    tracks: BTreeMap<String, Track>,
    refused: BTreeMap<Reason, u64>,
    /// Number of poses rejected since the last report, by reason, and time of that report (s).
    unreported: BTreeMap<Reason, u64>,
    reported: Option<f64>,
    why: String,
}

impl PoseFilter {
    /// Creates the filter for a swarm. The speed limit applies only to robots, because the frisbee may be carried.
    pub fn new(limits: Limits, robots: &[String]) -> PoseFilter {
        PoseFilter {
            limits,
            robots: robots.iter().cloned().collect(),
            bounds: None,
            newest: Vec::new(),
            last: None,
            fresh: false,
            restart: None,
            tracks: BTreeMap::new(),
            refused: BTreeMap::new(),
            unreported: BTreeMap::new(),
            reported: None,
            why: String::new(),
        }
    }

    /// Adds a limit on the distance of robots and the frisbee from the origin: three times the longer side of the
    /// arena.
    pub fn within(self, arena: &Arena, frisbee: &str) -> PoseFilter {
        let side = f64::from(arena.length_m.max(arena.width_m));
        PoseFilter { bounds: Some((ARENA_LENGTHS * side, frisbee.into())), ..self }
    }

    /// Adds a robot to the swarm, so that the speed limit applies to its poses.
    pub fn add(&mut self, robot: String) {
        self.robots.insert(robot);
    }

    /// Records that the connection to the server is new, so that the server may have restarted. The next frame is
    /// therefore accepted at once, unless its number equals the number of the last frame.
    pub fn connected(&mut self) {
        self.fresh = true;
    }

    /// Returns the number of poses rejected for `reason` since the start. For [`Reason::Stale`], it returns the
    /// number of rejected frames.
    pub fn refused(&self, reason: Reason) -> u64 {
        self.refused.get(&reason).copied().unwrap_or(0)
    }

    /// Returns the number of rejected poses for each reason, with the description of the reason.
    pub fn counts(&self) -> Vec<(String, u64)> {
        self.refused.iter().map(|(reason, count)| (reason.words().into(), *count)).collect()
    }

    /// Returns the plausible poses of a frame, or `None` if the frame is not newer than the previous frame.
    pub fn filter(&mut self, raw: &RawFrame) -> Option<Frame> {
        let places: Vec<[f64; 3]> = raw.bodies.iter().map(|body| body.place).collect();
        let moved = std::mem::replace(&mut self.newest, places) != self.newest;
        if let Err(why) = self.advance(raw.number, raw.time_s) {
            let again = self.last.is_some_and(|last| last.number == raw.number);
            let why = match again && moved {
                true => format!(
                    "frame {} was repeated with other poses: the server's time stamps are constant at {:.3} s; set \
                     mocap.time = \"arrival\"",
                    raw.number, raw.time_s
                ),
                false => why,
            };
            self.count(Reason::Stale, why);
            return None;
        }
        let mut bodies = Vec::with_capacity(raw.bodies.len());
        for body in &raw.bodies {
            match self.check(body, raw.time_s) {
                Ok(pose) => bodies.push(Tracked { name: body.name.clone(), pose }),
                Err((reason, why)) => self.count(reason, format!("{}: {why}", body.name)),
            }
        }
        Some(Frame { number: raw.number, bodies })
    }

    /// Accepts the number and time of a frame if they increase. A restarted system is accepted once its new frame
    /// numbers have increased for [`RESTART`]. Therefore, a frozen system that alternates between two frames is never
    /// accepted. A frame that arrives out of order does not affect the frames after it.
    fn advance(&mut self, number: u32, time: f64) -> Result<(), String> {
        let here = Clock { number, time };
        let fresh = std::mem::take(&mut self.fresh);
        let Some(last) = self.last else {
            self.last = Some(here);
            return Ok(());
        };
        if here.follows(&last) {
            (self.last, self.restart) = (Some(here), None);
            return Ok(());
        }
        let first = self.restart.filter(|(_, newest)| here.follows(newest)).map_or(here, |(first, _)| first);
        self.restart = Some((first, here));
        let began = time - first.time >= RESTART || (fresh && number != last.number);
        if !began {
            return Err(match last.number {
                was if was == number => format!("frame {number} was repeated: check whether the server is frozen"),
                was => format!(
                    "frame {number} came after frame {was}: check whether the server is frozen or has restarted"
                ),
            });
        }
        // The clock of a restarted system has no relation to its previous clock.
        self.tracks.clear();
        self.reported = self.reported.map(|_| time);
        (self.last, self.restart) = (Some(here), None);
        Ok(())
    }

    /// Returns a report of the poses rejected since the last report, at most once in 10 s. Returns `None` if no
    /// report is due.
    pub fn report(&mut self) -> Option<String> {
        let now = self.last?.time;
        if self.unreported.is_empty() || self.reported.is_some_and(|at| now - at < REPORT) {
            return None;
        }
        self.reported = Some(now);
        let counts = std::mem::take(&mut self.unreported);
        let counts: Vec<String> = counts.iter().map(|(reason, n)| format!("{n} {}", reason.words())).collect();
        Some(format!("motion capture: poses refused: {}; the last reason: {}", counts.join(", "), self.why))
    }

    fn count(&mut self, reason: Reason, why: String) {
        *self.refused.entry(reason).or_default() += 1;
        *self.unreported.entry(reason).or_default() += 1;
        self.why = why;
    }

    fn check(&mut self, body: &RawBody, time: f64) -> Result<Pose, (Reason, String)> {
        shape(body).map_err(|why| (Reason::NoPose, why))?;
        let limits = &self.limits;
        // A quality of NaN is rejected too, although every comparison with NaN is false.
        if let Some(quality) = body.quality.filter(|q| q.is_nan() || *q < limits.min_quality) {
            return Err((Reason::Quality, format!("quality {quality} is below min_quality = {}", limits.min_quality)));
        }
        if !(FUTURE..=limits.max_age_s).contains(&body.age_s) {
            return Err((
                Reason::Age,
                format!("the age of {:.3} s is outside 0 to max_age_s = {}", body.age_s, limits.max_age_s),
            ));
        }
        let here = Place { at: [body.place[0], body.place[1]], time: time - body.age_s };
        self.bound(body).map_err(|why| (Reason::Outside, why))?;
        if self.robots.contains(&body.name) {
            self.follow(&body.name, here).map_err(|why| (Reason::Jump, why))?;
        }
        let heading = atan2(body.rotation[3] as f32, body.rotation[0] as f32);
        Ok(Pose { at: vec2(here.at[0] as f32, here.at[1] as f32), heading })
    }

    /// Rejects a pose of a robot or the frisbee that is far outside the arena.
    fn bound(&self, body: &RawBody) -> Result<(), String> {
        let Some((most, frisbee)) = &self.bounds else { return Ok(()) };
        let far = body.place[0].hypot(body.place[1]);
        if far <= *most || !(body.name == *frisbee || self.robots.contains(&body.name)) {
            return Ok(());
        }
        let far = if far < 1000.0 { format!("{far:.1} m") } else { format!("{:.2} km", far / 1000.0) };
        Err(format!("{far} from the centre of the arena: if the server sends millimetres, set mocap.scale = 0.001"))
    }

    /// Accepts a position of a robot if the robot can have reached this position since its last accepted pose, or has
    /// stayed there for `settle_s`. Otherwise returns the reason for the rejection.
    fn follow(&mut self, name: &str, here: Place) -> Result<(), String> {
        let reach = |from: &Place| SLACK + self.limits.v_max_m_s * (here.time - from.time).max(0.0);
        let Some(track) = self.tracks.get_mut(name) else {
            self.tracks.insert(name.into(), Track { believed: here, instead: None });
            return Ok(());
        };
        let (moved, possible) = (track.believed.distance(&here), reach(&track.believed));
        let since = match track.instead {
            Some((place, since)) if place.distance(&here) <= reach(&place) => since,
            _ => here.time,
        };
        if moved <= possible || here.time - since >= self.limits.settle_s {
            *track = Track { believed: here, instead: None };
            return Ok(());
        }
        track.instead = Some((here, since));
        let passed = here.time - track.believed.time;
        Err(format!("{moved:.3} m from its position {passed:.3} s before; at most {possible:.3} m are possible"))
    }
}

/// Rejects poses that a body standing upright on the floor cannot have.
fn shape(body: &RawBody) -> Result<(), String> {
    let r = &body.rotation;
    if !body.place.iter().chain(r).all(|n| n.is_finite()) {
        return Err("a number is not finite".into());
    }
    if let Some(far) = body.place.iter().find(|p| p.abs() > MAX_DISTANCE) {
        return Err(format!("a coordinate of {far:e} m is outside any room"));
    }
    let product = |i: usize, j: usize| (0..3).map(|k| r[3 * k + i] * r[3 * k + j]).sum::<f64>();
    let off = |i: usize, j: usize| (product(i, j) - f64::from(u8::from(i == j))).abs();
    let worst = (0..3).flat_map(|i| (i..3).map(move |j| (i, j))).map(|(i, j)| off(i, j)).fold(0.0, f64::max);
    let mirrored = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6])
        + r[2] * (r[3] * r[7] - r[4] * r[6])
        < 0.0;
    if worst > ORTHONORMAL || mirrored {
        return Err(format!("its rotation {r:?} is not a rotation matrix"));
    }
    if r[8] < UPRIGHT {
        return Err("the body lies on its side; if all bodies do, set the server's vertical axis to z".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
