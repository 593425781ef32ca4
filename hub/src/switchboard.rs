//! The switchboard: who is there, what the swarm is to do, and how the run stands. A plain state machine over arena
//! time in seconds; [`crate::service`] feeds it and does what it says.

use crate::config::Config;
use crate::geneserver::Geneserver;
use crate::mocap::Frame;
use crate::recorder::Entry;
use crate::roster::Roster;
use crate::score::Score;
use crate::virtual_senses::VirtualSenses;
use std::collections::VecDeque;
use xpuck_evolve::{Form, Id, Migrant, Settings};
use xpuck_kernels::world::model::MAX_ROBOTS;
use xpuck_wire::message::{Gene, Reply, Request, RobotMessage, State, ToRobot};
use xpuck_wire::{Body, Experiment, Phase, Status};

/// An experiment or directive that was not acknowledged is sent again after this, s.
const REPEAT: f64 = 0.2;
/// Pings to each robot, s apart.
const PING: f64 = 0.1;
/// How long a start waits for all robots before it goes on without the missing ones, s.
const PREPARE: f64 = 30.0;
/// The frisbee counts as touching the end when it is this near, m: a touch is over within a frame.
const TOUCH: f32 = 0.004;
/// The frisbee counts as relocated when it is this near the centre and rests, m.
const CENTRAL: f32 = 0.25;
/// It rests when it moved less than this between frames, m.
const RESTING: f32 = 0.0005;
/// A relocation that lasts longer is complained of, s.
const RELOCATION: f64 = 20.0;
/// Longest time between two calls that counts as running time, s.
const LONGEST_STEP: f64 = 0.5;
/// Poses older than this mean that tracking is lost, s.
const TRACKING_LOST: f64 = 1.0;
/// Loaded trees remembered of each robot.
const LOADED: usize = 16;
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

struct Run {
    experiment: Experiment,
    text: String,
    number: u64,
    seed: u64,
    began: f64,
    run_seconds: f64,
    segment: u32,
    score: Score,
    geneserver: Geneserver,
    dead: u32,
    /// When a relocation is complained of next.
    complain_at: f64,
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

    fn direct(&mut self, state: State, segment: u32) {
        self.number += 1;
        self.directive = (self.number, state, segment);
        let (number, state, segment) = self.directive;
        for robot in self.roster.robots.iter().filter(|r| r.alive()) {
            self.actions.push(Action::Send(robot.id.clone(), ToRobot::Directive { number, state, segment }));
        }
    }

    /// Handles a message from a robot.
    pub fn on_robot(&mut self, now: f64, id: &str, message: RobotMessage) {
        let speed = self.config.swarm.speed;
        let Some(robot) = self.roster.find(id) else {
            self.refused += 1;
            if self.refused == 1 {
                self.note(now, format!("robot `{id}` is not in the swarm file; its messages are refused"));
            }
            return;
        };
        let (first, back) = (robot.heard.is_none(), robot.lost);
        robot.heard = Some(now);
        robot.lost = false;
        if first || back {
            let text = if back { "is back" } else { "is here" };
            self.note(now, format!("robot {id} {text}"));
        }
        match message {
            RobotMessage::Hello { .. } => {
                if let (Some(robot), Some(island)) = (self.roster.find(id), self.config.swarm.island(id)) {
                    // A robot that greets again may have restarted without its experiment.
                    robot.experiment = 0;
                    self.actions.push(Action::Send(id.into(), ToRobot::Welcome { island }));
                }
            }
            RobotMessage::Pong { stamp } => self.roster.round_trip(id, (now - stamp).max(0.0) / speed * 1000.0),
            RobotMessage::Telemetry(telemetry) => {
                if let Some(robot) = self.roster.find(id) {
                    robot.telemetry = telemetry.clone();
                }
                let round_trip_ms = self.roster.find(id).and_then(|r| r.round_trip_ms);
                self.actions.push(Action::Record(Entry::Telemetry {
                    time: now,
                    robot: id.into(),
                    round_trip_ms,
                    telemetry: Box::new(telemetry),
                }));
            }
            RobotMessage::Experiment { number, error } => self.experiment_answered(now, id, number, error),
            RobotMessage::Genes { generation, emigrant, births } => {
                self.exchange(now, id, generation, emigrant.clone());
                let robot = id.into();
                self.actions.push(Action::Record(Entry::Genes { time: now, robot, generation, emigrant, births }));
            }
            RobotMessage::Loaded { segment, gene } => {
                if let Some(robot) = self.roster.find(id) {
                    robot.loaded.push(gene.clone());
                    let excess = robot.loaded.len().saturating_sub(LOADED);
                    robot.loaded.drain(..excess);
                }
                self.actions.push(Action::Record(Entry::Loaded { time: now, robot: id.into(), segment, gene }));
            }
        }
    }

