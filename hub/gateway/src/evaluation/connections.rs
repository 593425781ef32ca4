//! The connections of a server: who may come, whose turn it is, and who is sent away.
//!
//! One thread serves all and waits for none: whoever does not read its answers is not read either, and is dropped after a while.

use super::message::Message;
use super::stream::{Came, Stream};
use crate::door::Door;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{Error, Result};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// Maximum number of clients. A further one takes the place of one that has not sent a whole message within 5 s, or is closed.
pub const MOST_CONNECTIONS: usize = 256;
/// Bytes that are read of a client before it is another's turn.
const AT_ONCE: usize = 64 << 10;
/// Requests of a client are answered for so long before it is another's turn; one that has begun is ended.
const TURN: Duration = Duration::from_millis(5);
/// Connections that are refused are told so often.
const TELL_REFUSED: Duration = Duration::from_secs(10);
/// A client that does not read its answers for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(30);
/// Age from which a connection without any whole message gives way to a new one when there are too many.
const MUTE: Duration = Duration::from_secs(5);
/// New connections that are taken of a port before it is another's turn.
const NEW_AT_ONCE: usize = 64;

/// What a server does with messages.
pub(super) trait Service {
    /// Takes a message and gives its answer, if it has one at once.
    ///
    /// # Errors
    /// Why the connection is to be closed.
    fn take(&mut self, connection: u32, message: Message) -> std::result::Result<Option<Message>, String>;

    /// True while no more messages of a connection can be taken.
    fn is_full(&self, _connection: u32) -> bool {
        false
    }

    /// True while a connection waits for an answer; it may then be silent as long as it likes.
    fn owes(&self, _connection: u32) -> bool {
        false
    }

    /// A connection ended; gives what ended with it, for the log.
    fn close(&mut self, connection: u32) -> String;
}

/// Something else to wait for besides connections.
pub(super) type Other<'a> = (BorrowedFd<'a>, PollFlags);

struct Connection {
    number: u32,
    at: SocketAddr,
    stream: Stream,
    /// When it said something last.
    heard: Instant,
    /// Requests have come that are not answered yet.
    more: bool,
    /// Time of the connection, until the first whole message.
    mute: Option<Instant>,
    /// It gives way to a new one in this turn.
    leaves: bool,
}

/// Connections on one port or several.
pub(super) struct Connections {
    /// What clients are called.
    client: &'static str,
    doors: Vec<Door>,
    connections: Vec<Connection>,
    last: u32,
    refused: u64,
    /// Clients that say nothing for so long are sent away.
    idle: Duration,
    /// Refused connections that were told, and when.
    told: (u64, Instant),
}

impl Connections {
    /// Listens at these addresses.
    ///
    /// # Errors
    /// What the system says of an address.
    pub(super) fn listen(client: &'static str, addresses: &[SocketAddr], idle: Duration) -> Result<Connections> {
        let listen =
            |&at: &SocketAddr| Door::listen(at).map_err(|error| Error::new(error.kind(), format!("{at}: {error}")));
        let doors = addresses.iter().map(listen).collect::<Result<_>>()?;
        let told = (0, Instant::now());
        Ok(Connections { client, doors, connections: Vec::new(), last: 0, refused: 0, idle, told })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn addresses(&self) -> Result<Vec<SocketAddr>> {
        self.doors.iter().map(Door::address).collect()
    }

    /// Connections that were closed because there were too many.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.connections.len()
    }

    /// Puts a message behind what waits for a connection; nothing if it is gone.
    ///
    /// # Errors
    /// What makes it no line.
    pub(super) fn put(&mut self, connection: u32, message: &Message) -> std::result::Result<(), String> {
        let found = self.connections.iter_mut().find(|one| one.number == connection);
        found.map_or(Ok(()), |one| one.stream.put(message)).map_err(|error| error.to_string())
    }

    /// Waits until somebody connects or says something or `other` is ready, for `wait` at most, and has all that came answered.
    /// Lines for the log.
    ///
    /// # Errors
    /// What the system says of waiting.
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
            told.push(format!("{refused} connections were refused: {MOST_CONNECTIONS} are served already"));
            self.told = (self.refused, Instant::now());
        }
        let (client, idle) = (self.client, self.idle);
        let mut place = 0;
        self.connections.retain_mut(|connection| {
            // Those that have just come were not waited for.
            let ready = ready.get(place).copied().unwrap_or(PollFlags::IN);
            place += 1;
            let Err(why) = connection.serve(ready, idle, service) else { return true };
            let with = service.close(connection.number);
            told.push(format!("{client} {} at {} is gone with {with}: {why}", connection.number, connection.at));
            false
        });
        Ok(told)
    }

    fn accept(&mut self, door: usize, told: &mut Vec<String>) {
        for (stream, at) in self.doors[door].take(NEW_AT_ONCE) {
            if self.connections.len() >= MOST_CONNECTIONS {
                self.refused += 1;
                // They come in this order, so the first is the oldest.
                let is_mute =
                    |one: &&mut Connection| !one.leaves && one.mute.is_some_and(|since| since.elapsed() > MUTE);
                let Some(mute) = self.connections.iter_mut().find(is_mute) else { continue };
                mute.leaves = true;
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
                leaves: false,
            });
        }
    }

    /// Which ports have something to do, and what each connection has.
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
            // A signal: whoever calls looks whether it is to end.
            Err(error) if error == rustix::io::Errno::INTR => {}
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<PollFlags> = all[..mine].iter().map(PollFd::revents).collect();
        let (doors, connections) = ready.split_at(self.doors.len());
        Ok((doors.iter().map(|ready| !ready.is_empty()).collect(), connections.to_vec()))
    }
}

impl Connection {
    /// Answers what has come, and sends what waits.
    ///
    /// # Errors
    /// Why it is to be dropped.
    fn serve(
        &mut self,
        ready: PollFlags,
        idle: Duration,
        service: &mut dyn Service,
    ) -> std::result::Result<(), String> {
        if self.leaves {
            return Err("it has sent no whole message, and another client came".to_string());
        }
        if self.stream.is_deaf(PATIENCE) {
            return Err("it does not read its answers".to_string());
        }
        if ready.is_empty() && !self.more {
            let silent = self.heard.elapsed() > idle && !service.owes(self.number);
            return if silent { Err(format!("it said nothing for {} s", idle.as_secs())) } else { Ok(()) };
        }
        // It is not read, but the system tells all the same that it is gone.
        if service.is_full(self.number) && ready.intersects(PollFlags::HUP | PollFlags::ERR) {
            return Err("it closed the connection".to_string());
        }
        let mut read = 0;
        let mut ended = self.answer(service).err();
        while ended.is_none() && !self.more && read < AT_ONCE && !self.stream.is_full() {
            match self.stream.read().map_err(|error| error.to_string())? {
                Came::End => ended = Some("it closed the connection".to_string()),
                Came::Nothing => break,
                Came::Bytes(count) => {
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
            // Somebody's next request may be a costly one; what has come of it meanwhile waits for its next turn.
            if began.elapsed() > TURN || self.stream.is_full() || service.is_full(self.number) {
                self.more = true;
                return Ok(());
            }
            let Some(line) = self.stream.lines.next_line() else { return Ok(()) };
            let line = line.map_err(|error| error.to_string())?;
            let message = Message::parse(&line).map_err(|error| error.to_string())?;
            self.mute = None;
            if let Some(answer) = service.take(self.number, message)? {
                self.stream.put(&answer).map_err(|error| error.to_string())?;
            }
        }
    }
}
