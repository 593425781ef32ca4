//! Handling of Ctrl-C and SIGTERM in long computations that save their state. After a signal, a computation ends within
//! seconds and prints how to resume it.

use crate::log;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code of a computation that was stopped and can be resumed (EX_TEMPFAIL). Schedulers start such a computation
/// again.
pub const TRY_AGAIN: u8 = 75;
/// Maximum time for the current step after the first signal. A scheduler kills a process some seconds after the signal.
const GRACE: Duration = Duration::from_secs(4);

/// Returns a flag that is set at the first SIGINT or SIGTERM. The program should then finish its current step and end.
/// After 4 s, or at a second signal, the process prints `line` and exits with [`TRY_AGAIN`], so that the current step
/// is lost. Use this function only if the program's files are consistent at every moment.
///
/// # Errors
/// A signal handler or a thread cannot be created.
pub fn computation_flag(line: String) -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let leave = move || {
        log::write_raw(&line);
        log::flush();
        std::process::exit(i32::from(TRY_AGAIN));
    };
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        let mut signals = signals.forever();
        signals.next();
        flag.store(true, Ordering::Relaxed);
        let late = leave.clone();
        std::thread::spawn(move || {
            std::thread::sleep(GRACE);
            late();
        });
        signals.next();
        leave();
    })?;
    Ok(stop)
}
