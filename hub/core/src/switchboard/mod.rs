//! The switchboard: who is there, what the swarm is to do, and how the run stands. A plain state machine over arena
//! time in seconds; [`crate::hub`] feeds it and does what it says.

mod batteries;
mod dedup;
mod drive;
mod enrol;
mod keeping;
mod operators;
mod orders;
mod parking;
mod push;
mod returning;
mod robots;
mod run;
mod snapshot;
mod tracking_watchdog;
mod update;

use crate::config::Config;
use crate::entry::Entry;
use crate::mocap::Frame;
use crate::mocap::names::NamesWatch;
use crate::park::Sightings;
use crate::rate::Rate;
use crate::rate_limit::RateLimit;
use crate::roster::Roster;
use crate::virtual_senses::VirtualSenses;
use keeping::Keeping;
pub use keeping::{Kept, Memory, Stand, Whom};
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

/// An experiment or directive that was not acknowledged is sent again after this, s.
const REPEAT: f64 = 0.2;
/// A directive is to be obeyed within this time, s; it is sent again and again, each time with a new expiry.
const VALID: f64 = 3.0;
/// Those who were turned away are told of at most so often, s.
const REFUSALS: f64 = 30.0;
/// Pings to each robot, s apart.
const PING: f64 = 0.1;
/// It rests when it moved less than this between frames, m.
const RESTING: f32 = 0.0005;
/// Longest time between two calls that counts as running time, s.
const LONGEST_STEP: f64 = 0.5;
/// Poses are recorded so often at most, times a second.
pub const POSES_HZ: f64 = 25.0;
/// Poses older than this mean that tracking is lost, s.
pub const TRACKING_LOST: f64 = 1.0;
/// Events kept for display.
pub const EVENTS: usize = 50;
/// Events kept for those who ask.
const KEPT_EVENTS: usize = 1000;

/// What the shell is to do.
#[derive(Debug)]
pub enum Action {
    /// Send to a robot, by its place in the swarm file, from 0.
    Send(usize, ToRobot),
    /// Open a record for this run.
    OpenRecord {
        /// The experiment's name.
        name: String,
        /// Its text.
        text: String,
        /// The files that it names, by name.
        files: BTreeMap<String, String>,
        /// Seed of the run.
        seed: u64,
    },
    /// Add to the record.
    Record(Entry),
    /// Keep how the run stands.
    Snapshot(Box<Snapshot>),
    /// Keep how many STOPs there were.
    Stops(u64),
    /// Send a piece of a bundle's payload to a robot.
    Chunk {
        /// Its place in the swarm file, from 0.
        robot: usize,
        /// SHA-256 of the payload.
        digest: String,
        /// Where the piece begins.
        offset: u64,
    },
    /// Keep how the update stands.
    KeepUpdate(Box<Update>),
    /// The swarm has more robots now.
    Enrolled(Box<Swarm>),
    /// Close the record; the status is final.
    CloseRecord,
    /// A line for the log.
    Say(Line),
    /// End the hub.
    Shutdown,
}

/// The hub's state.
pub struct Switchboard {
    config: Config,
    roster: Roster,
    senses: VirtualSenses,
    phase: Phase,
    run: Option<Run>,
    push: Option<Push>,
    parked: Option<parking::Parked>,
    update: Option<Update>,
    /// Where the numbers began: wall time at the start, ms.
    base: u64,
    /// Rises with every directive and experiment; starts above those of any earlier hub, unless the clock went back.
    number: u64,
    directive: (u64, State, u32),
    /// The first directive of those that asked for the present state.
    told_since: u64,
    /// STOPs that the swarm was given, as far as this hub, its disk and the robots know.
    stops: u64,
    keeping: Keeping,
    /// When it was given, s.
    directed: f64,
    last: f64,
    next_ping: f64,
    next_repeat: f64,
    next_snapshot: f64,
    /// Experiment and directive of the state that was kept last.
    snapshot_at: Option<(u64, u64)>,
    /// Something changed that the next hub has to know: a snapshot at the end of this turn, whatever the phase.
    snapshot_wanted: bool,
    frame: Option<(f64, Frame)>,
    sightings: Sightings,
    /// Since when the frisbee has been at rest, if it is.
    resting: Option<f64>,
    watchdog: TrackingWatchdog,
    refused_poses: Vec<(String, u64)>,
    /// Names of the bodies that motion capture sends.
    names: NamesWatch,
    log_lines_lost: u64,
    tracking: bool,
    /// Poses that are recorded.
    pose_rate: Rate,
    /// What happened, the newest last, and how many events there were.
    events: VecDeque<Event>,
    happened: u64,
    record: String,
    refused: u64,
    /// Robots that came to the swarm since the hub started.
    newcomers: usize,
    /// What is said of messages for the record that make no sense.
    malformed: RateLimit,
    trust: Trust,
    security: SecurityReport,
    /// How many had been turned away when it was told last, and when it may be told again.
    told: (u64, f64),
    actions: Vec<Action>,
}

