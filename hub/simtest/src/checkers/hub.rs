//! Checker of the hub. It checks the roster, and that the numbers of directives never fall. Each gene sent to a robot
//! must come from another robot, and queues must stay within their bounds.

use super::Fault;
use super::record::RecordChecker;
use super::score::ScoreChecker;
use super::updates::UpdateChecker;
use crate::{ROBOTS, id};
use std::collections::HashSet;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::mocap::Frame;
use xpuck_hub_core::roster::LOST_AFTER;
use xpuck_kernels::hash::fnv1a;
use xpuck_wire::message::{Directive, Emigrant, RobotMessage, State, ToRobot};
use xpuck_wire::{Phase, Status};

/// Maximum number of actions in a turn that do not depend on inputs: a few for each robot, and a few for the run.
const ACTIONS: usize = 8 * ROBOTS + 16;
/// Maximum number of additional actions for each message, request or frame that arrives in a turn.
const ACTIONS_EACH: usize = 8;
/// Maximum number of events in a status.
const EVENTS: usize = 50;
/// Maximum number of immigrants in an answer, as configured in the experiments.
const IMMIGRANTS: usize = 4;

/// Maximum running time that is lost when a hub resumes a run (s). A snapshot is stored each second.
const LOST_SECONDS: f64 = 1.1;

/// Identity of a gene: island of birth, number, and hash of the tree. The hash is necessary because a robot that lost
/// its island numbers new genes from 0 again. Other robots may then still send an old gene with the same number.
type Individual = (u16, u32, u64);

fn individual(gene: &Emigrant) -> Individual {
    (gene.island, gene.number, fnv1a(gene.tree.bytes()))
}

/// State of the checker for a run, kept with each snapshot that the hub stores.
#[derive(Clone, Debug)]
pub struct RunCounts {
    score: ScoreChecker,
    waits_for_run: bool,
    came: HashSet<u64>,
}

/// Checker of the hub, with the observations so far.
#[derive(Debug, Default)]
pub struct HubChecker {
    heard: [Option<f64>; ROBOTS],
    /// Last state reported by each robot.
    states: [State; ROBOTS],
    /// Number of the last directive from the current program of the hub.
    directive: u64,
    /// Individuals sent by robots in this run, with their senders.
    sent: HashSet<(usize, Individual)>,
    local: f64,
    pub(super) record: RecordChecker,
    /// Checker of recorded control updates.
    pub updates: UpdateChecker,
    /// Whether an operator holds the robot, for each robot.
    held: [bool; ROBOTS],
    /// `held` flag in the last directive to each robot from the current program of the hub. The robot itself may have
    /// reported the hold to the hub.
    said_held: [bool; ROBOTS],
    score: ScoreChecker,
    pub(super) fault: Fault,
    waits_for_run: bool,
}

impl HubChecker {
    /// Handles a start of the hub's program without a run.
    pub fn started(&mut self) {
        (self.heard, self.states, self.local) = ([None; ROBOTS], [State::Idle; ROBOTS], 0.0);
        self.directive = 0;
        (self.held, self.said_held) = ([false; ROBOTS], [false; ROBOTS]);
        self.sent.clear();
        self.score.forget();
    }

    /// Returns the counts of the run so far, to be stored with a snapshot.
    pub fn counts(&self) -> RunCounts {
        RunCounts { score: self.score.clone(), waits_for_run: self.waits_for_run, came: self.record.came() }
    }

    /// Handles a start of the hub's program that resumes a run at the running time `run_seconds` (s). Resets the
    /// expected roster and the pending round trips. Restores `counts`, and keeps the genes that the hub may send.
    ///
    /// `held` contains the ids of the robots that the stored state marks as held. If `fresh` is false, the stored state
    /// is not the latest one, and the robots that are held may differ.
    pub fn resumed(&mut self, now: u32, counts: RunCounts, run_seconds: f64, held: &[String], fresh: bool) {
        let forgotten = |robot: &usize| fresh && self.held[*robot] && !held.iter().any(|name| name == id(*robot));
        let forgotten = (0..ROBOTS).find(forgotten);
        self.fault.hold(forgotten.is_none(), now, "a restarted hub holds the same robots", || {
            ("hub".into(), format!("robot {} is no longer held", forgotten.map_or("", id)))
        });
        self.held = std::array::from_fn(|robot| held.iter().any(|name| name == id(robot)));
        self.said_held = self.held;
        (self.heard, self.states, self.local) = ([None; ROBOTS], [State::Idle; ROBOTS], 0.0);
        self.directive = 0;
        let lost = self.score.run_seconds() - run_seconds;
        self.fault.hold(!fresh || lost <= LOST_SECONDS, now, "a restarted hub resumes its run", || {
            ("hub".into(), format!("{lost:.3} s of running time were lost"))
        });
        self.score.go_on(counts.score);
        self.waits_for_run = counts.waits_for_run;
        self.record.goes_on(counts.came);
    }

    /// Handles the death of the hub's program, whose record stays open.
    pub fn died(&mut self) {
        self.record.died();
    }

    /// Handles the acceptance of a run.
    pub fn run_began(&mut self) {
        self.sent.clear();
        self.record.run_began();
        self.score.run_began();
        self.waits_for_run = true;
    }

    /// Handles an operator's HOLD (`held`) or RELEASE of a robot.
    pub fn holds(&mut self, robot: usize, held: bool) {
        (self.held[robot], self.said_held[robot]) = (held, held);
    }

    /// Returns whether a robot must stand still because it is held.
    pub fn is_held(&self, robot: usize) -> bool {
        self.held[robot] || self.said_held[robot]
    }

