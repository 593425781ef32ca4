//! Connection of one agent to the server.

use super::AgentInput;
use crate::agent::{self, Effector};
use crate::frame::{Frames, frame};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

/// Maximum length of an agent's message (bytes).
const LONGEST: usize = 4 << 10;
/// Maximum number of bytes read from an agent in a cycle. Further bytes stay in the socket buffer.
const READ_AT_ONCE: usize = 8 << 10;
/// Length of the send queue above which the connection is closed (bytes).
const MOST_WAITING: usize = 256 << 10;
/// Maximum length of a team name (bytes).
const LONGEST_TEAM: usize = 32;

/// State of an agent's handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handshake {
    /// The agent has not sent a message yet.
    Nothing,
    /// The agent requested a body.
    Scene,
    /// The agent drives the robot with this index (from 0). The flag states whether the agent has received its number.
    Joined { robot: usize, told: bool },
}

/// Connection of an agent.
pub(super) struct Connection {
    pub(super) number: u64,
    pub(super) at: SocketAddr,
    pub(super) stream: TcpStream,
    pub(super) since: Instant,
    pub(super) progress: Handshake,
    pub(super) team: String,
    /// Number that the agent requested within its team; 0 requests any number. `None` if no request is pending.
    wanted: Option<u32>,
    /// Whether the agent ended its cycle with `(syn)`.
    pub(super) done: bool,
    /// Whether the agent missed a deadline. Until the next `(syn)` of a late agent, the server does not wait for it.
    pub(super) late: bool,
    frames: Frames,
    waiting: Vec<u8>,
}

impl Connection {
    pub(super) fn new(number: u64, at: SocketAddr, stream: TcpStream) -> Connection {
        Connection {
            number,
            at,
            stream,
            since: Instant::now(),
            progress: Handshake::Nothing,
            team: String::new(),
            wanted: None,
            done: false,
            late: false,
            frames: Frames::new(LONGEST),
            waiting: Vec::new(),
        }
    }

    pub(super) fn robot(&self) -> Option<usize> {
        match self.progress {
            Handshake::Joined { robot, .. } => Some(robot),
            Handshake::Nothing | Handshake::Scene => None,
        }
    }

    /// Reads at most [`READ_AT_ONCE`] bytes, and processes the complete messages.
    pub(super) fn read(&mut self, said: &mut AgentInput) -> Result<(), String> {
        if self.waiting.len() > MOST_WAITING {
            return Err(format!("it does not read; {} bytes are queued", self.waiting.len()));
        }
        let mut buffer = [0; READ_AT_ONCE];
        match self.stream.read(&mut buffer) {
            Ok(0) => return Err("it closed the connection".into()),
            Ok(count) => self.frames.push(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error.to_string()),
        }
        loop {
            let message = self.frames.next_message().map_err(|error| error.to_string())?;
            let Some(message) = message else { return Ok(()) };
            let effectors = agent::read(message).map_err(|error| error.to_string())?;
            effectors.into_iter().for_each(|effector| self.hear(effector, said));
        }
    }

    fn hear(&mut self, effector: Effector, said: &mut AgentInput) {
        match (effector, self.progress) {
            (Effector::Scene, Handshake::Nothing) => self.progress = Handshake::Scene,
            (Effector::Init(team, number), Handshake::Scene) => {
                let fits = !team.is_empty() && team.len() <= LONGEST_TEAM && team.bytes().all(|b| b.is_ascii_graphic());
                self.team = if fits { team } else { "team".into() };
                self.wanted = Some(number);
            }
            (Effector::Sync, _) => (self.done, self.late) = (true, false),
            // Ignores effectors of an agent without a robot, and requests of an agent that already has a robot.
            (Effector::Scene | Effector::Init(..), _) => {}
            (effector, Handshake::Joined { robot, .. }) => said.effectors.push((robot, effector)),
            (_, _) => {}
        }
    }

    /// Assigns the requested robot if the agent has requested one. `free` states whether each robot may get an agent;
    /// `taken` lists the robots with agents.
    pub(super) fn join(&mut self, free: &[bool], taken: &mut Vec<usize>) -> Result<(), String> {
        let Some(wanted) = self.wanted.take() else { return Ok(()) };
        let can = |robot: &usize| free.get(*robot) == Some(&true) && !taken.contains(robot);
        let robot = match wanted.checked_sub(1) {
            None => (0..free.len()).find(can).ok_or("no robot is free: all have an agent")?,
            Some(robot) => {
                let robot = robot as usize;
                if robot >= free.len() {
                    return Err(format!("robot {wanted} does not exist; choose 1 to {}", free.len()));
                }
                Some(robot).filter(can).ok_or(format!("robot {wanted} already has an agent or was removed"))?
            }
        };
        taken.push(robot);
        self.progress = Handshake::Joined { robot, told: false };
        Ok(())
    }

    /// Queues a message, and sends as much of the queue as the socket accepts.
    pub(super) fn send(&mut self, message: &str) {
        self.done = self.late;
        if self.waiting.len() > MOST_WAITING {
            return;
        }
        self.waiting.extend(frame(message));
        let mut sent = 0;
        while sent < self.waiting.len() {
            match self.stream.write(&self.waiting[sent..]) {
                Ok(count) if count > 0 => sent += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The next call of `read` reports the error.
                _ => break,
            }
        }
        self.waiting.drain(..sent);
    }
}
