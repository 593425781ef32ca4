//! Memory that is free again goes back to the system.
//!
//! glibc keeps what a crowd took and gave back, and a long run leaves holes between what stays; a service that runs for
//! days beside others has to give both away.

use std::io;
use std::time::Duration;

/// Time between two looks.
const PERIOD: Duration = Duration::from_secs(10);

/// Starts a thread that gives free memory back as long as the program runs.
///
/// # Errors
/// If the system gives no thread.
pub fn give_back_regularly() -> io::Result<()> {
    let look = || {
        loop {
            std::thread::sleep(PERIOD);
            give_back();
        }
    };
    std::thread::Builder::new().name("heap".into()).spawn(look).map(drop)
}

#[cfg(target_env = "gnu")]
#[allow(unsafe_code, reason = "a call to the C library")]
fn give_back() {
    // SAFETY: it takes no pointer, and any thread may call it at any time.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators do it by themselves.
#[cfg(not(target_env = "gnu"))]
fn give_back() {}
