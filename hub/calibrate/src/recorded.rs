//! A run's record for calibration: poses, commanded wheel speeds, and camera data.

use super::FitError;
use super::poses::{Frame, Run};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_hub_core::config::HubFile;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::verify::RobotClock;
use xpuck_kernels::math::{vec2, wrap_angle};
use xpuck_kernels::world::{Colour, Pose};
use xpuck_record::read;
use xpuck_record::run_file::RunFile;
use xpuck_wire::updates::{Update, Updates};

/// Maximum number of poses in a record. It is more than ten times the number of poses in an hour with nine robots and
/// the frisbee.
const MAX_POSES: usize = 12_000_000;
/// Maximum interval between consecutive poses, and maximum age of a robot's last update at a pose (s).
const LONGEST_GAP: f64 = 0.2;

/// Control update of a robot. Times are those of the hub's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlUpdate {
    /// Time (s).
    pub time: f64,
    /// Speeds commanded to the left and the right wheel (m/s).
    pub wheels: [f32; 2],
    /// Time of arrival of the latest camera image (s); `None` if there is no image.
    pub pictured: Option<f64>,
    /// Whether each of the three camera segments contains blue.
    pub blue: [bool; 3],
}

/// Poses of all bodies at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseSample {
    /// Time at which motion capture reported the poses (s).
    pub time: f64,
    /// Poses of the robots in the order of the record, then of the frisbee. `None` for a body that motion capture did
    /// not detect.
    pub poses: Vec<Option<Pose>>,
}

/// Contents of a record.
#[derive(Clone, Debug, Default)]
pub struct RecordData {
    /// Names of the robots.
    pub robots: Vec<String>,
    /// Half the arena's length and width (m).
    pub half_arena: (f32, f32),
    /// Radius of the frisbee (m).
    pub frisbee_radius: f32,
    /// Delay that the hub added to poses for virtual senses (s).
    pub held_back: f64,
    /// Poses in chronological order.
    pub seen: Vec<PoseSample>,
    /// Updates of each robot in chronological order.
    pub told: Vec<Vec<ControlUpdate>>,
    /// Descriptions of the damage in the record, one line per file.
    pub damage: Vec<String>,
}

impl RecordData {
    /// Reads the record of a run's folder.
    ///
    /// # Errors
    /// The record cannot be read, or has no control updates or fewer than two times with poses.
    pub fn read(run: &Path) -> Result<RecordData, FitError> {
        let file = RunFile::read(run).map_err(to_fit_error)?;
        let hub: HubFile = file.hub.clone().try_into().map_err(to_fit_error)?;
        let places: BTreeMap<&str, usize> =
            file.robots.iter().map(String::as_str).chain([hub.mocap.frisbee.as_str()]).zip(0..).collect();
        let mut recorded = RecordData {
            half_arena: (hub.arena.length_m / 2.0, hub.arena.width_m / 2.0),
            frisbee_radius: hub.arena.frisbee_radius_m,
            held_back: hub.messages.latency_s,
            told: vec![Vec::new(); file.robots.len()],
            robots: file.robots.clone(),
            ..RecordData::default()
        };
        let mut clocks = vec![RobotClock::default(); file.robots.len()];
        let mut poses = 0;
        let mut entries = read::entries(run).map_err(to_fit_error)?;
        for entry in entries.by_ref() {
            match entry.map_err(to_fit_error)? {
                Entry::Poses { time, bodies } => {
                    let mut seen = vec![None; places.len()];
                    for body in &bodies {
                        if let Some(place) = places.get(body.name.as_str()) {
                            let [x, y, heading] = body.pose;
                            seen[*place] = Some(Pose { at: vec2(x, y), heading: wrap_angle(heading) });
                        }
                    }
                    poses += bodies.len();
                    if poses > MAX_POSES {
                        return Err(FitError(format!("more than {MAX_POSES} poses; record a shorter run")));
                    }
                    if recorded.seen.last().is_none_or(|last| last.time < time) {
                        recorded.seen.push(PoseSample { time, poses: seen });
                    }
                }
                Entry::Updates { time, robot, updates } => {
                    let Some(place) = places.get(robot.as_str()).filter(|place| **place < file.robots.len()) else {
                        continue;
                    };
                    let told = unpacked(&updates, time, &mut clocks[*place])?;
                    recorded.told[*place].extend(told);
                }
                _ => {}
            }
        }
        recorded.damage = entries.damage().to_vec();
        for told in &mut recorded.told {
            told.sort_by(|a, b| a.time.total_cmp(&b.time));
            told.dedup_by(|b, a| b.time <= a.time);
        }
        if recorded.told.iter().all(Vec::is_empty) || recorded.seen.len() < 2 {
            let whole = "contains no poses or no control updates: no robot drove, or an earlier version recorded it";
            let why = recorded
                .damage
                .first()
                .map_or(whole.to_string(), |damage| format!("{damage}; repair the record with `xpuck runs recover`"));
            return Err(FitError(why));
        }
        Ok(recorded)
    }

