//! A small file of which only the newest content counts, written by a thread of its own: whoever hands content over does not
//! wait for the disk, and learns later what is on it.

use crate::atomic;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// What the disk refuses is tried again after so long.
const AGAIN: Duration = Duration::from_secs(1);

/// What became of the newest content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The content of this number is on the disk.
    Kept(u64),
    /// The disk refuses, and why; no content is there any more, older than this number or not.
    Removed(u64, String),
    /// The disk refuses, and why; older content is still there.
    Refused(String),
}

/// A file and its thread.
#[derive(Debug)]
pub struct Latest {
    jobs: Sender<(u64, Vec<u8>)>,
    fates: Receiver<Fate>,
}

impl Latest {
    /// For the file at `path`. If `removes`, content that cannot be replaced is removed: where none is better than an old one.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(path: PathBuf, removes: bool) -> std::io::Result<Latest> {
        let (jobs, inbox) = channel();
        let (outbox, fates) = channel();
        let work = move || keep(&path, removes, &inbox, &outbox);
        std::thread::Builder::new().name("latest".into()).spawn(work)?;
        Ok(Latest { jobs, fates })
    }

    /// Has this content replace what is there; `number` comes back with its fate.
    pub fn put(&self, number: u64, bytes: Vec<u8>) {
        // The thread lives as long as this does.
        let _ = self.jobs.send((number, bytes));
    }

    /// The next news of the file, none if there are none.
    pub fn fate(&self) -> Option<Fate> {
        self.fates.try_recv().ok()
    }
}

fn keep(path: &std::path::Path, removes: bool, inbox: &Receiver<(u64, Vec<u8>)>, outbox: &Sender<Fate>) {
    let _ = crate::precedence::run_as_others();
    let mut waiting: Option<(u64, Vec<u8>)> = None;
    let mut told = None;
    loop {
        let came = match &waiting {
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => inbox.recv_timeout(AGAIN),
        };
        match came {
            Ok(job) => waiting = Some(job),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        waiting = inbox.try_iter().last().or(waiting);
        let Some((number, bytes)) = &waiting else { continue };
        let fate = match atomic::write(path, bytes) {
            Ok(()) => Fate::Kept(*number),
            Err(error) => {
                let why = format!("{}: {error}", path.display());
                let removed = removes && atomic::remove(path).is_ok();
                if removed { Fate::Removed(*number, why) } else { Fate::Refused(why) }
            }
        };
        if matches!(fate, Fate::Kept(_)) {
            waiting = None;
        }
        if told.as_ref() != Some(&fate) {
            told = Some(fate.clone());
            let _ = outbox.send(fate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn next(latest: &Latest) -> Fate {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(fate) = latest.fate() {
                return fate;
            }
            assert!(Instant::now() < until, "nothing becomes of it");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn the_newest_content_is_on_the_disk_when_that_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let latest = Latest::start(path.clone(), true).unwrap();
        (1..=50).for_each(|number| latest.put(number, number.to_string().into_bytes()));
        while next(&latest) != Fate::Kept(50) {}
        assert_eq!(std::fs::read(path).unwrap(), b"50");
    }

    #[test]
    fn content_that_cannot_be_replaced_is_removed_or_left_and_written_when_the_disk_takes_it() {
        for removes in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x");
            let latest = Latest::start(path.clone(), removes).unwrap();
            latest.put(1, b"old".to_vec());
            assert_eq!(next(&latest), Fate::Kept(1));
            // A folder stands where the new file is to be written.
            let way = folder.path().join("x.new");
            std::fs::create_dir_all(way.join("full")).unwrap();
            latest.put(2, b"new".to_vec());
            assert_eq!(matches!(next(&latest), Fate::Removed(2, _)), removes);
            assert_eq!(path.exists(), !removes);
            std::fs::remove_dir_all(way).unwrap();
            assert_eq!(next(&latest), Fate::Kept(2));
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
        }
    }
}
