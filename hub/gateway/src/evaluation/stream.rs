//! A connection that carries lines both ways and makes nobody wait.

use super::lines::Lines;
use super::message::{Message, MessageError};
use crate::door::never_waits;
use rustix::event::PollFlags;
use std::io::{ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Bytes that wait to be sent before no more is read.
const MOST_WAITING: usize = 1 << 20;
/// Bytes that are read at once.
const AT_ONCE: usize = 64 << 10;

/// A stream with the lines that came and the bytes that are to go.
pub(super) struct Stream {
    stream: TcpStream,
    pub lines: Lines,
    to_send: Vec<u8>,
    /// Bytes of these that are sent.
    sent: usize,
    /// Since when the other side takes nothing.
    waits: Option<Instant>,
    text: String,
}

/// What reading found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// Bytes, which are in the lines now.
    Bytes(usize),
    /// None for now.
    Nothing,
    /// The other side's end.
    End,
}

impl Stream {
    /// Connects to a server, within `longest`.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn connect(at: &SocketAddr, longest: Duration) -> Result<Stream> {
        let stream = TcpStream::connect_timeout(at, longest)?;
        never_waits(&stream)?;
        Ok(Stream::new(stream))
    }

    /// Of a connection that never waits.
    pub(super) fn new(stream: TcpStream) -> Stream {
        let (lines, text) = (Lines::new(), String::new());
        Stream { stream, lines, to_send: Vec::new(), sent: 0, waits: None, text }
    }

    pub(super) fn socket(&self) -> &TcpStream {
        &self.stream
    }

    /// So much waits to be sent that no more requests are to be read.
    pub(super) fn is_full(&self) -> bool {
        self.to_send.len() - self.sent >= MOST_WAITING
    }

    /// What to wait for.
    pub(super) fn interest(&self) -> PollFlags {
        match self.to_send.len() - self.sent {
            0 => PollFlags::IN,
            _ if self.is_full() => PollFlags::OUT,
            _ => PollFlags::IN | PollFlags::OUT,
        }
    }

    /// The other side has taken nothing for so long although there is something.
    pub(super) fn is_deaf(&self, patience: Duration) -> bool {
        self.waits.is_some_and(|since| since.elapsed() > patience)
    }

    /// Puts a message behind what waits.
    ///
    /// # Errors
    /// What makes it no line.
    pub(super) fn put(&mut self, message: &Message) -> std::result::Result<(), MessageError> {
        self.text.clear();
        message.write_to(&mut self.text)?;
        self.to_send.extend_from_slice(self.text.as_bytes());
        self.to_send.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Reads what is there, once.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn read(&mut self) -> Result<Came> {
        let mut buffer = [0; AT_ONCE];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Ok(Came::End),
                Ok(count) => {
                    self.lines.push(&buffer[..count]);
                    return Ok(Came::Bytes(count));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Came::Nothing),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends what the other side takes now.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn send(&mut self) -> Result<()> {
        while self.sent < self.to_send.len() {
            match self.stream.write(&self.to_send[self.sent..]) {
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
        self.to_send.clear();
        (self.sent, self.waits) = (0, None);
        Ok(())
    }
}
