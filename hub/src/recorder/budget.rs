//! How much of the disk records may take: a budget for all runs, and a reserve that is never written to.

use super::run_file::{RunFile, RunState};
use crate::config::Record;
use std::path::{Path, PathBuf};

/// Bytes of a MiB.
const MIB: u64 = 1 << 20;

/// The limits of a record directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    root: PathBuf,
    /// Bytes that all runs may take together.
    budget: Option<u64>,
    /// Bytes that stay free on the disk.
    reserve: u64,
    delete_oldest: bool,
}

/// A run in the directory.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    directory: PathBuf,
    began: u64,
    bytes: u64,
    /// Nobody writes it.
    over: bool,
}

impl Limits {
    /// What the hub's file says.
    pub fn of(record: &Record) -> Limits {
        Limits {
            root: record.directory.clone(),
            budget: record.budget_gib.map(|gib| (gib * 1024.0 * MIB as f64) as u64),
            reserve: record.reserve_mib * MIB,
            delete_oldest: record.delete_oldest,
        }
    }

    /// Nothing if there is room to go on recording into `directory`, else what keeps from it.
    ///
    /// # Errors
    /// The disk has no more room than the reserve.
    pub fn reserve(&self, directory: &Path) -> Result<(), String> {
        self.free_at_least(self.reserve, directory)
    }

    /// Nothing if there is room to begin again: twice the reserve, so that recording does not stop again at once.
    ///
    /// # Errors
    /// The disk has less.
    pub fn room_again(&self, directory: &Path) -> Result<(), String> {
        self.free_at_least(self.reserve.saturating_mul(2), directory)
    }

    fn free_at_least(&self, bytes: u64, directory: &Path) -> Result<(), String> {
        let free = Limits::free(directory)?;
        if free >= bytes {
            return Ok(());
        }
        let (free, reserve) = (free / MIB, self.reserve / MIB);
        Err(format!("{free} MiB are free and reserve_mib = {reserve}: make room on the disk"))
    }

    /// Bytes free on the disk of `directory`.
    ///
    /// # Errors
    /// What the system says.
    pub fn free(directory: &Path) -> Result<u64, String> {
        let disk = rustix::fs::statvfs(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Bytes that all runs take together.
    pub fn spent(&self) -> u64 {
        runs(&self.root).iter().map(|run| run.bytes).sum()
    }

    /// Keeps the runs within the budget; the oldest that are over are deleted if that is allowed. `current` is never
    /// touched. Gives the names of those deleted.
    ///
    /// # Errors
    /// The budget is spent and nothing may be deleted.
    pub fn budget(&self, current: &Path) -> Result<Vec<String>, String> {
        let Some(budget) = self.budget else { return Ok(Vec::new()) };
        let runs = runs(&self.root);
        let doomed = plan(&runs, current, budget, self.delete_oldest)?;
        let mut deleted = Vec::new();
        for directory in doomed {
            std::fs::remove_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
            deleted.push(directory.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        Ok(deleted)
    }
}

/// Which runs go, the oldest first, until the rest is within the budget.
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
    let advice = if delete_oldest { "raise it" } else { "delete runs, raise it, or set delete_oldest = true" };
    Err(format!("runs take {used} MiB of the {budget} MiB that budget_gib allows: {advice}"))
}

/// The runs of a record directory.
fn runs(root: &Path) -> Vec<Run> {
    let directories = std::fs::read_dir(root).into_iter().flatten().flatten().map(|e| e.path());
    directories
        .filter_map(|directory| {
            let file = RunFile::read(&directory).ok()?;
            let (began, over) = (file.started_unix_ms, file.state != RunState::Running);
            Some(Run { bytes: bytes(&directory), directory, began, over })
        })
        .collect()
}

/// Bytes of the files of a run.
pub fn bytes(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    files.filter_map(|e| e.metadata().ok()).filter(|m| m.is_file()).map(|m| m.len()).sum()
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
        assert!(refused.contains("130 MiB of the 100 MiB") && refused.contains("delete_oldest"), "{refused}");
        assert!(plan(50, true).unwrap_err().contains("raise it"), "a run that goes on is never deleted");
    }
}
