//! A run: its time, segments and phases, the relocation of the frisbee, and the end of the run.

use super::dedup::SeenGenerations;
use super::{Action, Switchboard};
use crate::geneserver::Gate;
use crate::resumption::Claim;
use crate::roster::Robot;
use crate::score::Score;
use std::sync::Arc;
use xpuck_evolve::Migrant;
use xpuck_evolve::geneserver::{Copies, Geneserver};
use xpuck_experiment::{Drive, Genes, Kind, Plan, PlannedPhase};
use xpuck_kernels::math::Vec2;
use xpuck_wire::Phase;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, State};
use xpuck_wire::output::value_note;
use xpuck_wire::signed::Signed;

/// Time for which a start waits for all robots (s). Afterwards the run starts without the robots that are not ready.
const PREPARE: f64 = 30.0;
/// Distance between the frisbee's rim and an end of the arena below which the frisbee counts as touching this end (m).
const TOUCH: f32 = 0.004;
/// Distance from the arena's centre along x below which a frisbee at rest counts as relocated (m).
const CENTRAL: f32 = 0.25;
/// Time for which the frisbee must be at rest until it counts as put down (s). During a shorter rest, a person may
/// still hold the frisbee.
const AT_REST: f64 = 0.1;
/// Interval between warnings while the frisbee is not relocated (s).
const RELOCATION: f64 = 20.0;

/// Claim that robots must confirm before the run of an earlier hub continues.
pub(super) struct Claimed {
    /// Claim about the run's state.
    pub(super) claim: Claim,
    /// Phase of the earlier hub. It is restored when the robots confirm the claim.
    pub(super) phase: Phase,
}

pub(super) struct Run {
    pub(super) plan: Arc<Plan>,
    /// Index of the plan's current phase, from 0, and running time in this phase (s).
    pub(super) phase: u16,
    pub(super) phase_seconds: f64,
    /// Number of segments completed in the current phase.
    pub(super) phase_segment: u32,
    /// Tree with which all robots drive in the current phase: the fittest tree of the swarm at the start of the phase.
    /// `None` if the phase does not require a common tree, or if there was no tree.
    pub(super) tree: Option<String>,
    pub(super) signed: Signed,
    /// Number of robots at the start of the run. All islands simulate worlds with this number of robots, so that
    /// fitness values can be compared.
    pub(super) robots: usize,
    pub(super) number: u64,
    pub(super) seed: u64,
    pub(super) started_by: String,
    pub(super) began: f64,
    pub(super) run_seconds: f64,
    pub(super) segment: u32,
    pub(super) score: Score,
    pub(super) geneserver: Geneserver,
    pub(super) gate: Gate,
    pub(super) dead: u32,
    pub(super) seen: SeenGenerations,
    /// Whether RUN has been sent in this run. Statistics of round trips are reset at this time.
    pub(super) under_way: bool,
    /// Reason why the run waits for RESUME after a restart of the hub; `None` if the run does not wait, or if an
    /// operator paused it.
    pub(super) doubt: Option<String>,
    /// Claim about a resumed run that the robots have not confirmed yet.
    pub(super) claim: Option<Claimed>,
    /// Count of STOPs in the state from which this hub resumed the run; `None` if this hub started the run.
    pub(super) resumed_under: Option<u64>,
    /// Time of the next warning that the frisbee is not relocated (s).
    pub(super) warn_at: f64,
    /// Number of goals so far, and running time at the last goal (s).
    pub(super) goals: (u32, f64),
}

impl Run {
    /// Returns the current phase of the plan.
    pub(super) fn planned(&self) -> &PlannedPhase {
        self.plan.phase(usize::from(self.phase))
    }

    /// Returns the state to which robots are ordered in the current phase: PAUSE in a rest, otherwise RUN.
    pub(super) fn state(&self) -> State {
        if self.planned().kind == Kind::Rest { State::Pause } else { State::Run }
    }

    /// Returns the hub's phase that corresponds to the plan's current phase.
    pub(super) fn going_on(&self) -> Phase {
        if self.planned().kind == Kind::Rest { Phase::Resting } else { Phase::Running }
    }
}

/// Describes the start of a phase for operators. `number` counts from 0.
fn announcement(number: u16, phase: &PlannedPhase) -> String {
    let more = if phase.say.is_empty() { String::new() } else { format!(". {}", phase.say) };
    format!("phase {} ({}) begins, {:.1} min at most{more}", number + 1, phase.name, phase.seconds / 60.0)
}

