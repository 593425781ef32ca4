//! Server for monitors, which are 3D viewers. They receive a scene in the SimSpark or RSMP protocol, and may send
//! trainer commands.
//!
//! One thread serves all viewers without blocking. Each message is formatted once for all viewers. A viewer that does
//! not read is disconnected.

pub mod pair;
mod viewer;

use crate::door::PollingListener;
use crate::frame::frame;
use crate::scene::sender::{Sender, Update};
use crate::scene::{Change, Field, Node, rsmp, simspark};
use crate::trainer::Command;
use std::io::Result;
use std::net::SocketAddr;
use std::sync::Arc;
use viewer::Viewer;

/// Maximum number of viewers. Further connections are closed at once.
pub const MOST_VIEWERS: usize = 256;
/// Maximum number of new viewers accepted in a cycle.
const NEW_AT_ONCE: usize = 256;

/// Protocol of viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SimSpark, port 3200 by default.
    SimSpark,
    /// RSMP 1.0, port 60001 by default.
    Rsmp,
}

/// Data sent to the viewers.
#[derive(Clone, Debug, Default)]
pub struct Frame<'a> {
    /// Game time (s), which is also a field of `state`.
    pub time: f64,
    /// Fields of the environment, sent only in full messages.
    pub environment: &'a [Field],
    /// Fields of the game state. The first field is `time`.
    pub state: &'a [Field],
    /// Root nodes of the scene.
    pub scene: &'a [Node],
}

/// Input and events of all viewers in a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Commands, each with the number of the viewer that sent it.
    pub commands: Vec<(u64, Command)>,
    /// Number of invalid commands. Each invalid command also adds a line to the log.
    pub errors: u64,
    /// Lines for the log.
    pub told: Vec<String>,
}

/// Server for viewers of one protocol.
pub struct Monitors {
    door: PollingListener,
    protocol: Protocol,
    viewers: Vec<Viewer>,
    sender: Sender,
    count: u64,
    refused: u64,
}

impl Monitors {
    /// Binds the listening socket.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn listen(at: SocketAddr, protocol: Protocol) -> Result<Monitors> {
        let door = PollingListener::listen(at)?;
        Ok(Monitors { door, protocol, viewers: Vec::new(), sender: Sender::default(), count: 0, refused: 0 })
    }

    /// Returns the address of the listening socket.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn address(&self) -> Result<SocketAddr> {
        self.door.address()
    }

    /// Returns the protocol of the viewers.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Returns the number of connected viewers.
    pub fn viewers(&self) -> usize {
        self.viewers.len()
    }

    /// Returns the number of connections that were closed because the maximum number of viewers was reached.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Sends the whole scene to all viewers in the next cycle.
    pub fn resend_all(&mut self) {
        self.sender = Sender::default();
    }

    /// Sends the whole scene to one viewer in the next cycle.
    pub fn resend_to(&mut self, viewer: u64) {
        self.viewer(viewer).into_iter().for_each(|viewer| viewer.begun = false);
    }

    /// Runs a cycle without blocking. It accepts viewers, sends the changes to all viewers, and reads at most `room`
    /// commands.
    pub fn cycle(&mut self, now: &Frame<'_>, room: usize) -> Events {
        self.turn(now, room, true)
    }

    /// Runs a cycle without new data. `last` is the data of the previous cycle. It is sent only to viewers that have
    /// not received the whole scene.
    pub fn cycle_unchanged(&mut self, last: &Frame<'_>, room: usize) -> Events {
        self.turn(last, room, false)
    }

    fn turn(&mut self, now: &Frame<'_>, room: usize, news: bool) -> Events {
        let mut events = Events::default();
        self.take_new(&mut events);
        self.publish(now, news);
        // The viewers are read in rotating order, so that a flood of commands from one viewer does not exclude the
        // other viewers.
        if !self.viewers.is_empty() {
            self.viewers.rotate_left(1);
        }
        self.viewers.retain_mut(|viewer| match viewer.exchange(&mut events, room) {
            Ok(()) => true,
            Err(why) => {
                events.told.push(format!("viewer {} at {} is disconnected: {why}", viewer.number, viewer.at));
                false
            }
        });
        events
    }

    /// Sends an answer to a viewer.
    pub fn answer(&mut self, viewer: u64, message: &str) {
        self.viewer(viewer).into_iter().for_each(|viewer| viewer.answer(message));
    }

    fn viewer(&mut self, number: u64) -> Option<&mut Viewer> {
        self.viewers.iter_mut().find(|one| one.number == number)
    }

    fn take_new(&mut self, events: &mut Events) {
        let before = self.refused;
        for (stream, at) in self.door.accept(NEW_AT_ONCE) {
            if self.viewers.len() >= MOST_VIEWERS {
                self.refused += 1;
                continue;
            }
            self.count += 1;
            events.told.push(format!("viewer {} at {at} is connected", self.count));
            self.viewers.push(Viewer::new(self.count, at, stream));
        }
        let refused = self.refused - before;
        if refused > 0 {
            events
                .told
                .push(format!("{refused} connections were rejected: the maximum of {MOST_VIEWERS} viewers is reached"));
        }
    }

    fn publish(&mut self, now: &Frame<'_>, news: bool) {
        if self.viewers.is_empty() {
            // Nobody receives changes now, so the next viewer will need the whole scene.
            self.sender = Sender::default();
            return;
        }
        let update = self.sender.update(now.scene);
        let changed = self.sender.changed_fields(now.state, "time");
        let scene = self.sender.sent_scene().unwrap_or_default();
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
                // A new viewer gets the scene in the state that the other viewers have. Therefore the next changes
                // fit all viewers.
                false => viewer.queue(first.get_or_insert_with(full)),
            }
        }
    }
}

impl Protocol {
    /// Returns the name of the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::SimSpark => "SimSpark",
            Protocol::Rsmp => "RSMP",
        }
    }

    fn full(self, now: &Frame<'_>, scene: &[Node]) -> String {
        match self {
            Protocol::SimSpark => simspark::full(&[now.environment, now.state].concat(), scene),
            Protocol::Rsmp => rsmp::full(now.time, now.state, now.environment, scene),
        }
    }

    fn changed(self, now: &Frame<'_>, changed: &[Field], scene: &[Node], changes: &[Change]) -> String {
        match self {
            Protocol::SimSpark => simspark::changed(changed, scene, changes),
            // In RSMP, each message contains the whole game state.
            Protocol::Rsmp => rsmp::changed(now.time, now.state, scene, changes),
        }
    }
}

#[cfg(test)]
mod tests;
