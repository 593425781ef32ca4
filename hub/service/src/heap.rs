//! Returns freed memory to the operating system.
//!
//! glibc keeps freed memory for later use, such as the memory of a burst of connections, and a long run fragments the
//! heap. A service that runs for days beside other programs has to return this memory.

use std::io;
use std::time::Duration;

/// Interval at which freed memory is returned.
const PERIOD: Duration = Duration::from_secs(10);

/// Starts a thread that returns freed memory at intervals until the program ends.
///
/// # Errors
/// The operating system cannot create a thread.
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
    // SAFETY: `malloc_trim` takes no pointer, and any thread may call it at any time.
    unsafe { libc::malloc_trim(0) };
}

/// Does nothing: other C libraries return memory by themselves.
#[cfg(not(target_env = "gnu"))]
fn give_back() {}
