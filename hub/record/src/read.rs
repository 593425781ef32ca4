//! Reads records message by message, over all files of a run. Messages are in chronological order within each file.
//! Damaged parts are skipped and reported.

use super::{OPEN, RecordError, open_file, parts, recover};
use crate::container::channels::ChannelMap;
use crate::container::chunk::messages;
use crate::container::framing::End;
use crate::container::reader::{Chunk, Reader};
use crate::container::scan::Source;
use crate::container::survey::MISSING_END;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use xpuck_hub_core::entry::{Entry, TOPICS};

/// Recorded message that is not parsed yet.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Topic of the message.
    pub topic: String,
    /// Contents of the message in JSON.
    pub data: Vec<u8>,
}

/// Iterator over the messages of a run, or of one file. After an I/O error, the iterator returns the error and then
/// ends.
pub struct Messages {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, Reader<File>)>,
    /// Remaining messages of the last chunk.
    chunk: std::vec::IntoIter<Raw>,
    damage: Vec<String>,
    /// Number of bytes in the files that have been read completely, and number of bytes in all files.
    done: u64,
    total: u64,
}

impl Messages {
    /// Opens the record of a run by its directory, or a single MCAP file.
    ///
    /// # Errors
    /// If there is no record, or a file of it cannot be opened.
    pub fn open(path: &Path) -> Result<Messages, RecordError> {
        let files = if path.is_dir() { parts(path)? } else { vec![path.to_path_buf()] };
        if files.is_empty() {
            return Err(RecordError::new(path, "contains no run.mcap"));
        }
        let mut total = 0;
        for file in &files {
            total += open_file(file)?.length().map_err(|error| RecordError::new(file, error))?;
        }
        let (chunk, damage) = (Vec::new().into_iter(), Vec::new());
        Ok(Messages { files: files.into_iter(), open: None, chunk, damage, done: 0, total })
    }

    /// Damage of the files that have been read completely, one line per file, with the remedy.
    pub fn damage(&self) -> &[String] {
        &self.damage
    }

    /// Number of bytes that have been read, and number of bytes in all files.
    pub fn progress(&self) -> (u64, u64) {
        (self.done + self.open.as_ref().map_or(0, |(_, reader)| reader.at()), self.total)
    }

    /// Returns the messages of the next chunk. `None` at the end of the last file.
    fn next_chunk(&mut self) -> Result<Option<Vec<Raw>>, RecordError> {
        loop {
            let Some((path, reader)) = &mut self.open else {
                let Some(path) = self.files.next() else { return Ok(None) };
                let reader = Reader::new(open_file(&path)?).map_err(|error| RecordError::new(&path, error))?;
                self.open = Some((path, reader));
                continue;
            };
            if let Some(chunk) = reader.next_chunk().map_err(|error| RecordError::new(path, error))? {
                return Ok(Some(raw(chunk)));
            }
            // Only a file that is being written may lack its end without being damaged.
            let endless =
                || (!path.to_string_lossy().ends_with(OPEN) && reader.end == End::Open).then(|| MISSING_END.into());
            let words = reader.damage.words().or_else(endless);
            // The end of a file that is being written may be incomplete. If the file no longer exists, it was
            // completed and renamed.
            let writing = path.to_string_lossy().ends_with(OPEN)
                && (recover::is_written(path).unwrap_or(false) || path.try_exists().is_ok_and(|there| !there));
            if let Some(words) = words.filter(|_| !writing) {
                let name = path.display();
                self.damage.push(format!("{name} is damaged: {words}; repair it with `xpuck runs recover`"));
            }
            self.done += reader.at();
            self.open = None;
        }
    }
}

impl Iterator for Messages {
    type Item = Result<Raw, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(raw) = self.chunk.next() {
                return Some(Ok(raw));
            }
            match self.next_chunk() {
                Ok(chunk) => self.chunk = chunk?.into_iter(),
                Err(error) => {
                    (self.open, self.files) = (None, Vec::new().into_iter());
                    return Some(Err(error));
                }
            }
        }
    }
}

fn raw(chunk: &Chunk) -> Vec<Raw> {
    let known = messages(&chunk.records).filter_map(|message| {
        let channel = chunk.meanings.get(&message.channel)?.as_ref()?;
        Some(Raw { topic: channel.topic.clone(), data: message.data.to_vec() })
    });
    known.collect()
}

/// Iterator over the entries of a run or a file. Messages of other programs are skipped. Unreadable messages of other
/// versions of this program are skipped and reported.
pub struct Entries {
    messages: Messages,
    /// Number of unreadable messages by topic.
    unread: BTreeMap<&'static str, u64>,
    /// Topics to read. `None`: all topics.
    only: Option<&'static [&'static str]>,
}

impl Entries {
    /// Damage of the files that have been read completely, one line per file, with the remedy.
    pub fn damage(&self) -> &[String] {
        self.messages.damage()
    }