    fn experiment_answered(&mut self, now: f64, id: &str, number: u64, error: String) {
        let current = self.run.as_ref().is_some_and(|run| run.number == number);
        let Some(robot) = self.roster.find(id).filter(|_| current) else { return };
        if error.is_empty() {
            robot.experiment = number;
        } else if robot.refusal.as_ref() != Some(&error) {
            robot.refusal = Some(error.clone());
            self.note(now, format!("robot {id} refuses the experiment: {error}"));
        }
    }

    fn exchange(&mut self, now: f64, id: &str, generation: u32, gene: Gene) {
        let Some(run) = &mut self.run else { return };
        let island = self.config.swarm.island(id).unwrap_or(0);
        let from = Id { island: gene.island, number: gene.number };
        match Migrant::check(from, gene.epoch, &gene.tree, (gene.count, gene.sum, gene.square)) {
            Ok(migrant) => {
                let immigrants = run.geneserver.exchange(island, migrant).iter().map(to_gene).collect();
                if let Some(robot) = self.roster.find(id) {
                    robot.fittest = Some(gene);
                }
                self.actions.push(Action::Send(id.into(), ToRobot::Genes { generation, immigrants }));
            }
            Err(error) => self.note(now, format!("robot {id}: gene refused: {error}")),
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

    fn watch_frisbee(&mut self, now: f64, x: f32) {
        let arena = self.config.hub.arena;
        let running = self.phase == Phase::Running;
        let Some(run) = &mut self.run else { return };
        run.score.see(run.segment, x, running);
        let segment = run.segment;
        if running && x.abs() + arena.frisbee_radius_m >= arena.length_m / 2.0 - TOUCH {
            self.phase = Phase::Relocating;
            run.complain_at = now + RELOCATION;
            self.direct(State::Pause, segment);
            self.note(now, "the frisbee is at the end of the arena: everybody pauses until it is back".into());
        } else if self.phase == Phase::Relocating && x.abs() < CENTRAL && self.resting {
            self.phase = Phase::Running;
            self.direct(State::Run, segment);
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

    /// Sends RUN when everybody is ready, or when waiting is over and somebody is.
    fn prepare(&mut self, now: f64) {
        let Some(run) = self.run.as_mut().filter(|_| self.phase == Phase::Preparing) else { return };
        let ready =
            |r: &crate::roster::Robot| r.alive() && r.experiment == run.number && r.telemetry.state == State::Ready;
        let missing: Vec<&str> = self.roster.robots.iter().filter(|r| !ready(r)).map(|r| r.id.as_str()).collect();
        let all = missing.is_empty();
        let late = now - run.began > PREPARE;
        if !all && !late {
            return;
        }
        if missing.len() == self.roster.robots.len() {
            self.phase = Phase::Idle;
            self.run = None;
            self.actions.push(Action::CloseRecord);
            self.note(now, "no robot is ready: switch robots on and start again".into());
            return;
        }
        let text = match all {
            true => format!("all {} robots are ready: RUN", self.roster.robots.len()),
            false => format!("RUN without {}, which are not ready", missing.join(", ")),
        };
        self.phase = Phase::Running;
        self.roster.round_trips = Default::default();
        self.direct(State::Run, 0);
        self.note(now, text);
    }

    /// Running time, segments, and the end of the run.
    fn advance(&mut self, now: f64, passed: f64) {
        let waiting = self.phase == Phase::Relocating;
        if let Some(run) = self.run.as_mut().filter(|run| waiting && now >= run.complain_at) {
            run.complain_at = now + RELOCATION;
            let text = "still waiting for the frisbee: put it near the centre, or go on with `xpuck resume`";
            self.note(now, text.into());
        }
        let Some(run) = self.run.as_mut().filter(|_| self.phase == Phase::Running) else { return };
        run.run_seconds += passed;
        run.score.pass(run.segment, passed);
        if run.run_seconds >= run.experiment.seconds() {
            self.finish(now, "the run is over: STOP");
            return;
        }
        let segment = (run.run_seconds / run.experiment.segment_seconds()) as u32;
        if segment > run.segment {
            run.segment = segment;
            self.direct(State::Run, segment);
            self.note(now, format!("segment {segment}: every robot loads its fittest tree"));
        }
    }

    fn finish(&mut self, now: f64, why: &str) {
        self.phase = Phase::Finished;
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        self.direct(State::Stop, segment);
        self.note(now, why.into());
        self.actions.push(Action::CloseRecord);
    }

    /// Answers an operator.
    pub fn on_request(&mut self, now: f64, request: Request) -> Reply {
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        match (request, self.phase) {
            (Request::Status, _) => return Reply::Status(Box::new(self.status(now))),
            (Request::Trees, _) => return Reply::Trees(self.trees()),
            (Request::Start { text, seed }, Phase::Idle | Phase::Finished) => {
                return self.start(now, text, seed);
            }
            (Request::Start { .. }, _) => return Reply::Refused("a run is going on; `xpuck stop` ends it".into()),
            (Request::Pause, Phase::Running | Phase::Relocating) => {
                self.phase = Phase::Paused;
                self.direct(State::Pause, segment);
                self.note(now, "paused by the operator".into());
            }
            (Request::Resume, Phase::Paused | Phase::Relocating) => {
                self.phase = Phase::Running;
                self.direct(State::Run, segment);
                self.note(now, "resumed by the operator".into());
            }
            // STOP is accepted in every phase.
            (Request::Stop, Phase::Idle | Phase::Finished) => self.direct(State::Stop, segment),
            (Request::Stop, _) => self.finish(now, "stopped by the operator"),
            (Request::Shutdown, phase) => {
                if !matches!(phase, Phase::Idle | Phase::Finished) {
                    self.finish(now, "the hub shuts down: STOP");
                }
                self.actions.push(Action::Shutdown);
            }
            (request, phase) => {
                let what = format!("{request:?}").to_lowercase();
                return Reply::Refused(format!("nothing to {what}: the hub is {}", phase_name(phase)));
            }
        }
        Reply::Done
    }

    fn start(&mut self, now: f64, text: String, seed: u64) -> Reply {
        let experiment = match Experiment::parse("experiment", &text) {
            Ok(experiment) => experiment,
            Err(error) => return Reply::Refused(error.to_string()),
        };
        self.number += 1;
        let form = if experiment.evolution.as_published { Form::AsPublished } else { Form::Honest };
        let name = experiment.name.clone();
        self.run = Some(Run {
            geneserver: Geneserver::new(form, Settings::default().immigrants),
            score: Score::new(),
            text: text.clone(),
            number: self.number,
            seed,
            began: now,
            run_seconds: 0.0,
            segment: 0,
            dead: 0,
            complain_at: 0.0,
            experiment,
        });
        for robot in &mut self.roster.robots {
            (robot.refusal, robot.fittest) = (None, None);
            robot.loaded.clear();
        }
        self.phase = Phase::Preparing;
        self.actions.push(Action::OpenRecord { name: name.clone(), text, seed });
        self.direct(State::Ready, 0);
        self.note(now, format!("experiment {name}: waiting for the robots to be ready"));
        self.repeat();
        Reply::Done
    }

    fn trees(&self) -> Vec<(String, Gene)> {
        let of = |r: &crate::roster::Robot| {
            let both = r.loaded.iter().chain(&r.fittest);
            both.map(|gene| (r.id.clone(), gene.clone())).collect::<Vec<_>>()
        };
        self.roster.robots.iter().flat_map(of).collect()
    }

    /// How things stand.
    pub fn status(&self, now: f64) -> Status {
        let arena = self.config.hub.arena;
        let run = self.run.as_ref();
        Status {
            time: now,
            phase: self.phase,
            experiment: run.map(|r| r.experiment.name.clone()).unwrap_or_default(),
            run_seconds: run.map_or(0.0, |r| r.run_seconds),
            run_length: run.map_or(0.0, |r| r.experiment.seconds()),
            segment: run.map_or(0, |r| r.segment),
            segments: run.map(|r| r.score.segments()).unwrap_or_default(),
            evolved: self.roster.evolved(),
            round_trip_ms: self.roster.round_trips.mean_ms(),
            slow_round_trips: self.roster.round_trips.slow_part(),
            dead: run.map_or(0, |r| r.dead),
            tracking: self.tracking,
            record: self.record.clone(),
            robots: self.roster.rows(),
            bodies: self.frame.as_ref().map(|(_, f)| bodies(f)).unwrap_or_default(),
            half_arena: [arena.length_m / 2.0, arena.width_m / 2.0],
            events: self.events.iter().cloned().collect(),
        }
    }
}

fn bodies(frame: &Frame) -> Vec<Body> {
    let body =
        |b: &crate::mocap::Tracked| Body { name: b.name.clone(), pose: [b.pose.at.x, b.pose.at.y, b.pose.heading] };
    frame.bodies.iter().map(body).collect()
}

fn to_gene(migrant: &Migrant) -> Gene {
    let (count, sum, square) = migrant.samples.parts();
    let Id { island, number } = migrant.id;
    Gene { island, number, epoch: migrant.epoch, tree: migrant.tree.to_string(), count, sum, square }
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
