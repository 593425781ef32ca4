//! Handling of SIGINT and SIGTERM while a film is made. A signal stops the film, so that the process can remove the
//! partial file before it exits.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag that a signal sets to request a stop. After the flag is dropped, signals end the process as by default.
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
            // Handlers run in the order of registration. The first signal only sets `asked`, in the last handler. A
            // second signal ends the process at once, because `asked` is then set.
            flag::register_conditional_default(signal, stop.over.clone())?;
            flag::register_conditional_default(signal, stop.asked.clone())?;
            flag::register(signal, stop.asked.clone())?;
        }
        Ok(stop)
    }

    /// Returns whether a signal has arrived.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
