//! Checker of the record. Each event has exactly one entry, in the order of the events. The replayed record must give
//! the status that the hub reported.

use super::Fault;
use std::collections::{BTreeMap, HashSet, VecDeque};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::mocap::Frame;
use xpuck_hub_core::rate::Rate;
use xpuck_hub_core::switchboard::POSES_HZ;
use xpuck_kernels::hash::fnv1a;
use xpuck_wire::codec::encode;
use xpuck_wire::message::{Emigrant, Estimate, LogLine, Population, RobotMessage, Sampled, Sensors, State};
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::updates::Updates;
use xpuck_wire::{Body, Status};

const TRUTH: &str = "the record contains each event once and in order";

/// Event that must be recorded.
#[derive(Debug, PartialEq)]
enum Fact {
    Poses(Vec<Body>),
    Telemetry(String, Box<Telemetry>),
    Genes(String, u32, Emigrant),
    Loaded(String, u32, Emigrant),
    Updates(String, Box<Updates>),
    Log(String, LogLine),
    Samples(String, u32, Vec<Sampled>),
    Population(String, Population),
    Estimates(String, Vec<Estimate>),
    Sensors(String, Box<Sensors>),
}

/// Observed contents of the record.
#[derive(Debug, Default)]
pub struct RecordChecker {
    expected: VecDeque<Fact>,
    /// Texts of recorded events that are not logged yet.
    events: VecDeque<String>,
    /// Hashes of the generations and trees received in this run, so that repeated messages count once. Each hash covers
    /// the sender's id and the bytes of the message. Forged genes may contain NaN, which does not equal itself.
    came: HashSet<u64>,
    /// Populations that robots have reported, to be recorded with the genes of the same generation.
    populations: BTreeMap<String, Population>,
    /// Whether the hub has a run, either in progress or finished.
    runs: bool,
    open: bool,
    /// Number of the last frame processed by this hub (`frame`), and rate limit that selects the frames to be recorded
    /// (`pose_rate`).
    frame: Option<u32>,
    pose_rate: Rate,
    /// State of the replayed record: last state and segment of each robot (`states`), and last poses.
    states: BTreeMap<String, (State, u32)>,
    poses: Vec<Body>,
    pub(super) fault: Fault,
}

impl RecordChecker {
    /// Handles a resumed record. `came` contains the hashes of generations and trees received before.
    pub(super) fn goes_on(&mut self, came: HashSet<u64>) {
        (self.came, self.runs, self.open) = (came, true, true);
    }

    /// Returns the hashes of the generations and trees received in this run.
    pub(super) fn came(&self) -> HashSet<u64> {
        self.came.clone()
    }

    pub(super) fn died(&mut self) {
        let fault = std::mem::take(&mut self.fault);
        *self = RecordChecker { fault, ..RecordChecker::default() };
    }

    pub(super) fn run_began(&mut self) {
        self.came.clear();
        self.runs = true;
    }

    pub(super) fn frame(&mut self, local: f64, frame: &Frame) {
        let new = self.frame.replace(frame.number) != Some(frame.number);
        if new && self.pose_rate.allows(local, POSES_HZ) {
            let body = |b: &xpuck_hub_core::mocap::Tracked| {
                let pose = [b.pose.at.x, b.pose.at.y, b.pose.heading];
                Body { name: b.name.clone(), pose }
            };
            self.expected.push_back(Fact::Poses(frame.bodies.iter().map(body).collect()));
        }
    }

    pub(super) fn delivered(&mut self, robot: &str, message: &RobotMessage) {
        let fact = match message {
            RobotMessage::Telemetry(told) => Fact::Telemetry(robot.into(), told.clone()),
            RobotMessage::Updates(updates) => Fact::Updates(robot.into(), updates.clone()),
            RobotMessage::Log(line) => Fact::Log(robot.into(), line.clone()),
            RobotMessage::Samples { generation, samples } => Fact::Samples(robot.into(), *generation, samples.clone()),
            RobotMessage::Estimates(estimates) => Fact::Estimates(robot.into(), estimates.clone()),
            RobotMessage::Sensors(sensors) => Fact::Sensors(robot.into(), sensors.clone()),
            RobotMessage::Population(population) => {
                self.populations.insert(robot.into(), *population);
                return;
            }
            // Without a run, the hub does not detect repeated messages with genes, and records each of them.
            RobotMessage::Genes { generation, emigrant, .. } if self.is_new(robot, message) || !self.runs => {
                let told = self.populations.remove(robot).filter(|told| told.generation == *generation);
                self.expected.extend(told.map(|told| Fact::Population(robot.into(), told)));
                Fact::Genes(robot.into(), *generation, emigrant.clone())
            }
            RobotMessage::Loaded { segment, gene } if self.is_new(robot, message) => {
                Fact::Loaded(robot.into(), *segment, gene.clone())
            }
            _ => return,
        };
        self.expected.push_back(fact);
    }

