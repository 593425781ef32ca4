//! Replies to operators' requests, and status of the hub.

use super::{Action, Switchboard, bodies, phase_name};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Emigrant, Reply, Request, State};
use xpuck_wire::{ExperimentPhase, LastDirective, Phase, Status};

impl Switchboard {
    /// Executes a request and returns the reply. `who` is the name of the operator.
    pub fn on_request(&mut self, now: f64, who: &str, request: Request) -> Reply {
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        match (request, self.phase) {
            (Request::Status, _) => return Reply::Status(Box::new(self.status(now))),
            (Request::Trees, _) => return Reply::Trees(self.trees()),
            (Request::Pushed, _) => return Reply::Pushed(self.pushed()),
            (Request::Push { text, robots }, Phase::Idle | Phase::Finished) => return self.push(now, text, robots),
            (Request::Push { .. }, _) => {
                return Reply::Refused("settings cannot be changed during a run; `xpuck stop` ends it".into());
            }
            (Request::Updated, _) => return Reply::Updated(self.updated()),
            (Request::AbortUpdate, _) => return self.abort_update(now, who),
            // The shell handles these requests. They arrive here only in a hub that does not store bundles.
            (Request::Upload { .. } | Request::Update { .. }, _) => {
                return Reply::Refused("this hub does not store bundles".into());
            }
            (Request::Start { signed, seed }, Phase::Idle | Phase::Finished) => {
                return self.start(now, who, signed, seed, false);
            }
            (Request::StartAnyway { signed, seed }, Phase::Idle | Phase::Finished) => {
                return self.start(now, who, signed, seed, true);
            }
            (Request::Start { .. } | Request::StartAnyway { .. }, Phase::Parking) => {
                return Reply::Refused("robots are being parked; `xpuck stop` ends it".into());
            }
            (Request::Start { .. } | Request::StartAnyway { .. }, _) => {
                return Reply::Refused("a run is in progress; `xpuck stop` ends it".into());
            }
            (Request::Park(order), Phase::Idle | Phase::Finished) => {
                if let Some(why) = self.keeps_from_run() {
                    return Reply::Refused(why);
                }
                return self.park(now, who, order);
            }
            (Request::Park(_), Phase::Parking) => {
                return Reply::Refused("robots are being parked; `xpuck stop` ends it".into());
            }
            (Request::Park(_), _) => {
                return Reply::Refused("robots cannot be parked during a run; `xpuck stop` ends it".into());
            }
            (Request::Parked, _) => return Reply::Parked(self.park_report(now).map(Box::new)),
            // NEXT is not allowed while tracking is lost, because the next phase would begin with RUN.
            (Request::Next, Phase::Running | Phase::Resting | Phase::Paused | Phase::Relocating) => {
                self.next_phase(now, Some(format!("by {who}")));
            }
            (Request::Pause, Phase::Running | Phase::Relocating | Phase::Blind | Phase::Resting) => {
                self.pause();
                self.note_for(now, who, format!("paused by {who}"));
            }
            // After this PAUSE, the robots' testimony about earlier orders is irrelevant. Only the holds that the
            // testimony reports still apply.
            (Request::Pause, Phase::Preparing) if self.is_returning() => {
                self.apply_reported_holds();
                self.pause();
                self.note_for(now, who, format!("paused by {who}"));
            }
            (Request::Resume, Phase::Preparing) if self.is_returning() => {
                self.apply_reported_holds();
                self.go_on();
                self.note_for(now, who, format!("resumed by {who}"));
            }
            (Request::Resume, Phase::Paused | Phase::Relocating) => {
                self.go_on();
                self.note_for(now, who, format!("resumed by {who}"));
            }
            // STOP is accepted in every phase.
            (Request::Stop, Phase::Idle | Phase::Finished) => self.send_directive(State::Stop, segment),
            (Request::Stop, Phase::Parking) => {
                self.end_parking(now, who, Line::info(format!("parking is stopped by {who}: STOP")), false);
            }
            (Request::Stop, _) => self.finish(now, who, &format!("stopped by {who}")),
            (Request::Note { text }, _) => return self.take_note(now, who, &text),
            (Request::Enrol { robots, peers }, _) => return self.enrol(now, who, robots, peers),
            (Request::Order { robot, order }, _) => return self.order(now, who, &robot, order),
            (Request::Drive { robot, wheels, lamps }, _) => return self.drive(now, who, &robot, wheels, lamps),
            (Request::Watch { robot, picture }, _) => return self.watch(&robot, picture),
            (Request::Picture { robot }, _) => return self.picture(now, &robot),
            // The shell handles this request. It arrives here only in a hub without a console.
            (Request::Link, _) => return Reply::Refused("this hub does not have a console".into()),
            (Request::Events { after }, _) => return Reply::Events(self.events_after(after)),
            (Request::Shutdown, phase) => {
                if phase == Phase::Parking {
                    self.end_parking(now, who, Line::info("the hub shuts down: STOP"), false);
                }
                let phase = self.phase;
                if !matches!(phase, Phase::Idle | Phase::Finished) {
                    self.finish(now, who, "the hub shuts down: STOP");
                }
                self.actions.push(Action::Shutdown);
            }
            (request, phase) => {
                let what = format!("{request:?}").to_lowercase();
                return Reply::Refused(format!(
                    "nothing to {what}: no run is in progress (the hub is {})",
                    phase_name(phase)
                ));
            }
        }
        Reply::Done
    }

