//! How a run stands as data, so that a hub that returns after a crash goes on with it.

use super::dedup::SeenGenerations;
use super::robots::island;
use super::run::Run;
use super::{Action, Switchboard};
use crate::entry::Entry;
use crate::geneserver::{Gate, Geneserver};
use crate::roster::{Loaded, RoundTrips};
use crate::score::Score;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xpuck_experiment::Plan;
use xpuck_wire::message::{Emigrant, State};
use xpuck_wire::signed::Signed;
use xpuck_wire::{Phase, Status};

/// The state is kept so often, s of wall time.
const KEEP: f64 = 1.0;

/// How a run stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Arena time of the hub that kept it, s.
    pub time: f64,
    /// Ids of the robots, in the order of their islands.
    pub robots: Vec<String>,
    /// Robots when the run began.
    pub planned: usize,
    /// What the hub did.
    pub phase: Phase,
    /// The experiment, as it was signed.
    pub signed: Signed,
    /// Number of the experiment, which robots know it by.
    pub number: u64,
    /// Number of the last directive: later ones are above it.
    pub directive: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Running time, pauses left out, s.
    pub run_seconds: f64,
    /// The experiment's phase, from 0; running time and segments in it, and the tree of all robots for it.
    pub experiment_phase: (u16, f64, u32, Option<String>),
    /// The current segment.
    pub segment: u32,
    /// Real fitness so far.
    pub score: Score,
    /// Goals so far, and the running time of the last, s.
    pub goals: (u32, f64),
    /// Robots lost so far.
    pub dead: u32,
    /// Robots that were there.
    pub alive: Vec<String>,
    /// Round trips so far.
    pub round_trips: RoundTrips,
    /// The islands' recent emigrants.
    pub geneserver: Geneserver,
    /// Which generations were taken.
    pub seen: SeenGenerations,
    /// Of each robot the trees that drove it, and its island's fittest.
    pub trees: Vec<(Loaded, Option<Emigrant>)>,
    /// Robots that are held.
    #[serde(default)]
    pub held: Vec<String>,
    /// Who started the run.
    #[serde(default)]
    pub started_by: String,
    /// What operators were shown: the result, should no hub return.
    pub status: Status,
}

impl Snapshot {
    /// The run is over: its record is to be closed, and no hub goes on with it.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Finished
    }

    /// A generation of a robot is in the record, which reaches further than this state.
    pub fn recorded(&mut self, robot: &str, generation: u32, emigrant: &Emigrant) {
        if let Some(place) = self.robots.iter().position(|id| id == robot) {
            self.seen.take(island(place), generation, emigrant);
        }
    }
}

impl Switchboard {
    /// Keeps the state when it is due, and when phase or segment have changed since.
    pub(super) fn snapshot_if_due(&mut self, now: f64) {
        let here = self.run.as_ref().map(|run| (run.number, self.directive.0));
        let over = matches!(self.phase, Phase::Idle | Phase::Finished | Phase::Parking);
        if over || here.is_none() || (now < self.next_snapshot && here == self.snapshot_at) {
            return;
        }
        self.next_snapshot = now + KEEP * self.config.swarm.speed;
        self.snapshot_at = here;
        self.tell_run(now);
        self.snapshot_now(now);
    }

    pub(super) fn snapshot_now(&mut self, now: f64) {
        self.actions.extend(self.snapshot(now).map(|snapshot| Action::Snapshot(Box::new(snapshot))));
    }

    /// Records how the run stands.
    pub(super) fn tell_run(&mut self, now: f64) {
        let Status { phase, run_seconds, segment, segments, evolved, slow_round_trips, dead, .. } = self.status(now);
        let entry = Entry::Run { time: now, phase, run_seconds, segment, segments, evolved, slow_round_trips, dead };
        self.actions.push(Action::Record(entry));
    }

    fn snapshot(&self, now: f64) -> Option<Snapshot> {
        let run = self.run.as_ref()?;
        // A run that has just been resumed from another hub stands as it stood until the robots are back.
        let phase = match self.phase {
            _ if run.resumed.is_some() => Phase::Running,
            // The run was over before robots were parked.
            Phase::Parking => Phase::Finished,
            phase => phase,
        };
        let robots = &self.roster.robots;
        let alive =
            run.resumed.clone().unwrap_or_else(|| robots.iter().filter(|r| r.alive()).map(|r| r.id.clone()).collect());
        Some(Snapshot {
            time: now,
            robots: self.config.swarm.robots.clone(),
            planned: run.robots,
            phase,
            signed: run.signed.clone(),
            number: run.number,
            directive: self.number,
            seed: run.seed,
            run_seconds: run.run_seconds,
            experiment_phase: (run.phase, run.phase_seconds, run.phase_segment, run.tree.clone()),
            segment: run.segment,
            score: run.score.clone(),
            goals: run.goals,
            dead: run.dead,
            alive,
            round_trips: self.roster.round_trips,
            geneserver: run.geneserver.clone(),
            seen: run.seen.clone(),
            trees: robots.iter().map(|r| (r.loaded.clone(), r.fittest.clone())).collect(),
            held: robots.iter().filter(|r| r.held).map(|r| r.id.clone()).collect(),
            started_by: run.started_by.clone(),
            status: self.status(now),
        })
    }

    /// Goes on with the run of a hub that died. `now` counts on from that hub's time. Robots that paused for want of a
    /// hub are told to run once all are back; a run that stood still stands still.
    ///
    /// # Errors
    /// In one line, why this hub cannot go on with it.
    pub fn resume(&mut self, now: f64, snapshot: Snapshot) -> Result<(), String> {
        // The swarm may have grown while no hub was there.
        if !self.config.swarm.robots.starts_with(&snapshot.robots) {
            return Err("it had other robots".into());
        }
        if snapshot.is_over() {
            return Err("it was over".into());
        }
        let plan = Plan::open(&snapshot.signed, &self.trust, snapshot.planned).map_err(|error| error.to_string())?.0;
        let (phase, phase_seconds, phase_segment, tree) = snapshot.experiment_phase;
        self.number = self.number.max(snapshot.directive);
        self.last = now;
        self.roster.round_trips = snapshot.round_trips;
        for (robot, (loaded, fittest)) in self.roster.robots.iter_mut().zip(snapshot.trees) {
            (robot.loaded, robot.fittest) = (loaded, fittest);
            robot.held = snapshot.held.contains(&robot.id);
        }
        let ran = snapshot.phase == Phase::Running;
        let mut score = snapshot.score;
        // Where the frisbee went while nobody looked does not count.
        score.forget_place();
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
            resumed: ran.then_some(snapshot.alive),
            plan: Arc::new(plan),
        });
        self.tell_senses_of_discs();
        self.phase = if ran { Phase::Preparing } else { snapshot.phase };
        let state = if self.phase == Phase::Preparing && !ran { State::Ready } else { State::Pause };
        self.direct(state, snapshot.segment);
        let away = (now - snapshot.time) / self.config.swarm.speed;
        self.note(now, format!("this hub goes on with the run of one that died {away:.1} s ago"));
        Ok(())
    }
}
