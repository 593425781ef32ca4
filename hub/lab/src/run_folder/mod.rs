//! Folder of a run of any kind. A run is created only in an unused folder, and is locked by one process. It can be
//! resumed after a stop or a kill.
//!
//! The process that works on the run locks the run's growing file, which is a record or a table. The file that marks
//! the folder as a run is written last. A process that is killed during the creation therefore leaves no partial run.

pub mod checkpoints;
mod error;

pub use error::FolderError;
pub use error::{fail, io, unmade};
use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xpuck_wire::{atomic, file};

/// Maximum length of a table that is read (bytes).
const MAX_TABLE: u64 = 1 << 30;
/// Maximum length of a result that is read (bytes).
const MAX_RESULT: u64 = 1 << 26;
/// Name of the stop request file in a run's folder. If the file exists, the run ends after the current generation.
const STOP: &str = "stop";

/// Files that mark a folder as a run, with the kind of run and the command that resumes it.
const KINDS: [(&str, &str, &str); 4] = [
    ("run.toml", "of evolution", "xpuck evolve --resume"),
    ("curriculum-run.json", "of a curriculum", "xpuck evolve --resume"),
    ("bodies.toml", "of bodies", "xpuck evolve --resume"),
    ("kilobots.toml", "of Kilobots", "xpuck evolve --resume"),
];

/// File names of a kind of run.
pub struct Kind {
    /// File that marks a folder as this kind of run; the first field of an entry in `KINDS`.
    pub run: &'static str,
    /// Growing file, locked while a process works on the run.
    pub grows: &'static str,
    /// First line of the growing file, including the line end; empty if the file is not a table.
    pub head: &'static str,
    /// Other files and folders that a run writes to. They must not be links, so that all output stays in the run's
    /// folder.
    pub written: &'static [&'static str],
    /// Names of the request files of this kind of run, besides `stop`.
    pub requests: &'static [&'static str],
}

/// Run folder that is locked by this process.
pub struct RunFolder {
    path: PathBuf,
    kind: &'static Kind,
    /// The locked file, positioned at its end.
    grown: File,
}

impl RunFolder {
    /// Creates the folder of a new run. Writes the additional `files` (name and text) first. The file that marks the
    /// folder as a run follows; its text is `run`.
    ///
    /// # Errors
    /// If the folder already contains a run, or files that could be overwritten. If another process works on the run,
    /// or the folder cannot be written.
    pub fn create(
        path: &Path,
        kind: &'static Kind,
        files: &[(String, &str)],
        run: &str,
    ) -> Result<RunFolder, FolderError> {
        make(path)?;
        refuse_used(path, kind, files, run)?;
        let folder = RunFolder::lock(path, kind)?;
        // Only the lock gives exclusive access. Another process may have started, and even finished, a run before
        // this process got the lock.
        refuse_run(path)?;
        for (name, text) in files.iter().map(|(name, text)| (name.as_str(), *text)).chain([(kind.run, run)]) {
            let file = folder.inside(name)?;
            atomic::write(&file, text.as_bytes()).map_err(unmade(&file))?;
        }
        Ok(folder)
    }

    /// Opens the folder of a run to resume the run. Earlier requests are kept; [`RunFolder::clear_requests`] removes
    /// them.
    ///
    /// # Errors
    /// If the folder does not hold such a run, another process works on the run, or a file of the run is a link.
    pub fn open(path: &Path, kind: &'static Kind) -> Result<RunFolder, FolderError> {
        RunFolder::refuse_other(path, kind)?;
        RunFolder::lock(path, kind)
    }

    /// Rejects a folder without a run of this kind. If the folder holds a run of another kind, the error contains the
    /// command that resumes that run.
    ///
    /// # Errors
    /// If the folder does not hold such a run.
    pub fn refuse_other(path: &Path, kind: &Kind) -> Result<(), FolderError> {
        if path.join(kind.run).exists() {
            return Ok(());
        }
        Err(match KINDS.iter().find(|(file, ..)| path.join(file).exists()) {
            Some((_, of, goes_on)) => {
                fail(path, format!("contains a run {of}; go on with `{goes_on} {}`", path.display()))
            }
            None => fail(path, format!("contains no run, as it has no {}; start one with --output", kind.run)),
        })
    }

