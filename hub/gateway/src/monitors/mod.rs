//! The server of monitors: 3D viewers connect and are told a scene, in SimSpark's protocol or in RSMP, and may send trainers'
//! commands.
//!
//! One thread serves all: each message is written once, viewers that do not take it in time are dropped, and nobody waits for
//! anybody.

pub mod pair;
mod viewer;

use crate::door::Door;
use crate::frame::frame;
use crate::scene::sender::{Sender, Update};
use crate::scene::{Change, Field, Node, rsmp, simspark};
use crate::trainer::Command;
use std::io::Result;
use std::net::SocketAddr;
use std::sync::Arc;
use viewer::Viewer;

/// Viewers that are served at once; more are closed as soon as they come.
pub const MOST_VIEWERS: usize = 256;
/// New viewers that are taken in a cycle.
const NEW_AT_ONCE: usize = 256;

/// A protocol of viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SimSpark's, port 3200 by default.
    SimSpark,
    /// RSMP 1.0, port 60001 by default.
    Rsmp,
}

/// What viewers are told.
#[derive(Clone, Debug, Default)]
pub struct Moment<'a> {
    /// Time of the game, s; `fields` have it, too.
    pub time: f64,
    /// The environment, which full messages have.
    pub environment: &'a [Field],
    /// The state of the game, `time` first.
    pub state: &'a [Field],
    /// The scene.
    pub scene: &'a [Node],
}

/// What viewers sent and what became of them in a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Commands, with the number of the viewer that sent them.
    pub commands: Vec<(u64, Command)>,
    /// Commands that are none: each is a line of the log, too.
    pub errors: u64,
    /// Lines for the log.
    pub told: Vec<String>,
}

/// A server of one protocol.
pub struct Monitors {
    door: Door,
    protocol: Protocol,
    viewers: Vec<Viewer>,
    sender: Sender,
    count: u64,
    refused: u64,
}

impl Monitors {
    /// Listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn listen(at: SocketAddr, protocol: Protocol) -> Result<Monitors> {
        let door = Door::listen(at)?;
        Ok(Monitors { door, protocol, viewers: Vec::new(), sender: Sender::default(), count: 0, refused: 0 })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> Result<SocketAddr> {
        self.door.address()
    }

    /// What it speaks.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Number of viewers.
    pub fn viewers(&self) -> usize {
        self.viewers.len()
    }

    /// Connections that were closed because there were too many.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Everything is sent anew to everybody in the next cycle.
    pub fn send_all_anew(&mut self) {
        self.sender = Sender::default();
    }

    /// The whole scene is sent anew to this viewer in the next cycle.
    pub fn send_anew(&mut self, viewer: u64) {
        self.viewer(viewer).into_iter().for_each(|viewer| viewer.begun = false);
    }

    /// A cycle: takes new viewers, tells everybody what has changed, and reads what they sent, up to so many commands and those of
    /// the message that has the last of them. Never waits.
    pub fn cycle(&mut self, now: &Moment<'_>, room: usize) -> Events {
        self.turn(now, room, true)
    }

    /// A cycle without news: `last` is the moment of the cycle before, and only those who do not have it are told.
    pub fn wait(&mut self, last: &Moment<'_>, room: usize) -> Events {
        self.turn(last, room, false)
    }

    fn turn(&mut self, now: &Moment<'_>, room: usize, news: bool) -> Events {
        let mut events = Events::default();
        self.take_new(&mut events);
        self.tell(now, news);
        // Each is the first to be read in its turn, so that one that floods leaves room for the others.
        if !self.viewers.is_empty() {
            self.viewers.rotate_left(1);
        }
        self.viewers.retain_mut(|viewer| match viewer.exchange(&mut events, room) {
            Ok(()) => true,
            Err(why) => {
                events.told.push(format!("viewer {} at {} is gone: {why}", viewer.number, viewer.at));
                false
            }
        });
        events
    }

    /// Answers a viewer.
    pub fn answer(&mut self, viewer: u64, message: &str) {
        self.viewer(viewer).into_iter().for_each(|viewer| viewer.answer(message));
    }

    fn viewer(&mut self, number: u64) -> Option<&mut Viewer> {
        self.viewers.iter_mut().find(|one| one.number == number)
    }

    fn take_new(&mut self, events: &mut Events) {
        let before = self.refused;
        for (stream, at) in self.door.take(NEW_AT_ONCE) {
            if self.viewers.len() >= MOST_VIEWERS {
                self.refused += 1;
                continue;
            }
            self.count += 1;
            events.told.push(format!("viewer {} at {at} watches", self.count));
            self.viewers.push(Viewer::new(self.count, at, stream));
        }
        let refused = self.refused - before;
        if refused > 0 {
            events.told.push(format!("{refused} connections were refused: {MOST_VIEWERS} viewers watch"));
        }
    }

    fn tell(&mut self, now: &Moment<'_>, news: bool) {
        if self.viewers.is_empty() {
            // Whoever comes next is the first.
            self.sender = Sender::default();
            return;
        }
        let update = self.sender.update(now.scene);
        let changed = self.sender.changed_fields(now.state, "time");
        let scene = self.sender.told().unwrap_or_default();
        let full = || Arc::from(frame(&self.protocol.full(now, scene)));
        let (all, mut first): (Arc<[u8]>, Option<Arc<[u8]>>) = match update {
            Update::Full => {
                let message: Arc<[u8]> = full();
                (message.clone(), Some(message))
            }
            Update::Changes(changes) => (frame(&self.protocol.changed(now, &changed, scene, &changes)).into(), None),
        };
        for viewer in &mut self.viewers {
            match std::mem::replace(&mut viewer.begun, true) {
                true if news => viewer.queue(&all),
                true => {}
                // As it was told to the others, so that their next changes are right for it.
                false => viewer.queue(first.get_or_insert_with(full)),
            }
        }
    }
}

impl Protocol {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::SimSpark => "SimSpark",
            Protocol::Rsmp => "RSMP",
        }
    }

    fn full(self, now: &Moment<'_>, scene: &[Node]) -> String {
        match self {
            Protocol::SimSpark => simspark::full(&[now.environment, now.state].concat(), scene),
            Protocol::Rsmp => rsmp::full(now.time, now.state, now.environment, scene),
        }
    }

    fn changed(self, now: &Moment<'_>, changed: &[Field], scene: &[Node], changes: &[Change]) -> String {
        match self {
            Protocol::SimSpark => simspark::changed(changed, scene, changes),
            // This protocol has the whole state in each message.
            Protocol::Rsmp => rsmp::changed(now.time, now.state, scene, changes),
        }
    }
}

#[cfg(test)]
mod tests;
