//! Sending of messages by modules.

use crate::automaton::{Kind, Message, Module};
use xpuck_kernels::random::Draws;

/// Queued message with its sender and recipient.
#[derive(Clone, Copy, Debug)]
pub(in crate::cargo) struct Envelope {
    pub from: Module,
    /// Recipient; `None` broadcasts to all modules that accept the message.
    pub to: Option<Module>,
    /// Priority of the request to an actuator.
    pub priority: u8,
    pub message: Message,
}

/// Environment of a module while it handles a message.
pub(in crate::cargo) struct Outbox<'a> {
    /// Current time (ms).
    pub now: u32,
    pub draws: &'a mut Draws,
    pub queue: &'a mut Vec<Envelope>,
}

impl Outbox<'_> {
    /// Sends a message to all other modules that accept it.
    pub fn broadcast(&mut self, from: Module, kind: Kind) {
        self.queue.push(Envelope { from, to: None, priority: from.priority(), message: kind.into() });
    }

    /// Sends a message to one module with the sender's priority.
    pub fn send(&mut self, from: Module, to: Module, kind: Kind, arguments: [i16; 2]) {
        self.send_with_priority(from, to, from.priority(), kind, arguments);
    }

    /// Sends a message to one module with the given priority.
    pub fn send_with_priority(&mut self, from: Module, to: Module, priority: u8, kind: Kind, arguments: [i16; 2]) {
        self.queue.push(Envelope { from, to: Some(to), priority, message: Message { kind, arguments } });
    }
}
