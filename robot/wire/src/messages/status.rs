//! How things stand: what the console shows and `xpuck robot list` prints.

use crate::refusals::Refusals;
use crate::sensors::Sensors;
use crate::state::State;
use crate::telemetry::{EngineReport, EvolutionReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the hub is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// No experiment.
    #[default]
    Idle,
    /// Waiting for robots to be ready.
    Preparing,
    /// Running.
    Running,
    /// Paused by the operator.
    Paused,
    /// Paused until the frisbee is back near the centre.
    Relocating,
    /// Paused until motion capture sees the frisbee and a robot again.
    Blind,
    /// The experiment's phase is a rest: everybody stands still, and time passes.
    Resting,
    /// Over.
    Finished,
    /// Robots are sent to places by motion capture; no run goes on.
    Parking,
}

/// One robot's row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RobotRow {
    /// Its id.
    pub id: String,
    /// Version of its program; empty before it said so.
    pub version: String,
    /// Heard from lately.
    pub alive: bool,
    /// What it does.
    pub state: State,
    /// Battery, V, if the robot can measure it.
    pub battery_v: Option<f32>,
    /// Power drawn from the battery, W.
    pub power_w: Option<f32>,
    /// The board's processor, degrees C.
    pub soc_c: Option<f32>,
    /// 99 of 100 control updates were at most so late, ms of wall time.
    pub late_p99_ms: f32,
    /// Round trip, ms of wall time; none before the first pong.
    pub round_trip_ms: Option<f64>,
    /// Neighbours sensed.
    pub neighbours: u32,
    /// Sees blue: left, centre, right.
    pub blue: [bool; 3],
    /// Segment whose tree it runs.
    pub segment: u32,
    /// Device errors so far.
    pub device_errors: u64,
    /// Lines of its log that were lost so far.
    pub log_lines_lost: u32,
    /// Where its evolution stands.
    pub evolution: EvolutionReport,
    /// What simulates for it.
    #[serde(default)]
    pub engine: EngineReport,
    /// Time since it was heard last, s of arena time; none before the first message.
    #[serde(default)]
    pub heard_s: Option<f64>,
    /// An operator has it stand still, whatever the others do.
    #[serde(default)]
    pub held: bool,
    /// It blinks, so that somebody finds it.
    #[serde(default)]
    pub identifying: bool,
    /// It told that it obeys the swarm's last directive.
    #[serde(default)]
    pub obeys: bool,
    /// How long after the directive the hub knew that, ms of wall time; none while it does not obey.
    #[serde(default)]
    pub obeyed_ms: Option<f32>,
    /// Mean difference between one round trip and the next, ms of wall time.
    #[serde(default)]
    pub jitter_ms: Option<f32>,
    /// Time that the battery lasts with what is drawn on average, minutes of arena time; none if that is not known.
    #[serde(default)]
    pub battery_minutes: Option<f32>,
    /// The same with what the robot draws in a run that evolves, or drew in its last run.
    #[serde(default)]
    pub run_minutes: Option<f32>,
    /// Why it is not known how long the battery lasts; empty if it is.
    #[serde(default)]
    pub battery_doubt: String,
    /// What is wrong with its devices now, in words; empty if as many errors came in the last minute as usual.
    #[serde(default)]
    pub device_trouble: String,
    /// Nodes of the tree in control; none without one.
    #[serde(default)]
    pub tree_nodes: Option<u32>,
    /// Why it refuses the experiment; empty if it does not.
    #[serde(default)]
    pub refusal: String,
    /// What its further sensors told last.
    #[serde(default)]
    pub sensors: Option<Box<Sensors>>,
    /// Steps of the experiment's curriculum that are over on its island.
    #[serde(default)]
    pub step: u16,
}

/// What the swarm was told last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LastDirective {
    /// Its number.
    pub number: u64,
    /// The state to be in.
    pub state: State,
    /// Time since then, s of wall time.
    pub age_s: f64,
}

/// A body's pose from motion capture, m and rad.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Subject name.
    pub name: String,
    /// x, y and heading.
    pub pose: [f32; 3],
}

/// One segment of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// 0 is the time before the first trees are loaded.
    pub number: u32,
    /// Real fitness by the task of its phase; for transport the frisbee's speed towards -x over v_max.
    pub fitness: f64,
    /// Running time scored so far, s.
    pub seconds: f64,
    /// Name of the experiment's phase that it is of.
    #[serde(default)]
    pub phase: String,
}

