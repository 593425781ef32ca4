//! Lets only those poses pass that can be true, and counts the others by reason. A pure state machine on the
//! motion-capture system's own clock, so that a network that delays frames makes nobody jump.

use super::{Frame, RawBody, RawFrame, Tracked};
use crate::config::Gates as Limits;
use std::collections::{BTreeMap, BTreeSet};
use xpuck_kernels::math::{atan2, vec2};
use xpuck_kernels::world::Pose;

/// How far a rotation may be from an orthonormal one, in any entry of its product with its transpose.
const ORTHONORMAL: f64 = 0.05;
/// Least cosine of the angle between a body's z axis and the world's: 60 degrees.
const UPRIGHT: f64 = 0.5;
/// Nothing is farther from the origin, m. A greater number need not even be one when the hub counts in f32.
const ROOM: f64 = 1000.0;
/// A place is known this well, m; a swap of two robots, which are 0.07 m wide, is far more.
const SLACK: f64 = 0.01;
/// A report follows another after so long, s of the system's clock.
const REPORT: f64 = 10.0;

/// Why a pose was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The same frame again: the server is frozen.
    Stale,
    /// A number that is not finite, or a rotation that is none or not upright.
    NoPose,
    /// The system itself trusts it too little.
    Quality,
    /// It was measured too long ago.
    Age,
    /// The robot cannot have come so far: it was carried, or taken for another.
    Jump,
}

impl Reason {
    fn words(self) -> &'static str {
        match self {
            Reason::Stale => "of a frame that came before",
            Reason::NoPose => "no pose",
            Reason::Quality => "of low quality",
            Reason::Age => "too old",
            Reason::Jump => "too far away",
        }
    }
}

/// Where a body was, and when.
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

/// What is known of a robot: where it was last believed to be, and where it seems to be instead, since when.
#[derive(Clone, Copy, Debug)]
struct Track {
    believed: Place,
    instead: Option<(Place, f64)>,
}

/// The gates' state.
#[derive(Debug)]
pub struct Gates {
    limits: Limits,
    robots: BTreeSet<String>,
    last: Option<(u32, f64)>,
    tracks: BTreeMap<String, Track>,
    refused: BTreeMap<Reason, u64>,
    /// Refused since the last report, and when that was.
    unreported: BTreeMap<Reason, u64>,
    reported: Option<f64>,
    why: String,
}

impl Gates {
    /// Gates for a swarm. Only robots have a top speed: the frisbee may be carried.
    pub fn new(limits: Limits, robots: &[String]) -> Gates {
        Gates {
            limits,
            robots: robots.iter().cloned().collect(),
            last: None,
            tracks: BTreeMap::new(),
            refused: BTreeMap::new(),
            unreported: BTreeMap::new(),
            reported: None,
            why: String::new(),
        }
    }

    /// One more robot.
    pub fn add(&mut self, robot: String) {
        self.robots.insert(robot);
    }

    /// Poses refused for a reason since the start; for [`Reason::Stale`], frames.
    pub fn refused(&self, reason: Reason) -> u64 {
        self.refused.get(&reason).copied().unwrap_or(0)
    }

    /// All counts, in words.
    pub fn counts(&self) -> Vec<(String, u64)> {
        self.refused.iter().map(|(reason, count)| (reason.words().into(), *count)).collect()
    }

    /// What of a frame can be true; `None` for a frame that came before.
    pub fn pass(&mut self, raw: &RawFrame) -> Option<Frame> {
        if let Some((number, time)) = self.last {
            if number == raw.number {
                self.count(Reason::Stale, format!("frame {number} came again: is the server frozen?"));
                return None;
            }
            if raw.number < number || raw.time_s < time {
                // The system began anew; nothing links its clock to what was before.
                self.tracks.clear();
                self.reported = None;
            }
        }
        self.last = Some((raw.number, raw.time_s));
        let mut bodies = Vec::with_capacity(raw.bodies.len());
        for body in &raw.bodies {
            match self.check(body, raw.time_s) {
                Ok(pose) => bodies.push(Tracked { name: body.name.clone(), pose }),
                Err((reason, why)) => self.count(reason, format!("{}: {why}", body.name)),
            }
        }
        Some(Frame { number: raw.number, bodies })
    }

    /// A line about what was refused since the last report, at most one in ten seconds.
    pub fn report(&mut self) -> Option<String> {
        let now = self.last?.1;
        if self.unreported.is_empty() || self.reported.is_some_and(|at| now - at < REPORT) {
            return None;
        }
        self.reported = Some(now);
        let counts = std::mem::take(&mut self.unreported);
        let counts: Vec<String> = counts.iter().map(|(reason, n)| format!("{n} {}", reason.words())).collect();
        Some(format!("motion capture: poses refused: {}; the last one: {}", counts.join(", "), self.why))
    }

    fn count(&mut self, reason: Reason, why: String) {
        *self.refused.entry(reason).or_default() += 1;
        *self.unreported.entry(reason).or_default() += 1;
        self.why = why;
    }

    fn check(&mut self, body: &RawBody, time: f64) -> Result<Pose, (Reason, String)> {
        shape(body).map_err(|why| (Reason::NoPose, why))?;
        let limits = &self.limits;
        // Negated, so that NaN is refused.
        if let Some(quality) = body.quality.filter(|q| q.is_nan() || *q < limits.min_quality) {
            return Err((Reason::Quality, format!("quality {quality} is under min_quality = {}", limits.min_quality)));
        }
        if body.age_s.is_nan() || body.age_s > limits.max_age_s {
            return Err((Reason::Age, format!("{:.3} s old; max_age_s = {}", body.age_s, limits.max_age_s)));
        }
        let here = Place { at: [body.place[0], body.place[1]], time: time - body.age_s };
        if self.robots.contains(&body.name) {
            self.follow(&body.name, here).map_err(|why| (Reason::Jump, why))?;
        }
        let heading = atan2(body.rotation[3] as f32, body.rotation[0] as f32);
        Ok(Pose { at: vec2(here.at[0] as f32, here.at[1] as f32), heading })
    }

    /// Believes a place that can be reached from the last one, or one that the robot kept to for `settle_s`.
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
        Err(format!("{moved:.3} m from where it was {passed:.3} s before; {possible:.3} m are possible"))
    }
}

/// Refuses what is no pose of something that stands on the floor.
fn shape(body: &RawBody) -> Result<(), String> {
    let r = &body.rotation;
    if !body.place.iter().chain(r).all(|n| n.is_finite()) {
        return Err("a number is not finite".into());
    }
    if let Some(far) = body.place.iter().find(|p| p.abs() > ROOM) {
        return Err(format!("{far:e} m from the origin is outside any room"));
    }
    let product = |i: usize, j: usize| (0..3).map(|k| r[3 * k + i] * r[3 * k + j]).sum::<f64>();
    let off = |i: usize, j: usize| (product(i, j) - f64::from(u8::from(i == j))).abs();
    let worst = (0..3).flat_map(|i| (i..3).map(move |j| (i, j))).map(|(i, j)| off(i, j)).fold(0.0, f64::max);
    let mirrored = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6])
        + r[2] * (r[3] * r[7] - r[4] * r[6])
        < 0.0;
    if worst > ORTHONORMAL || mirrored {
        return Err(format!("its rotation {r:?} is none"));
    }
    if r[8] < UPRIGHT {
        return Err("it lies on its side; if all do, set the server to z up".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
