//! Pauses a run while motion capture provides no poses. Without poses, robots have no virtual senses, and the task
//! cannot be scored.

use super::{Switchboard, TRACKING_LOST};
use xpuck_wire::Phase;
use xpuck_wire::message::State;

/// Times at which motion capture last saw the frisbee and any robot (s).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TrackingWatchdog {
    frisbee: f64,
    robot: f64,
}

impl TrackingWatchdog {
    pub(super) fn see(&mut self, now: f64, frisbee: bool, robot: bool) {
        self.frisbee = if frisbee { now } else { self.frisbee };
        self.robot = if robot { now } else { self.robot };
    }

    /// Describes the bodies that have not been seen for more than `TRACKING_LOST` seconds; `None` if no body is
    /// missing. The frisbee counts only if `frisbee` is true.
    fn missing(&self, now: f64, frisbee: bool) -> Option<&'static str> {
        let gone = |at: f64| now - at > TRACKING_LOST;
        match (frisbee && gone(self.frisbee), gone(self.robot)) {
            (false, false) => None,
            (true, false) => Some("the frisbee was not seen"),
            (false, true) => Some("no robot was seen"),
            (true, true) => Some("nothing was seen"),
        }
    }
}

impl Switchboard {
    /// Pauses a run while poses are missing, and resumes the run when poses return. Does not end a pause that an
    /// operator has ordered.
    pub(super) fn watch_tracking(&mut self, now: f64) {
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        let scored = |run: &super::run::Run| run.planned().world.task.last_disc(1) > 0;
        let frisbee = self.run.as_ref().is_none_or(scored);
        match (self.phase, self.watchdog.missing(now, frisbee)) {
            (Phase::Running, Some(what)) => {
                self.phase = Phase::Blind;
                self.send_directive(State::Pause, segment);
                let remedy = match self.names.mismatch() {
                    "" => "check whether motion capture runs and sees them",
                    mismatch => mismatch,
                };
                self.warn(
                    now,
                    format!("{what} for {TRACKING_LOST} s: all robots pause until tracking is back; {remedy}"),
                );
            }
            (Phase::Blind, None) => {
                self.go_on();
                let what = if frisbee { "frisbee and robots are" } else { "robots are" };
                self.note(now, format!("{what} seen again: RUN"));
            }
            _ => {}
        }
    }

    /// Warns once about each mismatch between the body names in motion capture and in the swarm file.
    pub(super) fn watch_names(&mut self, now: f64) {
        if let Some(mismatch) = self.names.report(now) {
            self.warn(now, mismatch);
        }
    }
}
