//! Checkers of invariants. They observe only the behaviour that is visible outside the cores.

mod hub;
mod record;
mod score;
mod standstill;
mod trees;
mod updates;
mod wheels;

use super::id;
use hub::HubChecker;
pub use hub::RunCounts;
use standstill::StandstillChecker;
use std::collections::VecDeque;
use trees::TreeChecker;
use wheels::WheelChecker;
use xpuck_robot_core::controller::Controller;
use xpuck_wire::message::{Directive, RobotMessage, ToRobot};
use xpuck_wire::seal::Sealed;

/// Maximum number of lines of a trace.
const LINES: usize = 400;

/// Violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Violation {
    /// Time of the violation (ms).
    pub at: u32,
    /// Violated rule.
    pub rule: &'static str,
    /// Component that violated the rule.
    pub who: String,
    /// Description of the observation that violates the rule.
    pub what: String,
}

/// First violation that a checker found; `None` before the first violation.
#[derive(Debug, Default)]
struct Fault(Option<Violation>);

impl Fault {
    fn say(&mut self, at: u32, rule: &'static str, who: impl Into<String>, what: impl Into<String>) {
        self.0.get_or_insert_with(|| Violation { at, rule, who: who.into(), what: what.into() });
    }

    /// Records a violation of `rule` unless `holds` is true. `who` returns the component that violated the rule, and a
    /// description of the observation.
    fn hold(&mut self, holds: bool, at: u32, rule: &'static str, who: impl FnOnce() -> (String, String)) {
        if !holds {
            let (who, what) = who();
            self.say(at, rule, who, what);
        }
    }
}

/// Trace of events: a hash of all events, and optionally the last lines of text.
#[derive(Debug)]
pub struct Trace {
    hash: u64,
    lines: Option<VecDeque<String>>,
}

impl Trace {
    fn add(&mut self, words: [u64; 3], line: impl FnOnce() -> String) {
        for word in words {
            self.hash = (self.hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        }
        if let Some(lines) = &mut self.lines {
            if lines.len() == LINES {
                lines.pop_front();
            }
            lines.push_back(line());
        }
    }

    /// Returns the hash of all events.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the last lines in chronological order.
    pub fn into_lines(self) -> Vec<String> {
        self.lines.into_iter().flatten().collect()
    }
}

/// All checkers, and the trace of events.
#[derive(Debug)]
pub struct Checkers {
    /// Checks that wheels stop when required.
    pub wheels: WheelChecker,
    /// Checks that robots stand still after an acknowledged order.
    pub standstill: StandstillChecker,
    /// Checks the origin of trees.
    pub trees: TreeChecker,
    /// Checks the hub.
    pub hub: HubChecker,
    /// Trace of events.
    pub trace: Trace,
    fault: Fault,
}

impl Checkers {
    /// Creates the checkers without observations.
    pub fn new(traced: bool) -> Checkers {
        Checkers {
            wheels: WheelChecker::default(),
            standstill: StandstillChecker::default(),
            trees: TreeChecker::default(),
            hub: HubChecker::default(),
            trace: Trace { hash: 0xcbf2_9ce4_8422_2325, lines: traced.then(VecDeque::new) },
            fault: Fault::default(),
        }
    }

    /// Returns the earliest violation that any checker found.
    pub fn violation(&self) -> Option<&Violation> {
        let hub = [&self.hub.fault, &self.hub.record.fault, &self.hub.updates.fault];
        let all = [&self.fault, &self.wheels.fault, &self.standstill.fault, &self.trees.fault].into_iter().chain(hub);
        all.filter_map(|fault| fault.0.as_ref()).min_by_key(|v| v.at)
    }

    /// Records a violation found outside the checkers.
    pub fn violated(&mut self, at: u32, rule: &'static str, who: impl Into<String>, what: impl Into<String>) {
        self.fault.say(at, rule, who, what);
    }

    /// Handles the acceptance of a run by the hub.
    pub fn run_began(&mut self) {
        self.trees.run_began();
        self.hub.run_began();
    }

    /// Checks a message that reaches a robot's core.
    pub fn heard(&mut self, now: u32, robot: usize, sealed: &Sealed) {
        self.wheels.heard(now, robot, sealed);
        let message = &sealed.message;
        if let ToRobot::Experiment { signed, .. } = message {
            self.trees.on_experiment(signed);
        }
        let detail = match message {
            ToRobot::Directive(Directive { number, .. }) | ToRobot::Experiment { number, .. } => *number,
            _ => 0,
        };
        self.trace.add([u64::from(now), robot as u64, detail], || match message {
            ToRobot::Experiment { number, .. } => line(now, robot, format!("receives experiment {number}")),
            ToRobot::Genes { generation, immigrants } => {
                line(now, robot, format!("receives {} genes for generation {generation}", immigrants.len()))
            }
            other => line(now, robot, format!("hears {other:?}")),
        });
    }

    /// Checks a message that a robot sends.
    pub fn said(&mut self, now: u32, robot: usize, message: &RobotMessage) {
        self.wheels.said(now, robot, message);
        let detail = match message {
            RobotMessage::Telemetry(t) => t.obeyed ^ u64::from(t.motion.wheels[0].to_bits()),
            RobotMessage::Genes { generation, .. } => u64::from(*generation),
            _ => 1,
        };
        self.trace.add([u64::from(now), 16 + robot as u64, detail], || match message {
            RobotMessage::Telemetry(t) => {
                let text =
                    format!("is in state {:?}, obeys directive {}, wheels {:?}", t.state, t.obeyed, t.motion.wheels);
                line(now, robot, text)
            }
            RobotMessage::Genes { generation, .. } => {
                line(now, robot, format!("sends the genes of generation {generation}"))
            }
            RobotMessage::Loaded { segment, .. } => line(now, robot, format!("loads the tree of segment {segment}")),
            other => line(now, robot, format!("says {other:?}")),
        });
    }

    /// Checks a robot after its control update.
    pub fn controlled(&mut self, now: u32, robot: usize, controller: Option<&Controller>, wheels: [f32; 2]) {
        self.wheels.controlled(now, robot);
        if let Some(controller) = controller.filter(|_| wheels != [0.0; 2]) {
            self.trees.check_controller(now, robot, controller);
        }
    }

    /// Adds an event of the plan to the trace.
    pub fn happens(&mut self, now: u32, what: &super::plan::Event) {
        self.trace.add([u64::from(now), 99, 0], || format!("{} {what:?}", seconds(now)));
    }
}

fn line(now: u32, robot: usize, what: String) -> String {
    format!("{} {} {what}", seconds(now), id(robot))
}

fn seconds(now: u32) -> String {
    format!("{:8.3}", f64::from(now) / 1000.0)
}
