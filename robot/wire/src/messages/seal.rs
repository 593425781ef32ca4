//! Replay protection for messages to robots: a repeated message has no effect.
//!
//! A robot draws a random session number at every start and sends it in its hello. The hub adds this session number
//! to every message, together with the hub's number, which increases from one hub start to the next, and a message
//! count. A restarted robot therefore rejects messages for its previous session, and a running robot rejects repeated
//! messages.
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
    /// Session of the addressed robot; 0 while the hub does not know the session.
    pub session: u64,
    /// Number of the hub.
    pub hub: u64,
    /// Message count of this hub; increases with every message.
    pub count: u64,
    /// Message to the robot.
    pub message: ToRobot,
}

/// Last message that a robot accepted: hub number and message count. Later messages compare greater.
pub type LastAccepted = (u64, u64);

/// Sealing of messages by the hub.
#[derive(Clone, Debug)]
pub struct Sealer {
    hub: u64,
    count: u64,
    sessions: BTreeMap<String, Session>,
}

/// State for one start of a robot's program.
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

    /// Seals a message for a robot. A robot whose session is unknown to the hub rejects the message and sends a hello
    /// again.
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
    /// The message is repeated, overtaken by a later message, or from a previous hub.
    Stale,
    /// The message was sealed for another session.
    Stranger,
}

/// Checking of seals by a robot.
#[derive(Clone, Copy, Debug)]
pub struct SealChecker {
    session: u64,
    hub: u64,
    count: u64,
}

impl SealChecker {
    /// Creates the state for a robot that has just started with this session.
    pub fn new(session: u64) -> SealChecker {
        SealChecker { session, hub: 0, count: 0 }
    }

    /// Session of the robot.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Last accepted message; zeros before the first.
    pub fn seen(&self) -> LastAccepted {
        (self.hub, self.count)
    }

    /// Rejects messages of earlier hubs from now on; returns true if this hub is later than all previous hubs.
    pub fn advance_hub(&mut self, hub: u64) -> bool {
        let later = hub > self.hub;
        if later {
            (self.hub, self.count) = (hub, 0);
        }
        later
    }

    /// Checks a message's seal, and stores the seal if the message is new.
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
        // The robot meets three hubs with different clocks; the last hub has exactly the number that the robot
        // expects.
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
