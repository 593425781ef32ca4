//! The switchboard: who is there, what the swarm is to do, and how the run stands. A plain state machine over arena
//! time in seconds; [`crate::service`] feeds it and does what it says.

mod operators;
mod robots;
mod run;

use crate::config::Config;
use crate::mocap::Frame;
use crate::recorder::Entry;
use crate::roster::Roster;
use crate::virtual_senses::VirtualSenses;
use run::Run;
use std::collections::VecDeque;
use xpuck_kernels::world::model::MAX_ROBOTS;
use xpuck_wire::message::{State, ToRobot};
use xpuck_wire::{Body, Phase};

/// An experiment or directive that was not acknowledged is sent again after this, s.
const REPEAT: f64 = 0.2;
/// Pings to each robot, s apart.
const PING: f64 = 0.1;
/// It rests when it moved less than this between frames, m.
const RESTING: f32 = 0.0005;
/// Longest time between two calls that counts as running time, s.
const LONGEST_STEP: f64 = 0.5;
/// Poses older than this mean that tracking is lost, s.
const TRACKING_LOST: f64 = 1.0;
/// Events kept for display.
const EVENTS: usize = 50;

/// What the shell is to do.
#[derive(Debug)]
pub enum Action {
    /// Send to a robot.
    Send(String, ToRobot),
    /// Open a record for this run.
    OpenRecord {
        /// The experiment's name.
        name: String,
        /// Its text.
        text: String,
        /// Seed of the run.
        seed: u64,
    },
    /// Add to the record.
    Record(Entry),
    /// Close the record; the status is final.
    CloseRecord,
    /// A line for the log.
    Say(String),
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
    /// Rises with every directive and experiment; starts above those of any earlier hub.
    number: u64,
    directive: (u64, State, u32),
    last: f64,
    next_ping: f64,
    next_repeat: f64,
    frame: Option<(f64, Frame)>,
    resting: bool,
    tracking: bool,
    events: VecDeque<String>,
    record: String,
    refused: u64,
    actions: Vec<Action>,
}

impl Switchboard {
    /// A hub that has just started. `base` must be above the base of any hub that ran before (wall time in ms is).
    pub fn new(config: Config, base: u64) -> Switchboard {
        Switchboard {
            roster: Roster::new(&config.swarm.robots),
            senses: VirtualSenses::new(config.hub.senses.clone(), base),
            config,
            phase: Phase::Idle,
            run: None,
            number: base,
            directive: (base, State::Idle, 0),
            last: 0.0,
            next_ping: 0.0,
            next_repeat: 0.0,
            frame: None,
            resting: false,
            tracking: false,
            events: VecDeque::new(),
            record: String::new(),
            refused: 0,
            actions: Vec::new(),
        }
    }

    /// Where the current record is written, for display.
    pub fn set_record(&mut self, path: String) {
        self.record = path;
    }

    /// What is to be done since the last call.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Adds an event: shown, logged and recorded.
    pub fn note(&mut self, now: f64, text: String) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(format!("{now:.1} {text}"));
        self.actions.push(Action::Record(Entry::Event { time: now, text: text.clone() }));
        self.actions.push(Action::Say(text));
    }

    pub(super) fn direct(&mut self, state: State, segment: u32) {
        self.number += 1;
        self.directive = (self.number, state, segment);
        let (number, state, segment) = self.directive;
        for robot in self.roster.robots.iter().filter(|r| r.alive()) {
            self.actions.push(Action::Send(robot.id.clone(), ToRobot::Directive { number, state, segment }));
        }
    }

    /// Handles a frame of motion capture.
    pub fn on_frame(&mut self, now: f64, frame: Frame) {
        let stale = self.frame.as_ref().is_some_and(|(_, last)| last.number == frame.number);
        if stale {
            return;
        }
        let frisbee = frame.pose(&self.config.hub.mocap.frisbee);
        let before = self.frame.as_ref().and_then(|(_, f)| f.pose(&self.config.hub.mocap.frisbee));
        if let (Some(pose), Some(before)) = (frisbee, before) {
            self.resting = (pose.at - before.at).length() < RESTING;
        }
        if frame.number.is_multiple_of(2) {
            self.actions.push(Action::Record(Entry::Poses { time: now, bodies: bodies(&frame) }));
        }
        self.senses.take(now, frame.clone());
        self.frame = Some((now, frame));
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
            let running = matches!(self.phase, Phase::Running | Phase::Paused | Phase::Relocating);
            if let Some(run) = self.run.as_mut().filter(|_| running) {
                run.dead += 1;
            }
            self.note(
                now,
                format!("robot {id} is lost (silent for 3 s): check its power and network; the run goes on"),
            );
        }
        let tracking = self.frame.as_ref().is_some_and(|(at, _)| now - at < TRACKING_LOST);
        if self.tracking && !tracking {
            self.note(now, "no poses for 1 s: check the motion-capture server".into());
        }
        self.tracking = tracking;
        for (id, message) in self.senses.due(now, &self.config.swarm.robots) {
            self.actions.push(Action::Send(id, message));
        }
        if now >= self.next_ping {
            self.next_ping = now + PING;
            for robot in self.roster.robots.iter().filter(|r| r.alive()) {
                self.actions.push(Action::Send(robot.id.clone(), ToRobot::Ping { stamp: now }));
            }
        }
        if now >= self.next_repeat {
            self.next_repeat = now + REPEAT;
            self.repeat();
        }
        self.prepare(now);
        self.advance(now, passed);
    }

    /// Says again what robots have not acknowledged.
    fn repeat(&mut self) {
        let (number, state, segment) = self.directive;
        let run = self.run.as_ref().filter(|_| !matches!(self.phase, Phase::Idle | Phase::Finished));
        for robot in self.roster.robots.iter().filter(|r| r.alive()) {
            let message = match run {
                Some(run) if robot.experiment != run.number && robot.refusal.is_none() => ToRobot::Experiment {
                    number: run.number,
                    seed: run.seed,
                    robots: self.config.swarm.robots.len().min(MAX_ROBOTS) as u16,
                    text: run.text.clone(),
                },
                _ if robot.telemetry.obeyed < number => ToRobot::Directive { number, state, segment },
                _ => continue,
            };
            self.actions.push(Action::Send(robot.id.clone(), message));
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
        Phase::Finished => "finished",
    }
}
