//! Replay protection for messages to robots: a repeated message has no effect.
//!
//! A robot draws a random session number at every start and sends it in its first message (hello). The hub adds a seal
//! to every message: the robot's session number, the hub's number, and a message count. The hub's number increases with
//! each start of the hub. A restarted robot therefore rejects messages for its previous session, and a running robot
//! rejects repeated messages.
//!
//! A hub's number comes from a clock, which may have been set back since the last start. A hello therefore also reports
//! the hub number and message count that the robot accepted last, and the hub seals its messages to this robot with
//! higher numbers. A robot can thus always reject lower numbers, and a false report affects only its sender.

use crate::message::ToRobot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of robots with known sessions.
const MAX_SESSIONS: usize = 1000;

/// Message to a robot, with its seal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// Session of the addressed robot; 0 while the hub does not know the session.
    pub session: u64,
    /// Number of the hub.
    pub hub: u64,
    /// Message count of this hub, which increases with every message.
    pub count: u64,
    /// Message to the robot.
    pub message: ToRobot,
}

/// Hub number and message count of the last message that a robot accepted. The values of later messages compare
/// greater.
pub type LastAccepted = (u64, u64);

/// State with which the hub seals messages.
#[derive(Clone, Debug)]
pub struct Sealer {
    hub: u64,
    count: u64,
    sessions: BTreeMap<String, Session>,
}

/// Session of a robot: one run of the robot's program.
#[derive(Clone, Copy, Debug)]
struct Session {
    number: u64,
    /// Hub number for messages to the robot.
    hub: u64,
}

impl Sealer {
    /// Creates a sealer for the hub with the number `hub`, for example the wall time (ms). The number must be at least
    /// 1, and should be higher than the numbers of earlier hubs.
    pub fn new(hub: u64) -> Sealer {
        Sealer { hub, count: 0, sessions: BTreeMap::new() }
    }

    /// Registers a robot's session and the last message that it accepted, from the robot's hello.
    pub fn register_session(&mut self, robot: &str, session: u64, seen: LastAccepted) {
        let known = self.sessions.get(robot).filter(|known| known.number == session);
        let mut hub = known.map_or(self.hub, |known| known.hub);
        if (hub, self.count) < seen {
            hub = seen.0.saturating_add(1);
        }
        if self.sessions.len() < MAX_SESSIONS || self.sessions.contains_key(robot) {
            self.sessions.insert(robot.into(), Session { number: session, hub });
        }
    }

    /// Seals a message for a robot. If the hub does not know the robot's session, the robot rejects the message and
    /// sends a hello again.
    pub fn seal(&mut self, robot: &str, message: ToRobot) -> Sealed {
        self.count += 1;
        let Session { number, hub } = self.sessions.get(robot).copied().unwrap_or(Session { number: 0, hub: self.hub });
        Sealed { session: number, hub, count: self.count, message }
    }
}

/// Result of checking a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealCheck {
    /// The message is new.
    Fresh {
        /// Whether the message is the first message of this hub.
        new_hub: bool,
    },
    /// The message is a repetition, arrived after a later message, or comes from a previous hub.
    Stale,
    /// The message was sealed for another session.
    Stranger,
}

/// State with which a robot checks the seals of messages.
#[derive(Clone, Copy, Debug)]
pub struct SealChecker {
    session: u64,
    hub: u64,
    count: u64,
}

impl SealChecker {
    /// Creates the state for a robot that has just started, and has not yet accepted a message.
    pub fn new(session: u64) -> SealChecker {
        SealChecker { session, hub: 0, count: 0 }
    }

    /// Returns the session of the robot.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Returns the hub number and count of the last accepted message; zeros before the first message.
    pub fn seen(&self) -> LastAccepted {
        (self.hub, self.count)
    }

    /// Registers the number of a later hub, so that messages of earlier hubs are rejected from now on. Returns true if
    /// this hub is later than all previous hubs; otherwise has no effect.
    pub fn advance_hub(&mut self, hub: u64) -> bool {
        let later = hub > self.hub;
        if later {
            (self.hub, self.count) = (hub, 0);
        }
        later
    }

