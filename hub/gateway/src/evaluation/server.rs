//! The server of a world: robot simulators connect to one of its ports, and all are in the same world (section 2.1).
//!
//! One thread serves all and waits for none: whoever does not read its answers is not read either, and is dropped after a while.

use super::lines::Lines;
use super::message::Message;
use super::world::World;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Robot simulators that are served at once; more are closed as soon as they come.
pub const MOST_CONNECTIONS: usize = 256;
/// Bytes of answers that wait for a simulator before no more of its requests are read.
const MOST_WAITING: usize = 1 << 20;
/// Bytes that are read of a simulator before it is another's turn.
const AT_ONCE: usize = 64 << 10;
/// Requests of a simulator are answered for so long before it is another's turn; one that has begun is ended.
const TURN: Duration = Duration::from_millis(5);
/// Connections that are refused are told so often.
const TELL_REFUSED: Duration = Duration::from_secs(10);
/// A simulator that does not read its answers for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(30);
/// New connections that are taken of a port before it is another's turn.
const NEW_AT_ONCE: usize = 64;
/// Robots are looked through for dead ones so often.
const EXPIRY: Duration = Duration::from_secs(1);

/// What was served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages that came and were understood.
    pub messages: u64,
    /// Connections that were closed because there were too many.
    pub refused: u64,
    /// Robots that were taken away because nobody moved or asked for them.
    pub expired: u64,
}

struct Connection {
    number: u32,
    at: SocketAddr,
    stream: TcpStream,
    lines: Lines,
    answers: Vec<u8>,
    /// Bytes of the answers that are sent.
    sent: usize,
    /// Since when answers wait.
    waits: Option<Instant>,
    /// When it said something last.
    heard: Instant,
    /// Requests have come that are not answered yet.
    more: bool,
}

/// A world on its ports.
pub struct WorldServer {
    world: World,
    listeners: Vec<TcpListener>,
    connections: Vec<Connection>,
    last: u32,
    counts: Counts,
    began: Instant,
    looked: Instant,
    idle: Duration,
    /// Refused connections that were told, and when.
    told: (u64, Instant),
}

