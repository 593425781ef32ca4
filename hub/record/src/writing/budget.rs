//! Disk limits for records: a maximum size of all runs together, and a minimum of free space.

use crate::run_file::{RUN_FILE, RunFile, RunState};
use crate::{RecordError, files, folders};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_hub_core::config::Record;

/// Number of bytes per MiB.
const MIB: u64 = 1 << 20;

/// Limits of a record directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    root: PathBuf,
    /// Maximum size of all runs together (bytes). `None`: unlimited.
    budget: Option<u64>,
    /// Space that must stay free on the disk (bytes).
    reserve: u64,
    delete_oldest: bool,
}

/// Result of enforcing the budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Within {
    /// Names of the deleted runs.
    pub deleted: Vec<String>,
    /// Reason why the size of all runs is unknown; `None` if it is known. While it is unknown, recording continues,
    /// and no run is deleted.
    pub uncounted: Option<String>,
}

/// Run in the record directory.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    directory: PathBuf,
    began: u64,
    bytes: u64,
    /// Whether the run has ended, so that no hub writes to it.
    over: bool,
}

impl Limits {
    /// Returns the limits from the hub's configuration file.
    pub fn from_config(record: &Record) -> Limits {
        Limits {
            root: record.directory.clone(),
            budget: record.budget_gib.map(|gib| (gib * 1024.0 * MIB as f64) as u64),
            reserve: record.reserve_mib * MIB,
            delete_oldest: record.delete_oldest,
        }
    }

    /// Checks that there is enough space to continue recording into `directory`.
    ///
    /// # Errors
    /// If the free space on the disk is less than the reserve, or unknown.
    pub fn reserve(&self, directory: &Path) -> Result<(), String> {
        self.free_at_least(self.reserve, directory)
    }

    /// Checks that there is enough space to restart recording. The required space is twice the reserve, so that
    /// recording does not stop again immediately.
    ///
    /// # Errors
    /// If the free space is less than twice the reserve, or unknown.
    pub fn room_again(&self, directory: &Path) -> Result<(), String> {
        self.free_at_least(self.reserve.saturating_mul(2), directory)
    }

    fn free_at_least(&self, bytes: u64, directory: &Path) -> Result<(), String> {
        let free = Limits::free(directory)?;
        if free >= bytes {
            return Ok(());
        }
        let (free, reserve) = (free / MIB, self.reserve / MIB);
        let again = self.reserve.saturating_mul(2) / MIB;
        Err(format!(
            "{free} MiB are free, but reserve_mib = {reserve}; free disk space: recording continues when {again} MiB \
             are free"
        ))
    }

