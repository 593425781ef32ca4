//! Files that were cut off are made whole: all messages up to the first chunk that is not whole are written to a new
//! file with a summary, which takes the old one's place.

use super::run_file::{RunFile, RunState};
use super::{OPEN, RecordError, kept, mcap_file, read};
use std::fs::{File, TryLockError};
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// What was recovered of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The whole file.
    pub path: PathBuf,
    /// Messages in it.
    pub messages: u64,
    /// Bytes of the file that was cut off.
    pub bytes: u64,
    /// What ended the reading; none if the file only lacked its end.
    pub damage: Option<String>,
}

/// Makes a file whole. `name.mcap.open` becomes `name.mcap`; any other file is replaced by what can be read of it.
///
/// # Errors
/// If the file is still being written, cannot be read, or the new one cannot be written.
pub fn file(path: &Path) -> Result<Recovered, RecordError> {
    let fail = |error: &dyn std::fmt::Display| RecordError::of(path, error);
    let source = File::open(path).map_err(|e| fail(&e))?;
    match source.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(fail(&"is being written by a hub")),
        Err(TryLockError::Error(error)) => return Err(fail(&error)),
    }
    let bytes = source.metadata().map_err(|e| fail(&e))?.len();
    let target = path.to_string_lossy().strip_suffix(OPEN).map_or(path.to_path_buf(), PathBuf::from);
    let new = PathBuf::from(format!("{}.new", target.display()));
    let file = File::create(&new).map_err(|e| fail(&e))?;
    let (messages, damage) = copy(&source, BufWriter::new(&file)).map_err(|e| fail(&e))?;
    file.sync_all().map_err(|e| fail(&e))?;
    std::fs::rename(&new, &target).map_err(|e| fail(&e))?;
    if target != path {
        std::fs::remove_file(path).map_err(|e| fail(&e))?;
    }
    sync_folder(&target);
    Ok(Recovered { path: target, messages, bytes, damage })
}

/// Writes the messages that can be read of a record as a whole one: how many, and what ended the reading if it was not the
/// end.
///
/// # Errors
/// What is read makes no record, or it cannot be written.
pub fn copy(from: impl Read, to: impl Write + Seek) -> mcap::McapResult<(u64, Option<String>)> {
    let mut writer = mcap_file::options().create(to)?;
    let mut messages = 0;
    for message in read::messages(from) {
        match message {
            Ok(message) => writer.write(&message)?,
            Err(error) => {
                writer.finish()?;
                return Ok((messages, Some(error.to_string())));
            }
        }
        messages += 1;
    }
    writer.finish()?;
    Ok((messages, None))
}

/// True if a hub is writing this file.
pub fn is_written(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Brings the names in a file's folder to the disk; a file system that cannot do that needs it not.
pub(super) fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

/// The files of a run that were left open.
pub fn left_open(directory: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|e| e.path());
    let mut found: Vec<PathBuf> = files.filter(|p| p.to_string_lossy().ends_with(&format!(".mcap{OPEN}"))).collect();
    found.sort();
    found
}

/// Makes the files of a run whole and says so in its `run.toml`, whose state becomes `state` if it was running.
///
/// # Errors
/// The first file that could not be made whole.
pub fn run(directory: &Path, files: &[PathBuf], state: Option<RunState>) -> Result<Vec<Recovered>, RecordError> {
    let done = files.iter().map(|path| file(path)).collect::<Result<Vec<_>, _>>()?;
    let name = |r: &Recovered| r.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    RunFile::change(directory, |run| {
        run.recovered.extend(done.iter().map(name));
        run.recovered.dedup();
        if let (RunState::Running, Some(state)) = (run.state, state) {
            run.state = state;
            kept::remove(directory);
        }
    })?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::{Entry, McapFile, read::entries};

    /// A record of chunks of several messages each, and where each chunk ends.
    fn good() -> (Vec<u8>, Vec<usize>) {
        let mut file = McapFile::begin(std::io::Cursor::new(Vec::new())).unwrap();
        for i in 0..40 {
            let text = format!("event {i} {}", "abc".repeat(i % 7));
            file.write(&Entry::Event { time: i as f64, text }).unwrap();
            if i % 4 == 3 {
                file.flush().unwrap();
            }
        }
        file.finish().unwrap();
        let bytes = file.into_inner().into_inner();
        // Chunks are records of kind 6: kind, length in 8 bytes, data.
        let (mut at, mut ends) = (8, Vec::new());
        while at + 9 <= bytes.len() - 8 {
            let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap()) as usize;
            let chunk = bytes[at] == 6;
            at += 9 + length;
            if chunk {
                ends.push(at);
            }
        }
        (bytes, ends)
    }

    #[test]
    fn a_file_cut_anywhere_keeps_every_chunk_that_is_whole() {
        let (bytes, ends) = good();
        assert_eq!(ends.len(), 10);
        let directory = tempfile::tempdir().unwrap();
        let open = directory.path().join("run.mcap.open");
        let mut cuts = 0;
        // Every length of the first chunks' neighbourhood, then every 13th.
        for cut in (8..bytes.len()).filter(|cut| *cut < 1500 || cut % 13 == 0) {
            std::fs::write(&open, &bytes[..cut]).unwrap();
            let recovered = file(&open).unwrap();
            let whole = ends.iter().filter(|end| **end <= cut).count() as u64;
            assert!(recovered.messages >= 4 * whole, "cut at {cut}: {} of {}", recovered.messages, 4 * whole);
            assert!(!open.exists());
            let read: Vec<f64> = entries(&recovered.path).unwrap().map(|e| e.time()).collect();
            assert!(
                read.iter().enumerate().all(|(i, time)| i as f64 == *time) && read.len() as u64 == recovered.messages
            );
            let again = std::fs::read(&recovered.path).unwrap();
            assert!(mcap::Summary::read(&again).unwrap().is_some(), "it has a summary");
            cuts += 1;
        }
        println!("{cuts} cuts of a file of {} bytes", bytes.len());
    }

    #[test]
    fn bytes_that_were_changed_or_are_none_of_ours_do_no_harm() {
        let (bytes, ends) = good();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.mcap");
        for at in (0..bytes.len()).step_by(11) {
            let mut bad = bytes.clone();
            bad[at] ^= 0x5a;
            std::fs::write(&path, &bad).unwrap();
            let whole = ends.iter().filter(|end| **end <= at).count() as u64;
            if let Ok(recovered) = file(&path) {
                assert!(recovered.messages >= 4 * whole, "byte {at}: {recovered:?}");
            }
        }
        // A chunk whose records take 16 bytes: one of nine, and the next goes beyond the end of the chunk.
        let header = [&[1][..], &24u64.to_le_bytes(), &[0; 4], &16u32.to_le_bytes(), b"mcap-rusz/0.26.0"].concat();
        let mut chunk = [&[6][..], &126u64.to_le_bytes(), &[0; 162]].concat();
        chunk[9 + 32] = 16;
        let longer = [b"\x89MCAP0\r\n", &header[..], &chunk, b"C\x04\0"].concat();
        for bad in [&b""[..], &longer, b"\x89MCAP0\r\n", b"not an mcap at all", &[0x06; 64]] {
            std::fs::write(&path, bad).unwrap();
            assert!(file(&path).map_or(0, |r| r.messages) == 0);
        }
    }

    #[test]
    fn a_file_that_is_being_written_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let open = directory.path().join("run.mcap.open");
        let held = File::create(&open).unwrap();
        held.lock().unwrap();
        assert!(file(&open).unwrap_err().to_string().contains("being written by a hub"));
        assert!(open.exists());
    }
}
