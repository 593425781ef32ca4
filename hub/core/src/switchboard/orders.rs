//! What operators ask of single robots, what they note, and what happened so far.

use super::{Action, EVENTS, Switchboard};
use xpuck_wire::RobotRow;
use xpuck_wire::message::{BLINKS_S, Event, Order, Reply, State, ToRobot};

/// Longest note, characters.
const NOTE: usize = 500;

impl Switchboard {
    /// Adds a note, if it says something.
    pub(super) fn take_note(&mut self, now: f64, who: &str, text: &str) -> Reply {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > NOTE {
            return Reply::Refused(format!("a note of {length} characters: 1 to {NOTE} are allowed"));
        }
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.note_for(now, who, format!("note: {plain}"));
        Reply::Done
    }

    /// Has one robot do something.
    pub(super) fn order(&mut self, now: f64, who: &str, id: &str, order: Order) -> Reply {
        let Some(place) = self.roster.place(id) else { return self.unknown(id) };
        let robot = &mut self.roster.robots[place];
        let (there, held) = (robot.alive(), robot.held);
        match order {
            Order::Identify | Order::Reboot if !there => {
                return Reply::Refused(format!("robot {id} is not there: check its power and network"));
            }
            Order::Identify => {
                robot.blinks_until = Some(now + BLINKS_S * self.config.swarm.speed);
                self.actions.push(Action::Send(place, ToRobot::Identify));
                self.note_for(now, who, format!("robot {id} blinks for {who}"));
            }
            Order::Reboot => {
                self.actions.push(Action::Send(place, ToRobot::Reboot));
                self.note_for(now, who, format!("robot {id} is started again by {who}"));
            }
            Order::Hold if held => {}
            Order::Hold => {
                robot.held = true;
                self.direct_again();
                self.note_for(now, who, format!("robot {id} is held by {who}: it stands until it is released"));
            }
            Order::Release if !held => {
                return Reply::Refused(format!("robot {id} is not held"));
            }
            Order::Release => {
                robot.held = false;
                self.direct_again();
                self.note_for(now, who, format!("robot {id} is released by {who}"));
            }
        }
        Reply::Done
    }

    /// The present directive under a new number: a robot that stopped obeys nothing but a later one.
    fn direct_again(&mut self) {
        let (_, state, segment) = self.directive;
        self.direct(state, segment);
        // What a hub that dies now must not forget.
        let now = self.last;
        self.snapshot_now(now);
    }

    /// Tells a robot that somebody watches it.
    pub(super) fn watch(&mut self, id: &str, picture: bool) -> Reply {
        let Some(place) = self.roster.place(id) else { return self.unknown(id) };
        if self.roster.robots[place].alive() {
            self.actions.push(Action::Send(place, ToRobot::Watch { picture }));
        }
        Reply::Done
    }

    fn unknown(&self, id: &str) -> Reply {
        let ids: Vec<&str> = self.roster.robots.iter().map(|robot| robot.id.as_str()).take(20).collect();
        Reply::Refused(format!("no robot `{}` in the swarm file; there are {}", id.escape_debug(), ids.join(", ")))
    }

    /// Events with higher numbers, the oldest first.
    pub(super) fn events_after(&self, after: u64) -> Vec<Event> {
        self.events.iter().filter(|event| event.number > after).cloned().collect()
    }

    /// The last events in a line each.
    pub(super) fn latest_events(&self) -> Vec<String> {
        let skipped = self.events.len().saturating_sub(EVENTS);
        self.events.iter().skip(skipped).map(|event| format!("{:.1} {}", event.time, event.text)).collect()
    }

    /// One row a robot.
    pub(super) fn rows(&self, now: f64) -> Vec<RobotRow> {
        let number = self.directive.0;
        let speed = self.config.swarm.speed;
        let mut rows = self.roster.rows(now);
        for (row, robot) in rows.iter_mut().zip(&self.roster.robots) {
            row.obeys = robot.alive() && robot.telemetry.obeyed == number;
            row.obeyed_ms = robot.obeyed.filter(|(known, _)| row.obeys && *known == number).map(|(_, at)| {
                let late = (at - self.directed).max(0.0) / speed;
                (late * 1e3) as f32
            });
        }
        rows
    }

    /// A robot's telemetry came: notes when it obeyed the present directive first.
    pub(super) fn note_obedience(&mut self, now: f64, place: usize) {
        let number = self.directive.0;
        let robot = &mut self.roster.robots[place];
        if robot.telemetry.obeyed == number && robot.obeyed.is_none_or(|(known, _)| known != number) {
            robot.obeyed = Some((number, now));
        }
    }

    /// True if nobody waits for this robot: it is held.
    pub(super) fn is_excused(robot: &crate::roster::Robot) -> bool {
        robot.held && robot.alive() && robot.telemetry.state == State::Stop
    }
}
