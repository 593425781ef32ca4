//! Non-blocking connection of one viewer, with its send queue and its pending commands.

use super::Events;
use crate::frame::{Frames, frame};
use crate::trainer::{self, Command};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

/// Maximum length of a viewer's send queue (bytes). A viewer with a longer queue is disconnected. The queues of all
/// viewers share the messages in memory.
const MOST_WAITING: usize = 4 << 20;
/// Maximum length of a message from a viewer (bytes).
const LONGEST_COMMAND: usize = 64 << 10;
/// Maximum number of bytes read from a viewer in a cycle, so that one viewer cannot delay the others.
const READ_AT_ONCE: usize = 64 << 10;

/// Maximum number of commands accepted from a viewer in a cycle.
const TURN: usize = 16;

/// Connection of a viewer.
pub(super) struct Viewer {
    pub(super) number: u64,
    pub(super) at: SocketAddr,
    stream: TcpStream,
    frames: Frames,
    /// Received commands that wait for a later cycle.
    commands: VecDeque<Command>,
    waiting: VecDeque<Arc<[u8]>>,
    /// Number of bytes already sent of the first message in the queue.
    sent: usize,
    bytes: usize,
    /// Whether the viewer has received the whole scene and has not requested it again.
    pub(super) begun: bool,
}

impl Viewer {
    pub(super) fn new(number: u64, at: SocketAddr, stream: TcpStream) -> Viewer {
        let (frames, waiting) = (Frames::new(LONGEST_COMMAND), VecDeque::new());
        let commands = VecDeque::new();
        Viewer { number, at, stream, frames, commands, waiting, sent: 0, bytes: 0, begun: false }
    }

    pub(super) fn queue(&mut self, message: &Arc<[u8]>) {
        self.bytes += message.len();
        self.waiting.push_back(message.clone());
    }

    pub(super) fn answer(&mut self, message: &str) {
        self.queue(&frame(message).into());
    }

    /// Sends queued messages and reads commands. Reading ends when `events` has `room` commands, or when the viewer
    /// has sent [`TURN`] commands. Further input stays in the viewer's buffers or in the socket.
    pub(super) fn exchange(&mut self, events: &mut Events, room: usize) -> std::result::Result<(), String> {
        self.send().map_err(|error| error.to_string())?;
        if self.bytes > MOST_WAITING {
            return Err(format!("it does not read; {} bytes are queued", self.bytes));
        }
        let (mut buffer, mut turn) = ([0; 16 << 10], TURN);
        for _ in 0..READ_AT_ONCE / buffer.len() {
            if !self.read_commands(events, room, &mut turn)? {
                break;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err("it closed the connection".into()),
                Ok(count) => self.frames.push(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        self.read_commands(events, room, &mut turn).map(drop)
    }

    fn send(&mut self) -> Result<()> {
        while let Some(message) = self.waiting.front() {
            match self.stream.write(&message[self.sent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.sent += count;
                    self.bytes -= count;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.sent == message.len() {
                self.waiting.pop_front();
                self.sent = 0;
            }
        }
        Ok(())
    }

    /// Moves commands of complete messages to `events`, and reduces `turn` by their number. Returns false if `turn`
    /// or `room` is used up.
    fn read_commands(
        &mut self,
        events: &mut Events,
        room: usize,
        turn: &mut usize,
    ) -> std::result::Result<bool, String> {
        loop {
            while *turn > 0 && events.commands.len() < room {
                let Some(command) = self.commands.pop_front() else { break };
                events.commands.push((self.number, command));
                *turn -= 1;
            }
            if *turn == 0 || events.commands.len() >= room {
                return Ok(false);
            }
            let Some(message) = self.frames.next_message().map_err(|error| error.to_string())? else { return Ok(true) };
            let (commands, errors) = trainer::read(message).map_err(|error| error.to_string())?;
            self.commands.extend(commands);
            events.errors += errors.len() as u64;
            events.told.extend(errors.into_iter().map(|error| format!("viewer {}: {error}", self.number)));
        }
    }
}
