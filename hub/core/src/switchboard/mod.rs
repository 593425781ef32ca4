//! Switchboard: robots, orders to the swarm, and state of the run. It is a state machine over arena time (s).
//! [`crate::hub`] passes inputs to it and executes its actions.

mod batteries;
mod dedup;
mod drive;
mod enrol;
mod operators;
mod orders;
mod parking;
mod persistence;
mod push;
mod restart;
mod robots;
mod run;
mod snapshot;
mod tracking_watchdog;
mod update;

use crate::config::Config;
use crate::entry::Entry;
use crate::mocap::Frame;
use crate::mocap::names::NamesWatch;
use crate::park::LastPoses;
use crate::rate::Rate;
use crate::rate_limit::RateLimit;
use crate::roster::Roster;
use crate::virtual_senses::VirtualSenses;
use persistence::DurableState;
pub use persistence::{Durability, StopOrder, StorageResult, Target};
use push::Push;
use run::Run;
pub use snapshot::Snapshot;
use std::collections::{BTreeMap, VecDeque};
use tracking_watchdog::TrackingWatchdog;
pub use update::{Bundle, DURING_A_RUN, Update};
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_wire::guard::Refusals;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Directive, Event, Severity, State, ToRobot};
use xpuck_wire::signed::Trust;
use xpuck_wire::{Body, Phase, SecurityReport, Swarm};

/// Interval at which an unacknowledged experiment or directive is sent again (s).
const REPEAT: f64 = 0.2;
/// Time from the sending of a directive to its expiry (s). Each repetition has a new expiry time.
const VALID: f64 = 3.0;
/// Minimum interval between reports of rejected peers (s).
const REFUSALS: f64 = 30.0;
/// Interval between pings to each robot (s).
const PING: f64 = 0.1;
/// Displacement between frames below which the frisbee counts as at rest (m).
const RESTING: f32 = 0.0005;
/// Maximum time between two calls of [`Switchboard::on_time`] that counts as running time (s).
const LONGEST_STEP: f64 = 0.5;
/// Maximum recording rate of poses (Hz).
pub const POSES_HZ: f64 = 25.0;
/// Age of the last poses above which tracking counts as lost (s).
pub const TRACKING_LOST: f64 = 1.0;
/// Maximum number of events shown in the status.
pub const EVENTS: usize = 50;
/// Maximum number of stored events.
const KEPT_EVENTS: usize = 1000;

/// Action that the hub's shell must execute.
#[derive(Debug)]
pub enum Action {
    /// Send a message to a robot. The number is the robot's index in the swarm file, from 0.
    Send(usize, ToRobot),
    /// Open a record for a run.
    OpenRecord {
        /// Name of the experiment.
        name: String,
        /// Text of the experiment.
        text: String,
        /// Files of the experiment, by name.
        files: BTreeMap<String, String>,
        /// Seed of the run.
        seed: u64,
    },
    /// Add an entry to the record.
    Record(Entry),
    /// Store the state of the run on the disk.
    Snapshot(Box<Snapshot>),
    /// Store the count of STOPs on the disk.
    Stops(u64),
    /// Send a piece of a bundle's payload to a robot.
    Chunk {
        /// Index of the robot in the swarm file, from 0.
        robot: usize,
        /// SHA-256 of the payload.
        digest: String,
        /// Offset of the piece in the payload (bytes).
        offset: u64,
    },
    /// Store the state of the software update.
    KeepUpdate(Box<Update>),
    /// Announce the new swarm, which contains all robots, after robots were enrolled.
    Enrolled(Box<Swarm>),
    /// Close the record, with the final status of the run.
    CloseRecord,
    /// Write a line to the log.
    Say(Line),
    /// End the hub's program.
    Shutdown,
}

