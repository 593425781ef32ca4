//! What folders of all kinds of runs have in common: errors that name the file and the remedy, a beginning in a folder that holds
//! no run, and a table that one process at a time adds to.

use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xpuck_wire::file;

/// A folder that cannot be used: one line with the file, what is wrong, and what helps.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct FolderError {
    pub(crate) path: PathBuf,
    pub(crate) message: String,
}

/// Of a file or folder.
pub(crate) fn fail(path: &Path, message: impl Into<String>) -> FolderError {
    let message = message.into();
    // What read the file has named it already.
    let named = format!("{}: ", path.display());
    FolderError { path: path.into(), message: message.strip_prefix(&named).unwrap_or(&message).into() }
}

/// An error of the disk while a run goes on.
pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> FolderError + '_ {
    move |error| {
        let remedy = match error.kind() {
            // What the disk lacks is said where errors are printed.
            ErrorKind::StorageFull => "",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "; make it writable, then go on with --resume"
            }
            ErrorKind::NotFound => "; was the folder moved or taken apart? put it back, then go on with --resume",
            ErrorKind::IsADirectory | ErrorKind::NotADirectory | ErrorKind::AlreadyExists | ErrorKind::NotSeekable => {
                "; something else is in its place: take that away, then go on with --resume"
            }
            _ => "; mend the disk, then go on with --resume",
        };
        fail(path, format!("{error}{remedy}"))
    }
}

/// Makes a folder if there is none.
pub(crate) fn make(path: &Path) -> Result<(), FolderError> {
    if path.exists() && !path.is_dir() {
        return Err(fail(path, "is a file, not a folder; name another place"));
    }
    std::fs::create_dir_all(path).map_err(|error| fail(path, format!("{error}; is the place writable?")))
}

/// Files by which a folder is a run: of what, and the command that goes on with it.
const KINDS: [(&str, &str, &str); 4] = [
    ("run.toml", "of evolution", "xpuck evolve --resume"),
    ("curriculum-run.json", "of a curriculum", "xpuck evolve --resume"),
    ("bodies.toml", "of bodies", "xpuck body evolve --resume"),
    ("kilobots.toml", "of Kilobots", "xpuck kilobot evolve --resume"),
];
/// A file of this name in a run's folder ends the run after the generation in hand.
pub(crate) const STOP: &str = "stop";

/// Refuses a folder that holds a run of any kind.
pub(crate) fn refuse_run(path: &Path) -> Result<(), FolderError> {
    match KINDS.iter().any(|(file, ..)| path.join(file).exists()) {
        true => Err(fail(path, "holds a run already; go on with --resume, or choose another folder")),
        false => Ok(()),
    }
}

/// Refuses a folder that holds a run, or anything else that one could write over. `left` are names of what a process leaves that
/// was killed while it made the folder; so is a table without a row.
pub(crate) fn refuse_used(path: &Path, left: &[&str], table: (&str, &str)) -> Result<(), FolderError> {
    refuse_run(path)?;
    for entry in std::fs::read_dir(path).map_err(io(path))? {
        let entry = entry.map_err(io(path))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_its_table = || name == table.0 && is_begun(&entry.path(), table.1);
        // A file that was being put in its place.
        let begun = name.strip_suffix(".new").unwrap_or(&name);
        let is_left = left.contains(&begun) || (begun != name && KINDS.iter().any(|(file, ..)| *file == begun));
        if name != STOP && !is_left && !is_its_table() {
            return Err(fail(path, format!("is not empty: it has `{}`; name a new folder", name.escape_debug())));
        }
    }
    Ok(())
}

/// True of a table whose head was not wholly written, or is all that was.
fn is_begun(table: &Path, head: &str) -> bool {
    let is_file = table.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() <= head.len() as u64);
    is_file && file::bytes(table, head.len() as u64).is_ok_and(|text| head.as_bytes().starts_with(&text))
}

/// That a folder is no run of the kind that has this file: another's command, or a beginning.
pub(crate) fn no_run(path: &Path, own: &str) -> FolderError {
    match KINDS.iter().find(|(file, ..)| *file != own && path.join(file).exists()) {
        Some((_, of, goes_on)) => fail(path, format!("holds a run {of}; go on with `{goes_on} {}`", path.display())),
        None => fail(path, format!("holds no run, as it has no {own}; begin one with --out")),
    }
}

/// Takes files away by which an earlier process was asked for something.
pub(crate) fn clear_requests(path: &Path, names: &[&str]) -> Result<(), FolderError> {
    for name in names {
        let file = path.join(name);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(fail(&file, format!("{error}; take it away, as the run obeys it")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Opens a run's table at its end, for this process alone; one that is new gets its head.
pub(crate) fn open_table(folder: &Path, name: &str, head: &str) -> Result<File, FolderError> {
    let path = folder.join(name);
    let mut table = file::modify(&path).map_err(io(&path))?;
    if table.try_lock().is_err() {
        return Err(fail(folder, "another process works on this run; wait for its end"));
    }
    let length = table.seek(SeekFrom::End(0)).map_err(io(&path))?;
    if length < head.len() as u64 && is_begun(&path, head) {
        table.seek(SeekFrom::Start(0)).and_then(|_| table.write_all(head.as_bytes())).map_err(io(&path))?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_was_about_to_put_in_place_is_no_hindrance() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("run.toml.new"), "half").unwrap();
        std::fs::write(place.path().join("world.toml.new"), "half").unwrap();
        refuse_used(place.path(), &["world.toml"], ("", "")).unwrap();
        std::fs::write(place.path().join("notes.new"), "mine").unwrap();
        let refused = refuse_used(place.path(), &["world.toml"], ("", "")).unwrap_err().to_string();
        assert!(refused.contains("it has `notes.new`"), "{refused}");
    }
}