    /// Advances the hub's clock to `local` (s).
    pub fn time(&mut self, local: f64) {
        self.local = local;
    }

    /// Handles the arrival of a robot's message at the switchboard. The message comes from the program that the hub
    /// currently accepts as the robot's program.
    pub fn delivered(&mut self, local: f64, robot: &str, message: &RobotMessage) {
        let name = robot;
        let Some(robot) = (0..ROBOTS).find(|i| id(*i) == name) else { return };
        self.heard[robot] = Some(local);
        match message {
            RobotMessage::Telemetry(told) => self.states[robot] = told.state,
            RobotMessage::Genes { emigrant, .. } => {
                self.sent.insert((robot, individual(emigrant)));
            }
            RobotMessage::Pong { stamp } => self.score.ponged(robot, local, *stamp),
            _ => {}
        }
        self.record.delivered(name, message);
    }

    /// Handles the arrival of a frame at the switchboard. `progress` is the run's phase, segment and running time
    /// (s).
    pub fn frame(&mut self, frame: &Frame, progress: (Phase, u32, f64)) {
        if let Some(pose) = frame.pose("frisbee") {
            self.score.frisbee(pose.at.x, progress);
        }
        self.record.frame(self.local, frame);
    }

    /// Checks a message that the hub sends to a robot.
    pub fn sends(&mut self, now: u32, robot: usize, message: &ToRobot) {
        match message {
            ToRobot::Ping { stamp } => self.score.pinged(robot, *stamp),
            ToRobot::Experiment { number, seed, .. } => self.updates.on_run_sent(*number, *seed),
            ToRobot::Directive(Directive { number, state, held, .. }) => {
                let last = self.directive.max(*number);
                self.fault.hold(*number == last, now, "numbers of directives never fall", || {
                    ("hub".into(), format!("sent directive {number} to {} after directive {last}", id(robot)))
                });
                self.directive = last;
                self.said_held[robot] = *held;
                self.fault.hold(
                    !self.is_held(robot) || *state == State::Stop,
                    now,
                    "a held robot stands still",
                    || ("hub".into(), format!("sent {state:?} to {}, which is held", id(robot))),
                );
                if *state == State::Run {
                    self.runs();
                }
            }
            ToRobot::Genes { immigrants, .. } => {
                let mut ids = HashSet::new();
                for gene in immigrants {
                    let name = individual(gene);
                    let other = (0..ROBOTS).any(|r| r != robot && self.sent.contains(&(r, name)));
                    let holds = other && ids.insert(name) && immigrants.len() <= IMMIGRANTS;
                    self.fault.hold(holds, now, "each gene comes from another robot and is delivered once", || {
                        let what = format!(
                            "received {} immigrants, including individual {}.{}",
                            immigrants.len(),
                            name.0,
                            name.1
                        );
                        (id(robot).into(), what)
                    });
                }
            }
            _ => {}
        }
    }

    /// Checks an entry that the hub records.
    pub fn recorded(&mut self, now: u32, entry: Entry) {
        if let Entry::Updates { robot, updates, .. } = &entry {
            self.updates.recorded(now, robot, updates);
        }
        self.record.recorded(now, entry);
    }

    /// Checks a line that the hub logs.
    pub fn logged(&mut self, now: u32, text: &str) {
        self.record.logged(now, text);
    }

    /// Handles the opening of a run's record.
    pub fn opened(&mut self) {
        self.record.opened();
    }

    /// Checks the status with which a record is closed.
    pub fn closed(&mut self, now: u32, status: &Status) {
        self.record.closed(now, status);
        self.compare_score(now, status);
    }

    fn compare_score(&mut self, now: u32, status: &Status) {
        // The hub counts round trips from its first RUN directive, even if no robot is connected to receive the
        // directive.
        if status.directive.state == State::Run {
            self.runs();
        }
        self.score.compare(now, status, &mut self.fault);
    }

    fn runs(&mut self) {
        if std::mem::take(&mut self.waits_for_run) {
            self.score.first_run();
        }
    }

    /// Checks the hub at the end of a turn. `came` is the number of received messages, requests and frames, and
    /// `actions` is the number of actions.
    pub fn turned(&mut self, now: u32, came: usize, actions: usize) {
        let most = ACTIONS + ACTIONS_EACH * came;
        self.fault.hold(actions <= most, now, "queues stay within bounds", || {
            ("hub".into(), format!("{actions} actions in a turn with {came} messages; expected at most {most}"))
        });
        self.record.settled(now);
    }

    /// Checks the hub's status immediately after the simulated time has advanced.
    pub fn check(&mut self, now: u32, status: &Status) {
        for (robot, row) in status.robots.iter().enumerate() {
            let there = self.heard[robot].is_some_and(|at| self.local - at <= LOST_AFTER);
            self.fault.hold(row.alive == there, now, "the roster lists the robots that were heard", || {
                let ago = self.heard[robot].map(|at| self.local - at);
                (row.id.clone(), format!("alive: {}; last heard {ago:?} s ago", row.alive))
            });
            self.fault.hold(
                row.state == self.states[robot],
                now,
                "the roster shows the states that robots reported",
                || {
                    (
                        row.id.clone(),
                        format!("the hub shows {:?}, but the robot reported {:?}", row.state, self.states[robot]),
                    )
                },
            );
        }
        self.fault.hold(status.events.len() <= EVENTS, now, "queues stay within bounds", || {
            ("hub".into(), format!("{} events", status.events.len()))
        });
        self.compare_score(now, status);
    }
}
