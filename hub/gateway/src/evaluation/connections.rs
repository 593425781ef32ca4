//! Connections of a server: admission, scheduling and removal.
//!
//! One thread serves all connections without blocking. If a client does not read its answers, the server does not
//! read its requests, and drops the client after [`STALL_TIMEOUT`].

use super::message::Message;
use super::stream::{ReadOutcome, Stream};
use crate::door::PollingListener;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{Error, Result};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// Maximum number of clients. A further client replaces the oldest client that has been connected for more than 5 s
/// without sending a whole message. If there is no such client, the further client is disconnected.
pub const MOST_CONNECTIONS: usize = 256;
/// Maximum number of bytes read from a client per call of [`Connections::turn`].
const READ_LIMIT: usize = 64 << 10;
/// Time limit for the requests of a client per call of [`Connections::turn`]. A request that has been started is
/// completed.
const TURN: Duration = Duration::from_millis(5);
/// Interval between reports of refused connections.
const TELL_REFUSED: Duration = Duration::from_secs(10);
/// Time after which a client that does not read its answers is dropped.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Age above which a connection that has not sent a whole message may be closed. Such a connection is closed when the
/// maximum number of connections is reached and a new client connects.
const SILENT_AGE: Duration = Duration::from_secs(5);
/// Maximum number of connections accepted per port and call of [`Connections::turn`].
const NEW_AT_ONCE: usize = 64;

/// Message handler of a server.
pub(super) trait Service {
    /// Processes a message. Returns the answer if it is available at once.
    ///
    /// # Errors
    /// The connection must be closed, for the given reason.
    fn on_message(&mut self, connection: u32, message: Message) -> std::result::Result<Option<Message>, String>;

    /// Returns whether the service can accept no more messages of a connection at present.
    fn is_full(&self, _connection: u32) -> bool {
        false
    }

    /// Returns whether a connection waits for an answer. The idle limit does not apply to such a connection.
    fn awaits_answer(&self, _connection: u32) -> bool {
        false
    }

    /// Handles the end of a connection. Returns a description of the lost state for the log.
    fn close(&mut self, connection: u32) -> String;
}

/// Additional file descriptor to poll, with its poll flags.
pub(super) type Other<'a> = (BorrowedFd<'a>, PollFlags);

struct Connection {
    number: u32,
    at: SocketAddr,
    stream: Stream,
    /// Time of the last received bytes.
    heard: Instant,
    /// Whether requests may have been received that are not processed yet.
    more: bool,
    /// Time at which the connection was accepted; `None` after the first whole message.
    mute: Option<Instant>,
    /// Whether the connection will be closed to make room for a new connection.
    evicting: bool,
}

/// Connections of clients on one or more ports.
pub(super) struct Connections {
    /// Kind of client that connects, as named in the log: "robot simulator", for example.
    client: &'static str,
    doors: Vec<PollingListener>,
    connections: Vec<Connection>,
    last: u32,
    refused: u64,
    /// Time without received bytes after which a client is disconnected.
    idle: Duration,
    /// Number of refused connections at the last report, and the time of this report.
    told: (u64, Instant),
}

impl Connections {
    /// Listens at these addresses.
    ///
    /// # Errors
    /// Error of the operating system, with the address.
    pub(super) fn listen(client: &'static str, addresses: &[SocketAddr], idle: Duration) -> Result<Connections> {
        let listen = |&at: &SocketAddr| {
            PollingListener::listen(at).map_err(|error| Error::new(error.kind(), format!("{at}: {error}")))
        };
        let doors = addresses.iter().map(listen).collect::<Result<_>>()?;
        let told = (0, Instant::now());
        Ok(Connections { client, doors, connections: Vec::new(), last: 0, refused: 0, idle, told })
    }

    /// Returns the addresses of the listening sockets.
    ///
    /// # Errors
    /// Error of the operating system.
    pub(super) fn addresses(&self) -> Result<Vec<SocketAddr>> {
        self.doors.iter().map(PollingListener::address).collect()
    }

    /// Returns the number of connections closed because the maximum was reached.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Returns the number of connections.
    pub(super) fn count(&self) -> usize {
        self.connections.len()
    }

    /// Queues a message for a connection. Does nothing if the connection has ended.
    ///
    /// # Errors
    /// The message cannot be written as a line.
    pub(super) fn put(&mut self, connection: u32, message: &Message) -> std::result::Result<(), String> {
        let found = self.connections.iter_mut().find(|one| one.number == connection);
        found.map_or(Ok(()), |one| one.stream.put(message)).map_err(|error| error.to_string())
    }

    /// Waits at most `wait` for a connection, a message or `other`, and processes received requests within the limits
    /// per call. Returns lines for the log.
    ///
    /// # Errors
    /// Error of the operating system while waiting.
    pub(super) fn turn(
        &mut self,
        wait: Duration,
        other: Option<Other<'_>>,
        service: &mut dyn Service,
    ) -> Result<Vec<String>> {
        let (doors, ready) = self.wait(wait, other, service)?;
        let mut told = Vec::new();
        for (at, _) in doors.iter().enumerate().filter(|(_, ready)| **ready) {
            self.accept(at, &mut told);
        }
        if self.refused > self.told.0 && self.told.1.elapsed() >= TELL_REFUSED {
            let refused = self.refused - self.told.0;
            told.push(format!("{refused} connections were rejected: the maximum of {MOST_CONNECTIONS} is reached"));
            self.told = (self.refused, Instant::now());
        }
        let (client, idle) = (self.client, self.idle);
        let mut place = 0;
        self.connections.retain_mut(|connection| {
            // Connections accepted in this call were not polled.
            let ready = ready.get(place).copied().unwrap_or(PollFlags::IN);
            place += 1;
            let Err(why) = connection.serve(ready, idle, service) else { return true };
            let with = service.close(connection.number);
            told.push(format!("{client} {} at {} disconnected, lost {with}: {why}", connection.number, connection.at));
            false
        });
        Ok(told)
    }

