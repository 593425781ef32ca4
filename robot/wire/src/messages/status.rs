//! Status of the hub, shown by the console and `xpuck robot list`.

use crate::refusals::Refusals;
use crate::sensors::Sensors;
use crate::state::State;
use crate::telemetry::{EngineReport, EvolutionReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of the hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The hub has no experiment.
    #[default]
    Idle,
    /// The hub waits until the robots are ready.
    Preparing,
    /// The experiment runs.
    Running,
    /// The operator has paused the run.
    Paused,
    /// The run is paused until the frisbee is back near the centre.
    Relocating,
    /// The run is paused until motion capture sees the frisbee and a robot again.
    Blind,
    /// The experiment is in a resting phase: all robots stand still while time passes.
    Resting,
    /// The experiment is finished.
    Finished,
    /// The hub parks robots by motion capture, outside a run.
    Parking,
}

/// Status of one robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RobotRow {
    /// Robot id.
    pub id: String,
    /// Version of the robot's program; empty before its first report.
    pub version: String,
    /// Whether the hub has received a message from the robot recently.
    pub alive: bool,
    /// Operating state of the robot.
    pub state: State,
    /// Battery voltage (V); `None` if the robot cannot measure it.
    pub battery_v: Option<f32>,
    /// Power drawn from the battery (W); `None` if unknown.
    pub power_w: Option<f32>,
    /// Temperature of the board's processor (degrees C); `None` if unknown.
    pub soc_c: Option<f32>,
    /// 99th percentile of the delay of control updates (ms of wall time).
    pub late_p99_ms: f32,
    /// Round trip time (ms of wall time); `None` before the first pong.
    pub round_trip_ms: Option<f64>,
    /// Number of other robots in range.
    pub neighbours: u32,
    /// Whether the camera sees blue in the left, centre and right third of its picture.
    pub blue: [bool; 3],
    /// Segment of the run for which the robot loaded its current tree.
    pub segment: u32,
    /// Number of device errors so far.
    pub device_errors: u64,
    /// Number of lost lines of the robot's log so far.
    pub log_lines_lost: u32,
    /// Progress of the robot's evolution.
    pub evolution: EvolutionReport,
    /// Engine that runs the robot's simulations.
    #[serde(default)]
    pub engine: EngineReport,
    /// Time since the robot's last message (s of arena time); `None` before the first message.
    #[serde(default)]
    pub heard_s: Option<f64>,
    /// Whether an operator holds the robot still, independently of the other robots.
    #[serde(default)]
    pub held: bool,
    /// Whether the robot is blinking so that a person can find it.
    #[serde(default)]
    pub identifying: bool,
    /// Whether the robot has confirmed that it obeys the last directive to the swarm.
    #[serde(default)]
    pub obeys: bool,
    /// Delay between the last directive and the robot's confirmation (ms of wall time); `None` before the confirmation.
    #[serde(default)]
    pub obeyed_ms: Option<f32>,
    /// Moving average of the difference between successive round trip times (ms of wall time); `None` before the second
    /// round trip.
    #[serde(default)]
    pub jitter_ms: Option<f32>,
    /// Remaining battery time at the mean power (minutes of arena time); `None` if unknown.
    #[serde(default)]
    pub battery_minutes: Option<f32>,
    /// Remaining battery time at the power of an evolution run, or of the robot's last run (minutes of arena time);
    /// `None` if unknown.
    #[serde(default)]
    pub run_minutes: Option<f32>,
    /// Reason why the remaining battery time is unknown; empty if it is known.
    #[serde(default)]
    pub battery_doubt: String,
    /// Description of current device faults; empty while the error count of the last minute is normal.
    #[serde(default)]
    pub device_trouble: String,
    /// Number of nodes of the tree in control; `None` without a tree.
    #[serde(default)]
    pub tree_nodes: Option<u32>,
    /// Reason why the robot rejects the experiment; empty if the robot accepts it.
    #[serde(default)]
    pub refusal: String,
    /// Last readings of the sensors that telemetry does not contain.
    #[serde(default)]
    pub sensors: Option<Box<Sensors>>,
    /// Number of steps of the curriculum (staged training) that are completed on the robot's island.
    #[serde(default)]
    pub step: u16,
}

/// Last directive to the swarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LastDirective {
    /// Sequence number.
    pub number: u64,
    /// Commanded state.
    pub state: State,
    /// Age of the directive (s of wall time).
    pub age_s: f64,
}

/// Pose of a body from motion capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name of the body (subject) in motion capture.
    pub name: String,
    /// Pose: x (m), y (m), heading (rad).
    pub pose: [f32; 3],
}

/// Segment of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Number of the segment. Segment 0 is the time before the robots load their first trees.
    pub number: u32,
    /// Fitness in the real arena, by the task of the segment's phase. For transport, this is the frisbee's speed
    /// towards -x divided by v_max.
    pub fitness: f64,
    /// Running time for which the segment is scored so far (s).
    pub seconds: f64,
    /// Name of the experiment's phase to which the segment belongs.
    #[serde(default)]
    pub phase: String,
    /// Raw value of the formula in a mission, of which `fitness` is the scaled value; `None` in other tasks.
    #[serde(default)]
    pub value: Option<f64>,
}