impl Switchboard {
    /// Starts a run. `anyway` skips the battery check.
    pub(super) fn start(&mut self, now: f64, who: &str, signed: Signed, seed: u64, anyway: bool) -> Reply {
        if let Some(why) = self.keeps_from_run() {
            return Reply::Refused(why);
        }
        let (plan, text) = match Plan::open(&signed, &self.trust, self.config.swarm.robots.len()) {
            Ok((plan, text)) => (Arc::new(plan), text),
            Err(error) => return Reply::Refused(error.to_string()),
        };
        if plan.genes == Genes::Peers && self.config.swarm.peers.is_empty() {
            let why = "genes = \"peers\": swarm.toml has no `peers`; add an address for each robot, at which other \
                robots reach it";
            return Reply::Refused(why.into());
        }
        let (short, unknown) = self.batteries_for(&plan);
        if let Some(why) = short.filter(|_| !anyway) {
            return Reply::Refused(why);
        }
        self.number += 1;
        // Estimates from the world of another run do not apply to this run.
        self.roster.robots.iter_mut().for_each(|robot| robot.estimates = None);
        let copies = Copies::from(plan.settings.algorithm.sample_owner());
        let (name, files) = (plan.name.clone(), signed.files.clone());
        let mut score = Score::new();
        score.begin(&plan.phases[0].name, &plan.phases[0].world, seed);
        self.run = Some(Run {
            geneserver: Geneserver::new(plan.migration.clone(), copies, seed),
            gate: Gate::new(plan.primitive_set.clone()),
            score,
            phase: 0,
            phase_seconds: 0.0,
            phase_segment: 0,
            tree: None,
            signed,
            robots: self.config.swarm.robots.len(),
            number: self.number,
            seed,
            started_by: who.into(),
            began: now,
            run_seconds: 0.0,
            segment: 0,
            dead: 0,
            seen: SeenGenerations::default(),
            under_way: false,
            doubt: None,
            claim: None,
            resumed_under: None,
            warn_at: 0.0,
            goals: (0, 0.0),
            plan,
        });
        self.roster.robots.iter_mut().for_each(Robot::begin_run);
        self.phase = Phase::Preparing;
        self.tell_senses_of_discs();
        self.actions.push(Action::OpenRecord { name: name.clone(), text, files, seed });
        self.send_directive(State::Ready, 0);
        self.note_for(now, who, format!("experiment {name}: started by {who}, waiting for the robots to be ready"));
        self.note_lots(now);
        if !unknown.is_empty() {
            self.warn(now, unknown);
        }
        self.repeat();
        Reply::Done
    }

    /// Sends RUN when all robots are ready. After the waiting time of 30 s, it is sufficient that one robot is ready.
    /// If no robot is ready then, the run is cancelled.
    pub(super) fn prepare(&mut self, now: f64) {
        let Some(run) = self.run.as_mut().filter(|_| self.phase == Phase::Preparing) else { return };
        if run.claim.is_some() {
            return self.evaluate_testimony(now);
        }
        let ready = |r: &Robot| r.alive() && r.experiment == run.number && r.telemetry.state == State::Ready;
        let waited_for = |r: &&Robot| !ready(r) && !Switchboard::is_excused(r);
        let missing: Vec<&str> = self.roster.robots.iter().filter(waited_for).map(|r| r.id.as_str()).collect();
        let nobody = !self.roster.robots.iter().any(ready);
        let all = missing.is_empty();
        let late = now - run.began > PREPARE;
        if !all && !late {
            return;
        }
        if nobody {
            self.phase = Phase::Idle;
            self.run = None;
            self.actions.push(Action::CloseRecord);
            self.warn(now, "no robot is ready: switch robots on and start again".into());
            return;
        }
        let line = match all {
            true => {
                let held = self.roster.robots.iter().filter(|r| r.held).count();
                let but = if held > 0 { format!(" except {held} held") } else { String::new() };
                Line::info(format!("all {} robots are ready{but}: RUN", self.roster.robots.len()))
            }
            false => Line::warn(format!("RUN without {}, which are not ready", missing.join(", "))),
        };
        self.log_event(now, line);
        self.go_on();
        self.announce(now);
    }

