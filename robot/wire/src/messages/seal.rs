//! Replay protection for messages to robots: a repeated message has no effect.
//!
//! A robot draws a random session number at every start and sends it in its hello. The hub adds it to every message,
//! together with its own number, which increases from one hub start to the next, and a message count. A restarted
//! robot therefore rejects messages for its previous session, and a running robot rejects repeated messages.
//!
//! A hub's number comes from a clock, which may have been set back since the last start. A hello therefore also
//! reports the last hub number and count that the robot accepted, and the hub seals its messages to that robot with
//! higher numbers. The robot's rule stays strict, and a robot with a false report harms only itself.

use crate::message::ToRobot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of robots with known sessions.
const MAX_SESSIONS: usize = 1000;

/// Sealed message to a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// Session of the addressed robot; 0 while the hub does not know it.
    pub session: u64,
    /// Number of the hub.
    pub hub: u64,
    /// Message count of this hub; increases with every message.
    pub count: u64,
    /// Message.
    pub message: ToRobot,
}

/// Last message that a robot accepted: hub number and message count. Later messages compare greater.
pub type Seen = (u64, u64);

/// Sealing of messages by the hub.
#[derive(Clone, Debug)]
pub struct Sealer {
    hub: u64,
    count: u64,
    sessions: BTreeMap<String, Session>,
}

/// One start of a robot's program.
#[derive(Clone, Copy, Debug)]
struct Session {
    number: u64,
    /// Hub number for messages to the robot.
    hub: u64,
}

impl Sealer {
    /// Creates a sealer; `hub` is at least 1 and higher than the number of any earlier hub, such as the wall time in
    /// ms.
    pub fn new(hub: u64) -> Sealer {
        Sealer { hub, count: 0, sessions: BTreeMap::new() }
    }

    /// Registers a robot's session and last accepted message, from its hello.
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

    /// Seals a message for a robot. A robot with an unknown session rejects it and sends a hello again.
    pub fn seal(&mut self, robot: &str, message: ToRobot) -> Sealed {
        self.count += 1;
        let Session { number, hub } = self.sessions.get(robot).copied().unwrap_or(Session { number: 0, hub: self.hub });
        Sealed { session: number, hub, count: self.count, message }
    }
}

/// Result of checking a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// New message.
    Fresh {
        /// Whether it is the first message of this hub.
        new_hub: bool,
    },
    /// Repeated, overtaken by a later message, or from a previous hub.
    Stale,
    /// Sealed for another session.
    Stranger,
}

/// Checking of seals by a robot.
#[derive(Clone, Copy, Debug)]
pub struct Inbox {
    session: u64,
    hub: u64,
    count: u64,
}

impl Inbox {
    /// Creates the state for a robot that has just started with this session.
    pub fn new(session: u64) -> Inbox {
        Inbox { session, hub: 0, count: 0 }
    }

    /// Session.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Last accepted message; zeros before the first.
    pub fn seen(&self) -> Seen {
        (self.hub, self.count)
    }

    /// Rejects messages of earlier hubs from now on; returns true if this hub is later than all previous ones.
    pub fn turn_to(&mut self, hub: u64) -> bool {
        let later = hub > self.hub;
        if later {
            (self.hub, self.count) = (hub, 0);
        }
        later
    }

    /// Checks a message's seal, and records it if it is new.
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
        // Three hubs with clocks set back further and further; the last has exactly the number that the robot
        // expects.
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