impl Switchboard {
    /// A hub that has just started. `base` is wall time in ms, and so above the base of any hub that ran before; robots
    /// get along with one that is not, because the clock went back.
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
            told_since: base,
            stops: 0,
            keeping: Keeping::default(),
            directed: 0.0,
            last: 0.0,
            next_ping: 0.0,
            next_repeat: 0.0,
            next_snapshot: 0.0,
            snapshot_at: None,
            snapshot_wanted: false,
            frame: None,
            sightings: Sightings::default(),
            resting: None,
            watchdog: TrackingWatchdog::default(),
            refused_poses: Vec::new(),
            names: NamesWatch::default(),
            log_lines_lost: 0,
            tracking: false,
            pose_rate: Rate::default(),
            events: VecDeque::new(),
            happened: 0,
            record: String::new(),
            refused: 0,
            newcomers: 0,
            malformed: RateLimit::default(),
            trust: if config.swarm.security.dev_mode { Trust::Anybody } else { Trust::nobody() },
            security: SecurityReport { dev_mode: config.swarm.security.dev_mode, ..SecurityReport::default() },
            told: (0, 0.0),
            config,
            actions: Vec::new(),
        }
    }

    /// Where the current record is written, for display.
    pub fn set_record(&mut self, path: String) {
        self.record = path;
    }

    /// Whose experiments are accepted from now on.
    pub fn set_trust(&mut self, trust: Trust) {
        self.trust = trust;
    }

    /// How many were turned away so far; new ones are noted now and then.
    pub fn set_refusals(&mut self, now: f64, refusals: Refusals) {
        self.security.refusals = refusals;
        let (told, next) = self.told;
        if refusals.total() > told && now >= next {
            self.told = (refusals.total(), now + REFUSALS);
            let r = refusals;
            self.warn(
                now,
                format!(
                    "turned away so far: {} unknown keys, {} wrong roles, {} without a key of this hub, {} messages of revoked keys, \
                     {} under a wrong name",
                    r.unknown_key, r.wrong_role, r.no_curve, r.revoked, r.wrong_name
                ),
            );
        }
    }

    /// Why the folder of keys cannot be read, while it cannot.
    pub fn set_keys_unreadable(&mut self, why: Option<String>) {
        self.security.keys_unreadable = why.unwrap_or_default();
    }

    /// How many poses motion capture refused so far, by reason, for display.
    pub fn set_refused_poses(&mut self, counts: Vec<(String, u64)>) {
        self.refused_poses = counts;
    }

    /// How many lines of the log were lost so far, for display.
    pub fn set_log_lines_lost(&mut self, count: u64) {
        self.log_lines_lost = count;
    }

    /// Messages of robots that are not in the swarm file.
    pub fn strangers(&self) -> u64 {
        self.refused
    }

    /// What is to be done since the last call.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Adds an event that is as it should be: shown, logged and recorded.
    pub fn note(&mut self, now: f64, text: String) {
        self.say(now, Line::info(text));
    }

    /// Adds an event that somebody should look at.
    pub fn warn(&mut self, now: f64, text: String) {
        self.say(now, Line::warn(text));
    }

    /// Adds an event.
    pub fn say(&mut self, now: f64, line: Line) {
        self.say_for(now, "", line);
    }

    /// Adds what an operator did or said.
    pub(super) fn note_for(&mut self, now: f64, who: &str, text: String) {
        self.say_for(now, who, Line::info(text));
    }

    fn say_for(&mut self, now: f64, who: &str, line: Line) {
        if self.events.len() == KEPT_EVENTS {
            self.events.pop_front();
        }
        self.happened += 1;
        let (level, text, who) = (Severity::of(line.level), line.text.clone(), String::from(who));
        let event = Event { number: self.happened, time: now, level, who: who.clone(), text: text.clone() };
        self.events.push_back(event);
        self.actions.push(Action::Record(Entry::Event { time: now, text, level, who }));
        self.actions.push(Action::Say(line));
    }

    /// Gives a new directive. A STOP counts before it is said.
    pub(super) fn direct(&mut self, state: State, segment: u32) {
        if state == State::Stop {
            self.stops += 1;
            self.actions.push(Action::Stops(self.stops));
        }
        self.number += 1;
        if self.directive.1 != state {
            self.told_since = self.number;
        }
        self.directive = (self.number, state, segment);
        self.directed = self.last;
        for (place, robot) in self.roster.robots.iter().enumerate().filter(|(_, r)| r.alive()) {
            self.actions.push(Action::Send(place, self.directive(robot)));
        }
    }

    /// The present directive, with a new expiry; a robot that is held is to stop, or to pause, whatever the others do.
    fn directive(&self, robot: &crate::roster::Robot) -> ToRobot {
        let (number, state, segment) = self.directive;
        let state = match (robot.held, state) {
            (false, state) => state,
            // Nobody pauses who is to get ready first.
            (true, State::Run | State::Pause) if robot.pauses => State::Pause,
            (true, State::Ready) if robot.pauses => State::Ready,
            (true, _) => State::Stop,
        };
        // Who is parked pauses for no run: a robot that has no experiment is parked too.
        let run = self.run.as_ref().filter(|_| self.phase != Phase::Parking);
        // STOP is an order also while robots are asked: they remember it.
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
        // One that was hidden in between may have been carried.
        let still = frisbee.zip(before).is_some_and(|(pose, before)| (pose.at - before.at).length() < RESTING);
        self.resting = if still { self.resting.or(Some(now)) } else { None };
        let mut robot = false;
        for body in &frame.bodies {
            let Some(place) = self.roster.place(&body.name) else { continue };
            robot = true;
            if let Some(run) = &mut self.run {
                run.score.see_robot(place, body.pose.at);
            }
        }
        self.watchdog.see(now, frisbee.is_some(), robot);
        let mocap = &self.config.hub.mocap;
        self.names.see(now, &frame, &self.config.swarm.robots, &mocap.frisbee);
        if self.pose_rate.allows(now, POSES_HZ) {
            self.actions.push(Action::Record(Entry::Poses { time: now, bodies: bodies(&frame) }));
        }
        self.senses.take(now, &frame);
        self.sightings.take(now, &frame);
        self.frame = Some((now, frame));
        self.see_parking(now);
        if let Some(pose) = frisbee {
            self.watch_frisbee(now, pose.at.x);
        }
    }

    /// What time brings; to be called at least every 10 ms of arena time.
    pub fn on_time(&mut self, now: f64) {
        // What a stalled hub missed was no running time: the robots stood still for want of its voice.
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

    /// True if every robot that is there has obeyed the last directive.
    pub fn all_obey(&self) -> bool {
        let mut there = self.roster.robots.iter().filter(|robot| robot.alive());
        there.all(|robot| robot.telemetry.obeyed == self.directive.0)
    }

    /// Sends the virtual senses that are due; [`Switchboard::on_time`] does it too.
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

    /// Says again what robots have not acknowledged.
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

/// A phase's name as people read it.
pub fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Preparing => "preparing",
        Phase::Running => "running",
        Phase::Paused => "paused",
        Phase::Relocating => "relocating the frisbee",
        Phase::Blind => "paused for want of poses",
        Phase::Resting => "resting",
        Phase::Finished => "finished",
        Phase::Parking => "parking robots",
    }
}
