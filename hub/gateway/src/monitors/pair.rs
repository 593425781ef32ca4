//! Servers of the SimSpark and RSMP protocols for the same scene.

use super::{Events, Frame, Monitors, Protocol};
use crate::limit::LineLimit;
use crate::scene::Node;
use crate::scene::arena::scene;
use crate::stage::GameFrame;
use crate::trainer::Command;
use std::io::Result;
use std::net::SocketAddr;
use std::time::Instant;

/// Sender of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandSource {
    server: usize,
    viewer: u64,
}

/// Input from all viewers in a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitorInput {
    /// Trainer commands that concern the arena or the game.
    pub commands: Vec<(CommandSource, Command)>,
    /// Lines for the log, after rate limiting.
    pub told: Vec<String>,
}

/// Counters of both servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of connected viewers.
    pub viewers: usize,
    /// Number of connections closed because the maximum number of viewers was reached.
    pub refused: u64,
    /// Number of invalid commands.
    pub errors: u64,
}

/// Servers of both protocols.
pub struct MonitorServers {
    servers: Vec<Monitors>,
    errors: u64,
    limit: LineLimit,
    began: Instant,
}

impl MonitorServers {
    /// Opens a listening socket for each protocol that has an address.
    ///
    /// # Errors
    /// An address cannot be used. The error contains this address and the error of the operating system.
    pub fn listen(
        simspark: Option<SocketAddr>,
        rsmp: Option<SocketAddr>,
    ) -> std::result::Result<MonitorServers, (SocketAddr, std::io::Error)> {
        let wanted = [(simspark, Protocol::SimSpark), (rsmp, Protocol::Rsmp)];
        let wanted = wanted.into_iter().filter_map(|(at, protocol)| Some((at?, protocol)));
        let servers = wanted.map(|(at, protocol)| Monitors::listen(at, protocol).map_err(|error| (at, error)));
        Ok(MonitorServers {
            servers: servers.collect::<std::result::Result<_, _>>()?,
            errors: 0,
            limit: LineLimit::default(),
            began: Instant::now(),
        })
    }

    /// Returns the addresses of the listening sockets.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn addresses(&self) -> Result<Vec<(Protocol, SocketAddr)>> {
        self.servers.iter().map(|server| Ok((server.protocol(), server.address()?))).collect()
    }

    /// Returns the current number of viewers, and the values of the other counters since the start.
    pub fn counts(&self) -> Counts {
        Counts {
            viewers: self.servers.iter().map(Monitors::viewers).sum(),
            refused: self.servers.iter().map(Monitors::refused).sum(),
            errors: self.errors,
        }
    }

    /// Sends a picture to all viewers, and reads about `room` commands, divided between the servers
    /// ([`Monitors::cycle`]). Never blocks.
    pub fn cycle(&mut self, picture: &GameFrame, room: usize) -> MonitorInput {
        self.show(picture, &scene(&picture.arena), room)
    }

    /// Sends the last picture to viewers that have not received the whole scene, and reads commands
    /// ([`Monitors::cycle_unchanged`]). Never blocks.
    pub fn wait(&mut self, last: &GameFrame, room: usize) -> MonitorInput {
        self.turn(last, &scene(&last.arena), room, Monitors::cycle_unchanged)
    }

    /// Sends a picture. `scene` is sent instead of the picture's arena.
    pub fn show(&mut self, picture: &GameFrame, scene: &[Node], room: usize) -> MonitorInput {
        self.turn(picture, scene, room, Monitors::cycle)
    }

    fn turn(
        &mut self,
        picture: &GameFrame,
        scene: &[Node],
        room: usize,
        turn: fn(&mut Monitors, &Frame<'_>, usize) -> Events,
    ) -> MonitorInput {
        let (environment, state) = (picture.environment(), picture.state());
        let now = Frame { time: picture.time(), environment: &environment, state: &state, scene };
        let (mut heard, mut told) = (MonitorInput::default(), Vec::new());
        let share = room.div_ceil(self.servers.len().max(1));
        for (place, server) in self.servers.iter_mut().enumerate() {
            let Events { commands, errors, told: lines } = turn(server, &now, share);
            self.errors += errors;
            told.extend(lines.into_iter().map(|line| format!("{}: {line}", server.protocol().name())));
            for (viewer, command) in commands {
                match command {
                    Command::FullState => server.resend_to(viewer),
                    other => heard.commands.push((CommandSource { server: place, viewer }, other)),
                }
            }
        }
        heard.told = self.limited(told);
        heard
    }

    /// Applies the log's rate limit to lines.
    pub fn limited(&mut self, lines: Vec<String>) -> Vec<String> {
        self.limit.pass(self.began.elapsed().as_secs(), lines)
    }

    /// Sends an answer to the sender of a command.
    pub fn answer(&mut self, asker: CommandSource, message: &str) {
        if let Some(server) = self.servers.get_mut(asker.server) {
            server.answer(asker.viewer, message);
        }
    }
}
