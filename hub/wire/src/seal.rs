//! What makes a message to a robot good once: a recorded one that comes again does nothing.
//!
//! A robot draws a random session number at every start and says it in its hello; the hub puts it on every message, with
//! its own number, which is higher for every hub that starts later, and a count that rises with every message. So a
//! robot that restarted takes nothing that was meant for its former self, and one that runs takes nothing twice.

use crate::file::FileError;
use crate::message::ToRobot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most robots whose sessions are known.
const MAX_SESSIONS: usize = 1000;

/// A message on its way to a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// The hub's side.
#[derive(Clone, Debug)]
pub struct Sealer {
    hub: u64,
    count: u64,
    sessions: BTreeMap<String, u64>,
}

impl Sealer {
    /// A sealer for a hub; `hub` is at least 1 and higher than that of any hub before (wall time in ms is).
    pub fn new(hub: u64) -> Sealer {
        Sealer { hub, count: 0, sessions: BTreeMap::new() }
    }

    /// Takes a robot's session from its hello.
    pub fn greet(&mut self, robot: &str, session: u64) {
        if self.sessions.len() < MAX_SESSIONS || self.sessions.contains_key(robot) {
            self.sessions.insert(robot.into(), session);
        }
    }

    /// Seals a message for a robot. One whose session is unknown does not take it, but says hello again.
    pub fn seal(&mut self, robot: &str, message: ToRobot) -> Sealed {
        self.count += 1;
        let session = self.sessions.get(robot).copied().unwrap_or(0);
        Sealed { session, hub: self.hub, count: self.count, message }
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

    /// Looks at a message's seal, and remembers it if it is fresh.
    pub fn judge(&mut self, sealed: &Sealed) -> Verdict {
        if sealed.session != self.session {
            return Verdict::Stranger;
        }
        if (sealed.hub, sealed.count) <= (self.hub, self.count) {
            return Verdict::Stale;
        }
        let new_hub = sealed.hub > self.hub;
        (self.hub, self.count) = (sealed.hub, sealed.count);
        Verdict::Fresh { new_hub }
    }
}

/// A session number for a robot that starts.
///
/// # Errors
/// If the system gives no random numbers.
pub fn fresh_session() -> Result<u64, FileError> {
    let number = getrandom::u64().map_err(|e| FileError::value("session", format!("no random numbers: {e}")))?;
    Ok(number.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_good_once_for_one_start_of_one_robot() {
        let ping = || ToRobot::Ping { stamp: 0.0 };
        let (mut hub, mut robot) = (Sealer::new(100), Inbox::new(7));
        assert_eq!(robot.judge(&hub.seal("xp01", ping())), Verdict::Stranger, "no hello yet");
        hub.greet("xp01", 7);
        hub.greet("xp02", 8);
        let (first, other, second) = (hub.seal("xp01", ping()), hub.seal("xp02", ping()), hub.seal("xp01", ping()));
        assert_eq!(robot.judge(&first), Verdict::Fresh { new_hub: true });
        assert_eq!(robot.judge(&first), Verdict::Stale, "again");
        assert_eq!(robot.judge(&other), Verdict::Stranger);
        assert_eq!(robot.judge(&second), Verdict::Fresh { new_hub: false });
        assert_eq!(robot.judge(&first), Verdict::Stale, "overtaken");
        assert_eq!(Inbox::new(9).judge(&second), Verdict::Stranger, "the robot restarted");
        let mut next = Sealer::new(200);
        next.greet("xp01", 7);
        assert_eq!(robot.judge(&next.seal("xp01", ping())), Verdict::Fresh { new_hub: true });
        assert_eq!(robot.judge(&hub.seal("xp01", ping())), Verdict::Stale, "a hub that is no more");
    }

    #[test]
    fn sessions_are_random_and_bounded() {
        assert_ne!(fresh_session().unwrap(), fresh_session().unwrap());
        let mut hub = Sealer::new(1);
        (0..2 * MAX_SESSIONS).for_each(|i| hub.greet(&format!("r{i}"), 1));
        assert_eq!(hub.sessions.len(), MAX_SESSIONS);
    }
}
