//! Texts between controllers of robots in range. Texts are short and rate-limited, and each text is delivered at most
//! once.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use xpuck_wire::bytes::Bytes;
use xpuck_wire::peer::{MAX_WORDS, PeerMessage};

/// Maximum number of received texts that wait for this robot's controller.
pub const WAITING: usize = 32;
/// Maximum rate of texts in arena time (1/s). It applies to the texts that this robot sends, and to the texts from
/// each other robot.
pub const MAX_RATE: f64 = 20.0;

/// Reason why a text cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SayError {
    /// The text is too long. The value is the length of the text (bytes).
    Long(usize),
    /// The robot with this island is out of range or does not exist.
    OutOfRange(u16),
    /// The rate limit is exceeded.
    TooFast,
}

impl fmt::Display for SayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SayError::Long(bytes) => write!(f, "{bytes} bytes; at most {MAX_WORDS} are allowed"),
            SayError::OutOfRange(island) => write!(f, "robot {island} is not in range"),
            SayError::TooFast => write!(f, "more than {MAX_RATE} texts per second"),
        }
    }
}

impl std::error::Error for SayError {}

/// Rate limiter for texts.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    left: f64,
    at: f64,
}

impl Allowance {
    fn new(now: f64) -> Allowance {
        Allowance { left: MAX_RATE, at: now }
    }

    fn takes_one(&mut self, now: f64) -> bool {
        self.left = (self.left + (now - self.at).max(0.0) * MAX_RATE).min(MAX_RATE);
        self.at = now;
        let some = self.left >= 1.0;
        self.left -= f64::from(u8::from(some));
        some
    }
}

/// State of a controller that sends texts: the session of its program, the number of its last text, and its rate
/// limiter.
#[derive(Clone, Copy, Debug)]
struct SenderState {
    session: u64,
    count: u64,
    allowance: Allowance,
}

/// Incoming and outgoing texts of one robot.
#[derive(Clone, Debug)]
pub struct TextChannel {
    session: u64,
    count: u64,
    saying: Allowance,
    speakers: BTreeMap<u16, SenderState>,
    heard: VecDeque<(u16, Vec<u8>)>,
}

/// Reason for the rejection of a received text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRejection {
    /// The text was already received.
    Again,
    /// The rate limit is exceeded, or the queue of received texts is full.
    TooMany,
}

impl TextChannel {
    /// Creates the channel for the program with this session number.
    pub fn new(session: u64) -> TextChannel {
        let saying = Allowance::new(0.0);
        TextChannel { session, count: 0, saying, speakers: BTreeMap::new(), heard: VecDeque::new() }
    }

    /// Returns the message that contains a text sent at `now` (s).
    ///
    /// # Errors
    /// Returns an error if the text is too long or the rate limit is exceeded.
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

    /// Queues a text that was received at `now` (s).
    ///
    /// # Errors
    /// Returns the reason for the rejection: the text was already received, the rate limit is exceeded, or the queue
    /// is full.
    pub fn receive(
        &mut self,
        now: f64,
        from: u16,
        (session, count): (u64, u64),
        bytes: Vec<u8>,
    ) -> Result<(), TextRejection> {
        let speaker =
            self.speakers.entry(from).or_insert(SenderState { session, count: 0, allowance: Allowance::new(now) });
        if speaker.session != session {
            (speaker.session, speaker.count) = (session, 0);
        }
        if count <= speaker.count {
            return Err(TextRejection::Again);
        }
        if !speaker.allowance.takes_one(now) || self.heard.len() >= WAITING {
            return Err(TextRejection::TooMany);
        }
        speaker.count = count;
        self.heard.push_back((from, bytes));
        Ok(())
    }

    /// Takes the next text from the queue. Returns the sender's island and the text.
    pub fn heard(&mut self) -> Option<(u16, Vec<u8>)> {
        self.heard.pop_front()
    }
}
