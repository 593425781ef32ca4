//! Ctrl-C and SIGTERM for long computations that save their state. A computation ends soon and prints how to resume
//! it.

use crate::log;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code of a computation that was stopped and can be resumed (EX_TEMPFAIL), which schedulers start again.
pub const TRY_AGAIN: u8 = 75;
/// Time limit for the current step after the signal. Schedulers kill a process some seconds after the signal.
const GRACE: Duration = Duration::from_secs(4);

/// Returns a flag that the first signal sets. The program should finish its current step and end within 4 s. After 4
/// s, or at a second signal, the process prints `line` and exits with [`TRY_AGAIN`]; the current step is lost. For
/// programs whose files are consistent at every moment.
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
