//! What came out of a run, robot by robot, out of its record (Table 8.3 and section 8.4).

use super::row::{self, SLOW};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_hub_core::entry::Entry;
use xpuck_record::{RecordError, read};
use xpuck_wire::Segment;
use xpuck_wire::telemetry::EngineReport;

/// A robot that told nothing for so long before the end counts as dead, s of arena time.
const SILENT: f64 = 3.0;
/// Longest time between two readings of power that is counted, s.
const LONGEST_GAP: f64 = 5.0;

/// What came out for one robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RobotResult {
    /// Its id.
    pub robot: String,
    /// The last segment whose tree it ran.
    pub segment: u32,
    /// Generations of its island.
    pub generations: u32,
    /// Fitness of its last champion, and the evaluations that it rests on.
    pub fitness: f64,
    /// See `fitness`.
    pub evaluations: u32,
    /// What simulated for its evolution at the end: engine, adapter if there is one, robot-seconds a second.
    pub engine: EngineReport,
    /// Energy drawn from the battery, J of arena time; none if it cannot be measured.
    pub battery_j: Option<f64>,
    /// Mean round trip, ms of wall time, as its telemetry told it.
    pub round_trip_ms: Option<f64>,
    /// Part of these above 100 ms.
    pub slow_round_trips: f64,
    /// When it was last heard, s of arena time, if that was long before the end.
    pub dead_since: Option<f64>,
    /// Trees that took control.
    pub loaded: u32,
}

/// What came out of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Results {
    /// Robot by robot.
    pub robots: Vec<RobotResult>,
    /// Real fitness by segment, from segment 1.
    pub segments: Vec<Segment>,
    /// Mean of all round trips of the run, ms; none if nobody told.
    pub round_trip_ms: Option<f64>,
    /// What the quality gates of thesis 8.4 found, in words; empty if the run passes all.
    pub quality: Vec<String>,
    /// What of the record is damaged, with the remedy; empty if it is whole.
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
    /// Reads a run's record.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
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
                    // The last that it told before it was prepared for something else.
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
            quality.push(format!("D: robots were lost during the run, {dead} times in all"));
        }
        if let Some(slow) = status.as_ref().map(|s| s.slow_round_trips).filter(|slow| *slow > SLOW) {
            quality.push(format!("P: {:.1} % of the round trips took above 100 ms, and 5 % are allowed", slow * 100.0));
        }
        let robots = robots.into_iter().map(|(robot, tally)| tally.finish(robot, end)).collect();
        let segments = segments.into_iter().filter(|s| s.number > 0 && s.seconds > 0.0).collect();
        Ok(Results { robots, segments, round_trip_ms, quality, damage })
    }
}