    fn trees(&self) -> Vec<(String, Emigrant)> {
        let of = |r: &crate::roster::Robot| {
            let both = r.loaded.iter().map(|(_, gene)| gene).chain(&r.fittest);
            both.map(|gene| (r.id.clone(), gene.clone())).collect::<Vec<_>>()
        };
        self.roster.robots.iter().flat_map(of).collect()
    }

    /// Returns the number of the run and the index of the plan's current phase. Both are 0 without a run.
    pub fn here(&self) -> (u64, u16) {
        self.run.as_ref().map_or((0, 0), |run| (run.number, run.phase))
    }

    /// Returns the world of the plan's current phase, or `None` without a run.
    pub fn world(&self) -> Option<&xpuck_kernels::world::WorldSpec> {
        self.run.as_ref().map(|run| &*run.planned().world)
    }

    /// Returns the hub's phase, and the run's segment and running time (s). Without a run, the last two values are 0.
    /// The call is cheaper than [`Switchboard::status`].
    pub fn progress(&self) -> (Phase, u32, f64) {
        self.run.as_ref().map_or((self.phase, 0, 0.0), |run| (self.phase, run.segment, run.run_seconds))
    }

    /// Returns the status of the hub at `now` (s).
    pub fn status(&self, now: f64) -> Status {
        let arena = self.config.hub.arena;
        let run = self.run.as_ref();
        Status {
            time: now,
            phase: self.phase,
            experiment: run.map(|r| r.plan.name.clone()).unwrap_or_default(),
            run_seconds: run.map_or(0.0, |r| r.run_seconds),
            run_length: run.map_or(0.0, |r| r.plan.seconds()),
            experiment_phase: run.map(|r| ExperimentPhase {
                number: r.phase,
                count: r.plan.phases.len() as u16,
                name: r.planned().name.clone(),
                seconds: r.phase_seconds,
                length: r.planned().seconds,
            }),
            segment: run.map_or(0, |r| r.segment),
            segments: run.map(|r| r.score.segments()).unwrap_or_default(),
            evolved: self.roster.evolved(),
            round_trip_ms: self.roster.round_trips.mean_ms(),
            slow_round_trips: self.roster.round_trips.slow_part(),
            dead: run.map_or(0, |r| r.dead),
            tracking: self.tracking,
            refused_poses: self.refused_poses.clone(),
            names: self.names.mismatch().into(),
            record: self.record.clone(),
            robots: self.rows(now),
            bodies: self.frame.as_ref().map(|(_, f)| bodies(f)).unwrap_or_default(),
            half_arena: [arena.length_m / 2.0, arena.width_m / 2.0],
            security: self.security.clone(),
            log_lines_lost: self.log_lines_lost,
            events: self.latest_events(),
            directive: LastDirective {
                number: self.directive.0,
                state: self.directive.1,
                age_s: (now - self.directed) / self.config.swarm.speed,
            },
            task: run.map_or(String::new(), |r| r.planned().world.task.name().into()),
            pose_age_s: self.frame.as_ref().map(|(at, _)| now - at),
            started_by: run.map(|r| r.started_by.clone()).unwrap_or_default(),
            waits: self.waits(),
            not_kept: self.not_kept(now),
        }
    }
}