    /// Number of bytes that have been read, and number of bytes in all files.
    pub fn progress(&self) -> (u64, u64) {
        self.messages.progress()
    }

    /// Counts an unreadable message if its topic belongs to this program.
    fn leave_out(&mut self, raw: &Raw) {
        if let Some(topic) = TOPICS.into_iter().find(|topic| *topic == raw.topic) {
            *self.unread.entry(topic).or_default() += 1;
        }
    }

    /// Adds a line about the unreadable messages of each topic to the damage.
    fn report_unread(&mut self) {
        for (topic, count) in std::mem::take(&mut self.unread) {
            self.messages.damage.push(format!(
                "skipped {count} messages of {topic}: they were written by another version of xpuck (see `version` in run.toml); read them with that version"
            ));
        }
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.messages.next() {
                Some(Ok(raw)) if self.only.is_some_and(|only| !only.contains(&raw.topic.as_str())) => {}
                Some(Ok(raw)) => match serde_json::from_slice(&raw.data) {
                    Ok(entry) => return Some(Ok(entry)),
                    Err(_) => self.leave_out(&raw),
                },
                Some(Err(error)) => return Some(Err(error)),
                None => {
                    self.report_unread();
                    return None;
                }
            }
        }
    }
}

/// Returns the entries in the records of a chunk. Messages that are not valid entries are skipped.
pub(super) fn entries_of<'a>(records: &'a [u8], meanings: &'a ChannelMap) -> impl Iterator<Item = Entry> + 'a {
    messages(records).filter_map(|message| {
        let ours = meanings.get(&message.channel)?.as_ref().is_some_and(|c| TOPICS.contains(&c.topic.as_str()));
        ours.then(|| serde_json::from_slice(message.data).ok())?
    })
}

/// Opens the entries of a run or a file for iteration.
///
/// # Errors
/// If there is no record, or a file of it cannot be opened.
pub fn entries(path: &Path) -> Result<Entries, RecordError> {
    Messages::open(path).map(|messages| Entries { messages, unread: BTreeMap::new(), only: None })
}

/// Opens the entries of some topics only. Messages of other topics are not parsed.
///
/// # Errors
/// Same as [`entries`].
pub fn entries_of_topics(path: &Path, only: &'static [&'static str]) -> Result<Entries, RecordError> {
    entries(path).map(|entries| Entries { only: Some(only), ..entries })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::McapFile;

    fn record(path: &Path, times: std::ops::Range<u32>) {
        let mut file = McapFile::begin(File::create(path).unwrap()).unwrap();
        for i in times {
            file.write(&Entry::event(i.into(), format!("event {i}"))).unwrap();
            file.flush().unwrap();
        }
        file.finish().unwrap();
    }

    #[test]
    fn missing_part_is_skipped_unreadable_part_is_an_error() {
        let run = tempfile::tempdir().unwrap();
        record(&run.path().join("run.mcap"), 0..2);
        record(&run.path().join("run-3.mcap"), 4..6);
        let times = || -> Result<Vec<f64>, RecordError> {
            entries(run.path())?.map(|entry| entry.map(|entry| entry.time())).collect()
        };
        assert_eq!(times().unwrap(), [0.0, 1.0, 4.0, 5.0]);
        // A file is replaced by a folder while the record is being read. The same error occurs when the record is
        // opened again.
        let mut reading = entries(run.path()).unwrap();
        assert_eq!(reading.next().unwrap().unwrap().time(), 0.0);
        std::fs::remove_file(run.path().join("run-3.mcap")).unwrap();
        std::fs::create_dir(run.path().join("run-3.mcap")).unwrap();
        let rest: Vec<_> = reading.collect();
        assert!(
            rest.len() == 2 && rest[1].as_ref().is_err_and(|error| error.to_string().contains("folder")),
            "{rest:?}"
        );
        assert!(times().unwrap_err().to_string().contains("folder"));
    }

    #[test]
    fn damaged_chunk_is_skipped_and_reported() {
        let run = tempfile::tempdir().unwrap();
        let path = run.path().join("run.mcap");
        record(&path, 0..9);
        let mut bytes = std::fs::read(&path).unwrap();
        assert_eq!(entries(&path).unwrap().count(), 9);
        let second = bytes.windows(4).enumerate().filter(|(_, four)| *four == b"zstd").nth(1).unwrap().0;
        bytes[second + 20..][..20].fill(0);
        std::fs::write(&path, bytes).unwrap();
        let mut reading = entries(run.path()).unwrap();
        let times: Vec<f64> = reading.by_ref().map(|entry| entry.unwrap().time()).collect();
        assert_eq!((times.len(), times[7]), (8, 8.0));
        let [told] = reading.damage() else { panic!("{:?}", reading.damage()) };
        assert!(told.contains("run.mcap is damaged") && told.contains("xpuck runs recover"), "{told}");
    }
}
