//! A run is closed when its result is written and every file of it is whole. Where the disk or the system refuses that, it
//! is tried again for as long as the hub is there; a hub that starts later does the rest.

use super::run_file::{RunFile, RunState};
use super::{RecordError, kept, recover};
use crate::swarm::atomic;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_wire::Status;

/// What failed is tried again so soon, then after twice as long each time.
const RETRY: Duration = Duration::from_millis(500);
/// But at least so often.
const LONGEST_RETRY: Duration = Duration::from_secs(60);
/// So often it is looked whether the hub waits.
const LOOK: Duration = Duration::from_millis(50);
/// Tries while the hub waits to end.
const LAST_TRIES: u32 = 3;

/// A run that is to be closed.
pub(super) struct Close<'a> {
    /// Its directory.
    pub directory: &'a Path,
    /// Its result.
    pub status: &'a Status,
}

impl Close<'_> {
    /// Closes the run, again and again while that fails; while the hub waits for it, `hurry`, a few times only.
    pub fn until_done(&self, hurry: &AtomicBool, say: impl Fn(String)) {
        let (mut wait, mut last_tries, mut said) = (RETRY, 0, String::new());
        while let Err(error) = self.once(&say) {
            let text = format!("the run is not closed yet: {error}");
            if text != said {
                say(text.clone());
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
                say("a hub that starts closes the run, and `xpuck runs recover` does".into());
                return;
            }
            wait = (2 * wait).min(LONGEST_RETRY);
        }
    }

    /// Does what is still to do. All of it may be done twice.
    fn once(&self, say: impl Fn(String)) -> Result<(), RecordError> {
        let gone = self.directory.try_exists().is_ok_and(|there| !there);
        if gone {
            // Somebody has deleted the run.
            return Ok(());
        }
        let forgotten = kept::remove(self.directory);
        let ended = end(self.directory, self.status, RunState::Finished);
        let made = recover::left_open(self.directory).and_then(|files| recover::run(self.directory, &files));
        for whole in made.iter().flatten() {
            say(format!("{} was made whole: {}", whole.path.display(), whole.words()));
        }
        forgotten.and(ended).and(made.map(drop))
    }
}

/// Writes the result of a run and the state that it ends in.
///
/// # Errors
/// What the disk says.
pub(crate) fn end(directory: &Path, status: &Status, state: RunState) -> Result<(), RecordError> {
    let fail = |error: String| RecordError::of(directory, error);
    let json = serde_json::to_vec_pretty(status).map_err(|error| fail(error.to_string()))?;
    atomic::write(&directory.join("result.json"), &json).map_err(|error| fail(error.to_string()))?;
    RunFile::change(directory, |run| run.state = state)
}
