//! Recovers truncated or damaged files. Every message of a valid chunk is written to a new file with a summary. The
//! new file is read back and verified, and then replaces the old file. A damaged original is kept next to the new
//! file.

use super::budget::Limits;
use super::run_file::{RUN_FILE, RunFile};
use super::survey::{Proof, Survey, read_back};
use super::{OPEN, RecordError, files, open_file};
use crate::container::chunk::MAGIC;
use crate::container::framing::End;
use crate::container::scan::Source;
use crate::replace::{rename_new, set_aside, swap, sync_folder, whole_name};
use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use xpuck_wire::atomic;
use xpuck_wire::file;
use xpuck_wire::output::count;

/// Result of recovering a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Path of the complete file, or the new path of the original if no message could be recovered.
    pub path: PathBuf,
    /// Number of messages in the complete file.
    pub messages: u64,
    /// Original length of the file (bytes).
    pub bytes: u64,
    /// Description of the damage and the loss. `None` if only the end of the file was missing.
    pub damage: Option<String>,
    /// Path of the damaged original. `None` if it was not kept.
    pub original: Option<PathBuf>,
    /// Whether the file was already complete and had its final name.
    pub untouched: bool,
}

impl Recovered {
    /// Returns a description in one line, without the file's name.
    pub fn words(&self) -> String {
        let was = if self.untouched { "was complete, " } else { "" };
        let mut words = format!("{was}{}", count(self.messages as usize, "message", "messages"));
        if let Some(damage) = &self.damage {
            words += &format!("; {damage}");
        }
        if let Some(original) = &self.original {
            words += &format!("; the damaged original is kept as {}", original.display());
        }
        words
    }
}

/// Recovers a file. `name.mcap.open` becomes `name.mcap`. A complete record is unchanged. Any other record is
/// replaced by its readable part, and a damaged original is kept next to it as `name.mcap.damaged`.
///
/// # Errors
/// If the file is not an MCAP file, contains no recoverable messages, is being written, or cannot be read. Also if the
/// new file cannot be written. After an error, the original file is unchanged.
pub fn file(path: &Path) -> Result<Recovered, RecordError> {
    make_whole(path)?.map_err(|damage| {
        RecordError::new(path, format!("no message could be recovered; the file is left unchanged: {damage}"))
    })
}

/// Recovers a file of a run as [`file`] does. If an open file has no recoverable messages, it is renamed as a damaged
/// original.
fn of_run(path: &Path) -> Result<Recovered, RecordError> {
    make_whole(path)?.or_else(|damage| {
        if !path.to_string_lossy().ends_with(OPEN) {
            return Err(RecordError::new(
                path,
                format!("no message could be recovered; the file is left unchanged: {damage}"),
            ));
        }
        let bytes = open_file(path)?.length().map_err(|error| RecordError::new(path, error))?;
        let aside = set_aside(path).map_err(|error| RecordError::new(path, error))?;
        let damage = Some(format!("no message could be recovered: {damage}"));
        Ok(Recovered { path: aside.clone(), messages: 0, bytes, damage, original: Some(aside), untouched: false })
    })
}

/// Recovers a file. For a file without recoverable messages, returns its damage as the inner error.
fn make_whole(path: &Path) -> Result<Result<Recovered, String>, RecordError> {
    let fail = |error: io::Error| RecordError::new(path, error);
    let source = open_file(path)?;
    match source.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(RecordError::new(path, "is being written by a hub; wait until the run ends"));
        }
        Err(TryLockError::Error(error)) => return Err(fail(error)),
    }
    let survey = Survey::scan(&source).map_err(fail)?;
    let (target, bytes) = (whole_name(path), survey.bytes);
    let open = target != path;
    if !survey.magic && survey.chunks.is_empty() && !target.to_string_lossy().ends_with(".mcap") {
        return Err(RecordError::new(path, "not an MCAP file and contains no MCAP chunks; the file is left unchanged"));
    }
    let damage = survey.damage(open);
    if damage.is_some() && survey.chunks.is_empty() {
        return Ok(Err(damage.unwrap_or_default()));
    }
    let done = |messages, original| {
        let (path, damage) = (target.clone(), damage.clone());
        Recovered { path, messages, bytes, damage, original, untouched: false }
    };
    if survey.end == End::Whole && damage.is_none() {
        if open {
            rename_new(path, &target).map_err(|error| RecordError::new(&target, error))?;
            sync_folder(&target);
        }
        return Ok(Ok(Recovered { untouched: !open, ..done(survey.messages, None) }));
    }
    if open && target.try_exists().map_err(fail)? {
        return Err(RecordError::new(
            path,
            format!("cannot be repaired, because {} already exists; rename that file", target.display()),
        ));
    }
    has_room(path, bytes)?;
    let new = PathBuf::from(format!("{}.recovering", target.display()));
    refuse_other(&new)?;
    let made = write_beside(&source, &survey, &new);
    let swapped = made.and_then(|proof| Ok((proof, swap(&new, path, damage.is_some())?)));
    let (proof, original) = swapped.map_err(|error| {
        // The original is unchanged, and the partial new file is not needed.
        let _ = atomic::remove(&new);
        fail(error)
    })?;
    Ok(Ok(done(proof.messages, original)))
}