/// State of the hub.
pub struct Switchboard {
    config: Config,
    roster: Roster,
    senses: VirtualSenses,
    phase: Phase,
    run: Option<Run>,
    push: Option<Push>,
    parked: Option<parking::Parked>,
    update: Option<Update>,
    /// Wall time at the start of this hub (ms). It is the base of all numbers that this hub assigns.
    base: u64,
    /// Last number assigned to a directive or an experiment. The numbers of this hub are greater than those of
    /// earlier hubs, unless the clock was set back.
    number: u64,
    directive: (u64, State, u32),
    /// Number of the first directive that ordered the current state.
    state_since: u64,
    /// Greatest count of STOPs known to this hub, its disk and the robots.
    stops: u64,
    keeping: DurableState,
    /// Time at which the last directive was given (s).
    directed: f64,
    last: f64,
    next_ping: f64,
    next_repeat: f64,
    next_snapshot: f64,
    /// Number of the experiment and number of the last directive in the last stored state.
    snapshot_at: Option<(u64, u64)>,
    /// Whether the state must be stored at the end of this turn because the next hub needs it. This applies to every
    /// phase of the hub.
    snapshot_wanted: bool,
    frame: Option<(f64, Frame)>,
    sightings: LastPoses,
    /// Time since which the frisbee has been at rest (s); `None` while it moves.
    resting: Option<f64>,
    watchdog: TrackingWatchdog,
    refused_poses: Vec<(String, u64)>,
    /// Comparison of the body names in motion capture with the names of the robots and the frisbee.
    names: NamesWatch,
    log_lines_lost: u64,
    tracking: bool,
    /// Rate limiter of recorded poses.
    pose_rate: Rate,
    /// Stored events, the newest last, and the number of events so far.
    events: VecDeque<Event>,
    event_count: u64,
    record: String,
    refused: u64,
    /// Number of robots enrolled since the hub started.
    newcomers: usize,
    /// Rate limit of log lines about messages that are not recorded because they are invalid.
    malformed: RateLimit,
    trust: Trust,
    security: SecurityReport,
    /// Number of rejected peers in the last warning, and earliest time of the next warning (s).
    refusals_reported: (u64, f64),
    actions: Vec<Action>,
}

impl Switchboard {
    /// Creates a switchboard. `base` is the wall time (ms). It exceeds the base of earlier hubs, unless the clock was
    /// set back. Robots accept a lower base too.
    pub fn new(config: Config, base: u64) -> Switchboard {
        Switchboard {
            roster: Roster::new(&config.swarm.robots),
            senses: VirtualSenses::new(&config, base),
            phase: Phase::Idle,
            run: None,
            push: None,
            parked: None,
            update: None,
            base,
            number: base,
            directive: (base, State::Idle, 0),
            state_since: base,
            stops: 0,
            keeping: DurableState::default(),
            directed: 0.0,
            last: 0.0,
            next_ping: 0.0,
            next_repeat: 0.0,
            next_snapshot: 0.0,
            snapshot_at: None,
            snapshot_wanted: false,
            frame: None,
            sightings: LastPoses::default(),
            resting: None,
            watchdog: TrackingWatchdog::default(),
            refused_poses: Vec::new(),
            names: NamesWatch::default(),
            log_lines_lost: 0,
            tracking: false,
            pose_rate: Rate::default(),
            events: VecDeque::new(),
            event_count: 0,
            record: String::new(),
            refused: 0,
            newcomers: 0,
            malformed: RateLimit::default(),
            trust: if config.swarm.security.dev_mode { Trust::Anybody } else { Trust::nobody() },
            security: SecurityReport { dev_mode: config.swarm.security.dev_mode, ..SecurityReport::default() },
            refusals_reported: (0, 0.0),
            config,
            actions: Vec::new(),
        }
    }

    /// Sets the path of the current record, which the status shows.
    pub fn set_record(&mut self, path: String) {
        self.record = path;
    }

    /// Sets the trusted signers of experiments.
    pub fn set_trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// Sets the number of rejected peers. If it has increased, a warning is logged, at most once in 30 s.
    pub fn set_refusals(&mut self, now: f64, refusals: Refusals) {
        self.security.refusals = refusals;
        let (told, next) = self.refusals_reported;
        if refusals.total() > told && now >= next {
            self.refusals_reported = (refusals.total(), now + REFUSALS);
            let r = refusals;
            self.warn(
                now,
                format!(
                    "rejected so far: {} unknown keys, {} wrong roles, {} without a key of this hub, {} messages of \
                     revoked keys, {} with a wrong name",
                    r.unknown_key, r.wrong_role, r.no_curve, r.revoked, r.wrong_name
                ),
            );
        }
    }

    /// Sets the reason why the key folder cannot be read; `None` if it can be read.
    pub fn set_keys_unreadable(&mut self, why: Option<String>) {
        self.security.keys_unreadable = why.unwrap_or_default();
    }

    /// Sets the number of rejected poses by reason, which the status shows.
    pub fn set_refused_poses(&mut self, counts: Vec<(String, u64)>) {
        self.refused_poses = counts;
    }

    /// Sets the number of lost log lines, which the status shows.
    pub fn set_log_lines_lost(&mut self, count: u64) {
        self.log_lines_lost = count;
    }

    /// Returns the number of messages from robots that are not in the swarm file.
    pub fn strangers(&self) -> u64 {
        self.refused
    }

