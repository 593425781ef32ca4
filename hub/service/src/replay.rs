//! Playback of a record: converts its entries into the status that the console showed. The code is a state machine
//! without I/O.

use std::collections::VecDeque;
use xpuck_experiment::Experiment;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::roster::Roster;
use xpuck_hub_core::switchboard::{EVENTS, TRACKING_LOST};
use xpuck_record::run_file::RunFile;
use xpuck_wire::{Phase, Status};

/// State of the console at a given time of a run.
pub struct Replay {
    status: Status,
    roster: Roster,
    events: VecDeque<String>,
    poses: Option<f64>,
}

impl Replay {
    /// Creates the state before the first entry of a run.
    pub fn new(run: &RunFile) -> Replay {
        let half = |key: &str, usual: f64| {
            let arena = run.hub.get("arena").and_then(|arena| arena.get(key));
            arena.and_then(toml::Value::as_float).unwrap_or(usual) as f32 / 2.0
        };
        let experiment: Option<Experiment> = run.experiment.clone().try_into().ok();
        let status = Status {
            phase: Phase::Preparing,
            experiment: run.name.clone(),
            run_length: experiment.map_or(0.0, |e| e.seconds()),
            record: format!("replay of {}, seed {}", run.name, run.seed),
            half_arena: [half("length_m", 2.0), half("width_m", 1.5)],
            ..Status::default()
        };
        Replay { status, roster: Roster::new(&run.robots), events: VecDeque::new(), poses: None }
    }

    /// Updates the state with the next entry of the record.
    pub fn apply(&mut self, entry: Entry) {
        let now = entry.time();
        self.status.time = self.status.time.max(now);
        match entry {
            Entry::Poses { time, bodies } => {
                self.poses = Some(time);
                self.status.bodies = bodies;
            }
            Entry::Telemetry { time, robot, round_trip_ms, telemetry } => {
                let Some(place) = self.roster.place(&robot) else { return };
                if let Some(ms) = round_trip_ms {
                    self.roster.round_trip(place, ms);
                }
                let row = &mut self.roster.robots[place];
                (row.heard, row.lost, row.telemetry) = (Some(time), false, *telemetry);
            }
            Entry::Run { phase, run_seconds, segment, segments, evolved, slow_round_trips, dead, .. } => {
                let s = &mut self.status;
                (s.phase, s.run_seconds, s.segment, s.segments) = (phase, run_seconds, segment, segments);
                (s.evolved, s.slow_round_trips, s.dead) = (evolved, slow_round_trips, dead);
            }
            Entry::Event { time, text, .. } => {
                if self.events.len() == EVENTS {
                    self.events.pop_front();
                }
                self.events.push_back(format!("{time:.1} {text}"));
            }
            Entry::Genes { .. }
            | Entry::Loaded { .. }
            | Entry::Updates { .. }
            | Entry::Log { .. }
            | Entry::Samples { .. }
            | Entry::Population { .. }
            | Entry::Tags { .. }
            | Entry::Estimates { .. } => {}
            Entry::Sensors { robot, sensors, .. } => {
                if let Some(place) = self.roster.place(&robot) {
                    self.roster.robots[place].sensors = Some(sensors);
                }
            }
        }
    }

    /// Returns the status that the console showed at the time of the latest entry.
    pub fn status(&mut self) -> Status {
        let now = self.status.time;
        self.roster.newly_lost(now);
        Status {
            robots: self.roster.rows(now),
            round_trip_ms: self.roster.round_trips.mean_ms(),
            tracking: self.poses.is_some_and(|at| now - at < TRACKING_LOST),
            events: self.events.iter().cloned().collect(),
            ..self.status.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::Body;
    use xpuck_wire::message::State;
    use xpuck_wire::telemetry::Telemetry;

    #[test]
    fn status_follows_entries() {
        let text = "name = \"x\"\nstate = \"finished\"\nversion = \"0\"\nstarted_unix_ms = 1\nseed = 1\n\
                    robots = [\"xp01\"]\nspeed = 1.0\n[experiment]\nname = \"x\"\nminutes = 2.0\n\
                    segment_minutes = 1.0\ntask = \"transport\"\n[hub.arena]\nlength_m = 3.0\n";
        let mut replay = Replay::new(&toml::from_str(text).unwrap());
        assert_eq!((replay.status().run_length, replay.status().half_arena), (120.0, [1.5, 0.75]));
        let telemetry = Box::new(Telemetry { state: State::Run, ..Telemetry::default() });
        replay.apply(Entry::Telemetry { time: 1.0, robot: "xp01".into(), round_trip_ms: Some(4.0), telemetry });
        replay.apply(Entry::Poses { time: 1.5, bodies: vec![Body::default()] });
        let status = replay.status();
        assert!(status.robots[0].alive && status.tracking && status.bodies.len() == 1);
        assert_eq!((status.robots[0].state, status.round_trip_ms), (State::Run, 4.0));
        replay.apply(Entry::event(9.0, "all is quiet"));
        let status = replay.status();
        assert!(!status.robots[0].alive && !status.tracking, "nobody was heard for long");
        assert_eq!(status.events, ["9.0 all is quiet"]);
    }
}