    fn lock(path: &Path, kind: &'static Kind) -> Result<RunFolder, FolderError> {
        kind.written.iter().chain([&kind.grows]).try_for_each(|name| refuse_link(&path.join(name)))?;
        let place = path.join(kind.grows);
        let mut grown = file::modify(&place).map_err(io(&place))?;
        if grown.try_lock().is_err() {
            return Err(fail(path, "another process uses this run; wait for its end"));
        }
        let length = grown.seek(SeekFrom::End(0)).map_err(io(&place))?;
        if length < kind.head.len() as u64 && is_begun(&place, kind.head) {
            grown.seek(SeekFrom::Start(0)).and_then(|_| grown.write_all(kind.head.as_bytes())).map_err(io(&place))?;
        }
        Ok(RunFolder { path: path.into(), kind, grown })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the growing file, which is locked.
    pub fn grown(&self) -> &File {
        &self.grown
    }

    /// Returns whether the stop request file exists.
    pub fn is_to_stop(&self) -> bool {
        self.path.join(STOP).exists()
    }

    /// Removes the request files of an earlier process.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn clear_requests(&self) -> Result<(), FolderError> {
        self.kind.requests.iter().chain([&STOP]).try_for_each(|name| self.remove(name))
    }

    /// Removes a file, if it exists.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), FolderError> {
        let file = self.path.join(name);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(fail(&file, format!("{error}; remove this file, because the run reads it as a request")))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error if the folder was moved, emptied or replaced during the run. It may then hold files of
    /// another run.
    pub fn is_still_there(&self) -> Result<(), FolderError> {
        let path = self.path.join(self.kind.grows);
        let gone =
            |_| fail(&path, "is missing; if the folder was moved or emptied, put it back, then go on with --resume");
        let (there, ours) = (path.metadata().map_err(gone)?, self.grown.metadata().map_err(io(&path))?);
        match (there.dev(), there.ino()) == (ours.dev(), ours.ino()) {
            true => Ok(()),
            false => {
                Err(fail(&path, "was replaced by another file; put the run's folder back, then go on with --resume"))
            }
        }
    }

    /// Returns the path of a file in the folder, and creates the file's parent folders.
    fn inside(&self, name: &str) -> Result<PathBuf, FolderError> {
        let file = self.path.join(name);
        if let Some(folder) = file.parent().filter(|folder| *folder != self.path) {
            refuse_link(folder)?;
            make(folder)?;
        }
        Ok(file)
    }

    /// Writes a file in the folder atomically, and creates missing parent folders.
    ///
    /// # Errors
    /// If the file cannot be written. An existing file is then unchanged.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<(), FolderError> {
        self.is_still_there()?;
        let file = self.inside(name)?;
        atomic::write(&file, bytes.as_ref()).map_err(io(&file))
    }

    /// Appends lines to the table. [`RunFolder::sync_rows`] syncs the lines to the disk.
    ///
    /// # Errors
    /// On a write error.
    pub fn add_rows(&mut self, rows: &str) -> Result<(), FolderError> {
        self.is_still_there()?;
        self.grown.write_all(rows.as_bytes()).map_err(io(&self.path.join(self.kind.grows)))
    }

    /// Syncs the table to the disk. This must be done before a file that depends on the table's lines is written.
    ///
    /// # Errors
    /// On a write error.
    pub fn sync_rows(&self) -> Result<(), FolderError> {
        self.grown.sync_data().map_err(io(&self.path.join(self.kind.grows)))
    }

    /// Reads the table of the run in a folder. Another process may work on the run.
    ///
    /// # Errors
    /// If the table cannot be read, or belongs to another kind of run.
    pub fn table(path: &Path, kind: &Kind) -> Result<String, FolderError> {
        let file = path.join(kind.grows);
        let text = file::text(&file, MAX_TABLE).map_err(|error| fail(&file, error.to_string()))?;
        match text.starts_with(kind.head) {
            true => Ok(text),
            false => Err(fail(&file, format!("does not begin with {}; restore the file", kind.head.trim()))),
        }
    }

    /// Replaces all lines of the table below the head.
    ///
    /// # Errors
    /// On a write error.
    pub fn keep_rows(&mut self, rows: &str) -> Result<(), FolderError> {
        let file = self.path.join(self.kind.grows);
        let text = self.kind.head.to_owned() + rows;
        let kept = RunFolder::table(&self.path, self.kind).is_ok_and(|there| there.starts_with(&text));
        let grown = &mut self.grown;
        let write = |grown: &mut File| match kept {
            true => grown.set_len(text.len() as u64),
            false => {
                grown.set_len(0)?;
                grown.seek(SeekFrom::Start(0))?;
                grown.write_all(text.as_bytes())
            }
        };
        write(grown).and_then(|()| grown.seek(SeekFrom::End(0))).map(drop).map_err(io(&file))
    }
}

