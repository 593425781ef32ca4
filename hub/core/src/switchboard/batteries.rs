//! Battery checks: a run that would outlast a battery does not start, and robots stop before their batteries are
//! empty.

use super::Switchboard;
use crate::config::WhenEmpty;
use crate::roster::{Low, Robot};
use xpuck_experiment::Plan;
use xpuck_wire::Phase;

/// Time for which a battery must be low before it counts as nearly empty (s). A single estimate may be wrong.
const CONFIRM_TIME: f64 = 10.0;

impl Switchboard {
    /// Returns two messages. The first is the reason for refusing a plan, or `None` if all batteries with an estimate
    /// last for the plan. The second lists the batteries without an estimate, and is empty if there are none.
    pub(super) fn batteries_for(&self, plan: &Plan) -> (Option<String>, String) {
        let (needed, reserve) = (plan.seconds() / 60.0, self.config.hub.batteries.reserve_minutes);
        let (mut short, mut unknown) = (Vec::new(), Vec::new());
        for (place, robot) in self.roster.robots.iter().enumerate().filter(|(_, r)| r.alive() && !r.held) {
            let evolves = plan.phases.iter().any(|phase| phase.evolves(place));
            match robot.battery.minutes_of_run(evolves) {
                Ok(left) if f64::from(left) < needed + reserve => short.push(format!("{} {left:.0} min", robot.id)),
                Ok(_) => {}
                Err(doubt) => unknown.push(format!("{} ({doubt})", robot.id)),
            }
        }
        let refusal = (!short.is_empty()).then(|| {
            format!(
                "the run takes {needed:.1} min plus a reserve of {reserve:.1} min, but these batteries do not last \
                 that long: {}; charge or change them, hold these robots, or start with --anyway",
                short.join(", ")
            )
        });
        // If the battery limit is disabled, missing estimates are not reported.
        let told = match unknown.is_empty() || reserve == 0.0 {
            true => String::new(),
            false => format!("it is unknown whether batteries last for the run: {}", unknown.join(", ")),
        };
        (refusal, told)
    }

    /// Reports robots whose batteries are nearly empty, and holds them during a run.
    pub(super) fn watch_batteries(&mut self, now: f64) {
        let reserve = self.config.hub.batteries.reserve_minutes as f32;
        let runs =
            matches!(self.phase, Phase::Running | Phase::Paused | Phase::Relocating | Phase::Blind | Phase::Resting);
        let mut empty = Vec::new();
        for robot in self.roster.robots.iter_mut().filter(|r| r.alive()) {
            match robot.battery.minutes_left() {
                Ok(left) if left < reserve => {
                    let since = *robot.low.since.get_or_insert(now);
                    // A robot that was stopped once and released by an operator is not stopped again.
                    let stops = runs && !robot.held && !robot.low.stopped;
                    if now - since >= CONFIRM_TIME && (!robot.low.told || stops) {
                        robot.low.told = true;
                        empty.push((robot.id.clone(), left, stops));
                        robot.low.stopped |= stops;
                        robot.held |= stops;
                    }
                }
                // The battery counts as replaced only if the estimate is much higher than the minimum.
                Ok(left) if left > 2.0 * reserve + 5.0 => robot.low = Low::default(),
                Ok(_) | Err(_) => robot.low.since = None,
            }
        }
        for (id, left, stops) in empty {
            let left = left.max(0.0);
            let then = match stops {
                true => "it is held until it is released; its evolution is kept",
                false => "charge or change it",
            };
            self.warn(now, format!("robot {id}: its battery is nearly empty ({left:.1} min left): {then}"));
            if stops {
                self.continue_without(now, &id);
            }
        }
    }

    /// Continues the run without a robot whose battery is nearly empty, or ends the run, as configured.
    fn continue_without(&mut self, now: f64, id: &str) {
        if let Some(run) = &mut self.run {
            run.dead += 1;
        }
        let left = self.roster.robots.iter().any(|r: &Robot| r.alive() && !r.held);
        match self.config.hub.batteries.when_empty {
            _ if self.phase == Phase::Finished => {}
            WhenEmpty::End => self.finish(now, "", &format!("the run is over: the battery of {id} is nearly empty")),
            WhenEmpty::Leave if !left => {
                self.finish(now, "", &format!("the run is over: {id} was the last robot with a sufficient battery"));
            }
            WhenEmpty::Leave => self.direct_again(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