    /// Returns whether a message is received for the first time in this run.
    fn is_new(&mut self, robot: &str, message: &RobotMessage) -> bool {
        self.came.insert(fnv1a(robot.bytes().chain(encode(message))))
    }

    pub(super) fn recorded(&mut self, now: u32, entry: Entry) {
        let found = match entry {
            Entry::Event { text, .. } => return self.events.push_back(text),
            // The progress of the run is checked through the status instead.
            Entry::Run { .. } => return,
            Entry::Poses { bodies, .. } => {
                self.poses.clone_from(&bodies);
                Fact::Poses(bodies)
            }
            Entry::Telemetry { robot, telemetry, .. } => {
                self.states.insert(robot.clone(), (telemetry.state, telemetry.segment));
                Fact::Telemetry(robot, telemetry)
            }
            Entry::Genes { robot, generation, emigrant, .. } => Fact::Genes(robot, generation, emigrant),
            Entry::Loaded { robot, segment, gene, .. } => Fact::Loaded(robot, segment, gene),
            Entry::Updates { robot, updates, .. } => Fact::Updates(robot, updates),
            Entry::Log { robot, line, .. } => Fact::Log(robot, line),
            Entry::Samples { robot, generation, samples, .. } => Fact::Samples(robot, generation, samples),
            Entry::Population { robot, population, .. } => Fact::Population(robot, population),
            // The simulated robots have no cameras for tags.
            Entry::Tags { .. } => return,
            Entry::Sensors { robot, sensors, .. } => Fact::Sensors(robot, sensors),
            Entry::Estimates { robot, estimates, .. } => Fact::Estimates(robot, estimates),
        };
        let expected = self.expected.pop_front();
        // The debug output is compared too, because forged genes contain NaN, which does not equal itself.
        let same = expected.as_ref() == Some(&found) || format!("{expected:?}") == format!("{:?}", Some(&found));
        self.fault.hold(same, now, TRUTH, || {
            let what = |fact: &Option<Fact>| fact.as_ref().map_or("nothing".into(), |f| short(&format!("{f:?}")));
            ("record".into(), format!("contains {} instead of {}", what(&Some(found)), what(&expected)))
        });
    }

    pub(super) fn logged(&mut self, now: u32, text: &str) {
        let recorded = self.events.pop_front();
        self.fault.hold(recorded.as_deref() == Some(text), now, TRUTH, || {
            ("record".into(), format!("the event `{text}` is logged, but {recorded:?} is recorded"))
        });
    }

    /// Checks at the end of the hub's turn that no expected entry is missing.
    pub(super) fn settled(&mut self, now: u32) {
        let left = self.expected.pop_front();
        self.fault.hold(left.is_none(), now, TRUTH, || {
            ("record".into(), format!("does not contain {}", short(&format!("{left:?}"))))
        });
    }

    pub(super) fn opened(&mut self) {
        self.open = true;
        self.states.clear();
    }

    /// Compares the replayed record with the status with which the record is closed.
    pub(super) fn closed(&mut self, now: u32, status: &Status) {
        let open = std::mem::replace(&mut self.open, false);
        self.runs &= !status.experiment.is_empty();
        if !open {
            return;
        }
        let rows = status.robots.iter().filter_map(|row| Some((row, self.states.get(&row.id)?)));
        for (row, state) in rows {
            let same = (row.state, row.segment) == *state;
            self.fault.hold(same, now, "a record replays to its final status", || {
                (
                    row.id.clone(),
                    format!("the status is {:?}, segment {}; the record ends in {state:?}", row.state, row.segment),
                )
            });
        }
    }
}

fn short(text: &str) -> String {
    text.chars().take(160).collect()
}