    /// Returns the actions that were added since the last call.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Adds an event of normal severity, which is shown, logged and recorded.
    pub fn note(&mut self, now: f64, text: String) {
        self.log_event(now, Line::info(text));
    }

    /// Adds an event with the severity of a warning.
    pub fn warn(&mut self, now: f64, text: String) {
        self.log_event(now, Line::warn(text));
    }

    /// Adds an event with the text and severity of a log line.
    pub fn log_event(&mut self, now: f64, line: Line) {
        self.say_for(now, "", line);
    }

    /// Adds an event of normal severity that operator `who` has caused or written.
    pub(super) fn note_for(&mut self, now: f64, who: &str, text: String) {
        self.say_for(now, who, Line::info(text));
    }

    fn say_for(&mut self, now: f64, who: &str, line: Line) {
        if self.events.len() == KEPT_EVENTS {
            self.events.pop_front();
        }
        self.event_count += 1;
        let (level, text, who) = (Severity::from_level(line.level), line.text.clone(), String::from(who));
        let event = Event { number: self.event_count, time: now, level, who: who.clone(), text: text.clone() };
        self.events.push_back(event);
        self.actions.push(Action::Record(Entry::Event { time: now, text, level, who }));
        self.actions.push(Action::Say(line));
    }

    /// Gives a new directive to all connected robots. The count of STOPs is increased before a STOP is sent.
    pub(super) fn send_directive(&mut self, state: State, segment: u32) {
        if state == State::Stop {
            self.stops += 1;
            self.actions.push(Action::Stops(self.stops));
        }
        self.number += 1;
        if self.directive.1 != state {
            self.state_since = self.number;
        }
        self.directive = (self.number, state, segment);
        self.directed = self.last;
        for (place, robot) in self.roster.robots.iter().enumerate().filter(|(_, r)| r.alive()) {
            self.actions.push(Action::Send(place, self.directive(robot)));
        }
    }

    /// Returns the current directive for a robot, with a new expiry time. A held robot is ordered to stop or pause even
    /// if the current directive is RUN.
    fn directive(&self, robot: &crate::roster::Robot) -> ToRobot {
        let (number, state, segment) = self.directive;
        let state = match (robot.held, state) {
            (false, state) => state,
            // A robot must get READY before it can pause.
            (true, State::Run | State::Pause) if robot.pauses => State::Pause,
            (true, State::Ready) if robot.pauses => State::Ready,
            (true, _) => State::Stop,
        };
        // During parking the directive does not contain a run, because robots without an experiment are parked too.
        let run = self.run.as_ref().filter(|_| self.phase != Phase::Parking);
        // `asks` is true while the hub waits for the robots' testimony. A PAUSE of this hub must then not replace the
        // last order that robots remember. Robots do remember a STOP or a hold, because these are new orders.
        let asks = !robot.held && state == State::Pause && run.is_some_and(|run| run.claim.is_some());
        let (run, phase, tree) = run.map_or((0, 0, None), |run| (run.number, run.phase, run.tree.clone()));
        let (expires, stops, held) = (self.last + VALID, self.stops, robot.held);
        ToRobot::Directive(Directive { number, state, segment, run, phase, tree, expires, stops, held, asks })
    }

    /// Handles a frame of motion capture.
    pub fn on_frame(&mut self, now: f64, frame: Frame) {
        let stale = self.frame.as_ref().is_some_and(|(_, last)| last.number == frame.number);
        if stale {
            return;
        }
        let frisbee = frame.pose(&self.config.hub.mocap.frisbee);
        let before = self.frame.as_ref().and_then(|(_, f)| f.pose(&self.config.hub.mocap.frisbee));
        // A frisbee that was hidden in the previous frame may have been carried, so it does not count as at rest.
        let still = frisbee.zip(before).is_some_and(|(pose, before)| (pose.at - before.at).length() < RESTING);
        self.resting = if still { self.resting.or(Some(now)) } else { None };
        let mut robot = false;
        for body in &frame.bodies {
            let Some(place) = self.roster.place(&body.name) else { continue };
            robot = true;
            if let Some(run) = &mut self.run {
                run.score.see_robot(place, body.pose);
            }
        }
        self.watchdog.see(now, frisbee.is_some(), robot);
        let mocap = &self.config.hub.mocap;
        self.names.see(now, &frame, &self.config.swarm.robots, &mocap.frisbee);
        if self.pose_rate.allows(now, POSES_HZ) {
            self.actions.push(Action::Record(Entry::Poses { time: now, bodies: bodies(&frame) }));
        }
        self.senses.on_frame(now, &frame);
        self.sightings.on_frame(now, &frame);
        self.frame = Some((now, frame));
        self.see_parking(now);
        if let Some(pose) = frisbee {
            self.watch_frisbee(now, pose.at);
        }
    }

