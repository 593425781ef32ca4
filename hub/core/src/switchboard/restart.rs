//! Resumption of a run after a restart of the hub. The hub restores the run, orders the robots to stand still, and
//! asks the robots whether the run was meant to continue ([`crate::resumption`]).

use super::run::{Claimed, Run};
use super::{Snapshot, Switchboard};
use crate::geneserver::Gate;
use crate::resumption::{Verdict, evaluate};
use crate::roster::Robot;
use std::sync::Arc;
use xpuck_experiment::Plan;
use xpuck_wire::Phase;
use xpuck_wire::log::Line;
use xpuck_wire::message::State;

/// Maximum time to wait for the robots' testimonies (s of wall time).
const RETURN: f64 = 10.0;

impl Switchboard {
    /// Resumes the run of an earlier hub. `now` (s) continues the time of that hub. The robots stand still until their
    /// testimonies have been evaluated. A paused run stays paused until an operator gives RESUME.
    ///
    /// # Errors
    /// Returns the reason why the run cannot be resumed, in one line.
    pub fn resume(&mut self, now: f64, snapshot: Snapshot) -> Result<(), String> {
        // The new swarm may have additional robots, because they may have been added to the swarm file while no hub
        // was running.
        if !self.config.swarm.robots.starts_with(&snapshot.robots) {
            return Err("the run had other robots than the swarm file".into());
        }
        if snapshot.is_over() {
            return Err("the run was over".into());
        }
        let plan = Plan::open(&snapshot.signed, &self.trust, snapshot.planned).map_err(|error| error.to_string())?.0;
        let phase = snapshot.phase;
        let claim = (phase != Phase::Paused).then(|| Claimed { claim: snapshot.claim(), phase });
        let (phase, phase_seconds, phase_segment, tree) = snapshot.experiment_phase;
        self.number = self.number.max(snapshot.last_number);
        self.last = now;
        self.roster.round_trips = snapshot.round_trips;
        for (robot, (loaded, fittest)) in self.roster.robots.iter_mut().zip(snapshot.trees) {
            (robot.loaded, robot.fittest) = (loaded, fittest);
            robot.held = snapshot.held.contains(&robot.id);
        }
        let mut score = snapshot.score;
        // Displacements of the frisbee while no hub was running do not count.
        score.forget_place();
        self.phase = if claim.is_some() { Phase::Preparing } else { snapshot.phase };
        self.run = Some(Run {
            geneserver: snapshot.geneserver,
            gate: Gate::new(plan.primitive_set.clone()),
            phase,
            phase_seconds,
            phase_segment,
            tree,
            score,
            signed: snapshot.signed,
            robots: snapshot.planned,
            number: snapshot.number,
            seed: snapshot.seed,
            started_by: snapshot.started_by,
            began: now,
            run_seconds: snapshot.run_seconds,
            segment: snapshot.segment,
            dead: snapshot.dead,
            warn_at: now,
            goals: snapshot.goals,
            seen: snapshot.seen,
            under_way: snapshot.under_way,
            doubt: None,
            claim,
            resumed_under: Some(snapshot.stops),
            plan: Arc::new(plan),
        });
        self.tell_senses_of_discs();
        self.send_directive(State::Pause, snapshot.segment);
        let away = (now - snapshot.time) / self.config.swarm.speed;
        let stands = match self.is_returning() {
            true => String::new(),
            false => "; it was paused, and `xpuck resume` continues it".into(),
        };
        let held: Vec<&str> = self.roster.robots.iter().filter(|r| r.held).map(|r| r.id.as_str()).collect();
        let held = if held.is_empty() { held.join("") } else { format!("; held: {}", held.join(", ")) };
        self.note(now, format!("the run is resumed after {away:.1} s without a hub{stands}{held}"));
        Ok(())
    }

