//! Words that controllers of robots in range say to each other: short, few, and each heard once.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use xpuck_wire::bytes::Bytes;
use xpuck_wire::peer::{MAX_WORDS, PeerMessage};

/// Words that wait to be heard by the own controller at most.
pub const WAITING: usize = 32;
/// Words that a robot may say, and hear of each other one, in a second of arena time.
pub const A_SECOND: f64 = 20.0;

/// Why words are not said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SayError {
    /// Too long, bytes.
    Long(usize),
    /// The other robot, an island, is not in range, or is none.
    OutOfRange(u16),
    /// Too much was said in this second.
    TooFast,
}

impl fmt::Display for SayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SayError::Long(bytes) => write!(f, "{bytes} bytes; at most {MAX_WORDS} are allowed"),
            SayError::OutOfRange(island) => write!(f, "robot {island} is not in range"),
            SayError::TooFast => write!(f, "more than {A_SECOND} words in a second"),
        }
    }
}

impl std::error::Error for SayError {}

/// How many words may come now.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    left: f64,
    at: f64,
}

impl Allowance {
    fn new(now: f64) -> Allowance {
        Allowance { left: A_SECOND, at: now }
    }

    fn takes_one(&mut self, now: f64) -> bool {
        self.left = (self.left + (now - self.at).max(0.0) * A_SECOND).min(A_SECOND);
        self.at = now;
        let some = self.left >= 1.0;
        self.left -= f64::from(u8::from(some));
        some
    }
}

/// Another robot's controller: the session of its program, the count of its last words, and how many may come.
#[derive(Clone, Copy, Debug)]
struct Speaker {
    session: u64,
    count: u64,
    allowance: Allowance,
}

/// Words on their way in and out.
#[derive(Clone, Debug)]
pub struct Post {
    session: u64,
    count: u64,
    saying: Allowance,
    speakers: BTreeMap<u16, Speaker>,
    heard: VecDeque<(u16, Vec<u8>)>,
}

/// Why words of others are not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unheard {
    /// They came before.
    Again,
    /// There are too many of them, or nobody listens.
    TooMany,
}

impl Post {
    /// Nothing said yet by the program of this session.
    pub fn new(session: u64) -> Post {
        let saying = Allowance::new(0.0);
        Post { session, count: 0, saying, speakers: BTreeMap::new(), heard: VecDeque::new() }
    }

    /// The message that says this at `now`, s.
    ///
    /// # Errors
    /// It is too long, or too much.
    pub fn say(&mut self, now: f64, bytes: &[u8]) -> Result<PeerMessage, SayError> {
        if bytes.len() > MAX_WORDS {
            return Err(SayError::Long(bytes.len()));
        }
        if !self.saying.takes_one(now) {
            return Err(SayError::TooFast);
        }
        self.count += 1;
        Ok(PeerMessage::Say { session: self.session, count: self.count, bytes: Bytes(bytes.into()) })
    }

    /// Takes words that came at `now`, s.
    ///
    /// # Errors
    /// They came before, or are too many.
    pub fn take(&mut self, now: f64, from: u16, (session, count): (u64, u64), bytes: Vec<u8>) -> Result<(), Unheard> {
        let speaker =
            self.speakers.entry(from).or_insert(Speaker { session, count: 0, allowance: Allowance::new(now) });
        if speaker.session != session {
            (speaker.session, speaker.count) = (session, 0);
        }
        if count <= speaker.count {
            return Err(Unheard::Again);
        }
        if !speaker.allowance.takes_one(now) || self.heard.len() >= WAITING {
            return Err(Unheard::TooMany);
        }
        speaker.count = count;
        self.heard.push_back((from, bytes));
        Ok(())
    }

    /// The next words that nobody has heard yet: who said them, and what.
    pub fn heard(&mut self) -> Option<(u16, Vec<u8>)> {
        self.heard.pop_front()
    }
}
