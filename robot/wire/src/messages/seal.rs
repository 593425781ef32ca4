//! What makes a message to a robot good once: a recorded one that comes again does nothing.
//!
//! A robot draws a random session number at every start and says it in its hello; the hub puts it on every message, with
//! its own number, which is higher for every hub that starts later, and a count that rises with every message. So a
//! robot that restarted takes nothing that was meant for its former self, and one that runs takes nothing twice.
//!
//! A hub's number comes from a clock, which may have gone back since the last start. So a hello also says how far the
//! robot has come, and the hub numbers what it seals for that robot above it. The robot's rule stays as strict as ever,
//! and a number that is a lie hurts the robot that told it, and no other.

use crate::message::ToRobot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most robots whose sessions are known.
const MAX_SESSIONS: usize = 1000;

/// A message on its way to a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// The session of the robot that it is for; 0 as long as the hub does not know it.
    pub session: u64,
    /// The hub's number.
    pub hub: u64,
    /// Rises with every message of this hub.
    pub count: u64,
    /// The message.
    pub message: ToRobot,
}

/// How far a robot has come: number of a hub, and count of a message of it. Later ones are greater.
pub type Seen = (u64, u64);

/// The hub's side.
#[derive(Clone, Debug)]
pub struct Sealer {
    hub: u64,
    count: u64,
    sessions: BTreeMap<String, Session>,
}

/// A start of a robot's program.
#[derive(Clone, Copy, Debug)]
struct Session {
    number: u64,
    /// The hub's number on messages to it.
    hub: u64,
}

impl Sealer {
    /// A sealer for a hub; `hub` is at least 1 and higher than that of any hub before (wall time in ms is).
    pub fn new(hub: u64) -> Sealer {
        Sealer { hub, count: 0, sessions: BTreeMap::new() }
    }

    /// Takes a robot's session from its hello, and how far it has come.
    pub fn greet(&mut self, robot: &str, session: u64, seen: Seen) {
        let known = self.sessions.get(robot).filter(|known| known.number == session);
        let mut hub = known.map_or(self.hub, |known| known.hub);
        if (hub, self.count) < seen {
            hub = seen.0.saturating_add(1);
        }
        if self.sessions.len() < MAX_SESSIONS || self.sessions.contains_key(robot) {
            self.sessions.insert(robot.into(), Session { number: session, hub });
        }
    }

    /// Seals a message for a robot. One whose session is unknown does not take it, but says hello again.
    pub fn seal(&mut self, robot: &str, message: ToRobot) -> Sealed {
        self.count += 1;
        let Session { number, hub } = self.sessions.get(robot).copied().unwrap_or(Session { number: 0, hub: self.hub });
        Sealed { session: number, hub, count: self.count, message }
    }
}

/// What a seal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Seen for the first time.
    Fresh {
        /// The first message of this hub.
        new_hub: bool,
    },
    /// Seen before, overtaken by a later one, or from a hub that is no more.
    Stale,
    /// For another session than the robot's.
    Stranger,
}

/// The robot's side.
#[derive(Clone, Copy, Debug)]
pub struct Inbox {
    session: u64,
    hub: u64,
    count: u64,
}

impl Inbox {
    /// For a robot that has just started with this session.
    pub fn new(session: u64) -> Inbox {
        Inbox { session, hub: 0, count: 0 }
    }

    /// The session.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// How far this robot has come; zeros before the first message.
    pub fn seen(&self) -> Seen {
        (self.hub, self.count)
    }

    /// From now on nothing of hubs before this one is fresh; true if it is later than all that were heard.
    pub fn turn_to(&mut self, hub: u64) -> bool {
        let later = hub > self.hub;
        if later {
            (self.hub, self.count) = (hub, 0);
        }
        later
    }

