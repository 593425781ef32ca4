//! Recorded poses: runs of bodies observed by motion capture, with the commanded wheel speeds.

use super::table::{self, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use xpuck_kernels::math::wrap_angle;
use xpuck_kernels::model::{DT, MAX_BODIES};
use xpuck_kernels::world::physics::{self, Physics};
use xpuck_kernels::world::{Body, Pose, Shape};
use xpuck_wire::FileError;

/// Name of the frisbee; all other bodies are robots.
pub const FRISBEE: &str = "frisbee";

/// Row of a table of poses: pose and commanded speeds of one body at one time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseRow {
    /// Number of the run. Rows with the same number form a run.
    pub run: u32,
    /// Time (s).
    pub time_s: f64,
    /// Name of the body: `frisbee`, or a robot's name.
    pub body: String,
    /// X coordinate of the centre (m).
    pub x_m: f64,
    /// Y coordinate of the centre (m).
    pub y_m: f64,
    /// Heading (rad).
    pub heading_rad: f64,
    /// Speed commanded to the left wheel from this time on (m/s); 0 for the frisbee.
    pub left_m_s: f64,
    /// Speed commanded to the right wheel from this time on (m/s); 0 for the frisbee.
    pub right_m_s: f64,
}

impl Row for PoseRow {
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)> {
        vec![
            ("time_s", self.time_s, -1e9..=1e9),
            ("x_m", self.x_m, -10.0..=10.0),
            ("y_m", self.y_m, -10.0..=10.0),
            ("heading_rad", self.heading_rad, -7.0..=7.0),
            ("left_m_s", self.left_m_s, -1.0..=1.0),
            ("right_m_s", self.right_m_s, -1.0..=1.0),
        ]
    }
}

/// All bodies of a run at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time (s).
    pub time: f64,
    /// Poses of the bodies.
    pub poses: Vec<Pose>,
    /// Commanded speeds of each body's left and right wheel (m/s).
    pub wheels: Vec<[f32; 2]>,
}

/// Recorded run of one or more bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Names of the bodies, in the order of the frames' poses.
    pub bodies: Vec<String>,
    /// Frames in chronological order, at least two.
    pub frames: Vec<Frame>,
}

impl Run {
    /// Resamples the run at intervals of `period` (s) from its first frame on. Poses are interpolated linearly, and
    /// wheel speeds are those of the last command.
    pub fn resampled(&self, period: f64) -> Run {
        let start = self.frames[0].time;
        let steps = ((self.frames[self.frames.len() - 1].time - start) / period + 1e-6).floor() as usize;
        let frames = (0..=steps).map(|k| self.at(start + k as f64 * period)).collect();
        Run { bodies: self.bodies.clone(), frames }
    }

    /// Returns the interpolated frame at a time (s). Before the first frame and after the last one, the poses are those
    /// of that frame.
    pub fn at(&self, time: f64) -> Frame {
        // A frame that is later than `time` only by a rounding error counts as reached. Its command is thus in effect.
        let after = self.frames.partition_point(|f| f.time <= time + 1e-6).clamp(1, self.frames.len() - 1);
        let (a, b) = (&self.frames[after - 1], &self.frames[after]);
        let part = ((time - a.time) / (b.time - a.time)).clamp(0.0, 1.0) as f32;
        let wheels = if time + 1e-6 >= b.time { &b.wheels } else { &a.wheels };
        let poses = a.poses.iter().zip(&b.poses).map(|(from, to)| from.towards(to, part)).collect();
        Frame { time, poses, wheels: wheels.clone() }
    }

    /// Simulates a single robot for `steps` physics steps, from rest and without noise, with the commands to body `i`.
    /// Calls `see` after each step.
    pub fn drive_alone(&self, i: usize, steps: u32, mut see: impl FnMut(&Body)) {
        let physics = Physics { noise: [0.0; 3], half_arena: (f32::INFINITY, f32::INFINITY), ..Physics::default() };
        let mut body = [Body::at_rest(Shape::ROBOT, self.frames[0].poses[i])];
        for k in 0..steps {
            // The command at the middle of the step is used, because this avoids a bias in time.
            body[0].wheels = self.at(self.frames[0].time + (f64::from(k) + 0.5) * f64::from(DT)).wheels[i];
            physics::step(&mut body, &physics, 0, 0, k);
            see(&body[0]);
        }
    }