    /// Returns the index of the frisbee among the bodies.
    pub fn frisbee(&self) -> usize {
        self.robots.len()
    }

    /// Returns the interpolated poses of all bodies at a time (s). `None` if the time is outside the record, or in a
    /// gap of more than 0.2 s.
    pub fn at(&self, time: f64) -> Option<Vec<Option<Pose>>> {
        let after = self.seen.partition_point(|seen| seen.time < time);
        let (a, b) = (self.seen.get(after.checked_sub(1)?)?, self.seen.get(after)?);
        if b.time - a.time > LONGEST_GAP {
            return None;
        }
        let part = ((time - a.time) / (b.time - a.time)) as f32;
        Some(a.poses.iter().zip(&b.poses).map(|(a, b)| Some((*a)?.towards(&(*b)?, part))).collect())
    }

    /// Returns the periods in which a robot was tracked and commanded without a gap, as runs of one body.
    pub fn alone(&self, robot: usize) -> Vec<Run> {
        let told = &self.told[robot];
        let mut runs: Vec<Run> = Vec::new();
        let mut last = f64::NEG_INFINITY;
        for seen in &self.seen {
            let command = told.partition_point(|told| told.time <= seen.time).checked_sub(1).map(|i| told[i]);
            let (Some(pose), Some(command)) = (seen.poses[robot], command) else { continue };
            if seen.time - command.time > LONGEST_GAP {
                continue;
            }
            if seen.time - last > LONGEST_GAP {
                runs.push(Run { bodies: vec![self.robots[robot].clone()], frames: Vec::new() });
            }
            last = seen.time;
            let frame = Frame { time: seen.time, poses: vec![pose], wheels: vec![command.wheels] };
            runs.last_mut().expect("one was begun").frames.push(frame);
        }
        runs.retain(|run| run.frames.len() >= 2);
        runs
    }
}

fn to_fit_error(error: impl std::fmt::Display) -> FitError {
    FitError(error.to_string())
}

/// Returns the updates of a batch that arrived at time `now` of the hub's clock (s). Converts their times to that
/// clock.
fn unpacked(updates: &Updates, now: f64, clock: &mut RobotClock) -> Result<Vec<ControlUpdate>, FitError> {
    let unpacked = updates.unpack().map_err(to_fit_error)?;
    let own = |update: &Update| updates.start + f64::from(update.after_us) / 1e6;
    if let Some(last) = unpacked.last() {
        clock.on_message(own(last), now);
    }
    let ahead = clock.ahead().unwrap_or(0.0);
    let at = |update: &Update| {
        let time = own(update) + ahead;
        let age = f32::from_bits(update.ages[1]);
        let [_, _, left, right] = update.wheels.map(f32::from_bits);
        ControlUpdate {
            time,
            wheels: [left, right],
            pictured: age.is_finite().then(|| time - f64::from(age)),
            blue: [0, 1, 2].map(|segment| update.blobs & Update::blob(Colour::Blue as usize, segment) != 0),
        }
    };
    Ok(unpacked.iter().map(at).collect())
}
