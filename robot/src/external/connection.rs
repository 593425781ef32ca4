//! Connection of an external controller. A thread of the listener reads the requests. Sending never blocks.

use super::line::Stats;
use crate::histogram::Histogram;
use rustix::net::{SendFlags, send};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of sense messages whose send times are stored.
const REMEMBERED: u64 = 64;
/// Time after which a controller that does not read is disconnected (wall time).
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of unsent bytes per controller.
const PENDING: usize = 64 * 1024;

/// Connection of an external controller.
pub struct Connection {
    /// Unique number of the connection.
    pub number: u32,
    stream: UnixStream,
    state: Mutex<SenderState>,
}

/// State of the sending side.
#[derive(Default)]
struct SenderState {
    /// Rate of sense messages (1/s of arena time); `None` before the hello.
    rate: Option<f64>,
    /// Time of the next sense message (s of arena time).
    due: f64,
    /// Number of sense messages sent.
    sent: u64,
    /// Send times of the last sense messages.
    times: Vec<Option<Instant>>,
    round_trips: Histogram,
    unread: u64,
    /// Bytes that the socket has not accepted yet.
    pending: Vec<u8>,
    /// Time since which the socket has accepted no bytes; `None` while it accepts bytes.
    blocked_since: Option<Instant>,
    /// Whether the connection was closed.
    broken: bool,
}

impl Connection {
    /// Creates a connection.
    pub fn new(number: u32, stream: UnixStream) -> Connection {
        let state = SenderState { times: vec![None; REMEMBERED as usize], ..SenderState::default() };
        Connection { number, stream, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, SenderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to send sense messages at this rate (1/s of arena time).
    pub fn begin(&self, rate: f64) {
        self.state().rate = Some(rate);
    }

    /// Returns the time of the next sense message (s of arena time); `None` before the hello.
    pub fn due(&self) -> Option<f64> {
        let state = self.state();
        state.rate.map(|_| state.due)
    }

    /// Sends a sense message if one is due at `now` (s of arena time). `line` creates the message from its number.
    pub fn send_senses(&self, now: f64, line: impl FnOnce(u64) -> Vec<u8>) {
        let mut state = self.state();
        let Some(rate) = state.rate.filter(|_| now >= state.due) else { return };
        // If messages were missed, they are skipped: the next message is one period after `now`.
        let next = state.due + 1.0 / rate;
        state.due = if next > now { next } else { now + 1.0 / rate };
        let number = state.sent + 1;
        self.flush(&mut state);
        // If older bytes are unsent, the message would arrive late, so it is skipped.
        if state.pending.is_empty() && self.put(&mut state, line(number)) {
            state.sent = number;
            state.times[(number % REMEMBERED) as usize] = Some(Instant::now());
        } else {
            state.unread += 1;
        }
    }

    /// Sends a line. Returns false if the line is dropped, because it would exceed the limit of unsent bytes.
    pub fn send_line(&self, line: Vec<u8>) -> bool {
        self.put(&mut self.state(), line)
    }

    fn put(&self, state: &mut SenderState, line: Vec<u8>) -> bool {
        self.flush(state);
        if state.pending.len() + line.len() > PENDING {
            return false;
        }
        state.pending.extend(line);
        self.flush(state);
        true
    }

    fn flush(&self, state: &mut SenderState) {
        while !state.pending.is_empty() && !state.broken {
            match send(&self.stream, &state.pending, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(count) => {
                    state.pending.drain(..count);
                    state.blocked_since = None;
                }
                Err(rustix::io::Errno::AGAIN) => {
                    let since = *state.blocked_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > READ_TIMEOUT {
                        self.end(state);
                    }
                    return;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => self.end(state),
            }
        }
    }

    fn end(&self, state: &mut SenderState) {
        state.broken = true;
        // The reading thread detects the shutdown and ends.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Closes the connection.
    pub fn close(&self) {
        self.end(&mut self.state());
    }

    /// Records the round-trip time of a command that reached the body. `of` is the number of the sense message that
    /// the command answers.
    pub fn record_round_trip(&self, of: u64) {
        let mut state = self.state();
        if of == 0 || of > state.sent || of + REMEMBERED <= state.sent {
            return;
        }
        // Only the first answer to a sense message is counted.
        if let Some(sent) = state.times[(of % REMEMBERED) as usize].take() {
            state.round_trips.record(sent.elapsed());
        }
    }

    /// Returns the response times of the controller.
    pub fn stats(&self) -> Stats {
        let state = self.state();
        let us = |time: Duration| time.as_micros() as u64;
        Stats {
            trips: state.round_trips.count(),
            p50_us: us(state.round_trips.quantile(0.5)),
            p99_us: us(state.round_trips.quantile(0.99)),
            max_us: us(state.round_trips.longest()),
            unread: state.unread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    #[test]
    fn senses_come_at_their_rate_and_their_answers_are_timed_once() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let connection = Connection::new(1, ours);
        let line = |n: u64| format!("{n}\n").into_bytes();
        connection.send_senses(0.0, line);
        connection.begin(10.0);
        for tenth in [1.0, 1.05, 1.1, 1.15, 9.0, 9.01, 9.1] {
            connection.send_senses(tenth, line);
        }
        connection.record_round_trip(1);
        connection.record_round_trip(1);
        connection.record_round_trip(99);
        connection.record_round_trip(0);
        assert_eq!((connection.stats().trips, connection.due().is_some()), (1, true));
        drop(connection);
        let lines: Vec<String> = BufReader::new(theirs).lines().map(Result::unwrap).collect();
        assert_eq!(lines, ["1", "2", "3", "4"]);
    }

    #[test]
    fn client_that_does_not_read_blocks_nobody() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let connection = Connection::new(1, ours);
        connection.begin(50.0);
        let began = Instant::now();
        for i in 0..2000 {
            connection.send_senses(f64::from(i), |_| vec![b'x'; 1000]);
        }
        assert!(began.elapsed() < Duration::from_secs(2));
        assert!(connection.stats().unread > 1000);
    }
}
