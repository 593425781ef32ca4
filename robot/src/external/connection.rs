//! One program's connection. Its reader is a thread of its own; what is sent to it never waits.

use super::line::Stats;
use crate::histogram::Histogram;
use rustix::net::{SendFlags, send};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Senses whose time of sending is remembered.
const REMEMBERED: u64 = 64;
/// A program that reads nothing for so long is cut off, wall time.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most bytes that wait for a program.
const PENDING: usize = 64 * 1024;

/// A program's connection.
pub struct Connection {
    /// Its number, which no other has had.
    pub number: u32,
    stream: UnixStream,
    state: Mutex<Sending>,
}

/// What the sending side remembers.
#[derive(Default)]
struct Sending {
    /// Senses in a second of arena time; none before the hello.
    rate: Option<f64>,
    /// When the next are due, s of arena time.
    due: f64,
    /// Senses sent.
    sent: u64,
    /// When the last of them were.
    times: Vec<Option<Instant>>,
    trips: Histogram,
    unread: u64,
    /// What the socket did not take yet.
    pending: Vec<u8>,
    /// Since when it takes nothing.
    stuck: Option<Instant>,
    /// The connection is of no more use.
    broken: bool,
}

impl Connection {
    /// A new connection.
    pub fn new(number: u32, stream: UnixStream) -> Connection {
        let state = Sending { times: vec![None; REMEMBERED as usize], ..Sending::default() };
        Connection { number, stream, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, Sending> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on senses are sent at this rate, in a second of arena time.
    pub fn begin(&self, rate: f64) {
        self.state().rate = Some(rate);
    }

    /// When the next senses are due, s of arena time; none before the hello.
    pub fn due(&self) -> Option<f64> {
        let state = self.state();
        state.rate.map(|_| state.due)
    }

    /// Sends the senses that `line` makes with their number, if they are due at `now`, s of arena time.
    pub fn show(&self, now: f64, line: impl FnOnce(u64) -> Vec<u8>) {
        let mut state = self.state();
        let Some(rate) = state.rate.filter(|_| now >= state.due) else { return };
        // What was missed is not made up for.
        let next = state.due + 1.0 / rate;
        state.due = if next > now { next } else { now + 1.0 / rate };
        let number = state.sent + 1;
        self.flush(&mut state);
        // Senses that would come late are of no use.
        if state.pending.is_empty() && self.put(&mut state, line(number)) {
            state.sent = number;
            state.times[(number % REMEMBERED) as usize] = Some(Instant::now());
        } else {
            state.unread += 1;
        }
    }

    /// Sends a line; false if the program has not read what came before.
    pub fn say(&self, line: Vec<u8>) -> bool {
        self.put(&mut self.state(), line)
    }

    fn put(&self, state: &mut Sending, line: Vec<u8>) -> bool {
        self.flush(state);
        if state.pending.len() + line.len() > PENDING {
            return false;
        }
        state.pending.extend(line);
        self.flush(state);
        true
    }

    fn flush(&self, state: &mut Sending) {
        while !state.pending.is_empty() && !state.broken {
            match send(&self.stream, &state.pending, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
                Ok(count) => {
                    state.pending.drain(..count);
                    state.stuck = None;
                }
                Err(rustix::io::Errno::AGAIN) => {
                    let since = *state.stuck.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE {
                        self.end(state);
                    }
                    return;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => self.end(state),
            }
        }
    }

    fn end(&self, state: &mut Sending) {
        state.broken = true;
        // Its reader notices.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Ends the connection.
    pub fn close(&self) {
        self.end(&mut self.state());
    }

    /// A command that answers these senses has reached the body.
    pub fn arrived(&self, of: u64) {
        let mut state = self.state();
        if of == 0 || of > state.sent || of + REMEMBERED <= state.sent {
            return;
        }
        // Each sending is answered once.
        if let Some(sent) = state.times[(of % REMEMBERED) as usize].take() {
            state.trips.record(sent.elapsed());
        }
    }

    /// How quick the program was.
    pub fn stats(&self) -> Stats {
        let state = self.state();
        let us = |time: Duration| time.as_micros() as u64;
        Stats {
            trips: state.trips.count(),
            p50_us: us(state.trips.quantile(0.5)),
            p99_us: us(state.trips.quantile(0.99)),
            max_us: us(state.trips.longest()),
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
        connection.show(0.0, line);
        connection.begin(10.0);
        for tenth in [1.0, 1.05, 1.1, 1.15, 9.0, 9.01, 9.1] {
            connection.show(tenth, line);
        }
        connection.arrived(1);
        connection.arrived(1);
        connection.arrived(99);
        connection.arrived(0);
        assert_eq!((connection.stats().trips, connection.due().is_some()), (1, true));
        drop(connection);
        let lines: Vec<String> = BufReader::new(theirs).lines().map(Result::unwrap).collect();
        assert_eq!(lines, ["1", "2", "3", "4"]);
    }

    #[test]
    fn who_does_not_read_makes_nobody_wait() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let connection = Connection::new(1, ours);
        connection.begin(50.0);
        let began = Instant::now();
        for i in 0..2000 {
            connection.show(f64::from(i), |_| vec![b'x'; 1000]);
        }
        assert!(began.elapsed() < Duration::from_secs(2));
        assert!(connection.stats().unread > 1000);
    }
}
