//! Number of STOPs that the swarm has received, in a file beside the runs. A run that started at a lower STOP count is
//! never resumed, so that a stopped run cannot continue. This rule does not depend on the machine's clock.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_hub_core::switchboard::StorageResult;
use xpuck_record::RecordError;
use xpuck_wire::file;
use xpuck_wire::latest::{LatestWriter, WriteResult};

/// Maximum length of the file (bytes).
const LONGEST: u64 = 64;

/// Returns the path of the file with the swarm's STOP count, below the record folder `root`. `mark` identifies the
/// swarm.
fn file_of(root: &Path, mark: &str) -> PathBuf {
    root.join(format!("stops-{mark}"))
}

/// Access to the STOP count, with the thread that writes the count's file.
pub struct Stops {
    root: PathBuf,
    disk: LatestWriter,
    /// Count that will be reported as stored without a write. While the record folder does not exist, no run depends on
    /// the count.
    unneeded: Option<u64>,
}

impl Stops {
    /// Starts the thread that writes the count of the swarm with this mark below the record folder `root`.
    ///
    /// # Errors
    /// The operating system cannot create a thread.
    pub fn start(root: &Path, mark: &str) -> std::io::Result<Stops> {
        Ok(Stops { root: root.into(), disk: LatestWriter::start(file_of(root, mark), false)?, unneeded: None })
    }

    /// Reads the count. The count is 0 if the file does not exist.
    ///
    /// # Errors
    /// The file cannot be read or does not contain a count.
    pub fn read(root: &Path, mark: &str) -> Result<u64, RecordError> {
        let path = file_of(root, mark);
        match file::bytes(&path, LONGEST) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(RecordError::new(&path, error)),
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                text.trim_end().parse().map_err(|_| RecordError::new(&path, "does not contain a STOP count"))
            }
        }
    }

    /// Starts to write the count to the file. If the record folder does not exist, nothing is written, and the count is
    /// reported as stored.
    pub fn store(&mut self, stops: u64) {
        match self.root.try_exists() {
            Ok(false) => self.unneeded = Some(stops),
            _ => self.disk.put(stops, format!("{stops}\n").into_bytes()),
        }
    }

    /// Returns the result of a finished [`Stops::store`], if any.
    pub fn poll_result(&mut self) -> Option<StorageResult> {
        let stops = self.unneeded.take().map(Ok);
        let fate = |fate| match fate {
            WriteResult::Kept(stops) => Ok(stops),
            WriteResult::Removed(_, why) | WriteResult::Refused(why) => Err(why),
        };
        stops.or_else(|| self.disk.take_result().map(fate)).map(StorageResult::Stops)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_testing::patience::wait_until;

    #[test]
    fn stop_count_round_trips_and_rejects_damage() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Stops::read(folder.path(), "0a").unwrap(), 0);
        let mut stops = Stops::start(folder.path(), "0a").unwrap();
        stops.store(7);
        wait_until("written", || stops.poll_result() == Some(StorageResult::Stops(Ok(7))));
        assert_eq!(Stops::read(folder.path(), "0a").unwrap(), 7);
        for damaged in ["", "x", "-1", "7 8", "18446744073709551616"] {
            std::fs::write(file_of(folder.path(), "0a"), damaged).unwrap();
            assert!(
                Stops::read(folder.path(), "0a").unwrap_err().to_string().contains("does not contain a STOP count"),
                "{damaged}"
            );
        }
    }

    #[test]
    fn without_a_folder_of_runs_none_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("runs");
        let mut stops = Stops::start(&root, "0a").unwrap();
        stops.store(7);
        assert_eq!((stops.poll_result(), stops.poll_result()), (Some(StorageResult::Stops(Ok(7))), None));
        assert!(!root.exists());
    }
}