    /// Starts or continues the run, and sends the robots the state that the current phase requires.
    pub(super) fn go_on(&mut self) {
        let Some(run) = &mut self.run else { return };
        run.doubt = None;
        if !std::mem::replace(&mut run.under_way, true) {
            self.roster.round_trips = Default::default();
        }
        let (state, segment) = (run.state(), run.segment);
        self.phase = run.going_on();
        self.send_directive(state, segment);
    }

    /// Logs the start of a phase, if the plan has several phases.
    fn announce(&mut self, now: f64) {
        let Some(run) = self.run.as_ref().filter(|run| run.plan.phases.len() > 1) else { return };
        let text = announcement(run.phase, run.planned());
        self.note(now, text);
    }

    /// Advances the running time by `passed` (s), and starts the segments and phases that are due. Ends the run after
    /// its last phase.
    pub(super) fn advance(&mut self, now: f64, passed: f64) {
        let waiting = self.phase == Phase::Relocating;
        if let Some(run) = self.run.as_mut().filter(|run| waiting && now >= run.warn_at) {
            run.warn_at = now + RELOCATION;
            let text = "still waiting for the frisbee: put it near the centre, or continue with `xpuck resume`";
            self.warn(now, text.into());
        }
        let on = matches!(self.phase, Phase::Running | Phase::Resting);
        if let Some(run) = self.run.as_mut().filter(|_| !on) {
            run.score.interrupt();
        }
        let Some(run) = self.run.as_mut().filter(|_| on) else { return };
        run.run_seconds += passed;
        run.phase_seconds += passed;
        run.score.pass(passed);
        let plan = run.plan.clone();
        let planned = plan.phase(usize::from(run.phase));
        let segment = (run.phase_seconds / planned.segment_seconds) as u32;
        let whole = segment > run.phase_segment;
        if run.phase_seconds >= planned.seconds {
            return self.next_phase(now, None);
        }
        if let Some(why) = self.ended_by(planned, whole) {
            return self.next_phase(now, Some(why));
        }
        let Some(run) = self.run.as_mut().filter(|_| whole) else { return };
        (run.phase_segment, run.segment) = (segment, run.segment + 1);
        run.score.begin(&planned.name, &planned.world, run.seed);
        let (segment, state) = (run.segment, run.state());
        self.send_directive(state, segment);
        let what = match planned.drive {
            _ if planned.given.iter().all(Option::is_some) => "",
            Drive::Own if planned.given.iter().any(Option::is_some) => {
                ": the robots without a given tree load their fittest"
            }
            Drive::Own => ": every robot loads its fittest tree",
            Drive::Swarm => ": the robots keep the swarm's fittest tree",
        };
        self.note(now, format!("segment {segment}{what}"));
        self.note_lots(now);
    }

    /// Returns a description of the condition that ends the phase now, if any. `whole` states whether a segment has
    /// just been completed.
    fn ended_by(&self, planned: &PlannedPhase, whole: bool) -> Option<String> {
        let (run, until) = (self.run.as_ref()?, &planned.until);
        if let Some(wanted) = until.generations {
            let alive = || self.roster.robots.iter().enumerate().filter(|(i, r)| r.alive() && planned.evolves(*i));
            let least = alive().map(|(_, robot)| robot.telemetry.evolution.generation).min();
            if least.is_some_and(|least| least >= wanted) {
                return Some(format!("all islands have completed {wanted} generations"));
            }
        }
        let steps = run.plan.steps.len();
        let in_a_step = |(i, robot): (usize, &Robot)| robot.alive() && planned.evolves(i) && !robot.is_beyond(steps);
        // In a curriculum, fitness in the world of a step does not apply to the experiment's own world.
        let wait = self.roster.robots.iter().enumerate().any(in_a_step);
        if let Some(wanted) = until.evolved_fitness.filter(|_| !wait) {
            let evolved = self.roster.evolved();
            if evolved >= wanted {
                return Some(format!("the evolved fitness is {evolved:.3}"));
            }
        }
        let wanted = until.fitness.filter(|_| whole)?;
        let fitness = run.score.fitness();
        let value = value_note(run.score.value());
        (fitness >= wanted).then(|| format!("the segment's fitness is {fitness:.3}{value}"))
    }

