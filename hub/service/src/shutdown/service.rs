//! How a service learns that it is to end: a signal, or the end of the program that started it.

use super::TRY_AGAIN;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_wire::log;

/// A flag that SIGINT, SIGTERM and, with `with_stdin`, the end of standard input set. The latter comes even when the
/// program at the other end of the pipe is killed.
pub fn service_flag(with_stdin: bool) -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, stop.clone())?;
    signal_hook::flag::register(SIGINT, stop.clone())?;
    if with_stdin {
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