    /// Returns the free space on the disk of `directory` (bytes).
    ///
    /// # Errors
    /// On an I/O error.
    pub fn free(directory: &Path) -> Result<u64, String> {
        let disk = rustix::fs::statvfs(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Returns the size of all runs together (bytes).
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub fn spent(&self) -> Result<u64, RecordError> {
        Ok(runs(&self.root)?.iter().map(|run| run.bytes).sum())
    }

    /// Enforces the budget. If the configuration allows it, the oldest finished runs are deleted, but never
    /// `current`.
    ///
    /// # Errors
    /// If the budget is still exceeded because no further run may be deleted, or if a run cannot be deleted.
    pub fn budget(&self, current: &Path) -> Result<Within, String> {
        let Some(budget) = self.budget else { return Ok(Within::default()) };
        let runs = match runs(&self.root) {
            Ok(runs) => runs,
            Err(error) => return Ok(Within { uncounted: Some(error.to_string()), ..Within::default() }),
        };
        let doomed = plan(&runs, current, budget, self.delete_oldest)?;
        let mut deleted = Vec::new();
        for directory in doomed {
            std::fs::remove_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
            deleted.push(directory.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        Ok(Within { deleted, uncounted: None })
    }
}

/// Selects the runs to delete, the oldest first, until the remaining runs are within the budget. The current run is
/// never selected.
fn plan(runs: &[Run], current: &Path, budget: u64, delete_oldest: bool) -> Result<Vec<PathBuf>, String> {
    let mut used: u64 = runs.iter().map(|run| run.bytes).sum();
    let mut old: Vec<&Run> = runs.iter().filter(|run| run.over && run.directory != current).collect();
    old.sort_by_key(|run| run.began);
    let mut doomed = Vec::new();
    for run in old.into_iter().filter(|_| delete_oldest) {
        if used < budget {
            break;
        }
        used -= run.bytes;
        doomed.push(run.directory.clone());
    }
    if used < budget {
        return Ok(doomed);
    }
    let (used, budget) = (used / MIB, budget / MIB);
    let advice = if delete_oldest { "raise it" } else { "delete runs, raise budget_gib, or set delete_oldest = true" };
    Err(format!("runs use {used} MiB, but budget_gib allows {budget} MiB; {advice}"))
}

/// Returns the runs of a record directory. A run with an invalid `run.toml` counts as in progress, and is never
/// deleted.
fn runs(root: &Path) -> Result<Vec<Run>, RecordError> {
    let mut found = Vec::new();
    for directory in folders(root)? {
        let described = directory.join(RUN_FILE);
        match xpuck_wire::file::open(&described) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            // A `run.toml` that is not a regular file is handled as invalid.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {}
            Err(error) => return Err(RecordError::new(&described, error)),
        }
        let (began, over) = RunFile::read(&directory)
            .map_or((0, false), |file| (file.started_unix_ms, file.state != RunState::Running));
        found.push(Run { bytes: bytes(&directory)?, directory, began, over });
    }
    Ok(found)
}

/// Returns the size of a run's files (bytes).
///
/// # Errors
/// If the directory, or a file in it, cannot be accessed.
pub fn bytes(directory: &Path) -> Result<u64, RecordError> {
    let mut sum = 0;
    for path in files(directory)? {
        match path.symlink_metadata() {
            Ok(data) => sum += if data.is_file() { data.len() } else { 0 },
            // The file was renamed or deleted after the folder was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(RecordError::new(&path, error)),
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, began: u64, bytes: u64, over: bool) -> Run {
        Run { directory: name.into(), began, bytes: bytes * MIB, over }
    }

    #[test]
    fn only_the_oldest_that_are_over_go_and_only_if_allowed() {
        let runs = [run("b", 2, 40, true), run("a", 1, 40, true), run("live", 0, 40, false), run("mine", 9, 10, true)];
        let mine = Path::new("mine");
        let plan = |budget: u64, delete| plan(&runs, mine, budget * MIB, delete);
        assert_eq!(plan(131, false).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(plan(100, true).unwrap(), [PathBuf::from("a")]);
        assert_eq!(plan(60, true).unwrap(), [PathBuf::from("a"), PathBuf::from("b")]);
        let refused = plan(100, false).unwrap_err();
        assert!(
            refused.contains("130 MiB, but budget_gib allows 100 MiB") && refused.contains("delete_oldest"),
            "{refused}"
        );
        assert!(plan(50, true).unwrap_err().contains("raise it"), "a run that goes on is never deleted");
    }
    #[test]
    fn uncounted_runs_do_not_stop_recording_nor_get_deleted() {
        let root = tempfile::tempdir().unwrap();
        let record = Record { budget_gib: Some(1e-9), delete_oldest: true, ..Record::at(root.path()) };
        let (limits, mine) = (Limits::from_config(&record), root.path().join("mine"));
        let damaged = root.path().join("damaged");
        std::fs::create_dir(&damaged).unwrap();
        std::fs::write(damaged.join(RUN_FILE), "state = \"fin").unwrap();
        // The size of the damaged run counts towards the budget, but the run is not deleted.
        assert!(limits.spent().unwrap() > 0 && limits.budget(&mine).is_err() && damaged.exists());
        // The root is a file, so its folders cannot be listed.
        std::fs::remove_dir_all(root.path()).unwrap();
        std::fs::write(root.path(), "").unwrap();
        let within = limits.budget(&mine).unwrap();
        assert!(within.deleted.is_empty() && within.uncounted.is_some() && limits.spent().is_err());
        std::fs::remove_file(root.path()).unwrap();
    }
}
