//! Storage of the last directive that the robot received, in a file in the folder of the robot's evolution. After a
//! restart, the robot's program reads this directive, and reports it to a hub that returns during a run. If no folder
//! is configured, a restarted robot reports no directive.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::Path;
use tracing::warn;
use xpuck_wire::file;
use xpuck_wire::latest::{LatestWriter, WriteResult};
use xpuck_wire::witness::ObeyedDirective;

/// Name of the file with the directive.
const NAME: &str = "told.json";
/// Size limit of the file (bytes).
const MAX_BYTES: u64 = 4096;

/// Storage of one robot's last directive.
pub struct Memory {
    id: String,
    disk: Option<LatestWriter>,
    /// Numbers of directives to report as stored. Used only if no folder is configured.
    told: VecDeque<u64>,
    /// Whether the last write failed.
    refused: bool,
}

impl Memory {
    /// Opens the storage in the folder `state`. Also returns the directive that was stored before the restart, if any.
    /// Without `state`, nothing is stored.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub fn start(id: &str, state: Option<&Path>) -> std::io::Result<(Memory, Option<ObeyedDirective>)> {
        let mut known = None;
        let mut disk = None;
        if let Some(folder) = state {
            if let Err(error) = std::fs::create_dir_all(folder) {
                warn!(target: "xpuckd", id, "{}: {error}", folder.display());
            }
            let path = folder.join(NAME);
            known = read(&path).unwrap_or_else(|error| {
                warn!(target: "xpuckd", id, "{}: {error}; the last directive of this robot is unknown", path.display());
                None
            });
            disk = Some(LatestWriter::start(path, true)?);
        }
        Ok((Memory { id: id.into(), disk, told: VecDeque::new(), refused: false }, known))
    }

    /// Queues a directive for storage.
    pub fn put(&mut self, told: &ObeyedDirective) {
        match &self.disk {
            // Serialization cannot fail: the directive consists of five plain values.
            Some(disk) => disk.put(told.directive, serde_json::to_vec(told).unwrap_or_default()),
            None => self.told.push_back(told.directive),
        }
    }

    /// Returns the number of a directive that was stored since the last call, if any. Without a folder, returns the
    /// number of each directive.
    pub fn news(&mut self) -> Option<u64> {
        while let Some(fate) = self.disk.as_ref().and_then(LatestWriter::take_result) {
            let (number, why) = match fate {
                WriteResult::Kept(number) => (Some(number), None),
                WriteResult::Removed(number, why) => (Some(number), Some(why)),
                WriteResult::Refused(why) => (None, Some(why)),
            };
            if let Some(why) = why.as_ref().filter(|_| !self.refused) {
                let id = &self.id;
                warn!(target: "xpuckd", id, "{why}: directives are not kept across a restart");
            }
            self.refused = why.is_some();
            if number.is_some() {
                return number;
            }
        }
        self.told.pop_front()
    }
}

/// Reads the directive from the file; `None` if the file does not exist.
fn read(path: &Path) -> std::io::Result<Option<ObeyedDirective>> {
    match file::bytes(path, MAX_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        bytes => Ok(Some(serde_json::from_slice(&bytes?)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};
    use xpuck_wire::state::State;

    fn obeyed_directive(directive: u64) -> ObeyedDirective {
        ObeyedDirective { directive, state: State::Pause, run: 5, held: true, stops: 3 }
    }

    fn until_kept(memory: &mut Memory, number: u64) {
        let until = Instant::now() + Duration::from_secs(60);
        while memory.news() != Some(number) {
            assert!(Instant::now() < until, "directive {number} is not kept");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn restart_restores_saved_memory() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("not yet there");
        let (mut memory, known) = Memory::start("xp01", Some(&state)).unwrap();
        assert_eq!(known, None);
        memory.put(&obeyed_directive(7));
        until_kept(&mut memory, 7);
        assert_eq!(Memory::start("xp01", Some(&state)).unwrap().1, Some(obeyed_directive(7)));
        std::fs::write(state.join(NAME), b"{").unwrap();
        assert_eq!(Memory::start("xp01", Some(&state)).unwrap().1, None);
    }

    #[test]
    fn without_a_folder_a_restart_finds_nothing() {
        let (mut memory, known) = Memory::start("xp01", None).unwrap();
        assert_eq!(known, None);
        memory.put(&obeyed_directive(7));
        assert_eq!((memory.news(), memory.news()), (Some(7), None));
    }
}
