//! A run: its clock, its segments, the relocation of the frisbee, and its end.

use super::dedup::SeenGenerations;
use super::{Action, Switchboard};
use crate::geneserver::{Copies, Gate, Geneserver};
use crate::score::Score;
use xpuck_evolve::{Algorithm, PrimitiveSet, SampleOwner};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, State};
use xpuck_wire::signed::Signed;
use xpuck_wire::{Experiment, Phase};

/// How long a start waits for all robots before it goes on without the missing ones, s.
const PREPARE: f64 = 30.0;
/// How long a run that was resumed waits for the robots that were there, s of wall time.
const RETURN: f64 = 10.0;
/// The frisbee counts as touching the end when it is this near, m: a touch is over within a frame.
const TOUCH: f32 = 0.004;
/// The frisbee counts as relocated when it is this near the centre and rests, m.
const CENTRAL: f32 = 0.25;
/// It has to rest for so long, so that one that a hand holds is not taken for put down, s.
const AT_REST: f64 = 0.1;
/// A relocation that lasts longer is warned of, s.
const RELOCATION: f64 = 20.0;

pub(super) struct Run {
    pub(super) experiment: Experiment,
    pub(super) signed: Signed,
    pub(super) number: u64,
    pub(super) seed: u64,
    pub(super) began: f64,
    pub(super) run_seconds: f64,
    pub(super) segment: u32,
    pub(super) score: Score,
    pub(super) geneserver: Geneserver,
    pub(super) gate: Gate,
    pub(super) dead: u32,
    pub(super) seen: SeenGenerations,
    /// The run was resumed from a hub that died: the robots that were there, until they are back.
    pub(super) resumed: Option<Vec<String>>,
    /// When a relocation is warned of next.
    pub(super) warn_at: f64,
}

impl Switchboard {
    pub(super) fn start(&mut self, now: f64, signed: Signed, seed: u64) -> Reply {
        let (experiment, text) = match signed.open(&self.trust) {
            Ok(opened) => opened,
            Err(error) => return Reply::Refused(error.to_string()),
        };
        let algorithm = match experiment.evolution.algorithm().parse::<Algorithm>() {
            Ok(algorithm) => algorithm,
            Err(error) => return Reply::Refused(format!("experiment: evolution.algorithm: {error}")),
        };
        self.number += 1;
        let copies = match algorithm.sample_owner() {
            SampleOwner::Copy => Copies::Each,
            SampleOwner::Genotype => Copies::Once,
        };
        let name = experiment.name.clone();
        self.run = Some(Run {
            geneserver: Geneserver::new(experiment.migration.clone(), copies, seed),
            gate: Gate::new(PrimitiveSet::in_swarm()),
            score: Score::new(),
            signed,
            number: self.number,
            seed,
            began: now,
            run_seconds: 0.0,
            segment: 0,
            dead: 0,
            seen: SeenGenerations::default(),
            resumed: None,
            warn_at: 0.0,
            experiment,
        });
        self.roster.robots.iter_mut().for_each(crate::roster::Robot::begin_run);
        self.phase = Phase::Preparing;
        self.actions.push(Action::OpenRecord { name: name.clone(), text, seed });
        self.direct(State::Ready, 0);
        self.note(now, format!("experiment {name}: waiting for the robots to be ready"));
        self.repeat();
        Reply::Done
    }

    /// Sends RUN when everybody is ready, or when waiting is over and somebody is.
    pub(super) fn prepare(&mut self, now: f64) {
        let Some(run) = self.run.as_mut().filter(|_| self.phase == Phase::Preparing) else { return };
        if run.resumed.is_some() {
            return self.prepare_again(now);
        }
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
            self.warn(now, "no robot is ready: switch robots on and start again".into());
            return;
        }
        let line = match all {
            true => Line::info(format!("all {} robots are ready: RUN", self.roster.robots.len())),
            false => Line::warn(format!("RUN without {}, which are not ready", missing.join(", "))),
        };
        self.phase = Phase::Running;
        self.roster.round_trips = Default::default();
        self.direct(State::Run, 0);
        self.say(now, line);
    }

    /// Sends RUN again when the robots that were there are back, or when waiting is over.
    fn prepare_again(&mut self, now: f64) {
        let Some(run) = &mut self.run else { return };
        let number = run.number;
        let back = |r: &crate::roster::Robot| r.alive() && r.experiment == number;
        let is_back = |id: &String| self.roster.robots.iter().any(|r| r.id == *id && back(r));
        let expected = run.resumed.clone().unwrap_or_default();
        let missing: Vec<String> = expected.into_iter().filter(|id| !is_back(id)).collect();
        let late = now - run.began > RETURN * self.config.swarm.speed;
        if !missing.is_empty() && !late {
            return;
        }
        run.resumed = None;
        if !self.roster.robots.iter().any(back) {
            self.finish(now, "no robot came back: the run is over");
            return;
        }
        run.dead += missing.len() as u32;
        let segment = run.segment;
        let line = match missing.is_empty() {
            true => Line::info("the robots are back: RUN"),
            false => Line::warn(format!("RUN without {}, which did not come back", missing.join(", "))),
        };
        self.phase = Phase::Running;
        self.direct(State::Run, segment);
        self.say(now, line);
    }

    /// Running time, segments, and the end of the run.
    pub(super) fn advance(&mut self, now: f64, passed: f64) {
        let waiting = self.phase == Phase::Relocating;
        if let Some(run) = self.run.as_mut().filter(|run| waiting && now >= run.warn_at) {
            run.warn_at = now + RELOCATION;
            let text = "still waiting for the frisbee: put it near the centre, or go on with `xpuck resume`";
            self.warn(now, text.into());
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

    pub(super) fn watch_frisbee(&mut self, now: f64, x: f32) {
        let at_rest = self.resting.is_some_and(|since| now - since >= AT_REST);
        let arena = self.config.hub.arena;
        let running = self.phase == Phase::Running;
        let Some(run) = &mut self.run else { return };
        run.score.see(run.segment, x, running);
        let segment = run.segment;
        if running && x.abs() + arena.frisbee_radius_m >= arena.length_m / 2.0 - TOUCH {
            self.phase = Phase::Relocating;
            run.warn_at = now + RELOCATION;
            self.direct(State::Pause, segment);
            self.note(now, "the frisbee is at the end of the arena: everybody pauses until it is back".into());
        } else if self.phase == Phase::Relocating && x.abs() < CENTRAL && at_rest {
            self.phase = Phase::Running;
            self.direct(State::Run, segment);
        }
    }

    pub(super) fn finish(&mut self, now: f64, why: &str) {
        self.phase = Phase::Finished;
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        self.direct(State::Stop, segment);
        self.note(now, why.into());
        self.tell_run(now);
        self.actions.push(Action::CloseRecord);
    }
}