    /// Looks at a message's seal, and remembers it if it is fresh.
    pub fn judge(&mut self, sealed: &Sealed) -> Verdict {
        if sealed.session != self.session {
            return Verdict::Stranger;
        }
        if (sealed.hub, sealed.count) <= self.seen() {
            return Verdict::Stale;
        }
        let new_hub = self.turn_to(sealed.hub);
        self.count = sealed.count;
        Verdict::Fresh { new_hub }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_good_once_for_one_start_of_one_robot() {
        let ping = || ToRobot::Ping { stamp: 0.0 };
        let (mut hub, mut robot) = (Sealer::new(100), Inbox::new(7));
        assert_eq!(robot.judge(&hub.seal("xp01", ping())), Verdict::Stranger, "no hello yet");
        hub.greet("xp01", 7, (0, 0));
        hub.greet("xp02", 8, (0, 0));
        let (first, other, second) = (hub.seal("xp01", ping()), hub.seal("xp02", ping()), hub.seal("xp01", ping()));
        assert_eq!(robot.judge(&first), Verdict::Fresh { new_hub: true });
        assert_eq!(robot.judge(&first), Verdict::Stale, "again");
        assert_eq!(robot.judge(&other), Verdict::Stranger);
        assert_eq!(robot.judge(&second), Verdict::Fresh { new_hub: false });
        assert_eq!(robot.judge(&first), Verdict::Stale, "overtaken");
        assert_eq!(Inbox::new(9).judge(&second), Verdict::Stranger, "the robot restarted");
        let mut next = Sealer::new(200);
        next.greet("xp01", 7, robot.seen());
        assert_eq!(robot.judge(&next.seal("xp01", ping())), Verdict::Fresh { new_hub: true });
        assert_eq!(robot.judge(&hub.seal("xp01", ping())), Verdict::Stale, "a hub that is no more");
    }

    #[test]
    fn a_hub_whose_clock_went_back_is_taken_for_the_later_one_that_it_is() {
        let ping = || ToRobot::Ping { stamp: 0.0 };
        let (mut before, mut robot) = (Sealer::new(3_600_000), Inbox::new(7));
        before.greet("xp01", 7, robot.seen());
        let recorded: Vec<Sealed> = (0..5).map(|_| before.seal("xp01", ping())).collect();
        assert_eq!(robot.judge(&recorded[2]), Verdict::Fresh { new_hub: true });
        // Three hubs, each of a clock that is further back; the last has the very number that the robot knows.
        for number in [1000, 500, 3_600_002] {
            let mut after = Sealer::new(number);
            after.greet("xp01", 7, (0, 0));
            assert_eq!(robot.judge(&after.seal("xp01", ping())), Verdict::Stale, "no word of how far it has come");
            after.greet("xp01", 7, robot.seen());
            assert_eq!(robot.judge(&after.seal("xp01", ping())), Verdict::Fresh { new_hub: true });
            after.greet("xp01", 7, (0, 0));
            assert_eq!(robot.judge(&after.seal("xp01", ping())), Verdict::Fresh { new_hub: false }, "a late hello");
            for sealed in &recorded {
                assert_eq!(robot.judge(sealed), Verdict::Stale, "recorded");
            }
            after.greet("xp02", 8, (0, 0));
            assert_eq!(after.seal("xp02", ping()).hub, number, "others have their own numbers");
        }
    }

    #[test]
    fn a_robot_that_lies_about_numbers_shuts_out_itself_alone() {
        let mut hub = Sealer::new(1000);
        hub.greet("xp01", 7, (u64::MAX, u64::MAX));
        hub.greet("xp02", 8, (0, 0));
        assert_eq!(hub.seal("xp01", ToRobot::Ping { stamp: 0.0 }).hub, u64::MAX);
        assert_eq!(hub.seal("xp02", ToRobot::Ping { stamp: 0.0 }).hub, 1000);
    }

    #[test]
    fn sessions_are_random_and_bounded() {
        let sessions = [crate::session::fresh_session().unwrap(), crate::session::fresh_session().unwrap()];
        assert!(sessions[0] != sessions[1] && sessions.iter().all(|s| *s > 0 && *s < 1 << 53), "{sessions:?}");
        let mut hub = Sealer::new(1);
        (0..2 * MAX_SESSIONS).for_each(|i| hub.greet(&format!("r{i}"), 1, (0, 0)));
        assert_eq!(hub.sessions.len(), MAX_SESSIONS);
    }
}
