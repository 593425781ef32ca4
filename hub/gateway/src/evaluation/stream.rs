//! Non-blocking connection that transmits lines in both directions.

use super::lines::Lines;
use super::message::{Message, MessageError};
use crate::door::set_nonblocking;
use rustix::event::PollFlags;
use std::io::{ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Length of the send queue at which the server stops reading requests (bytes).
const MOST_WAITING: usize = 1 << 20;
/// Maximum number of bytes per read.
const AT_ONCE: usize = 64 << 10;

/// Connection with its received lines and its send queue.
pub(super) struct Stream {
    stream: TcpStream,
    pub lines: Lines,
    to_send: Vec<u8>,
    /// Number of bytes of `to_send` that have been sent.
    sent: usize,
    /// Time since which the peer has accepted no bytes; `None` if the peer accepted bytes at the last attempt.
    waits: Option<Instant>,
    text: String,
}

/// Result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadOutcome {
    /// Number of received bytes, which have been appended to `lines`.
    Bytes(usize),
    /// No bytes are available at present.
    Nothing,
    /// The peer has closed the stream.
    End,
}

impl Stream {
    /// Connects to a server within `longest`.
    ///
    /// # Errors
    /// Error of the operating system.
    pub(super) fn connect(at: &SocketAddr, longest: Duration) -> Result<Stream> {
        let stream = TcpStream::connect_timeout(at, longest)?;
        set_nonblocking(&stream)?;
        Ok(Stream::new(stream))
    }

    /// Wraps a non-blocking connection.
    pub(super) fn new(stream: TcpStream) -> Stream {
        let (lines, text) = (Lines::new(), String::new());
        Stream { stream, lines, to_send: Vec::new(), sent: 0, waits: None, text }
    }

    pub(super) fn socket(&self) -> &TcpStream {
        &self.stream
    }

    /// Returns whether the send queue has reached the length at which the server stops reading requests.
    pub(super) fn is_full(&self) -> bool {
        self.to_send.len() - self.sent >= MOST_WAITING
    }

    /// Returns the events for which the connection must be polled.
    pub(super) fn interest(&self) -> PollFlags {
        match self.to_send.len() - self.sent {
            0 => PollFlags::IN,
            _ if self.is_full() => PollFlags::OUT,
            _ => PollFlags::IN | PollFlags::OUT,
        }
    }

    /// Returns whether the peer has accepted no bytes for longer than `patience`, although bytes are queued.
    pub(super) fn is_stalled(&self, patience: Duration) -> bool {
        self.waits.is_some_and(|since| since.elapsed() > patience)
    }

    /// Queues a message.
    ///
    /// # Errors
    /// The message cannot be written as a line.
    pub(super) fn put(&mut self, message: &Message) -> std::result::Result<(), MessageError> {
        self.text.clear();
        message.write_to(&mut self.text)?;
        self.to_send.extend_from_slice(self.text.as_bytes());
        self.to_send.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Reads once from the connection, and appends the received bytes to `lines`.
    ///
    /// # Errors
    /// Error of the operating system.
    pub(super) fn read(&mut self) -> Result<ReadOutcome> {
        let mut buffer = [0; AT_ONCE];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Ok(ReadOutcome::End),
                Ok(count) => {
                    self.lines.push(&buffer[..count]);
                    return Ok(ReadOutcome::Bytes(count));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(ReadOutcome::Nothing),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends as much of the queue as the peer accepts.
    ///
    /// # Errors
    /// Error of the operating system.
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
