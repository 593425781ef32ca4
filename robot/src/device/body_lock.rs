//! Exclusive use of a body: a lock on the device that drives the wheels. The kernel releases the lock when the program
//! that holds it ends, even if it is killed.

use super::DeviceError;
use super::virtual_bus::on_network;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// File in which the kernel lists locks and their holders.
const LOCKS: &str = "/proc/locks";

/// Time for which a killed program may still hold its body while the kernel terminates it.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// Interval between attempts to lock a body.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Lock on a body, held as long as this value exists.
#[derive(Debug)]
pub struct BodyLock {
    _lock: File,
}

impl BodyLock {
    /// Locks the body behind `device`. Waits up to 1 s for the program that holds the lock, because that program may be
    /// ending. A socket cannot be locked, so for a socket the lock is a file in the same folder. For a device on the
    /// network, the lock is a temporary file.
    ///
    /// # Errors
    /// If the device does not exist, or another program holds it.
    pub fn acquire(device: &Path) -> Result<BodyLock, DeviceError> {
        let fail = |source| DeviceError::Open { path: device.into(), source };
        let create = |path| {
            let flags = libc::O_NOFOLLOW;
            OpenOptions::new().create(true).truncate(false).write(true).custom_flags(flags).open(path)
        };
        let file = match on_network(device) {
            Some((address, name)) => {
                create(std::env::temp_dir().join(format!("xpuck-{}-{name}.lock", address.replace(['/', ':'], "-"))))
            }
            None if std::fs::metadata(device).map_err(fail)?.file_type().is_socket() => create(beside(device)),
            None => File::open(device),
        };
        let file = file.map_err(fail)?;
        let deadline = Instant::now() + EXIT_GRACE;
        let mut locked = file.try_lock();
        while matches!(locked, Err(TryLockError::WouldBlock)) && Instant::now() < deadline {
            std::thread::sleep(RETRY_INTERVAL);
            locked = file.try_lock();
        }
        match locked {
            Ok(()) => Ok(BodyLock { _lock: file }),
            Err(TryLockError::WouldBlock) => {
                let locks = std::fs::read_to_string(LOCKS).unwrap_or_default();
                let holder = file.metadata().ok().and_then(|m| holder(&locks, m.dev(), m.ino()));
                let holder = holder.map_or_else(|| "another program".into(), |pid| format!("process {pid}"));
                Err(DeviceError::InUse { path: device.into(), holder })
            }
            Err(TryLockError::Error(source)) => Err(fail(source)),
        }
    }
}

fn beside(socket: &Path) -> PathBuf {
    let mut name: OsString = socket.into();
    name.push(".lock");
    name.into()
}

/// Returns the id of the process that holds a lock on a file. A line of `locks` contains the id, such as 1234 in
/// `1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF`. `None` if no line matches the file, or if the id is 0. A process
/// in another container has the id 0.
fn holder(locks: &str, device: u64, inode: u64) -> Option<u32> {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let place = format!("{major:02x}:{minor:02x}:{inode}");
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Lines of processes that wait for a lock have an arrow as their second word, so they do not match.
        let held = words.get(1) == Some(&"FLOCK") && words.get(5) == Some(&place.as_str());
        held.then(|| words[4].parse().ok()).flatten()
    };
    locks.lines().find_map(of_line).filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn body_lock_is_exclusive_and_names_holder() {
        let dir = tempfile::tempdir().unwrap();
        let (socket, node) = (dir.path().join("xp01.spi"), dir.path().join("spidev1.0"));
        let _listener = UnixListener::bind(&socket).unwrap();
        std::fs::write(&node, "").unwrap();
        for device in [&socket, &node] {
            let lock = BodyLock::acquire(device).unwrap();
            let error = BodyLock::acquire(device).unwrap_err().to_string();
            let here = format!("{} is held by process {}", device.display(), std::process::id());
            assert!(error.contains(&here), "{error}");
            // This thread releases the lock after a short time, while the main thread waits for the lock.
            let ends = std::thread::spawn(move || {
                std::thread::sleep(RETRY_INTERVAL);
                drop(lock);
            });
            BodyLock::acquire(device).unwrap();
            ends.join().unwrap();
        }
        let absent = BodyLock::acquire(&dir.path().join("nothing")).unwrap_err().to_string();
        assert!(absent.contains("cannot open") && absent.ends_with("(os error 2)"), "{absent}");
    }

    #[test]
    fn holder_is_found_among_other_locks() {
        let locks = "1: POSIX  ADVISORY  WRITE 11 08:01:77 0 EOF\n2: FLOCK  ADVISORY  WRITE 12 08:02:77 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF\n3: -> FLOCK  ADVISORY  WRITE 14 08:01:78 0 EOF\n\
                     4: FLOCK  ADVISORY  WRITE 0 08:01:79 0 EOF\n5: FLOCK";
        let device = rustix::fs::makedev(8, 1);
        assert_eq!(holder(locks, device, 77), Some(13));
        assert_eq!((holder(locks, device, 78), holder(locks, device, 79)), (None, None));
    }
}
