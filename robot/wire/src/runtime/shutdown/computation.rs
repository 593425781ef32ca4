//! Ctrl-C and SIGTERM for long computations that keep their state: they end soon, and say how to go on.

use crate::log;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code of a computation that was stopped and can go on: "try again" to schedulers (EX_TEMPFAIL).
pub const TRY_AGAIN: u8 = 75;
/// How long after the signal the step in hand may take. Schedulers kill some seconds after they asked.
const GRACE: Duration = Duration::from_secs(4);

/// A flag that the first signal sets. The program should end within 4 s from then, after its step in hand; if it
/// does not, or at the second signal, the process ends with [`TRY_AGAIN`] after printing `line`, and the step is lost.
/// For programs whose files are sound at every moment.
///
/// # Errors
/// If the kernel refuses a signal handler or a thread.
pub fn computation_flag(line: String) -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let leave = move || {
        log::line(&line);
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