impl Segment {
    /// The segments that count: segment 0 is the time before the first trees.
    pub fn scored(segments: &[Segment]) -> impl DoubleEndedIterator<Item = &Segment> {
        segments.iter().filter(|segment| segment.number > 0 && segment.seconds > 0.0)
    }

    /// Mean real fitness of the scored segments, each weighted by its time: the last one may be a few seconds long.
    pub fn mean_fitness(segments: &[Segment]) -> Option<f64> {
        let sum = |of: fn(&Segment) -> f64| Segment::scored(segments).map(of).sum::<f64>();
        let seconds = sum(|segment| segment.seconds);
        (seconds > 0.0).then(|| sum(|segment| segment.fitness * segment.seconds) / seconds)
    }
}

/// Which phase of its experiment a run is in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExperimentPhase {
    /// From 0.
    pub number: u16,
    /// How many the experiment has.
    pub count: u16,
    /// Its name.
    pub name: String,
    /// Time that passed in it, s of running time.
    pub seconds: f64,
    /// Its length at most, s.
    pub length: f64,
}

/// How safe the hub is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecurityReport {
    /// Anybody may command the swarm.
    pub dev_mode: bool,
    /// Who was turned away.
    pub refusals: Refusals,
    /// Why the folder of keys cannot be read, while those who were enrolled before stay enrolled; empty if it can.
    pub keys_unreadable: String,
}

/// How things stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Time since the hub started, s of arena time.
    pub time: f64,
    /// What the hub is doing.
    pub phase: Phase,
    /// The experiment's name; empty without one.
    pub experiment: String,
    /// Time run so far, pauses left out, s of arena time.
    pub run_seconds: f64,
    /// Planned length of the run, s of arena time.
    pub run_length: f64,
    /// The experiment's phase: its number from 0, name, and planned length at most, s; none without a run.
    #[serde(default)]
    pub experiment_phase: Option<ExperimentPhase>,
    /// Current segment.
    pub segment: u32,
    /// Segments so far, the current one last.
    pub segments: Vec<Segment>,
    /// Mean over robots of the champions' derated fitness (f_EA of Table 8.3).
    pub evolved: f64,
    /// Mean round trip over the run, ms of wall time.
    pub round_trip_ms: f64,
    /// Part of the round trips above 100 ms.
    pub slow_round_trips: f64,
    /// Number of times that a robot was lost (silent for 3 s) during the run; one robot can be lost several times.
    pub dead: u32,
    /// Poses have come lately.
    pub tracking: bool,
    /// Poses that were refused since the hub started, by reason.
    pub refused_poses: Vec<(String, u64)>,
    /// Mismatch of the names that motion capture sends with those of the swarm, in words; empty if there is none.
    #[serde(default)]
    pub names: String,
    /// Where the record is written.
    pub record: String,
    /// One row a robot, in the order of the swarm file.
    pub robots: Vec<RobotRow>,
    /// What motion capture sees.
    pub bodies: Vec<Body>,
    /// Half the arena's length and width, m.
    pub half_arena: [f32; 2],
    /// Who was let in without keys, and who was turned away.
    pub security: SecurityReport,
    /// Lines of the hub's log that were lost since it started, because the log is full, closed or not read.
    #[serde(default)]
    pub log_lines_lost: u64,
    /// The last events, newest last.
    pub events: Vec<String>,
    /// What the swarm was told last.
    #[serde(default)]
    pub directive: LastDirective,
    /// What the robots are to do in the experiment's phase: `transport`, `foraging` and so on; empty without a run.
    #[serde(default)]
    pub task: String,
    /// Age of the last poses, s of arena time; none before the first.
    #[serde(default)]
    pub pose_age_s: Option<f64>,
    /// Who started the run; empty without one.
    #[serde(default)]
    pub started_by: String,
    /// Why a run waits that neither an operator nor the experiment has wait: a hub has come back, and asks the robots, or one of
    /// them does not know that it was to go on.
    #[serde(default)]
    pub waits: String,
    /// Why the disk does not keep what a hub that restarts has to know, while it does not.
    #[serde(default)]
    pub not_kept: String,
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn a_short_last_segment_weighs_little_in_the_mean() {
        let segment = |number, fitness, seconds| Segment { number, fitness, seconds, ..Segment::default() };
        let run = [segment(0, 0.5, 30.0), segment(1, 0.1, 30.0), segment(2, 0.44, 4.0)];
        let mean = Segment::mean_fitness(&run).unwrap();
        assert!((mean - (3.0 + 1.76) / 34.0).abs() < 1e-12, "{mean}");
        assert_eq!(Segment::mean_fitness(&run[..1]), None);
    }
}
