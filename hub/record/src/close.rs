//! Closes a run: writes its result and completes all of its files. After an error of the disk or the system, the hub
//! retries until it exits. A hub that starts later completes the remaining steps.

use super::run_file::{RunFile, RunState};
use super::{RecordError, recover, snapshot};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_wire::Status;
use xpuck_wire::log::Line;
use xpuck_wire::{atomic, file};

/// Delay before the first retry. The delay doubles with each retry.
const RETRY: Duration = Duration::from_millis(500);
/// Maximum delay between retries.
const LONGEST_RETRY: Duration = Duration::from_secs(60);
/// Interval for checking whether the hub is waiting to exit.
const LOOK: Duration = Duration::from_millis(50);
/// Maximum number of tries while the hub is waiting to exit.
const LAST_TRIES: u32 = 3;

/// Run to be closed, and its result.
pub(super) struct Close<'a> {
    /// Directory of the run.
    pub directory: &'a Path,
    /// Result of the run.
    pub status: &'a Status,
}

impl Close<'_> {
    /// Closes the run, and retries after errors. The number of tries is limited while `hurry` is set, which means
    /// that the hub is waiting to exit.
    pub fn until_done(&self, hurry: &AtomicBool, say: impl Fn(Line)) {
        let (mut wait, mut last_tries, mut said) = (RETRY, 0, String::new());
        while let Err(error) = self.once(&say) {
            let text = format!("the run could not be closed: {error}");
            if text != said {
                say(Line::warn(text.clone()));
                said = text;
            }
            let until = Instant::now() + wait;
            while Instant::now() < until && !hurry.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK);
            }
            if hurry.load(Ordering::Relaxed) {
                last_tries += 1;
                std::thread::sleep(RETRY / 2);
            }
            if last_tries == LAST_TRIES {
                say(Line::warn("start a hub or run `xpuck runs recover` to close the run"));
                return;
            }
            wait = (2 * wait).min(LONGEST_RETRY);
        }
    }

    /// Executes the remaining steps once. Every step can be repeated.
    fn once(&self, say: impl Fn(Line)) -> Result<(), RecordError> {
        let gone = self.directory.try_exists().is_ok_and(|there| !there);
        if gone {
            // The run has been deleted, so nothing remains to be closed.
            return Ok(());
        }
        let forgotten = snapshot::remove(self.directory);
        let ended = end(self.directory, self.status, RunState::Finished);
        let made = recover::left_open(self.directory).and_then(|files| recover::run(self.directory, &files));
        for whole in made.iter().flatten() {
            say(Line::info(format!("{} was repaired: {}", whole.path.display(), whole.words())));
        }
        forgotten.and(ended).and(made.map(drop))
    }
}

/// Writes the result of a run and its final state.
///
/// # Errors
/// If a file cannot be written.
pub fn end(directory: &Path, status: &Status, state: RunState) -> Result<(), RecordError> {
    let fail = |error: String| RecordError::new(directory, error);
    let json = serde_json::to_vec_pretty(status).map_err(|error| fail(error.to_string()))?;
    let result = directory.join("result.json");
    atomic::write(&result, &json).map_err(|error| RecordError::new(&result, error))?;
    RunFile::change(directory, |run| run.state = state)
}

/// Maximum length of a result file (bytes).
const LONGEST_RESULT: u64 = 64 << 20;

/// Reads the result of a finished run. `None` for a run in progress.
///
/// # Errors
/// The file cannot be read, or is invalid.
pub fn result(directory: &Path) -> Result<Option<Status>, RecordError> {
    let path = directory.join("result.json");
    match file::bytes(&path, LONGEST_RESULT) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| RecordError::new(&path, error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RecordError::new(&path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_file::RUN_FILE;
    use crate::{McapFile, parts};
    use std::fs::File;
    use std::sync::Mutex;
    use xpuck_hub_core::entry::Entry;

    /// Returns a run whose file ends in the middle of a chunk, and whose result cannot be written yet.
    fn run() -> tempfile::TempDir {
        let run = tempfile::tempdir().unwrap();
        let described = "name = \"x\"\nstate = \"running\"\nversion = \"0\"\nstarted_unix_ms = 1\nseed = 1\n\
                         robots = []\nspeed = 1.0\n[experiment]\n[hub]\n";
        std::fs::write(run.path().join(RUN_FILE), described).unwrap();
        let open = run.path().join("run.mcap.open");
        let mut part = McapFile::begin(File::create(&open).unwrap()).unwrap();
        for i in 0..3 {
            part.write(&Entry::event(i.into(), "x")).unwrap();
            part.flush().unwrap();
        }
        let given_up = std::fs::read(&open).unwrap();
        drop(part);
        std::fs::write(&open, [&given_up[..], &[6, 1, 2, 3]].concat()).unwrap();
        std::fs::create_dir(run.path().join("result.json.new")).unwrap();
        run
    }

    #[test]
    fn close_retries_until_no_file_is_open() {
        let run = run();
        let said = Mutex::new(Vec::new());
        let status = Status::default();
        let (hurry, close) = (AtomicBool::new(false), Close { directory: run.path(), status: &status });
        std::thread::scope(|scope| {
            scope.spawn(|| close.until_done(&hurry, |text| said.lock().unwrap().push(text)));
            while said.lock().unwrap().len() < 2 {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::fs::remove_dir(run.path().join("result.json.new")).unwrap();
        });
        let said = said.into_inner().unwrap();
        assert!(
            said[0].text.contains("was repaired: 3 messages") && said[1].text.contains("could not be closed"),
            "{said:?}"
        );
        assert_eq!(RunFile::read(run.path()).unwrap().state, RunState::Finished);
        assert_eq!(parts(run.path()).unwrap(), [run.path().join("run.mcap")]);
        assert!(recover::left_open(run.path()).unwrap().is_empty() && run.path().join("run.mcap.damaged").exists());
    }

    #[test]
    fn ending_hub_does_not_wait_for_disk() {
        let run = run();
        let said = Mutex::new(Vec::new());
        let status = Status::default();
        let close = Close { directory: run.path(), status: &status };
        close.until_done(&AtomicBool::new(true), |text| said.lock().unwrap().push(text));
        let said = said.into_inner().unwrap();
        assert!(said.last().unwrap().text.contains("to close the run"), "{said:?}");
        assert_eq!(RunFile::read(run.path()).unwrap().state, RunState::Running, "the next hub closes it");
        // A deleted run is closed without a message.
        std::fs::remove_dir_all(run.path()).unwrap();
        close.until_done(&AtomicBool::new(false), |line| panic!("{line:?}"));
    }
}