/// Returns the number of a key in the result file of a finished run; `None` if there is no such number. If the run is
/// resumed, its new result file keeps this number instead of a new measurement.
pub fn result_number(path: &Path, key: &str) -> Option<f64> {
    let text = file::text(&path.join("result.json"), MAX_RESULT).ok()?;
    serde_json::from_str::<serde_json::Value>(&text).ok()?[key].as_f64()
}

/// Rejects a link, because all output of a run must stay in the run's folder.
pub fn refuse_link(path: &Path) -> Result<(), FolderError> {
    match path.symlink_metadata() {
        Ok(data) if data.is_symlink() => Err(fail(path, "is a link; replace it by its target")),
        _ => Ok(()),
    }
}

/// Creates a folder if it is missing.
fn make(path: &Path) -> Result<(), FolderError> {
    if path.exists() && !path.is_dir() {
        return Err(fail(path, "is a file, not a folder; choose another folder"));
    }
    std::fs::create_dir_all(path).map_err(|error| fail(path, format!("{error}; check that the folder is writable")))
}

/// Rejects a folder that holds a run of any kind.
fn refuse_run(path: &Path) -> Result<(), FolderError> {
    match KINDS.iter().any(|(file, ..)| path.join(file).exists()) {
        true => Err(fail(path, "already contains a run; go on with --resume, or choose another folder")),
        false => Ok(()),
    }
}

/// Rejects a folder that holds a run, or other files that could be overwritten. A process that was killed while it
/// created the folder may have left files with the intended text, a table without rows, or empty folders. These
/// leftovers are accepted.
fn refuse_used(path: &Path, kind: &Kind, files: &[(String, &str)], run: &str) -> Result<(), FolderError> {
    refuse_run(path)?;
    let first = |name: &str| Path::new(name).iter().next().map(|first| first.to_string_lossy().into_owned());
    for entry in std::fs::read_dir(path).map_err(io(path))? {
        let entry = entry.map_err(io(path))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // The name of the temporary file of an interrupted atomic write ends in `.new`.
        let begun = name.strip_suffix(".new").unwrap_or(&name);
        let is_request = kind.requests.contains(&begun) || begun == STOP;
        let mut texts = files.iter().map(|(file, text)| (file.as_str(), *text)).chain([(kind.run, run)]);
        let is_half = begun != name && texts.any(|(file, text)| file == begun && is_begun(&entry.path(), text));
        let is_table = name == kind.grows && is_begun(&entry.path(), kind.head);
        let is_empty_folder = kind.written.contains(&begun) && holds_nothing(&entry.path());
        let mut of_beginning = files.iter().filter(|(file, _)| first(file).as_deref() == Some(&name)).peekable();
        let is_the_same =
            of_beginning.peek().is_some() && of_beginning.all(|(file, text)| holds(&path.join(file), text));
        if !(is_request || is_half || is_table || is_empty_folder || is_the_same) {
            return Err(fail(
                path,
                format!("is not empty: it contains `{}`; choose a new folder", name.escape_debug()),
            ));
        }
    }
    Ok(())
}

