//! SIGINT and SIGTERM while a film is made: they end the film, and the process then removes the partial file.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stop request by a signal. After drop, signals end the process again.
pub struct Stop {
    asked: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Stop {
    /// Installs the signal handlers.
    ///
    /// # Errors
    /// The system rejects a signal handler.
    pub fn new() -> std::io::Result<Stop> {
        let stop = Stop { asked: Arc::default(), over: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            // In this order, a second signal ends the process at once.
            flag::register_conditional_default(signal, stop.over.clone())?;
            flag::register_conditional_default(signal, stop.asked.clone())?;
            flag::register(signal, stop.asked.clone())?;
        }
        Ok(stop)
    }

    /// Whether a signal has arrived.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