impl WorldServer {
    /// Serves a world at these addresses. Robots of which nobody speaks for `idle` are taken away, and simulators that say
    /// nothing for so long are sent away.
    ///
    /// # Errors
    /// What the system says of an address.
    pub fn listen(world: World, addresses: &[SocketAddr], idle: Duration) -> Result<WorldServer> {
        let listen = |address: &SocketAddr| {
            let said = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{address}: {error}"));
            let listener = TcpListener::bind(address).map_err(said)?;
            listener.set_nonblocking(true).map_err(said)?;
            Ok(listener)
        };
        let listeners = addresses.iter().map(listen).collect::<Result<_>>()?;
        let began = Instant::now();
        let (connections, counts) = (Vec::new(), Counts::default());
        let told = (0, began);
        Ok(WorldServer { world, listeners, connections, last: 0, counts, began, looked: began, idle, told })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn addresses(&self) -> Result<Vec<SocketAddr>> {
        self.listeners.iter().map(TcpListener::local_addr).collect()
    }

    /// What was served so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Robot simulators that are connected.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Waits until somebody connects or says something, for `wait` at most, and answers all that came. Lines for the log.
    ///
    /// # Errors
    /// What the system says of waiting.
    pub fn turn(&mut self, wait: Duration) -> Result<Vec<String>> {
        let (ready, waiting) = self.wait(wait)?;
        let mut told = Vec::new();
        for (listener, _) in self.listeners.iter().zip(&ready).filter(|(_, ready)| **ready) {
            for _ in 0..NEW_AT_ONCE {
                let Ok((stream, at)) = listener.accept() else { break };
                if self.connections.len() >= MOST_CONNECTIONS {
                    self.counts.refused += 1;
                    continue;
                }
                // Answers that wait for more to come are late.
                if stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_err() {
                    continue;
                }
                self.last = self.last.wrapping_add(1);
                told.push(format!("robot simulator {} connects from {at}", self.last));
                let (lines, answers) = (Lines::new(), Vec::new());
                let (heard, number) = (Instant::now(), self.last);
                self.connections.push(Connection {
                    number,
                    at,
                    stream,
                    lines,
                    answers,
                    sent: 0,
                    waits: None,
                    heard,
                    more: false,
                });
            }
        }
        if self.counts.refused > self.told.0 && self.told.1.elapsed() >= TELL_REFUSED {
            let refused = self.counts.refused - self.told.0;
            told.push(format!("{refused} connections were refused: {MOST_CONNECTIONS} are served already"));
            self.told = (self.counts.refused, Instant::now());
        }
        let (world, counts, idle) = (&mut self.world, &mut self.counts, self.idle);
        let mut place = 0;
        self.connections.retain_mut(|connection| {
            // Those that have just come were not waited for.
            let ready = waiting.get(place).is_none_or(|ready| *ready) || connection.more;
            place += 1;
            let late = connection.waits.is_some_and(|since| since.elapsed() > PATIENCE);
            let went = match (late, connection.heard.elapsed() > idle, ready) {
                (true, ..) => Err("it does not read its answers".to_string()),
                (_, true, false) => Err(format!("it said nothing for {} s", idle.as_secs())),
                (.., true) => connection.serve(world, counts),
                (.., false) => Ok(()),
            };
            let Err(why) = went else { return true };
            let robots = world.close(connection.number);
            told.push(format!(
                "robot simulator {} at {} is gone with {robots} robots: {why}",
                connection.number, connection.at
            ));
            false
        });
        if self.looked.elapsed() >= EXPIRY {
            self.looked = Instant::now();
            let expired = self.world.expire(self.began.elapsed().as_secs_f64(), self.idle.as_secs_f64());
            self.counts.expired += expired as u64;
        }
        Ok(told)
    }

    /// Which listeners and which connections have something to do.
    fn wait(&self, wait: Duration) -> Result<(Vec<bool>, Vec<bool>)> {
        let interest = |connection: &Connection| match connection.answers.len() - connection.sent {
            0 => PollFlags::IN,
            waiting if waiting < MOST_WAITING => PollFlags::IN | PollFlags::OUT,
            _ => PollFlags::OUT,
        };
        let mut all: Vec<PollFd<'_>> = self.listeners.iter().map(|one| PollFd::new(one, PollFlags::IN)).collect();
        all.extend(self.connections.iter().map(|one| PollFd::new(&one.stream, interest(one))));
        let more = self.connections.iter().any(|one| one.more);
        let wait = if more { Duration::ZERO } else { wait };
        let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
        match poll(&mut all, Some(&timeout)) {
            Ok(_) => {}
            // A signal: whoever calls looks whether it is to end.
            Err(error) if error == rustix::io::Errno::INTR => {}
            Err(error) => return Err(error.into()),
        }
        let mut ready: Vec<bool> = all.iter().map(|one| !one.revents().is_empty()).collect();
        let connections = ready.split_off(self.listeners.len());
        Ok((ready, connections))
    }
}

impl Connection {
    /// Answers what has come, and sends what waits.
    fn serve(&mut self, world: &mut World, counts: &mut Counts) -> std::result::Result<(), String> {
        let mut buffer = [0; 16 << 10];
        let mut read = 0;
        let mut ended = self.answer(world, counts).err();
        while ended.is_none() && !self.more && read < AT_ONCE && self.answers.len() - self.sent < MOST_WAITING {
            match self.stream.read(&mut buffer) {
                Ok(0) => {
                    ended = Some("it closed the connection".to_string());
                    break;
                }
                Ok(count) => {
                    read += count;
                    self.heard = Instant::now();
                    self.lines.push(&buffer[..count]);
                    if let Err(why) = self.answer(world, counts) {
                        ended = Some(why);
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        self.send().map_err(|error| error.to_string())?;
        ended.map_or(Ok(()), Err)
    }

    fn answer(&mut self, world: &mut World, counts: &mut Counts) -> std::result::Result<(), String> {
        let (mut text, began) = (String::new(), Instant::now());
        self.more = false;
        while let Some(line) = self.lines.next_line() {
            let line = line.map_err(|error| error.to_string())?;
            let message = Message::parse(&line).map_err(|error| error.to_string())?;
            counts.messages += 1;
            let answer = world.answer(self.number, &message).map_err(|error| error.to_string())?;
            if let Some(answer) = answer {
                text.clear();
                answer.write_to(&mut text).map_err(|error| error.to_string())?;
                self.answers.extend_from_slice(text.as_bytes());
                self.answers.extend_from_slice(b"\r\n");
            }
            // Somebody's next request may be a costly one; what has come of it meanwhile waits for its next turn.
            if began.elapsed() > TURN || self.answers.len() - self.sent >= MOST_WAITING {
                self.more = true;
                break;
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        while self.sent < self.answers.len() {
            match self.stream.write(&self.answers[self.sent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.sent += count;
                    self.waits = None;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.waits.get_or_insert_with(Instant::now);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.answers.clear();
        (self.sent, self.waits) = (0, None);
        Ok(())
    }
}