/// Returns whether a path is an empty folder, and not a link.
fn holds_nothing(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_dir())
        && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Returns whether `text` can be written to a file without loss of data. The file must not exist, or must already
/// contain `text`.
fn holds(file: &Path, text: &str) -> bool {
    match file.symlink_metadata() {
        Err(error) => error.kind() == ErrorKind::NotFound,
        Ok(_) => file::text(file, text.len() as u64).is_ok_and(|there| there == text),
    }
}

/// Returns whether a file contains exactly `text`, or a prefix of `text`.
fn is_begun(path: &Path, text: &str) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() <= text.len() as u64);
    is_file && file::bytes(path, text.len() as u64).is_ok_and(|there| text.as_bytes().starts_with(&there))
}

#[cfg(test)]
mod tests {
    use super::*;

    static KIND: Kind =
        Kind { run: "run.toml", grows: "t.csv", head: "a,b\n", written: &["best"], requests: &["skip"] };

    fn create(place: &Path) -> Result<RunFolder, String> {
        RunFolder::create(place, &KIND, &[("world.toml".into(), "")], "seed = 1\n").map_err(|error| error.to_string())
    }

    #[test]
    fn leftovers_of_killed_process_do_not_block_creation() {
        let place = tempfile::tempdir().unwrap();
        for (left, half) in [("run.toml.new", "se"), ("world.toml.new", ""), ("world.toml", "")] {
            std::fs::write(place.path().join(left), half).unwrap();
        }
        std::fs::create_dir(place.path().join("best")).unwrap();
        std::fs::write(place.path().join("t.csv"), "a,").unwrap();
        drop(create(place.path()).unwrap());
        assert_eq!(std::fs::read_to_string(place.path().join("t.csv")).unwrap(), "a,b\n");
        std::fs::remove_file(place.path().join("run.toml")).unwrap();
        for (name, text) in [("notes.new", "mine"), ("run.toml.new", "mine"), ("world.toml", "mine"), ("best/mine", "")]
        {
            let mine = place.path().join(name);
            let before = std::fs::read_to_string(&mine).ok();
            std::fs::write(&mine, text).unwrap();
            let refused = create(place.path()).err().unwrap();
            assert!(refused.contains(&format!("it contains `{}`", name.split('/').next().unwrap())), "{refused}");
            before.map_or_else(|| std::fs::remove_file(&mine), |before| std::fs::write(&mine, before)).unwrap();
        }
    }

    #[test]
    fn rows_after_those_that_are_kept_go_and_others_come_behind() {
        let place = tempfile::tempdir().unwrap();
        let table = || std::fs::read_to_string(place.path().join("t.csv")).unwrap();
        let mut folder = create(place.path()).unwrap();
        folder.add_rows("1,2\n3,4\n5,6\n").unwrap();
        folder.keep_rows("1,2\n").unwrap();
        folder.add_rows("7,8\n").unwrap();
        assert_eq!(table(), "a,b\n1,2\n7,8\n");
        folder.keep_rows("7,8\n").unwrap();
        folder.add_rows("9,9\n").unwrap();
        assert_eq!(table(), "a,b\n7,8\n9,9\n");
    }

    #[test]
    fn replaced_folder_is_not_written() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("run");
        let mut folder = create(&place).unwrap();
        std::fs::rename(&place, home.path().join("moved")).unwrap();
        let gone = folder.write("best/one.txt", "1").unwrap_err().to_string();
        assert!(gone.contains("t.csv: is missing; if the folder was moved"), "{gone}");
        drop(create(&place).unwrap());
        let other = folder.add_rows("1,2\n").unwrap_err().to_string();
        assert!(other.contains("t.csv: was replaced by another file"), "{other}");
        assert_eq!(std::fs::read_to_string(place.join("t.csv")).unwrap(), "a,b\n");
    }

    #[test]
    fn links_that_lead_out_of_the_folder_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("run");
        drop(create(&place).unwrap());
        std::os::unix::fs::symlink(home.path(), place.join("best")).unwrap();
        let link = RunFolder::open(&place, &KIND).err().unwrap().to_string();
        assert!(link.contains("best: is a link; replace it by its target"), "{link}");
    }
}