    fn accept(&mut self, door: usize, told: &mut Vec<String>) {
        for (stream, at) in self.doors[door].accept(NEW_AT_ONCE) {
            if self.connections.len() >= MOST_CONNECTIONS {
                self.refused += 1;
                // Connections are in order of arrival, so the first match is the oldest.
                let is_mute =
                    |one: &&mut Connection| !one.evicting && one.mute.is_some_and(|since| since.elapsed() > SILENT_AGE);
                let Some(mute) = self.connections.iter_mut().find(is_mute) else { continue };
                mute.evicting = true;
            }
            self.last = self.last.wrapping_add(1);
            told.push(format!("{} {} connects from {at}", self.client, self.last));
            let number = self.last;
            self.connections.push(Connection {
                number,
                at,
                stream: Stream::new(stream),
                heard: Instant::now(),
                more: false,
                mute: Some(Instant::now()),
                evicting: false,
            });
        }
    }

    /// Waits for events. Returns for each port whether a connection is pending, and the poll flags of each
    /// connection.
    fn wait(
        &self,
        wait: Duration,
        other: Option<Other<'_>>,
        service: &dyn Service,
    ) -> Result<(Vec<bool>, Vec<PollFlags>)> {
        let interest = |one: &Connection| match service.is_full(one.number) {
            true => one.stream.interest() - PollFlags::IN,
            false => one.stream.interest(),
        };
        let mut all: Vec<PollFd<'_>> = self.doors.iter().map(|one| PollFd::new(one, PollFlags::IN)).collect();
        all.extend(self.connections.iter().map(|one| PollFd::new(one.stream.socket(), interest(one))));
        let mine = all.len();
        all.extend(other.map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags)));
        let more = self.connections.iter().any(|one| one.more && !one.stream.is_full() && !service.is_full(one.number));
        let wait = if more { Duration::ZERO } else { wait };
        let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut all, Some(&timeout)) {
            Ok(_) => {}
            // A signal has arrived. The caller checks whether it has to stop.
            Err(error) if error == rustix::io::Errno::INTR => {}
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<PollFlags> = all[..mine].iter().map(PollFd::revents).collect();
        let (doors, connections) = ready.split_at(self.doors.len());
        Ok((doors.iter().map(|ready| !ready.is_empty()).collect(), connections.to_vec()))
    }
}

impl Connection {
    /// Answers received requests and sends queued answers.
    ///
    /// # Errors
    /// The connection must be dropped, for the given reason.
    fn serve(
        &mut self,
        ready: PollFlags,
        idle: Duration,
        service: &mut dyn Service,
    ) -> std::result::Result<(), String> {
        if self.evicting {
            return Err("it sent no complete message and made room for another client".to_string());
        }
        if self.stream.is_stalled(STALL_TIMEOUT) {
            return Err("it does not read its answers".to_string());
        }
        if ready.is_empty() && !self.more {
            let silent = self.heard.elapsed() > idle && !service.awaits_answer(self.number);
            return if silent { Err(format!("it sent nothing for {} s", idle.as_secs())) } else { Ok(()) };
        }
        // The server does not read from a full connection, but the operating system still reports its end.
        if service.is_full(self.number) && ready.intersects(PollFlags::HUP | PollFlags::ERR) {
            return Err("it closed the connection".to_string());
        }
        let mut read = 0;
        let mut ended = self.answer(service).err();
        while ended.is_none() && !self.more && read < READ_LIMIT && !self.stream.is_full() {
            match self.stream.read().map_err(|error| error.to_string())? {
                ReadOutcome::End => ended = Some("it closed the connection".to_string()),
                ReadOutcome::Nothing => break,
                ReadOutcome::Bytes(count) => {
                    read += count;
                    self.heard = Instant::now();
                    ended = self.answer(service).err();
                }
            }
        }
        self.stream.send().map_err(|error| error.to_string())?;
        ended.map_or(Ok(()), Err)
    }

    fn answer(&mut self, service: &mut dyn Service) -> std::result::Result<(), String> {
        let began = Instant::now();
        self.more = false;
        loop {
            // The next request may be expensive, so the remaining requests wait for the next call.
            if began.elapsed() > TURN || self.stream.is_full() || service.is_full(self.number) {
                self.more = true;
                return Ok(());
            }
            let Some(line) = self.stream.lines.next_line() else { return Ok(()) };
            let line = line.map_err(|error| error.to_string())?;
            let message = Message::parse(&line).map_err(|error| error.to_string())?;
            self.mute = None;
            if let Some(answer) = service.on_message(self.number, message)? {
                self.stream.put(&answer).map_err(|error| error.to_string())?;
            }
        }
    }
}