    /// Starts the next phase, or ends the run after its last phase. If the phase ends early, `why` states the reason
    /// for operators.
    pub(super) fn next_phase(&mut self, now: f64, why: Option<String>) {
        let Some(run) = &mut self.run else { return };
        if usize::from(run.phase) + 1 >= run.plan.phases.len() {
            let why = why.map_or_else(String::new, |why| format!("{why}; "));
            return self.finish(now, "", &format!("{why}the run is over: STOP"));
        }
        run.phase += 1;
        (run.phase_seconds, run.phase_segment) = (0.0, 0);
        run.segment += 1;
        let plan = run.plan.clone();
        let planned = plan.phase(usize::from(run.phase));
        run.score.begin(&planned.name, &planned.world, run.seed);
        let full = run.plan.settings.full_evaluations;
        let tree = (planned.drive == Drive::Swarm).then(|| self.fittest(full)).flatten();
        if let Some(run) = &mut self.run {
            run.tree = tree;
        }
        if let Some(why) = why {
            self.note(now, format!("the phase ends: {why}"));
        }
        self.note_lots(now);
        self.tell_senses_of_discs();
        self.go_on();
        self.announce(now);
    }

    /// Logs the lots of the current segment, if its world has any. The record thus contains them.
    fn note_lots(&mut self, now: f64) {
        let Some(run) = &self.run else { return };
        let lots = run.score.lots();
        if !lots.is_empty() {
            let segment = run.segment;
            self.note(now, format!("lots of segment {segment}: {lots}"));
        }
    }

    /// Passes the discs of the phase's world to the virtual senses. Discs can block messages between robots.
    pub(super) fn tell_senses_of_discs(&mut self) {
        if let Some(run) = &self.run {
            let discs = run.planned().world.discs.iter();
            self.senses.set_discs(discs.map(|disc| disc.shape.radius).collect());
        }
    }

    /// Returns the tree with the greatest derated fitness among the robots' last emigrants. In a curriculum, only
    /// robots in the latest step are considered.
    fn fittest(&self, full_evaluations: u32) -> Option<String> {
        let robots = || self.roster.robots.iter().filter_map(|robot| Some((robot.step.0, robot.fittest.as_ref()?)));
        let latest = robots().map(|(step, _)| step).max();
        let offered = robots().filter(|(step, _)| Some(*step) == latest).map(|(_, gene)| gene);
        let known = offered.filter_map(|gene| Migrant::check(gene.values()).ok());
        let best = known.max_by(|a, b| {
            let value = |migrant: &Migrant| migrant.samples.derated(full_evaluations);
            // If several individuals have the same fitness, the individual with the lowest identifier is chosen.
            value(a).total_cmp(&value(b)).then(b.id.cmp(&a.id))
        })?;
        Some(best.tree.to_string())
    }

    pub(super) fn watch_frisbee(&mut self, now: f64, at: Vec2) {
        let x = at.x;
        let at_rest = self.resting.is_some_and(|since| now - since >= AT_REST);
        let arena = self.config.hub.arena;
        let running = self.phase == Phase::Running;
        let Some(run) = &mut self.run else { return };
        run.score.see(at, running);
        let relocates = run.planned().world.task.relocates();
        if running && relocates && x.abs() + arena.frisbee_radius_m >= arena.length_m / 2.0 - TOUCH {
            self.phase = Phase::Relocating;
            run.warn_at = now + RELOCATION;
            let segment = run.segment;
            let news = match x < 0.0 {
                true => {
                    let (goals, last) = run.goals;
                    run.goals = (goals + 1, run.run_seconds);
                    let since = if goals == 0 { "the start" } else { "the last" };
                    format!("goal {}, {:.0} s after {since}", goals + 1, run.run_seconds - last)
                }
                false => "the frisbee is at the wrong end".into(),
            };
            self.send_directive(State::Pause, segment);
            self.note(now, format!("{news}: all robots pause until the frisbee is back at the centre"));
        } else if self.phase == Phase::Relocating && x.abs() < CENTRAL && at_rest {
            self.go_on();
        }
    }

    pub(super) fn finish(&mut self, now: f64, who: &str, why: &str) {
        self.phase = Phase::Finished;
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        self.send_directive(State::Stop, segment);
        self.note_for(now, who, why.into());
        self.tell_run(now);
        // The final state is stored at once. Otherwise, a crash before the record is closed could make the next hub
        // resume the run.
        self.snapshot_now(now);
        self.actions.push(Action::CloseRecord);
    }
}

#[cfg(test)]
mod tests;