    /// Evaluates the testimony of the robots. The run continues if all robots that were connected to the earlier hub
    /// confirm that the run was meant to continue. Robots that the earlier hub held need not confirm this.
    pub(super) fn evaluate_testimony(&mut self, now: f64) {
        let Some(run) = &self.run else { return };
        let Some(Claimed { claim, phase }) = &run.claim else { return };
        let (number, phase) = (run.number, *phase);
        let back = |robot: &Robot| robot.alive() && (robot.experiment == number || robot.refusal.is_some());
        let witness = |robot: &'_ Robot| robot.witness.as_ref().filter(|_| back(robot)).cloned();
        let spoken: Vec<_> = self.roster.robots.iter().map(|robot| (robot.id.clone(), witness(robot))).collect();
        let verdict = evaluate(claim, self.stops, spoken.iter().map(|(id, witness)| (id.as_str(), witness.as_ref())));
        let late = now - run.began > RETURN * self.config.swarm.speed;
        match verdict {
            Verdict::Wait(_) if !late => {}
            Verdict::Wait(missing) => {
                if !self.roster.robots.iter().any(back) {
                    return self.finish(now, "", "no robot has returned: the run is over");
                }
                if let Some(run) = &mut self.run {
                    run.dead += missing.len() as u32;
                }
                let who = if missing.len() == 1 { "robot" } else { "robots" };
                let did = if missing.len() == 1 { "has" } else { "have" };
                self.pause_with_reason(now, &format!("{who} {} {did} not returned", missing.join(", ")));
            }
            Verdict::Over(why) => self.finish(now, "", &format!("{why}: the run is over")),
            Verdict::Stand(why) => self.pause_with_reason(now, &why),
            Verdict::Resume => {
                self.apply_reported_holds();
                self.go_on_as(phase);
                let stay = self.roster.robots.iter().filter(|r| r.held).map(|r| r.id.as_str()).collect::<Vec<_>>();
                let but = if stay.is_empty() {
                    String::new()
                } else {
                    format!(", except {}, which are held", stay.join(", "))
                };
                self.log_event(
                    now,
                    Line::info(format!("all robots confirm that the run was meant to continue: RUN{but}")),
                );
            }
        }
    }

    /// Ends a resumed run if robot `id` has received a STOP after the state of this run was saved. This check is needed
    /// for robots that were absent when the testimonies were evaluated. In a run that was paused before the restart, it
    /// is needed for all robots, because their testimonies are not evaluated.
    pub(super) fn end_if_stopped(&mut self, now: f64, id: &str, stops: u64) {
        let goes_on = !matches!(self.phase, Phase::Idle | Phase::Finished | Phase::Parking);
        let judged = self.run.as_ref().filter(|run| goes_on && run.claim.is_none());
        if judged.and_then(|run| run.resumed_under).is_some_and(|under| stops > under) {
            self.finish(now, "", &format!("robot {id} received a later STOP: the run is over"));
        }
    }

    /// Pauses the run until an operator gives RESUME. `why` is shown to operators.
    fn pause_with_reason(&mut self, now: f64, why: &str) {
        self.apply_reported_holds();
        self.pause();
        if let Some(run) = &mut self.run {
            run.doubt = Some(why.into());
        }
        self.warn(now, format!("the run is paused until RESUME: {why}; check this, then `xpuck resume` continues it"));
    }

    /// Holds the robots whose testimony reports a hold, and ends the evaluation.
    pub(super) fn apply_reported_holds(&mut self) {
        if self.run.as_mut().and_then(|run| run.claim.take()).is_none() {
            return;
        }
        // A robot that was released by this hub is not held because of an earlier hold.
        for robot in self.roster.robots.iter_mut().filter(|robot| !robot.released) {
            let told = robot.witness.as_ref().and_then(|witness| witness.told.as_ref());
            if let Some(told) = told.filter(|told| told.held) {
                (robot.held, robot.pauses) = (true, told.state == State::Pause);
            }
        }
    }

    /// Returns the reason why the run waits after a restart of the hub. The text is empty if the run does not wait, or
    /// if an operator paused the run.
    pub(super) fn waits(&self) -> String {
        let paused = self.phase == Phase::Paused;
        match &self.run {
            Some(Run { claim: Some(_), .. }) => {
                format!("the hub has restarted and asks the robots for their last orders, for at most {RETURN} s")
            }
            Some(Run { doubt: Some(why), .. }) if paused => {
                format!("the run is paused until RESUME: {why}; check this, then `xpuck resume` continues it")
            }
            _ => String::new(),
        }
    }

    /// Returns whether the hub is waiting for the robots' testimony about a resumed run.
    pub(super) fn is_returning(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.claim.is_some())
    }

    /// Pauses all robots until an operator gives RESUME.
    pub(super) fn pause(&mut self) {
        self.phase = Phase::Paused;
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        self.send_directive(State::Pause, segment);
    }

    /// Continues the run in `phase`, which is the phase of the earlier hub.
    fn go_on_as(&mut self, phase: Phase) {
        let now = self.last;
        let Some(run) = &mut self.run else { return };
        run.began = now;
        let segment = run.segment;
        match phase {
            Phase::Running | Phase::Resting => self.go_on(),
            Phase::Preparing => self.send_directive(State::Ready, segment),
            phase => {
                self.phase = phase;
                self.send_directive(State::Pause, segment);
            }
        }
    }
}
