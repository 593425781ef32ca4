//! Writer thread for a small file of which only the newest contents are needed. Callers do not wait for the disk, but
//! poll for the result.

use crate::atomic;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Interval between retries of a failed write.
const RETRY: Duration = Duration::from_secs(1);

/// Result of the newest write. The number in a result is the number that the caller passed to [`LatestWriter::put`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteResult {
    /// The contents with this number are on the disk.
    Kept(u64),
    /// The write with this number failed for the given reason, and the file was removed.
    Removed(u64, String),
    /// The write failed for the given reason, and the file was not removed. The file may contain older contents.
    Refused(String),
}

/// Handle of a file and its writer thread. The thread ends after the handle is dropped.
#[derive(Debug)]
pub struct LatestWriter(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    slots: Mutex<Slots>,
    changed: Condvar,
}

/// One slot for new contents and one slot for a result. Newer values replace older values, so memory use is limited
/// when the disk or the caller is slow.
#[derive(Debug, Default)]
struct Slots {
    content: Option<(u64, Vec<u8>)>,
    fate: Option<WriteResult>,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().expect("no holder of this lock panics")
    }
}

impl LatestWriter {
    /// Starts the writer thread of the file at `path`. If `removes` is true, a file that cannot be replaced is removed.
    /// Set `removes` if a missing file is better than old contents.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn start(path: PathBuf, removes: bool) -> std::io::Result<LatestWriter> {
        let shared = Arc::new(Shared::default());
        let work = {
            let shared = Arc::clone(&shared);
            move || write_contents(&path, removes, &shared)
        };
        std::thread::Builder::new().name("latest".into()).spawn(work)?;
        Ok(LatestWriter(shared))
    }

    /// Queues new contents of the file, and drops older contents that still wait for the disk. `number` identifies the
    /// new contents in the result.
    pub fn put(&self, number: u64, bytes: Vec<u8>) {
        self.0.lock().content = Some((number, bytes));
        self.0.changed.notify_one();
    }

    /// Returns the newest result; `None` if there is no new result since the previous call.
    pub fn take_result(&self) -> Option<WriteResult> {
        self.0.lock().fate.take()
    }
}

impl Drop for LatestWriter {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_one();
    }
}

fn write_contents(path: &Path, removes: bool, shared: &Shared) {
    let _ = crate::priority::run_as_others();
    // Contents that could not be written, and the result that was reported for them.
    let mut refused: Option<((u64, Vec<u8>), WriteResult)> = None;
    loop {
        let Some(content) = next_content(shared, refused.as_ref().map(|(content, _)| content)) else { return };
        let fate = match atomic::write(path, &content.1) {
            Ok(()) => WriteResult::Kept(content.0),
            Err(error) => {
                let why = format!("{}: {error}", path.display());
                let removed = removes && atomic::remove(path).is_ok();
                if removed { WriteResult::Removed(content.0, why) } else { WriteResult::Refused(why) }
            }
        };
        let repeated = refused.take().is_some_and(|(_, reported)| reported == fate);
        if !matches!(fate, WriteResult::Kept(_)) {
            refused = Some((content, fate.clone()));
        }
        if !repeated {
            shared.lock().fate = Some(fate);
        }
    }
}

/// Waits for new contents and returns them. If `refused` is given and no new contents arrive within [`RETRY`],
/// `refused` is returned for another attempt. `None` once the handle is dropped and all queued contents have been
/// tried.
fn next_content(shared: &Shared, refused: Option<&(u64, Vec<u8>)>) -> Option<(u64, Vec<u8>)> {
    let idle = |slots: &mut Slots| slots.content.is_none() && !slots.closed;
    let slots = shared.lock();
    let mut slots = match refused {
        None => shared.changed.wait_while(slots, idle).expect("no holder of this lock panics"),
        Some(_) => shared.changed.wait_timeout_while(slots, RETRY, idle).expect("no holder of this lock panics").0,
    };
    let closed = slots.closed;
    slots.content.take().or_else(|| refused.filter(|_| !closed).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn next(latest: &LatestWriter) -> WriteResult {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(fate) = latest.take_result() {
                return fate;
            }
            assert!(Instant::now() < until, "nothing becomes of it");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn same_number_is_reported_for_each_put() {
        let folder = tempfile::tempdir().unwrap();
        let latest = LatestWriter::start(folder.path().join("x"), false).unwrap();
        for content in ["first", "second"] {
            latest.put(7, content.into());
            assert_eq!(next(&latest), WriteResult::Kept(7));
            assert_eq!(std::fs::read(folder.path().join("x")).unwrap(), content.as_bytes());
        }
    }

    #[test]
    fn content_put_before_the_handle_is_dropped_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let latest = LatestWriter::start(path.clone(), false).unwrap();
        latest.put(1, b"last".to_vec());
        drop(latest);
        xpuck_testing::patience::wait_until("written", || std::fs::read(&path).is_ok_and(|bytes| bytes == b"last"));
    }

    #[test]
    fn newest_content_is_on_the_disk_when_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let latest = LatestWriter::start(path.clone(), true).unwrap();
        (1..=50).for_each(|number| latest.put(number, number.to_string().into_bytes()));
        while next(&latest) != WriteResult::Kept(50) {}
        assert_eq!(std::fs::read(path).unwrap(), b"50");
    }

    #[test]
    fn failed_write_is_removed_or_kept_then_retried() {
        for removes in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x");
            let latest = LatestWriter::start(path.clone(), removes).unwrap();
            latest.put(1, b"old".to_vec());
            assert_eq!(next(&latest), WriteResult::Kept(1));
            // A folder that is not empty blocks the temporary path of the new file.
            let way = folder.path().join("x.new");
            std::fs::create_dir_all(way.join("full")).unwrap();
            latest.put(2, b"new".to_vec());
            assert_eq!(matches!(next(&latest), WriteResult::Removed(2, _)), removes);
            assert_eq!(path.exists(), !removes);
            std::fs::remove_dir_all(way).unwrap();
            assert_eq!(next(&latest), WriteResult::Kept(2));
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
        }
    }
}
