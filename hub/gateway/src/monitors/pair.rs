//! The servers of both protocols, of one scene.

use super::{Events, Moment, Monitors, Protocol};
use crate::limit::LineLimit;
use crate::scene::Node;
use crate::scene::arena::scene;
use crate::stage::Picture;
use crate::trainer::Command;
use std::io::Result;
use std::net::SocketAddr;
use std::time::Instant;

/// Who sent a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    server: usize,
    viewer: u64,
}

/// What came in a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// Commands of trainers that concern the arena or the game.
    pub commands: Vec<(Asker, Command)>,
    /// Lines for the log, not more than a log can take.
    pub told: Vec<String>,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Viewers that watch now.
    pub viewers: usize,
    /// Connections that were closed because there were too many.
    pub refused: u64,
    /// Commands that were none.
    pub errors: u64,
}

/// The servers.
pub struct Pair {
    servers: Vec<Monitors>,
    errors: u64,
    limit: LineLimit,
    began: Instant,
}

impl Pair {
    /// Listens, in the protocols that have an address.
    ///
    /// # Errors
    /// The address, and what the system says.
    pub fn listen(
        simspark: Option<SocketAddr>,
        rsmp: Option<SocketAddr>,
    ) -> std::result::Result<Pair, (SocketAddr, std::io::Error)> {
        let wanted = [(simspark, Protocol::SimSpark), (rsmp, Protocol::Rsmp)];
        let wanted = wanted.into_iter().filter_map(|(at, protocol)| Some((at?, protocol)));
        let servers = wanted.map(|(at, protocol)| Monitors::listen(at, protocol).map_err(|error| (at, error)));
        Ok(Pair {
            servers: servers.collect::<std::result::Result<_, _>>()?,
            errors: 0,
            limit: LineLimit::default(),
            began: Instant::now(),
        })
    }

    /// Where they listen.
    ///
    /// # Errors
    /// What the system says.
    pub fn addresses(&self) -> Result<Vec<(Protocol, SocketAddr)>> {
        self.servers.iter().map(|server| Ok((server.protocol(), server.address()?))).collect()
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        Counts {
            viewers: self.servers.iter().map(Monitors::viewers).sum(),
            refused: self.servers.iter().map(Monitors::refused).sum(),
            errors: self.errors,
        }
    }

    /// Shows a moment to everybody and takes up to about so many commands ([`Monitors::cycle`]). Never waits.
    pub fn cycle(&mut self, picture: &Picture, room: usize) -> Heard {
        self.show(picture, &scene(&picture.arena), room)
    }

    /// Shows the last moment to those who came after it, and takes commands ([`Monitors::wait`]). Never waits.
    pub fn wait(&mut self, last: &Picture, room: usize) -> Heard {
        self.turn(last, &scene(&last.arena), room, Monitors::wait)
    }

    /// Shows a moment with a scene of one's own, of which the picture tells the rest.
    pub fn show(&mut self, picture: &Picture, scene: &[Node], room: usize) -> Heard {
        self.turn(picture, scene, room, Monitors::cycle)
    }

    fn turn(
        &mut self,
        picture: &Picture,
        scene: &[Node],
        room: usize,
        turn: fn(&mut Monitors, &Moment<'_>, usize) -> Events,
    ) -> Heard {
        let (environment, state) = (picture.environment(), picture.state());
        let now = Moment { time: picture.time(), environment: &environment, state: &state, scene };
        let (mut heard, mut told) = (Heard::default(), Vec::new());
        let share = room.div_ceil(self.servers.len().max(1));
        for (place, server) in self.servers.iter_mut().enumerate() {
            let Events { commands, errors, told: lines } = turn(server, &now, share);
            self.errors += errors;
            told.extend(lines.into_iter().map(|line| format!("{}: {line}", server.protocol().name())));
            for (viewer, command) in commands {
                match command {
                    Command::FullState => server.send_anew(viewer),
                    other => heard.commands.push((Asker { server: place, viewer }, other)),
                }
            }
        }
        heard.told = self.limited(told);
        heard
    }

    /// Those of the lines that a log can take now.
    pub fn limited(&mut self, lines: Vec<String>) -> Vec<String> {
        self.limit.pass(self.began.elapsed().as_secs(), lines)
    }

    /// Answers who sent a command.
    pub fn answer(&mut self, asker: Asker, message: &str) {
        if let Some(server) = self.servers.get_mut(asker.server) {
            server.answer(asker.viewer, message);
        }
    }
}
