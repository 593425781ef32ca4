//! Ctrl-C while a film is made: it ends the film, not the process, which still has something to take away.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody wants an end. When it is dropped, signals do again what they do to any process.
pub struct Stop {
    asked: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Stop {
    /// Listens from now on.
    ///
    /// # Errors
    /// The kernel refuses a signal handler.
    pub fn new() -> std::io::Result<Stop> {
        let stop = Stop { asked: Arc::default(), over: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            // In this order: a second one ends the process at once.
            flag::register_conditional_default(signal, stop.over.clone())?;
            flag::register_conditional_default(signal, stop.asked.clone())?;
            flag::register(signal, stop.asked.clone())?;
        }
        Ok(stop)
    }

    /// Whether a signal came.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