    /// Returns the maximum interval between consecutive frames (s).
    pub fn longest_gap(&self) -> f64 {
        self.frames.windows(2).map(|w| w[1].time - w[0].time).fold(0.0, f64::max)
    }
}

/// Parses the runs of a table. Errors refer to the table by `name`.
pub fn read(name: &str, text: &str) -> Result<Vec<Run>, FileError> {
    let mut runs: BTreeMap<u32, Vec<(u64, PoseRow)>> = BTreeMap::new();
    for (line, row) in table::read::<PoseRow>(name, text)? {
        runs.entry(row.run).or_default().push((line, row));
    }
    runs.into_values().map(|rows| run(&rows).map_err(|message| FileError::value(name, message))).collect()
}

/// Builds a run from its rows; consecutive rows with the same time form a frame.
fn run(rows: &[(u64, PoseRow)]) -> Result<Run, String> {
    let mut frames: Vec<Frame> = Vec::new();
    let number = rows[0].1.run;
    let mut bodies: Vec<String> = Vec::new();
    for group in rows.chunk_by(|a, b| a.1.time_s == b.1.time_s) {
        let (line, time) = (group[0].0, group[0].1.time_s);
        if frames.is_empty() {
            bodies = group.iter().map(|(_, row)| row.body.clone()).collect();
            if bodies.len() > MAX_BODIES {
                return Err(format!("line {line}: {} bodies; at most {MAX_BODIES} are allowed", bodies.len()));
            }
        }
        if frames.last().is_some_and(|f| f.time >= time) {
            return Err(format!(
                "line {line}, column `time_s`: {time} must be later than the time of the previous frame"
            ));
        }
        let of = |body: &String| {
            let mut found = group.iter().filter(|(_, row)| row.body == *body);
            match (found.next(), found.next()) {
                (Some((_, row)), None) => Ok(row),
                (None, _) => Err(format!("line {line}: run {number} at {time} s has no row for body `{body}`")),
                (_, Some((line, _))) => {
                    Err(format!("line {line}: body `{body}` occurs twice at {time} s of run {number}"))
                }
            }
        };
        let ordered: Vec<&PoseRow> = bodies.iter().map(of).collect::<Result<_, _>>()?;
        if let Some((line, row)) = group.iter().find(|(_, row)| !bodies.contains(&row.body)) {
            return Err(format!("line {line}: body `{}` is not in the first frame of run {number}", row.body));
        }
        let pose = |row: &&PoseRow| Pose {
            at: xpuck_kernels::math::vec2(row.x_m as f32, row.y_m as f32),
            heading: wrap_angle(row.heading_rad as f32),
        };
        let wheels = |row: &&PoseRow| [row.left_m_s as f32, row.right_m_s as f32];
        frames.push(Frame {
            time,
            poses: ordered.iter().map(pose).collect(),
            wheels: ordered.iter().map(wheels).collect(),
        });
    }
    if frames.len() < 2 {
        return Err(format!("line {}: run {number} has one frame; at least two are needed", rows[0].0));
    }
    Ok(Run { bodies, frames })
}

/// Returns the runs, numbered from 1, as the text of a table.
pub fn write(runs: &[Run]) -> String {
    // Rounding shortens the text. A micrometre and a microradian are far below the resolution of motion capture.
    let rounded = |x: f32| (f64::from(x) * 1e6).round() / 1e6;
    let rows = (1..).zip(runs).flat_map(|(number, run)| {
        run.frames.iter().flat_map(move |frame| {
            (0..run.bodies.len()).map(move |i| PoseRow {
                run: number,
                time_s: (frame.time * 1e6).round() / 1e6,
                body: run.bodies[i].clone(),
                x_m: rounded(frame.poses[i].at.x),
                y_m: rounded(frame.poses[i].at.y),
                heading_rad: rounded(frame.poses[i].heading),
                left_m_s: rounded(frame.wheels[i][0]),
                right_m_s: rounded(frame.wheels[i][1]),
            })
        })
    });
    table::write(rows)
}
