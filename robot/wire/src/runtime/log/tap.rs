//! Copies of a service's log lines for a second reader. A robot sends these copies to its hub.

use super::form;
use crate::clock;
use crate::log_line::{LogLine, Severity};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tracing::Level;

/// Capacity of the queue (lines).
const QUEUE: usize = 256;

static TAP: OnceLock<SyncSender<LogLine>> = OnceLock::new();
static LOST: AtomicU32 = AtomicU32::new(0);

/// Receiver of all log lines that are written after its creation. A process has at most one receiver.
#[derive(Debug)]
pub struct Tap(Receiver<LogLine>);

impl Tap {
    /// Returns the next line; `None` if no line is queued.
    pub fn next(&self) -> Option<LogLine> {
        let line = self.0.try_recv().ok()?;
        Some(LogLine { lost: LOST.load(Relaxed), ..line })
    }
}

/// Starts to copy log lines and returns their receiver. `None` if a receiver was created before.
pub fn tap() -> Option<Tap> {
    let (sender, receiver) = sync_channel(QUEUE);
    TAP.set(sender).ok().map(|()| Tap(receiver))
}

/// Copies a line to the tap. If the queue is full, the line is dropped and counted.
pub(super) fn forward(level: Level, text: &str) {
    let Some(tap) = TAP.get() else { return };
    let line = LogLine::new(Severity::from_level(level), clock::unix_ms(), form::cut(text));
    if tap.try_send(line).is_err() {
        // The result is ignored: an error means that the counter has reached its maximum and remains there.
        let _ = LOST.fetch_update(Relaxed, Relaxed, |lost| lost.checked_add(1));
    }
}
