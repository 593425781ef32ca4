//! State of a run as data, from which a hub continues after a crash.

use super::dedup::SeenGenerations;
use super::robots::island_of;
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

/// Interval between stored states (s of wall time).
const KEEP: f64 = 1.0;

/// State of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Arena time of the hub that stored it (s).
    pub time: f64,
    /// Ids of the robots, in the order of their islands.
    pub robots: Vec<String>,
    /// Number of robots at the start of the run.
    pub planned: usize,
    /// Phase of the hub.
    pub phase: Phase,
    /// Signed experiment.
    pub signed: Signed,
    /// Number of the experiment, by which robots identify it.
    pub number: u64,
    /// Last used number; later directives and experiments have greater ones.
    pub last_number: u64,
    /// State that robots were ordered to be in, and the numbers of the first and the last directive with this state.
    pub told: (State, u64, u64),
    /// Count of STOPs.
    pub stops: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Whether the run has been started.
    pub under_way: bool,
    /// Running time, without pauses (s).
    pub run_seconds: f64,
    /// Index of the experiment's phase, from 0, with its running time (s), its number of segments, and the common
    /// tree of all robots.
    pub experiment_phase: (u16, f64, u32, Option<String>),
    /// Current segment.
    pub segment: u32,
    /// Real fitness so far.
    pub score: Score,
    /// Number of goals so far, and the running time of the last one (s).
    pub goals: (u32, f64),
    /// Number of robots lost so far.
    pub dead: u32,
    /// Connected robots.
    pub alive: Vec<String>,
    /// Round trips so far.
    pub round_trips: RoundTrips,
    /// Recent emigrants of the islands.
    pub geneserver: Geneserver,
    /// Generations received so far.
    pub seen: SeenGenerations,
    /// For each robot, the trees that controlled it and its island's last emigrant.
    pub trees: Vec<(Loaded, Option<Emigrant>)>,
    /// Held robots.
    #[serde(default)]
    pub held: Vec<String>,
    /// Operator who started the run.
    #[serde(default)]
    pub started_by: String,
    /// Status shown to operators, which becomes the result if no hub returns.
    pub status: Status,
}

impl Snapshot {
    /// Whether the run is over, so that its record is only closed.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Finished
    }

    /// Claim of a returning hub, for robots to confirm.
    pub fn claim(&self) -> Claim {
        let (state, since, last) = self.told;
        let alive = self.alive.iter().filter(|id| !self.held.contains(id)).cloned().collect();
        Claim { run: self.number, state, since, last, stops: self.stops, alive }
    }

    /// Marks a generation found in the record, which may be newer than this state.
    pub fn recorded(&mut self, robot: &str, generation: u32, emigrant: &Emigrant) {
        if let Some(place) = self.robots.iter().position(|id| id == robot) {
            self.seen.insert(island_of(place), generation, emigrant);
        }
    }
}

impl Switchboard {
    /// Stores the state at the set interval, and whenever the run or the directive has changed.
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

    /// Records the state of the run.
    pub(super) fn tell_run(&mut self, now: f64) {
        let Status { phase, run_seconds, segment, segments, evolved, slow_round_trips, dead, .. } = self.status(now);
        let entry = Entry::Run { time: now, phase, run_seconds, segment, segments, evolved, slow_round_trips, dead };
        self.actions.push(Action::Record(entry));
    }

    fn snapshot(&self, now: f64) -> Option<Snapshot> {
        let run = self.run.as_ref()?;
        let robots = &self.roster.robots;
        // Parking starts only when no run is in progress.
        let phase = if self.phase == Phase::Parking { Phase::Finished } else { self.phase };
        let (number, state, _) = self.directive;
        // While the run waits for testimony, its original claim is stored, in case this hub crashes too.
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
