//! Shutdown of a service after a signal, or after the end of the service's parent program.

use super::TRY_AGAIN;
use crate::log;
use crate::process::is_ignored;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Events that end a service, in addition to the first SIGINT, SIGTERM or SIGHUP. SIGHUP is ignored if the service was
/// started with `nohup`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShutdownTriggers {
    /// Whether the end of standard input ends the service. Standard input also ends if the program at the other end of
    /// the pipe is killed.
    pub with_stdin: bool,
    /// Whether a second signal ends the process at once, without a clean shutdown.
    pub at_second_signal: bool,
}

/// Returns a flag that is set when the service must end.
///
/// # Errors
/// A thread or a signal handler cannot be created.
pub fn service_flag(ends: ShutdownTriggers) -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // The kernel sends SIGHUP when the terminal is closed.
    let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    for signal in [SIGTERM, SIGINT].into_iter().chain(hangup) {
        if ends.at_second_signal {
            signal_hook::flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        }
        signal_hook::flag::register(signal, stop.clone())?;
    }
    if ends.with_stdin {
        let flag = stop.clone();
        std::thread::Builder::new().name("stdin".into()).spawn(move || {
            wait_for_end();
            flag.store(true, Ordering::Relaxed);
        })?;
    }
    Ok(stop)
}

/// Ends this process with exit code [`TRY_AGAIN`] as soon as standard input ends. Use this function for a computation
/// that must not run longer than its parent program, and whose files are consistent at every moment.
///
/// # Errors
/// A thread or a signal handler cannot be created.
pub fn end_with_stdin() -> std::io::Result<()> {
    std::thread::Builder::new().name("stdin".into()).spawn(|| {
        wait_for_end();
        log::flush();
        std::process::exit(i32::from(TRY_AGAIN));
    })?;
    Ok(())
}

fn wait_for_end() {
    // Reads and discards the input until the pipe is closed. Signals do not interrupt this copy.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}
