//! Results of a run for each robot, computed from the run's record (thesis Table 8.3 and section 8.4).

use super::row::{self, SLOW};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_hub_core::entry::Entry;
use xpuck_record::{RecordError, read};
use xpuck_wire::Segment;
use xpuck_wire::telemetry::EngineReport;

/// Duration of silence at the end of the run above which a robot counts as dead (s of arena time).
const SILENT: f64 = 3.0;
/// Interval between two power readings (s) from which the energy drawn in the interval is not counted.
const LONGEST_GAP: f64 = 5.0;

/// Result of one robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RobotResult {
    /// Id of the robot.
    pub robot: String,
    /// Last segment whose tree the robot ran.
    pub segment: u32,
    /// Number of generations of the robot's island.
    pub generations: u32,
    /// Fitness of the robot's last champion.
    pub fitness: f64,
    /// Number of evaluations behind `fitness`.
    pub evaluations: u32,
    /// Last engine that the robot used for evolution: name, adapter if any, and speed (robot-seconds per second).
    pub engine: EngineReport,
    /// Energy drawn from the battery, integrated over arena time (J); `None` if the robot reported no power.
    pub battery_j: Option<f64>,
    /// Mean round-trip time of the robot's messages (ms of wall time); `None` without measurements.
    pub round_trip_ms: Option<f64>,
    /// Fraction of the robot's round trips that took more than 100 ms.
    pub slow_round_trips: f64,
    /// Time of the robot's last telemetry (s of arena time), if the robot was silent for the last 3 s of the run;
    /// otherwise `None`.
    pub dead_since: Option<f64>,
    /// Number of times that a tree was loaded on the robot.
    pub loaded: u32,
}

/// Results of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Results {
    /// Results by robot.
    pub robots: Vec<RobotResult>,
    /// Segments of the run with their real fitness, from segment 1.
    pub segments: Vec<Segment>,
    /// Mean of all round-trip times of the run (ms); `None` without measurements.
    pub round_trip_ms: Option<f64>,
    /// Violated quality criteria of thesis 8.4, as text; empty if the run meets all of them.
    pub quality: Vec<String>,
    /// Damage of the record, each with the remedy; empty if the record is intact.
    pub damage: Vec<String>,
}

#[derive(Default)]
struct Tally {
    result: RobotResult,
    heard: f64,
    drawn: Option<(f64, f64)>,
    joules: f64,
    measured: bool,
    trips: (u32, u32, f64),
}

impl Tally {
    fn power(&mut self, time: f64, watts: Option<f32>) {
        let Some(watts) = watts.map(f64::from) else { return };
        if let Some((then, before)) = self.drawn
            && (0.0..LONGEST_GAP).contains(&(time - then))
        {
            self.joules += (watts + before) / 2.0 * (time - then);
        }
        (self.drawn, self.measured) = (Some((time, watts)), true);
    }

    fn trip(&mut self, ms: Option<f64>) {
        if let Some(ms) = ms {
            self.trips.0 += 1;
            self.trips.1 += u32::from(ms > 100.0);
            self.trips.2 += ms;
        }
    }

    fn finish(mut self, robot: String, end: f64) -> RobotResult {
        let (count, slow, total) = self.trips;
        self.result.robot = robot;
        self.result.battery_j = self.measured.then_some(self.joules);
        self.result.round_trip_ms = (count > 0).then(|| total / f64::from(count));
        self.result.slow_round_trips = f64::from(slow) / f64::from(count.max(1));
        self.result.dead_since = (end - self.heard > SILENT).then_some(self.heard);
        self.result
    }
}

impl Results {
    /// Computes the results of a run from its record.
    ///
    /// # Errors
    /// If the record is missing or unreadable.
    pub fn read(directory: &Path) -> Result<Results, RecordError> {
        let mut robots: BTreeMap<String, Tally> = BTreeMap::new();
        let (mut end, mut told) = (0.0f64, Vec::new());
        let mut entries = read::entries(directory)?;
        for entry in entries.by_ref() {
            let entry = entry?;
            end = end.max(entry.time());
            match entry {
                Entry::Telemetry { time, robot, round_trip_ms, telemetry } => {
                    let tally = robots.entry(robot).or_default();
                    tally.heard = time;
                    tally.power(time, telemetry.power.battery_w);
                    tally.trip(round_trip_ms);
                    let e = telemetry.evolution;
                    // After the robot is prepared for another run, the engine's name is empty. The last engine before
                    // that is kept.
                    if !telemetry.engine.name.is_empty() {
                        tally.result.engine = telemetry.engine;
                    }
                    tally.result.segment = telemetry.segment;
                    tally.result.generations = e.generation;
                    (tally.result.fitness, tally.result.evaluations) = (e.best, e.evaluations);
                }
                Entry::Loaded { robot, .. } => robots.entry(robot).or_default().result.loaded += 1,
                Entry::Run { segments, .. } => told = segments,
                _ => {}
            }
        }
        let mut damage = entries.damage().to_vec();
        let status = row::status(directory).unwrap_or_else(|error| {
            damage.push(error.to_string());
            None
        });
        let segments = status.as_ref().map_or(told, |s| s.segments.clone());
        let round_trip_ms = status.as_ref().map(|s| s.round_trip_ms).filter(|ms| *ms > 0.0);
        let mut quality = Vec::new();
        if let Some(dead) = status.as_ref().map(|s| s.dead).filter(|dead| *dead > 0) {
            quality.push(format!("D: robots were lost during the run ({dead} times in total)"));
        }
        if let Some(slow) = status.as_ref().map(|s| s.slow_round_trips).filter(|slow| *slow > SLOW) {
            quality.push(format!(
                "P: {:.1} % of the round trips took more than 100 ms; at most 5 % are allowed",
                slow * 100.0
            ));
        }
        let robots = robots.into_iter().map(|(robot, tally)| tally.finish(robot, end)).collect();
        // In segment 0, no robot has loaded an evolved tree. It counts if it is the whole run.
        let is_whole = segments.len() == 1 && status.is_some_and(|s| s.run_seconds + 1.0 > s.run_length);
        let segments = segments.into_iter().filter(|s| (s.number > 0 || is_whole) && s.seconds > 0.0).collect();
        Ok(Results { robots, segments, round_trip_ms, quality, damage })
    }
}
