//! Checks of the records: disk space, recording, incomplete records, and the catalogue.

use super::{Finding, Hub};
use crate::catalogue::Catalogue;
use std::path::{Path, PathBuf};
use xpuck_hub_core::config::Record;
use xpuck_record::budget::Limits;
use xpuck_record::{RecordError, files, recover};
use xpuck_wire::output::count;
use xpuck_wire::{Phase, Status};

/// Maximum number of run folders that are checked.
const MAX_RUNS: usize = 10_000;

/// Returns the findings about the records.
pub(super) fn findings(record: &Record, hub: Option<&Hub>) -> Vec<Finding> {
    let folder = &record.directory;
    vec![room(record), recording(hub.map(|hub| &hub.status)), whole(folder), catalogue(folder)]
}

/// Checks that the disk has more free space than the reserve, and that the size of the runs is within the budget.
fn room(record: &Record) -> Finding {
    let promise = "there is room for records";
    // If the folder does not exist yet, it will be on the same disk as its first existing ancestor.
    let there = record.directory.ancestors().find(|p| p.exists()).unwrap_or(Path::new("/"));
    let limits = Limits::from_config(record);
    let spent = if record.directory.exists() { limits.spent() } else { Ok(0) };
    let (free, spent) = match (limits.reserve(there), Limits::free(there), spent) {
        (Err(why), ..) => return Finding::broken(promise, why, "or choose another record.directory"),
        (_, Err(error), _) => return Finding::broken(promise, error, "check the folder in record.directory"),
        (.., Err(error)) => return Finding::broken(promise, error.to_string(), "check the folder in record.directory"),
        (Ok(()), Ok(free), Ok(spent)) => (gib(free), gib(spent)),
    };
    let evidence =
        format!("{free:.1} GiB are free on the disk of {}, reserve_mib = {}", there.display(), record.reserve_mib);
    match record.budget_gib {
        None => Finding::on(promise, evidence + ", no budget"),
        Some(budget) if spent >= budget && !record.delete_oldest => Finding::broken(
            promise,
            format!("runs use {spent:.1} GiB, but budget_gib allows {budget} GiB"),
            "delete runs, raise budget_gib, or set delete_oldest = true",
        ),
        Some(budget) => Finding::on(promise, format!("{evidence}; runs use {spent:.1} GiB of {budget} GiB")),
    }
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

/// Checks that a run in progress is recorded.
fn recording(status: Option<&Status>) -> Finding {
    let promise = "runs are recorded";
    let Some(status) = status else { return Finding::off(promise, "no hub is running", "start the hub") };
    if status.record.starts_with("NOT RECORDING") {
        return Finding::broken(
            promise,
            &status.record,
            "free disk space: recording continues in another file when twice record.reserve_mib is free",
        );
    }
    match status.phase {
        Phase::Idle | Phase::Finished => Finding::off(promise, "no run is in progress", ""),
        _ => Finding::on(promise, format!("in {}", status.record)),
    }
}

/// Checks that no record was left incomplete by a crashed hub.
fn whole(folder: &Path) -> Finding {
    let promise = "every record is complete";
    if !folder.exists() {
        return Finding::off(promise, format!("{} does not exist yet", folder.display()), "");
    }
    let (runs, open) = match open_files(folder) {
        Ok(found) => found,
        Err(error) => return Finding::broken(promise, error.to_string(), "make it readable"),
    };
    match open.first() {
        None => Finding::on(promise, format!("{}, none left open", count(runs, "folder", "folders"))),
        Some(first) => Finding::broken(
            promise,
            format!("{} records were left open, such as {}", open.len(), first.display()),
            "start a hub or run `xpuck runs recover` to repair them",
        ),
    }
}

/// Returns the number of run folders, and the incomplete record files of runs that no hub writes.
fn open_files(folder: &Path) -> Result<(usize, Vec<PathBuf>), RecordError> {
    let runs: Vec<PathBuf> = files(folder)?.into_iter().filter(|path| path.is_dir()).take(MAX_RUNS).collect();
    let mut open = Vec::new();
    for run in &runs {
        let files = recover::left_open(run)?;
        // While a hub writes a run, incomplete files of the run are not reported. The hub completes all of them at
        // the end of the run, including those that a full disk cut off.
        let mut goes_on = false;
        for file in &files {
            goes_on |= recover::is_written(file).map_err(|error| RecordError::new(file, error))?;
        }
        if !goes_on {
            open.extend(files);
        }
    }
    Ok((runs.len(), open))
}

fn catalogue(folder: &Path) -> Finding {
    let promise = "the catalogue can be read";
    match Catalogue::inspect(folder) {
        Ok(None) => Finding::off(
            promise,
            format!("{} does not contain a catalogue yet", folder.display()),
            "`xpuck runs list` makes it",
        ),
        Ok(Some(runs)) => Finding::on(promise, count(runs as usize, "run", "runs")),
        Err(error) => Finding::broken(promise, error.to_string(), "`xpuck runs list` rebuilds it from the runs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::doctor::Verdict;
    use std::fs::File;

    #[test]
    fn open_record_is_found_unless_being_written() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("x-1-seed1");
        assert_eq!(whole(&dir.path().join("none")).verdict, Verdict::Off);
        std::fs::create_dir(&run).unwrap();
        assert_eq!(whole(dir.path()).verdict, Verdict::On);
        let file = File::create(run.join("run-2.mcap.open")).unwrap();
        assert_eq!(whole(dir.path()).verdict, Verdict::Broken);
        file.lock().unwrap();
        assert_eq!(whole(dir.path()).verdict, Verdict::On);
    }

    #[test]
    fn reserve_and_budget_are_those_of_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let record = Record::at(dir.path());
        assert!(room(&record).verdict == Verdict::On && room(&record).evidence.contains("GiB are free"));
        let full = room(&Record { reserve_mib: 1 << 40, ..record.clone() });
        assert!(full.verdict == Verdict::Broken && full.evidence.contains("reserve_mib"), "{full:?}");
        let stopped = Status { record: "NOT RECORDING: full".into(), ..Status::default() };
        assert_eq!(recording(Some(&stopped)).verdict, Verdict::Broken);
    }

    #[test]
    fn damaged_catalogue_is_found_and_left_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(catalogue(dir.path()).verdict, Verdict::Off);
        drop(Catalogue::open(dir.path()).unwrap());
        assert_eq!(catalogue(dir.path()).evidence, "0 runs");
        let (file, junk) = (dir.path().join(catalogue::FILE), vec![7; 4096]);
        std::fs::write(&file, &junk).unwrap();
        assert_eq!(catalogue(dir.path()).verdict, Verdict::Broken);
        assert_eq!(std::fs::read(&file).unwrap(), junk);
    }
}
