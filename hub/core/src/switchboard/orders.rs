//! Operators' orders to single robots, operators' notes, and lists of events and robots for the status.

use super::{Action, EVENTS, Switchboard};
use xpuck_wire::RobotRow;
use xpuck_wire::message::{BLINKS_S, Event, Order, Reply, State, StoredPicture, ToRobot};

/// Maximum length of an operator's note (characters).
const NOTE: usize = 500;
/// Minimum interval between two requests for a camera picture of one robot (s of wall time).
const PICTURE_EVERY: f64 = 0.5;
/// Time after an operator's request within which an arriving camera picture is stored (s of wall time).
pub(super) const PICTURE_WAITS: f64 = 10.0;

impl Switchboard {
    /// Adds an operator's note to the events, if its length is valid.
    pub(super) fn take_note(&mut self, now: f64, who: &str, text: &str) -> Reply {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > NOTE {
            return Reply::Refused(format!("the note has {length} characters; 1 to {NOTE} are allowed"));
        }
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.note_for(now, who, format!("note: {plain}"));
        Reply::Done
    }

    /// Executes an order to one robot.
    pub(super) fn order(&mut self, now: f64, who: &str, id: &str, order: Order) -> Reply {
        let found = match order {
            Order::Identify | Order::Reboot => self.present(id),
            Order::Hold | Order::Pause | Order::Release | Order::Replace => self.place(id),
        };
        let place = match found {
            Ok(place) => place,
            Err(why) => return Reply::Refused(why),
        };
        let returning = self.is_returning();
        let robot = &mut self.roster.robots[place];
        let held = robot.held;
        match order {
            Order::Identify => {
                robot.blinks_until = Some(now + BLINKS_S * self.config.swarm.speed);
                self.actions.push(Action::Send(place, ToRobot::Identify));
                self.note_for(now, who, format!("robot {id} blinks for {who}"));
            }
            Order::Reboot => {
                self.actions.push(Action::Send(place, ToRobot::Reboot));
                self.note_for(now, who, format!("robot {id} is restarted by {who}"));
            }
            Order::Replace => self.replace(now, who, place),
            Order::Hold | Order::Pause if held && robot.pauses == (order == Order::Pause) => {}
            Order::Hold | Order::Pause => {
                (robot.held, robot.pauses) = (true, order == Order::Pause);
                let what = if robot.pauses { "paused" } else { "held" };
                // Without a run, only the robot itself remembers the order. A robot that is not connected does not
                // receive it.
                let remembered = self.run.is_some() || robot.alive();
                let until = if remembered { "" } else { ", or until the hub restarts before the robot is back" };
                self.direct_again();
                self.note_for(
                    now,
                    who,
                    format!("robot {id} is {what} by {who}: it stands still until it is released{until}"),
                );
            }
            // The robot's next hello may report a hold by an earlier hub, although this hub does not hold the robot.
            Order::Release if !held && (returning || robot.witness.is_none()) => {
                robot.released = true;
                self.note_for(now, who, format!("robot {id} is released by {who}"));
            }
            Order::Release if !held => {
                return Reply::Refused(format!("robot {id} is not held"));
            }
            Order::Release => {
                (robot.held, robot.pauses, robot.released) = (false, false, true);
                self.direct_again();
                self.note_for(now, who, format!("robot {id} is released by {who}"));
            }
        }
        Reply::Done
    }

    /// Gives the current directive again with a new number, because a robot that was stopped obeys only later
    /// directives.
    pub(super) fn direct_again(&mut self) {
        let (_, state, segment) = self.directive;
        self.send_directive(state, segment);
        // The state is stored at once, because the next hub must know this order after a crash.
        let now = self.last;
        self.snapshot_now(now);
    }

    /// Informs a robot that an operator watches it. `picture` requests a camera picture.
    pub(super) fn watch(&mut self, id: &str, picture: bool) -> Reply {
        let place = match self.place(id) {
            Ok(place) => place,
            Err(why) => return Reply::Refused(why),
        };
        if self.roster.robots[place].alive() {
            self.actions.push(Action::Send(place, ToRobot::Watch { picture }));
        }
        Reply::Done
    }

    /// Returns the last camera picture of a robot, and requests the next one. The rate of requests is limited,
    /// because a picture takes much radio bandwidth.
    pub(super) fn picture(&mut self, now: f64, id: &str) -> Reply {
        let place = match self.present(id) {
            Ok(place) => place,
            Err(why) => return Reply::Refused(why),
        };
        let speed = self.config.swarm.speed;
        let robot = &mut self.roster.robots[place];
        if robot.picture_asked.is_none_or(|at| now - at >= PICTURE_EVERY * speed) {
            robot.picture_asked = Some(now);
            self.actions.push(Action::Send(place, ToRobot::Watch { picture: true }));
        }
        let age = robot.picture.as_ref().map_or(0.0, |(at, _)| (now - at) / speed);
        let picture = robot.picture.as_ref().map(|(_, picture)| picture.clone());
        Reply::Picture(StoredPicture { picture, age, camera_age: robot.telemetry.senses.camera_age })
    }

    /// Returns the index (from 0) of a robot in the swarm file, or an error for operators if the id is unknown.
    pub(super) fn place(&self, id: &str) -> Result<usize, String> {
        self.roster.place(id).ok_or_else(|| {
            let ids: Vec<&str> = self.roster.robots.iter().map(|robot| robot.id.as_str()).take(20).collect();
            format!("robot `{}` is not in the swarm file; its robots are {}", id.escape_debug(), ids.join(", "))
        })
    }

    /// Returns the index of a connected robot, or an error for operators if the robot is not connected.
    pub(super) fn present(&self, id: &str) -> Result<usize, String> {
        let place = self.place(id)?;
        match self.roster.robots[place].alive() {
            true => Ok(place),
            false => Err(format!("robot {id} is not connected: check its power and network")),
        }
    }

    /// Returns the stored events with numbers above `after`, the oldest first.
    pub(super) fn events_after(&self, after: u64) -> Vec<Event> {
        self.events.iter().filter(|event| event.number > after).cloned().collect()
    }

    /// Returns the most recent events, the oldest first, with one line per event.
    pub(super) fn latest_events(&self) -> Vec<String> {
        let skipped = self.events.len().saturating_sub(EVENTS);
        self.events.iter().skip(skipped).map(|event| format!("{:.1} {}", event.time, event.text)).collect()
    }

    /// Returns the robots' rows for the status. They state whether and when each robot confirmed the current directive.
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

    /// Records the time at which a robot's telemetry first confirms the current directive.
    pub(super) fn note_obedience(&mut self, now: f64, place: usize) {
        let number = self.directive.0;
        let robot = &mut self.roster.robots[place];
        if robot.telemetry.obeyed == number && robot.obeyed.is_none_or(|(known, _)| known != number) {
            robot.obeyed = Some((number, now));
        }
    }

    /// Returns whether the start of the run does not wait for this robot, because it is held and has stopped.
    pub(super) fn is_excused(robot: &crate::roster::Robot) -> bool {
        robot.held && robot.alive() && robot.telemetry.state == State::Stop
    }
}