/// Rejects an existing file at the path of the new file. A file that begins with the magic bytes of MCAP is accepted,
/// because it was probably left by a killed recovery.
fn refuse_other(new: &Path) -> Result<(), RecordError> {
    let Ok(data) = new.symlink_metadata() else { return Ok(()) };
    let is_ours = data.is_file() && {
        let mut head = Vec::new();
        let read = File::open(new).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head));
        read.is_ok() && MAGIC.starts_with(&head)
    };
    match is_ours {
        true => Ok(()),
        false => Err(RecordError::new(
            new,
            "already exists, but the repaired file needs this name; rename the existing file",
        )),
    }
}

/// Checks whether the disk has space for the new file, which is about as large as the old one.
fn has_room(path: &Path, bytes: u64) -> Result<(), RecordError> {
    let free = Limits::free(atomic::folder(path)).map_err(|error| RecordError::new(path, error))?;
    match free >= bytes {
        true => Ok(()),
        false => Err(RecordError::new(
            path,
            format!("the repair needs {bytes} bytes of free disk space, but only {free} are free; free disk space"),
        )),
    }
}

/// Writes the contents found by a survey to a new file, reads the file back and verifies it.
fn write_beside(source: &File, survey: &Survey, new: &Path) -> io::Result<Proof> {
    // If `new` exists, a killed recovery left it. It is not in use, because this process holds the lock on the
    // original. If the path is a link, only the link is removed.
    atomic::remove(new)?;
    let mut file = File::create_new(new)?;
    let written = survey.write(source, BufWriter::new(&file))?;
    file.sync_all()?;
    file.seek(SeekFrom::Start(0))?;
    let read = read_back(&file)?;
    if written != read || written.messages != survey.messages {
        return Err(io::Error::other("the written data cannot be read back; the disk or the memory is faulty"));
    }
    Ok(written)
}

/// Whether a hub is writing this file. False if the file does not exist.
///
/// # Errors
/// If an existing file cannot be opened.
pub fn is_written(path: &Path) -> io::Result<bool> {
    match file::open(path) {
        Ok(file) => Ok(matches!(file.try_lock(), Err(TryLockError::WouldBlock))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the files in a run's directory that are still marked as open.
///
/// # Errors
/// If the directory cannot be read.
pub fn left_open(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let open = format!(".mcap{OPEN}");
    Ok(files(directory)?.into_iter().filter(|path| path.to_string_lossy().ends_with(&open)).collect())
}

/// Recovers files of a run, and lists the recovered files in the run's `run.toml` if it exists.
///
/// # Errors
/// If a file cannot be recovered. All files are processed before the first error is returned.
pub fn run(directory: &Path, files: &[PathBuf]) -> Result<Vec<Recovered>, RecordError> {
    let (mut done, mut failed) = (Vec::new(), None);
    for path in files {
        match of_run(path) {
            Ok(recovered) => done.push(recovered),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let name = |r: &Recovered| r.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let described = directory.join(RUN_FILE).try_exists().map_err(|error| RecordError::new(directory, error))?;
    if described && done.iter().any(|r| !r.untouched) {
        RunFile::change(directory, |run| {
            run.recovered.extend(done.iter().filter(|r| !r.untouched).map(name));
            run.recovered.dedup();
        })?;
    }
    failed.map_or(Ok(done), Err)
}

#[cfg(test)]
mod tests;