    /// Handles timeouts and periodic tasks. The caller must call it at least every 10 ms of arena time.
    pub fn on_time(&mut self, now: f64) {
        // After a stall, only part of the time counts as running time, because robots stand still without messages
        // from the hub.
        let passed = (now - self.last).clamp(0.0, LONGEST_STEP);
        self.last = now;
        for id in self.roster.newly_lost(now) {
            let running = matches!(
                self.phase,
                Phase::Running | Phase::Paused | Phase::Relocating | Phase::Blind | Phase::Resting
            );
            if let Some(run) = self.run.as_mut().filter(|_| running) {
                run.dead += 1;
            }
            let goes_on = if running { "; the run goes on" } else { "" };
            self.warn(now, format!("robot {id} is lost (silent for 3 s): check its power and network{goes_on}"));
        }
        let tracking = self.frame.as_ref().is_some_and(|(at, _)| now - at < TRACKING_LOST);
        if self.tracking && !tracking {
            self.warn(now, "no poses for 1 s: check the motion-capture server".into());
        }
        self.tracking = tracking;
        self.send_senses(now);
        if now >= self.next_ping {
            self.next_ping = now + PING;
            for (place, robot) in self.roster.robots.iter_mut().enumerate().filter(|(_, r)| r.alive()) {
                robot.pinged(now);
                self.actions.push(Action::Send(place, ToRobot::Ping { stamp: now }));
            }
        }
        if now >= self.next_repeat {
            self.next_repeat = now + REPEAT;
            self.repeat();
            self.repeat_push(now);
            self.go_on_updating(now);
        }
        self.prepare(now);
        self.watch_batteries(now);
        self.watch_tracking(now);
        self.watch_names(now);
        self.go_on_parking(now);
        self.advance(now, passed);
        self.snapshot_if_due(now);
    }

    /// Returns whether every connected robot has confirmed the last directive.
    pub fn all_obey(&self) -> bool {
        let mut there = self.roster.robots.iter().filter(|robot| robot.alive());
        there.all(|robot| robot.telemetry.obeyed == self.directive.0)
    }

    /// Sends the virtual senses that are due. [`Switchboard::on_time`] also calls this method.
    pub fn send_senses(&mut self, now: f64) {
        for (place, message) in self.senses.due(now) {
            self.actions.push(Action::Send(place, message));
        }
        let adapts = self.phase == Phase::Running && self.run.as_ref().is_some_and(|run| run.plan.adapt);
        let robots = &self.roster.robots;
        let wheels = |place: usize| robots.get(place).filter(|robot| robot.alive()).map(|r| r.telemetry.motion.wheels);
        for (place, poses) in adapts.then(|| self.senses.poses_due(now, wheels)).into_iter().flatten() {
            self.actions.push(Action::Send(place, ToRobot::Poses(Box::new(poses))));
        }
    }

    /// Sends the experiment or the directive again to each robot that has not acknowledged it.
    fn repeat(&mut self) {
        let number = self.directive.0;
        let none = matches!(self.phase, Phase::Idle | Phase::Finished | Phase::Parking);
        let run = self.run.as_ref().filter(|_| !none);
        for (place, robot) in self.roster.robots.iter().enumerate().filter(|(_, r)| r.alive()) {
            let message = match run {
                Some(run) if robot.experiment != run.number && robot.refusal.is_none() => ToRobot::Experiment {
                    number: run.number,
                    seed: run.seed,
                    robots: run.robots.min(MAX_ROBOTS) as u16,
                    signed: run.signed.clone(),
                },
                _ if robot.telemetry.obeyed != number => self.directive(robot),
                _ => continue,
            };
            self.actions.push(Action::Send(place, message));
        }
    }
}

fn bodies(frame: &Frame) -> Vec<Body> {
    let body =
        |b: &crate::mocap::Tracked| Body { name: b.name.clone(), pose: [b.pose.at.x, b.pose.at.y, b.pose.heading] };
    frame.bodies.iter().map(body).collect()
}

/// Returns the name of a phase for operators.
pub fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Preparing => "preparing",
        Phase::Running => "running",
        Phase::Paused => "paused",
        Phase::Relocating => "relocating the frisbee",
        Phase::Blind => "paused without poses",
        Phase::Resting => "resting",
        Phase::Finished => "finished",
        Phase::Parking => "parking robots",
    }
}
