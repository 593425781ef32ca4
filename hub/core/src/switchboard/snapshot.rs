//! Saved state of a run, from which a restarted hub continues the run.

use super::dedup::SeenGenerations;
use super::robots::island_of;
use super::run::Claimed;
use super::{Action, Switchboard};
use crate::entry::Entry;
use crate::resumption::Claim;
use crate::roster::{Loaded, RoundTrips};
use crate::score::Score;
use serde::{Deserialize, Serialize};
use xpuck_evolve::geneserver::Geneserver;
use xpuck_wire::message::{Emigrant, State};
use xpuck_wire::signed::Signed;
use xpuck_wire::{Phase, Status};

/// Interval between two saved states (s of wall time).
const KEEP: f64 = 1.0;

/// Saved state of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Arena time at which the hub saved this state (s).
    pub time: f64,
    /// Ids of the robots, in the order of their islands.
    pub robots: Vec<String>,
    /// Number of robots at the start of the run.
    pub planned: usize,
    /// Phase of the hub.
    pub phase: Phase,
    /// Signed experiment of the run.
    pub signed: Signed,
    /// Number of the experiment, by which robots identify it.
    pub number: u64,
    /// Last number that the hub assigned to a directive or an experiment. Later directives and experiments get greater
    /// numbers.
    pub last_number: u64,
    /// State that the robots were ordered to enter, and the numbers of the first and the last directive with this
    /// state.
    pub told: (State, u64, u64),
    /// Number of STOPs so far.
    pub stops: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Whether the run has been started.
    pub under_way: bool,
    /// Running time, without pauses (s).
    pub run_seconds: f64,
    /// Current phase of the experiment: its index from 0, its running time (s), and its number of segments so far.
    /// The last value is the tree with which all robots must drive, if any.
    pub experiment_phase: (u16, f64, u32, Option<String>),
    /// Number of the current segment.
    pub segment: u32,
    /// Accumulated fitness of the physical robots.
    pub score: Score,
    /// Number of goals so far, and the running time at the last goal (s).
    pub goals: (u32, f64),
    /// Number of robots lost so far.
    pub dead: u32,
    /// Ids of the connected robots.
    pub alive: Vec<String>,
    /// Total time (ms) and count of all round trips so far, and the count of slow round trips.
    pub round_trips: RoundTrips,
    /// Recent emigrants of the islands.
    pub geneserver: Geneserver,
    /// Generations that the hub has received so far.
    pub seen: SeenGenerations,
    /// Trees that controlled each robot, and the last emigrant of the robot's island. Entries are in robot order.
    pub trees: Vec<(Loaded, Option<Emigrant>)>,
    /// Ids of the robots that operators hold still.
    #[serde(default)]
    pub held: Vec<String>,
    /// Operator who started the run.
    #[serde(default)]
    pub started_by: String,
    /// Status for operators. It becomes the result of the run if no hub continues the run.
    pub status: Status,
}

impl Snapshot {
    /// Returns whether the run has finished. A restarted hub then only has to close the record of the run.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Finished
    }

    /// Returns the claim of a restarted hub about the run. Robots confirm or reject it.
    pub fn claim(&self) -> Claim {
        let (state, since, last) = self.told;
        let alive = self.alive.iter().filter(|id| !self.held.contains(id)).cloned().collect();
        Claim { run: self.number, state, since, last, stops: self.stops, alive }
    }

    /// Marks a generation from the record as received. The record may be newer than this state.
    pub fn recorded(&mut self, robot: &str, generation: u32, emigrant: &Emigrant) {
        if let Some(place) = self.robots.iter().position(|id| id == robot) {
            self.seen.insert(island_of(place), generation, emigrant);
        }
    }
}

impl Switchboard {
    /// Saves the state of the run if a save was requested. Before the end of the run, also saves the state at the
    /// interval `KEEP`, and whenever the run or the directive has changed.
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

    /// Adds the state of the run to the record.
    pub(super) fn tell_run(&mut self, now: f64) {
        let Status { phase, run_seconds, segment, segments, evolved, slow_round_trips, dead, .. } = self.status(now);
        let entry = Entry::Run { time: now, phase, run_seconds, segment, segments, evolved, slow_round_trips, dead };
        self.actions.push(Action::Record(entry));
    }

    fn snapshot(&self, now: f64) -> Option<Snapshot> {
        let run = self.run.as_ref()?;
        let robots = &self.roster.robots;
        // The hub parks robots only when no run is in progress, so the run has finished.
        let phase = if self.phase == Phase::Parking { Phase::Finished } else { self.phase };
        let (number, state, _) = self.directive;
        // If the robots have not confirmed the claim of an earlier hub yet, saves this claim again. Another restarted
        // hub needs the claim if this hub crashes, too.
        let waits = run.claim.as_ref().filter(|_| phase == Phase::Preparing);
        let (phase, told, stops, alive) = match waits {
            Some(Claimed { claim, phase }) => {
                (*phase, (claim.state, claim.since, claim.last), claim.stops, claim.alive.clone())
            }
            None => {
                let alive = robots.iter().filter(|r| r.alive()).map(|r| r.id.clone()).collect();
                (phase, (state, self.state_since, number), self.stops, alive)
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
