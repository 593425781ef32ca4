//! Checker of a run's results. It measures round trips and the frisbee's displacement independently of the hub.

use super::Fault;
use crate::ROBOTS;
use std::collections::BTreeSet;
use xpuck_hub_core::roster::PINGS;
use xpuck_kernels::model::V_MAX;
use xpuck_kernels::world::task::transport::raw_fitness;
use xpuck_wire::{Phase, Status};

/// Expected results of a run.
#[derive(Clone, Debug, Default)]
pub struct ScoreChecker {
    /// Time stamps (as bits) of each robot's unanswered pings.
    asked: [BTreeSet<u64>; ROBOTS],
    trips: u64,
    total_ms: f64,
    moved: Vec<f64>,
    last_x: Option<f32>,
    runs: bool,
    run_seconds: f64,
}

impl ScoreChecker {
    /// Handles the acceptance of a run.
    pub fn run_began(&mut self) {
        (self.moved, self.last_x, self.runs, self.run_seconds) = (Vec::new(), None, true, 0.0);
    }

    /// Handles the first RUN directive of a run. Round trips are counted from this time.
    pub fn first_run(&mut self) {
        (self.trips, self.total_ms) = (0, 0.0);
    }

    /// Handles a ping that the hub sends to a robot.
    pub fn pinged(&mut self, robot: usize, stamp: f64) {
        self.asked[robot].insert(stamp.to_bits());
        // The first entry is the oldest ping, because positive floating-point numbers have the same order as their bit
        // patterns.
        if self.asked[robot].len() > PINGS {
            self.asked[robot].pop_first();
        }
    }

    /// Handles a pong from a robot. Only the first pong for each ping counts.
    pub fn ponged(&mut self, robot: usize, local: f64, stamp: f64) {
        if self.asked[robot].remove(&stamp.to_bits()) {
            self.trips += 1;
            self.total_ms += (local - stamp) * 1000.0;
        }
    }

    /// Handles a frame with the frisbee at the coordinate `x` (m), in the given phase and segment of the run.
    pub fn frisbee(&mut self, x: f32, (phase, segment, _): (Phase, u32, f64)) {
        if !self.runs {
            return;
        }
        if let (Phase::Running, Some(last)) = (phase, self.last_x) {
            let index = segment as usize;
            self.moved.resize(self.moved.len().max(index + 1), 0.0);
            self.moved[index] += f64::from(x - last);
        }
        self.last_x = Some(x);
    }

    /// Compares the expected results with the results in the hub's status.
    pub(super) fn compare(&mut self, now: u32, status: &Status, fault: &mut Fault) {
        let mean = self.total_ms / self.trips.max(1) as f64;
        let same = (mean - status.round_trip_ms).abs() < 1e-6;
        fault.hold(same, now, "every round trip is counted once", || {
            let what = format!(
                "the hub's mean is {:.3} ms, but {} round trips give {mean:.3} ms",
                status.round_trip_ms, self.trips
            );
            ("hub".into(), what)
        });
        let rises = status.run_seconds >= self.run_seconds;
        fault.hold(rises, now, "running time never falls", || {
            ("hub".into(), format!("{} s after {} s", status.run_seconds, self.run_seconds))
        });
        self.run_seconds = status.run_seconds;
        let total: f64 = status.segments.iter().map(|s| s.seconds).sum();
        let whole = (total - status.run_seconds).abs() < 1e-6;
        fault.hold(whole, now, "segments add up to the running time", || {
            (
                "hub".into(),
                format!("the segments add up to {total} s, but the running time is {} s", status.run_seconds),
            )
        });
        for segment in status.segments.iter().filter(|s| s.seconds > 0.0) {
            let moved = self.moved.get(segment.number as usize).copied().unwrap_or(0.0);
            let expected = f64::from(raw_fitness(moved as f32, segment.seconds as f32, V_MAX));
            let same = (expected - segment.fitness).abs() < 1e-4;
            fault.hold(same, now, "a segment's score equals the displacement of the frisbee", || {
                let what = format!(
                    "segment {}: the fitness is {}, but the poses give {expected}",
                    segment.number, segment.fitness
                );
                ("hub".into(), what)
            });
        }
    }

    /// Handles a start of the hub's program without a run.
    pub fn forget(&mut self) {
        *self = ScoreChecker::default();
    }

    /// Handles a hub's resumption of the run with the results in `counted`. Pongs for the previous program's pings no
    /// longer count. The frisbee's displacement during the interruption does not count either.
    pub fn go_on(&mut self, counted: ScoreChecker) {
        *self = ScoreChecker { asked: Default::default(), last_x: None, ..counted };
    }

    /// Returns the running time at the last comparison (s).
    pub fn run_seconds(&self) -> f64 {
        self.run_seconds
    }
}