    /// Checks the seal of a message, and stores the hub number and message count if the message is new.
    pub fn check(&mut self, sealed: &Sealed) -> SealCheck {
        if sealed.session != self.session {
            return SealCheck::Stranger;
        }
        if (sealed.hub, sealed.count) <= self.seen() {
            return SealCheck::Stale;
        }
        let new_hub = self.advance_hub(sealed.hub);
        self.count = sealed.count;
        SealCheck::Fresh { new_hub }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_message_is_valid_once_for_one_robot_session() {
        let ping = || ToRobot::Ping { stamp: 0.0 };
        let (mut hub, mut robot) = (Sealer::new(100), SealChecker::new(7));
        assert_eq!(robot.check(&hub.seal("xp01", ping())), SealCheck::Stranger, "no hello yet");
        hub.register_session("xp01", 7, (0, 0));
        hub.register_session("xp02", 8, (0, 0));
        let (first, other, second) = (hub.seal("xp01", ping()), hub.seal("xp02", ping()), hub.seal("xp01", ping()));
        assert_eq!(robot.check(&first), SealCheck::Fresh { new_hub: true });
        assert_eq!(robot.check(&first), SealCheck::Stale, "again");
        assert_eq!(robot.check(&other), SealCheck::Stranger);
        assert_eq!(robot.check(&second), SealCheck::Fresh { new_hub: false });
        assert_eq!(robot.check(&first), SealCheck::Stale, "overtaken");
        assert_eq!(SealChecker::new(9).check(&second), SealCheck::Stranger, "the robot restarted");
        let mut next = Sealer::new(200);
        next.register_session("xp01", 7, robot.seen());
        assert_eq!(robot.check(&next.seal("xp01", ping())), SealCheck::Fresh { new_hub: true });
        assert_eq!(robot.check(&hub.seal("xp01", ping())), SealCheck::Stale, "a hub that is no more");
    }

    #[test]
    fn hub_with_clock_set_back_is_accepted_as_newer() {
        let ping = || ToRobot::Ping { stamp: 0.0 };
        let (mut before, mut robot) = (Sealer::new(3_600_000), SealChecker::new(7));
        before.register_session("xp01", 7, robot.seen());
        let recorded: Vec<Sealed> = (0..5).map(|_| before.seal("xp01", ping())).collect();
        assert_eq!(robot.check(&recorded[2]), SealCheck::Fresh { new_hub: true });
        // Three hubs with different clocks start one after another. The last hub has exactly the number that the robot
        // accepted last.
        for number in [1000, 500, 3_600_002] {
            let mut after = Sealer::new(number);
            after.register_session("xp01", 7, (0, 0));
            assert_eq!(robot.check(&after.seal("xp01", ping())), SealCheck::Stale, "no word of how far it has come");
            after.register_session("xp01", 7, robot.seen());
            assert_eq!(robot.check(&after.seal("xp01", ping())), SealCheck::Fresh { new_hub: true });
            after.register_session("xp01", 7, (0, 0));
            assert_eq!(robot.check(&after.seal("xp01", ping())), SealCheck::Fresh { new_hub: false }, "a late hello");
            for sealed in &recorded {
                assert_eq!(robot.check(sealed), SealCheck::Stale, "recorded");
            }
            after.register_session("xp02", 8, (0, 0));
            assert_eq!(after.seal("xp02", ping()).hub, number, "others have their own numbers");
        }
    }

    #[test]
    fn false_sequence_numbers_affect_only_their_sender() {
        let mut hub = Sealer::new(1000);
        hub.register_session("xp01", 7, (u64::MAX, u64::MAX));
        hub.register_session("xp02", 8, (0, 0));
        assert_eq!(hub.seal("xp01", ToRobot::Ping { stamp: 0.0 }).hub, u64::MAX);
        assert_eq!(hub.seal("xp02", ToRobot::Ping { stamp: 0.0 }).hub, 1000);
    }

    #[test]
    fn sessions_are_random_and_bounded() {
        let sessions = [crate::session::fresh_session().unwrap(), crate::session::fresh_session().unwrap()];
        assert!(sessions[0] != sessions[1] && sessions.iter().all(|s| *s > 0 && *s < 1 << 53), "{sessions:?}");
        let mut hub = Sealer::new(1);
        (0..2 * MAX_SESSIONS).for_each(|i| hub.register_session(&format!("r{i}"), 1, (0, 0)));
        assert_eq!(hub.sessions.len(), MAX_SESSIONS);
    }
}
