//! Number of STOPs that the swarm has received, in a file beside the runs. A run started at a lower count is never
//! resumed, regardless of the clocks.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_hub_core::switchboard::StorageResult;
use xpuck_record::RecordError;
use xpuck_wire::file;
use xpuck_wire::latest::{LatestWriter, WriteResult};

/// Maximum length of the file (bytes).
const LONGEST: u64 = 64;

/// File of the swarm with this mark, below the record directory.
fn file_of(root: &Path, mark: &str) -> PathBuf {
    root.join(format!("stops-{mark}"))
}

/// Count of STOPs, with the thread that writes its file.
pub struct Stops {
    root: PathBuf,
    disk: LatestWriter,
    /// Count that is not written: without a folder of runs it affects no run.
    unneeded: Option<u64>,
}

impl Stops {
    /// Creates the count for the swarm with this mark, below this record directory.
    ///
    /// # Errors
    /// The operating system provides no thread.
    pub fn start(root: &Path, mark: &str) -> std::io::Result<Stops> {
        Ok(Stops { root: root.into(), disk: LatestWriter::start(file_of(root, mark), false)?, unneeded: None })
    }

    /// Reads the count; 0 without a file.
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

    /// Writes the count to the file.
    pub fn store(&mut self, stops: u64) {
        match self.root.try_exists() {
            Ok(false) => self.unneeded = Some(stops),
            _ => self.disk.put(stops, format!("{stops}\n").into_bytes()),
        }
    }

    /// Result of a write, once available.
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
