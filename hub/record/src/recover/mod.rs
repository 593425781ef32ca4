//! Files that were cut off or damaged are made whole: every message of a chunk that is whole is written to a new file with
//! a summary. The new file takes the old one's place when it was read back and holds all of them; a damaged original stays
//! beside it.

use super::budget::Limits;
use super::run_file::{RUN_FILE, RunFile};
use super::survey::{Proof, Survey, read_back};
use super::{OPEN, RecordError, files, open_file};
use crate::container::between::End;
use crate::container::chunk::MAGIC;
use crate::container::scan::Source;
use crate::replace::{rename_new, set_aside, swap, sync_folder, whole_name};
use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use xpuck_wire::atomic;
use xpuck_wire::file;
use xpuck_wire::output::count;

/// What was recovered of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The whole file; the original's new name if nothing could be saved.
    pub path: PathBuf,
    /// Messages in it.
    pub messages: u64,
    /// Bytes of the file as it was.
    pub bytes: u64,
    /// What was wrong, and what is lost; none if the file only lacked its end.
    pub damage: Option<String>,
    /// Where the damaged original is.
    pub original: Option<PathBuf>,
    /// The file was whole and had its name already.
    pub untouched: bool,
}

impl Recovered {
    /// In one line, without the file's name.
    pub fn words(&self) -> String {
        let was = if self.untouched { "was whole, " } else { "" };
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

/// Makes a file whole. `name.mcap.open` becomes `name.mcap`; a record that is whole stays as it is; any other is replaced
/// by what can be read of it, and kept beside it as `name.mcap.damaged`.
///
/// # Errors
/// The file is no MCAP, nothing of it could be saved, it is being written, cannot be read, or the new one cannot be
/// written. The file is left as it was.
pub fn file(path: &Path) -> Result<Recovered, RecordError> {
    make_whole(path)?
        .map_err(|damage| RecordError::of(path, format!("nothing could be saved, it is left as it is: {damage}")))
}

/// Makes a file of a run whole as [`file`] does; one that a hub left open and of which nothing could be saved is moved aside.
fn of_run(path: &Path) -> Result<Recovered, RecordError> {
    make_whole(path)?.or_else(|damage| {
        if !path.to_string_lossy().ends_with(OPEN) {
            return Err(RecordError::of(path, format!("nothing could be saved, and it is left as it is: {damage}")));
        }
        let bytes = open_file(path)?.length().map_err(|error| RecordError::of(path, error))?;
        let aside = set_aside(path).map_err(|error| RecordError::of(path, error))?;
        let damage = Some(format!("nothing could be saved: {damage}"));
        Ok(Recovered { path: aside.clone(), messages: 0, bytes, damage, original: Some(aside), untouched: false })
    })
}

/// Makes a file whole; the inner error is the damage of one of which nothing can be saved.
fn make_whole(path: &Path) -> Result<Result<Recovered, String>, RecordError> {
    let fail = |error: io::Error| RecordError::of(path, error);
    let source = open_file(path)?;
    match source.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(RecordError::of(path, "is being written by a hub")),
        Err(TryLockError::Error(error)) => return Err(fail(error)),
    }
    let survey = Survey::of(&source).map_err(fail)?;
    let (target, bytes) = (whole_name(path), survey.bytes);
    let open = target != path;
    if !survey.magic && survey.chunks.is_empty() && !target.to_string_lossy().ends_with(".mcap") {
        return Err(RecordError::of(path, "is no MCAP file, and nothing in it is a chunk of one: it is left as it is"));
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
            rename_new(path, &target).map_err(|error| RecordError::of(&target, error))?;
            sync_folder(&target);
        }
        return Ok(Ok(Recovered { untouched: !open, ..done(survey.messages, None) }));
    }
    if open && target.try_exists().map_err(fail)? {
        return Err(RecordError::of(path, format!("cannot be made whole: {} is there already", target.display())));
    }
    has_room(path, bytes)?;
    let new = PathBuf::from(format!("{}.recovering", target.display()));
    refuse_other(&new)?;
    let made = write_beside(&source, &survey, &new);
    let swapped = made.and_then(|proof| Ok((proof, swap(&new, path, damage.is_some())?)));
    let (proof, original) = swapped.map_err(|error| {
        // The original is where it was; what was made of it so far is of no use.
        let _ = atomic::remove(&new);
        fail(error)
    })?;
    Ok(Ok(done(proof.messages, original)))
}

/// Refuses what lies where the new file is to be, unless a recovery that was killed left it: a file that begins as MCAP does.
fn refuse_other(new: &Path) -> Result<(), RecordError> {
    let Ok(data) = new.symlink_metadata() else { return Ok(()) };
    let is_ours = data.is_file() && {
        let mut head = Vec::new();
        let read = File::open(new).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head));
        read.is_ok() && MAGIC.starts_with(&head)
    };
    match is_ours {
        true => Ok(()),
        false => Err(RecordError::of(new, "is in the way of the file that is made: give it another name")),
    }
}

/// The new file is about as large as the old one.
fn has_room(path: &Path, bytes: u64) -> Result<(), RecordError> {
    let free = Limits::free(atomic::folder(path)).map_err(|error| RecordError::of(path, error))?;
    match free >= bytes {
        true => Ok(()),
        false => Err(RecordError::of(path, format!("{bytes} bytes have to be free to make it whole, and {free} are"))),
    }
}

/// Writes what a survey found to a new file and reads it back.
fn write_beside(source: &File, survey: &Survey, new: &Path) -> io::Result<Proof> {
    // Left by a recovery that was killed, as nobody else has a lock on the original; or a link, whose target must stay.
    atomic::remove(new)?;
    let mut file = File::create_new(new)?;
    let written = survey.write(source, BufWriter::new(&file))?;
    file.sync_all()?;
    file.seek(SeekFrom::Start(0))?;
    let read = read_back(&file)?;
    if written != read || written.messages != survey.messages {
        return Err(io::Error::other("what was written does not read back: the disk or the memory is faulty"));
    }
    Ok(written)
}

/// True if a hub is writing this file.
///
/// # Errors
/// It cannot be opened, and there is one.
pub fn is_written(path: &Path) -> io::Result<bool> {
    match file::open(path) {
        Ok(file) => Ok(matches!(file.try_lock(), Err(TryLockError::WouldBlock))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The files of a run that were left open.
///
/// # Errors
/// The directory cannot be read.
pub fn left_open(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let open = format!(".mcap{OPEN}");
    Ok(files(directory)?.into_iter().filter(|path| path.to_string_lossy().ends_with(&open)).collect())
}

/// Makes files of a run whole and says so in its `run.toml`, if it has one.
///
/// # Errors
/// The first file that could not be made whole, after all others were.
pub fn run(directory: &Path, files: &[PathBuf]) -> Result<Vec<Recovered>, RecordError> {
    let (mut done, mut failed) = (Vec::new(), None);
    for path in files {
        match of_run(path) {
            Ok(recovered) => done.push(recovered),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let name = |r: &Recovered| r.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let described = directory.join(RUN_FILE).try_exists().map_err(|error| RecordError::of(directory, error))?;
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
