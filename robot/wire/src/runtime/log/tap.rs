//! Lines of a service's log for somebody else than who reads the log: a robot's travel to its hub.

use super::form;
use crate::clock;
use crate::log_line::{LogLine, Severity};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tracing::Level;

/// Lines that wait to be taken, at most.
const QUEUE: usize = 256;

static TAP: OnceLock<SyncSender<LogLine>> = OnceLock::new();
static LOST: AtomicU32 = AtomicU32::new(0);

/// The lines that the log says from now on, for the first who asks in a process.
#[derive(Debug)]
pub struct Tap(Receiver<LogLine>);

impl Tap {
    /// The next line, if there is one.
    pub fn next(&self) -> Option<LogLine> {
        let line = self.0.try_recv().ok()?;
        Some(LogLine { lost: LOST.load(Relaxed), ..line })
    }
}

/// Begins to keep lines for whoever asks; none if somebody did before.
pub fn tap() -> Option<Tap> {
    let (sender, receiver) = sync_channel(QUEUE);
    TAP.set(sender).ok().map(|()| Tap(receiver))
}

/// Hands a line to whoever taps the log. A full queue costs the line.
pub(super) fn tell(level: Level, text: &str) {
    let Some(tap) = TAP.get() else { return };
    let line = LogLine::new(Severity::of(level), clock::unix_ms(), form::cut(text));
    if tap.try_send(line).is_err() {
        // Counts stay at their greatest value.
        let _ = LOST.fetch_update(Relaxed, Relaxed, |lost| lost.checked_add(1));
    }
}
