//! How a service learns that it is to end: a signal, or the end of the program that started it.

use super::TRY_AGAIN;
use crate::log;
use crate::process::is_ignored;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Events that end a service besides the first SIGINT, SIGTERM or SIGHUP. `nohup` still protects from SIGHUP.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// The end of standard input, which comes even when the program at the other end of the pipe is killed.
    pub with_stdin: bool,
    /// A second signal, at once and without the service's doing.
    pub at_second_signal: bool,
}

/// A flag that is set when the service is to end.
///
/// # Errors
/// If the kernel refuses a signal handler or a thread.
pub fn service_flag(ends: Ends) -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // A terminal that closes sends SIGHUP.
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

/// Ends this process at once when standard input ends: for a computation whose files are sound at every moment, and
/// which must not outlive the program that started it.
///
/// # Errors
/// If the kernel refuses a thread.
pub fn end_with_stdin() -> std::io::Result<()> {
    std::thread::Builder::new().name("stdin".into()).spawn(|| {
        wait_for_end();
        log::flush();
        std::process::exit(i32::from(TRY_AGAIN));
    })?;
    Ok(())
}

fn wait_for_end() {
    // Ends with the pipe, and not with a signal; what comes through it does not matter.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}
