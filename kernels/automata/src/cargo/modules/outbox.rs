//! How modules speak.

use crate::automaton::{Kind, Message, Module};
use xpuck_kernels::random::Draws;

/// A message on its way.
#[derive(Clone, Copy, Debug)]
pub(in crate::cargo) struct Envelope {
    pub from: Module,
    /// To one module, or to all that listen.
    pub to: Option<Module>,
    /// With whose priority an actuator is asked for.
    pub priority: u8,
    pub message: Message,
}

/// What a module may use while it works.
pub(in crate::cargo) struct Outbox<'a> {
    /// The time, ms.
    pub now: u32,
    pub draws: &'a mut Draws,
    pub queue: &'a mut Vec<Envelope>,
}

impl Outbox<'_> {
    /// Says something to all.
    pub fn broadcast(&mut self, from: Module, kind: Kind) {
        self.queue.push(Envelope { from, to: None, priority: from.priority(), message: kind.into() });
    }

    /// Tells one module something, with the sender's priority.
    pub fn tell(&mut self, from: Module, to: Module, kind: Kind, arguments: [i16; 2]) {
        self.tell_for(from, to, from.priority(), kind, arguments);
    }

    /// Tells one module something with a priority.
    pub fn tell_for(&mut self, from: Module, to: Module, priority: u8, kind: Kind, arguments: [i16; 2]) {
        self.queue.push(Envelope { from, to: Some(to), priority, message: Message { kind, arguments } });
    }
}