impl Segment {
    /// Returns the scored segments. Segment 0 is not scored, because it ends before the first trees are loaded.
    pub fn scored(segments: &[Segment]) -> impl DoubleEndedIterator<Item = &Segment> {
        segments.iter().filter(|segment| segment.number > 0 && segment.seconds > 0.0)
    }

    /// Returns the mean real fitness of the scored segments; `None` without a scored segment. The mean is weighted by
    /// duration, because the last segment may last only a few seconds.
    pub fn mean_fitness(segments: &[Segment]) -> Option<f64> {
        let sum = |of: fn(&Segment) -> f64| Segment::scored(segments).map(of).sum::<f64>();
        let seconds = sum(|segment| segment.seconds);
        (seconds > 0.0).then(|| sum(|segment| segment.fitness * segment.seconds) / seconds)
    }
}

/// Current phase of a run's experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExperimentPhase {
    /// Number of the phase, from 0.
    pub number: u16,
    /// Number of phases of the experiment.
    pub count: u16,
    /// Name of the phase.
    pub name: String,
    /// Running time in the phase so far (s).
    pub seconds: f64,
    /// Maximum duration of the phase (s).
    pub length: f64,
}

/// Security status of the hub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecurityReport {
    /// Whether anyone may command the swarm, because keys are disabled.
    pub dev_mode: bool,
    /// Number of rejected peers and messages, by reason.
    pub refusals: Refusals,
    /// Error of the key folder; empty if the folder can be read. Peers that were enrolled before the error stay
    /// enrolled.
    pub keys_unreadable: String,
}

/// Status of the hub and the swarm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Time since the hub started (s of arena time).
    pub time: f64,
    /// State of the hub.
    pub phase: Phase,
    /// Name of the experiment; empty without an experiment.
    pub experiment: String,
    /// Running time without pauses (s of arena time).
    pub run_seconds: f64,
    /// Planned duration of the run (s of arena time).
    pub run_length: f64,
    /// Current phase of the experiment; `None` without a run.
    #[serde(default)]
    pub experiment_phase: Option<ExperimentPhase>,
    /// Number of the current segment.
    pub segment: u32,
    /// Segments so far. The last one is the current segment.
    pub segments: Vec<Segment>,
    /// Derated fitness of the champions, averaged over the connected robots (f_EA of thesis Table 8.3). In a
    /// curriculum, only the robots in the latest step are included.
    pub evolved: f64,
    /// Mean round trip time over the run (ms of wall time); 0 before the first round trip.
    pub round_trip_ms: f64,
    /// Fraction of round trips that took more than 100 ms (0 to 1).
    pub slow_round_trips: f64,
    /// Number of losses of robots during the run. A robot is lost if it is silent for 3 s, if its battery is nearly
    /// empty, or if it does not return after a restart of the hub. Repeated losses of a robot are all counted.
    pub dead: u32,
    /// Whether the hub has received poses from motion capture recently.
    pub tracking: bool,
    /// Reasons for rejecting poses, each with the number of poses rejected since the hub started.
    pub refused_poses: Vec<(String, u64)>,
    /// Description of mismatches between motion-capture names and the swarm's names; empty if all names match.
    #[serde(default)]
    pub names: String,
    /// Path of the run's record.
    pub record: String,
    /// One row per robot, in the order of the swarm file.
    pub robots: Vec<RobotRow>,
    /// Bodies seen by motion capture.
    pub bodies: Vec<Body>,
    /// Half of the arena's length and half of its width (m).
    pub half_arena: [f32; 2],
    /// Security status of the hub.
    pub security: SecurityReport,
    /// Number of lines of the hub's log that were lost since the hub started, because the log was full, closed or not
    /// read.
    #[serde(default)]
    pub log_lines_lost: u64,
    /// Last events, the newest last.
    pub events: Vec<String>,
    /// Last directive to the swarm.
    #[serde(default)]
    pub directive: LastDirective,
    /// Task of the robots in the experiment's current phase, such as `transport` or `foraging`; empty without a run.
    #[serde(default)]
    pub task: String,
    /// Age of the last poses (s of arena time); `None` before the first poses.
    #[serde(default)]
    pub pose_age_s: Option<f64>,
    /// Operator who started the run; empty without a run.
    #[serde(default)]
    pub started_by: String,
    /// Reason why a run waits although neither an operator nor the experiment paused it. For example, a restarted hub
    /// queries the robots, or a robot does not confirm that the run continues. Empty if the run does not wait.
    #[serde(default)]
    pub waits: String,
    /// Error in storing the state that the hub needs after a restart; empty if the state is stored.
    #[serde(default)]
    pub not_kept: String,
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn mean_fitness_weights_segments_by_duration() {
        let segment = |number, fitness, seconds| Segment { number, fitness, seconds, ..Segment::default() };
        let run = [segment(0, 0.5, 30.0), segment(1, 0.1, 30.0), segment(2, 0.44, 4.0)];
        let mean = Segment::mean_fitness(&run).unwrap();
        assert!((mean - (3.0 + 1.76) / 34.0).abs() < 1e-12, "{mean}");
        assert_eq!(Segment::mean_fitness(&run[..1]), None);
    }
}
