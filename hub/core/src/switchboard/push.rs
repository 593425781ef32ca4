//! Transfer of settings to the robots' files. The settings are sent repeatedly to each robot, until the robot answers
//! or the time limit has passed. The hub stores the answer of each robot.

use super::{Action, Switchboard};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, ToRobot};
use xpuck_wire::settings::MAX_SETTINGS;
use xpuck_wire::{PushAnswer, PushRow};

/// Time limit for the answer of a robot (s of wall time).
pub const GIVE_UP: f64 = 3.0;

/// Last transfer of settings to robots.
pub(super) struct Push {
    number: u64,
    text: String,
    until: f64,
    rows: Vec<PushRow>,
}

impl Switchboard {
    /// Sends settings to the given robots, or to all robots if the list is empty.
    pub(super) fn push(&mut self, now: f64, text: String, robots: Vec<String>) -> Reply {
        if text.len() > MAX_SETTINGS {
            let length = text.len();
            return Reply::Refused(format!("the settings have {length} bytes; at most {MAX_SETTINGS} are allowed"));
        }
        let known = &self.config.swarm.robots;
        if let Some(stranger) = robots.iter().find(|id| !known.contains(id)) {
            return Reply::Refused(format!("robot `{stranger}` is not in the swarm file"));
        }
        let meant = |id: &&String| robots.is_empty() || robots.contains(id);
        let rows: Vec<PushRow> =
            known.iter().filter(meant).map(|id| PushRow { robot: id.clone(), answer: None }).collect();
        self.number += 1;
        self.note(now, format!("settings are sent to {} robots", rows.len()));
        let until = now + GIVE_UP * self.config.swarm.speed;
        self.push = Some(Push { number: self.number, text, until, rows });
        self.repeat_push(now);
        Reply::Done
    }

    /// Returns the answers to the last transfer, one row per robot. The list is empty if there was no transfer.
    pub(super) fn pushed(&self) -> Vec<PushRow> {
        self.push.as_ref().map(|push| push.rows.clone()).unwrap_or_default()
    }

    /// Sends the settings again to the robots that have not answered, until the time limit has passed.
    pub(super) fn repeat_push(&mut self, now: f64) {
        let Some(push) = self.push.as_ref().filter(|push| now < push.until) else { return };
        for row in push.rows.iter().filter(|row| row.answer.is_none()) {
            let Some(robot) = self.roster.place(&row.robot) else { continue };
            let message = ToRobot::Settings { number: push.number, text: push.text.clone() };
            self.actions.push(Action::Send(robot, message));
        }
    }

    pub(super) fn settings_answered(&mut self, now: f64, robot: usize, answer: PushAnswer) {
        let id = self.roster.robots[robot].id.clone();
        let Some(push) = self.push.as_mut().filter(|push| push.number == answer.number) else { return };
        let Some(row) = push.rows.iter_mut().find(|row| row.robot == id && row.answer.is_none()) else { return };
        let line = match answer.answer.refusal() {
            None => Line::info(format!("robot {id} has new settings")),
            Some(why) => Line::warn(format!("robot {id} refuses the settings: {why}")),
        };
        row.answer = Some(answer);
        self.log_event(now, line);
    }
}
