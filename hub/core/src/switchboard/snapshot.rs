//! How a run stands as data, so that a hub that returns after a crash goes on with it.

use super::dedup::SeenGenerations;
use super::robots::island;
use super::run::Claimed;
use super::{Action, Switchboard};
use crate::entry::Entry;
use crate::geneserver::Geneserver;
use crate::resumption::Claim;
use crate::roster::{Loaded, RoundTrips};
use crate::score::Score;
use serde::{Deserialize, Serialize};
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
    /// Directives and experiments that come later have higher numbers.
    pub last_number: u64,
    /// The state that robots were told to be in, since which directive, and the number of the last one that said so.
    pub told: (State, u64, u64),
    /// STOPs that the swarm had been given.
    pub stops: u64,
    /// Seed of the run.
    pub seed: u64,
    /// It was told to go on at least once.
    pub under_way: bool,
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

    /// Claim of a hub that returns, for robots to confirm.
    pub fn claim(&self) -> Claim {
        let (state, since, last) = self.told;
        let alive = self.alive.iter().filter(|id| !self.held.contains(id)).cloned().collect();
        Claim { run: self.number, state, since, last, stops: self.stops, alive }
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
        let wanted = std::mem::take(&mut self.snapshot_wanted);
        let due = now >= self.next_snapshot || here != self.snapshot_at;
        if here.is_none() || !(wanted || due && !over) {
            return;
        }
        self.next_snapshot = now + KEEP * self.config.swarm.speed;
        self.snapshot_at = here;
        self.tell_run(now);
        self.snapshot_now(now);
    }

    pub(super) fn snapshot_now(&mut self, now: f64) {
        if let Some(snapshot) = self.snapshot(now) {
            self.state_handed_over(now);
            self.actions.push(Action::Snapshot(Box::new(snapshot)));
        }
    }

    /// Records how the run stands.
    pub(super) fn tell_run(&mut self, now: f64) {
        let Status { phase, run_seconds, segment, segments, evolved, slow_round_trips, dead, .. } = self.status(now);
        let entry = Entry::Run { time: now, phase, run_seconds, segment, segments, evolved, slow_round_trips, dead };
        self.actions.push(Action::Record(entry));
    }

    fn snapshot(&self, now: f64) -> Option<Snapshot> {
        let run = self.run.as_ref()?;
        let robots = &self.roster.robots;
        // The run was over before robots were parked.
        let phase = if self.phase == Phase::Parking { Phase::Finished } else { self.phase };
        let (number, state, _) = self.directive;
        // A run that waits for witnesses claims what it did, should this hub die too.
        let waits = run.claim.as_ref().filter(|_| phase == Phase::Preparing);
        let (phase, told, stops, alive) = match waits {
            Some(Claimed { claim, phase }) => {
                (*phase, (claim.state, claim.since, claim.last), claim.stops, claim.alive.clone())
            }
            None => {
                let alive = robots.iter().filter(|r| r.alive()).map(|r| r.id.clone()).collect();
                (phase, (state, self.told_since, number), self.stops, alive)
            }
        };
        Some(Snapshot {
            time: now,
            robots: self.config.swarm.robots.clone(),
            planned: run.robots,
            phase,
            signed: run.signed.clone(),
            number: run.number,
            last_number: self.number,
            told,
            stops,
            seed: run.seed,
            under_way: run.under_way,
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
}
