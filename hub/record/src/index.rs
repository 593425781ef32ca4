//! Time index of a record. It allows a replay to begin anywhere without reading the preceding part.

use super::read::entries_of;
use super::{RecordError, open_file, parts};
use crate::container::channels::ChannelMap;
use crate::container::chunk::messages;
use crate::container::reader::Reader;
use std::path::{Path, PathBuf};
use xpuck_hub_core::entry::Entry;

/// Position and times of a chunk in the record.
struct Place {
    file: usize,
    from: u64,
    /// Times of the chunk's first and last message (s of arena time).
    times: (f64, f64),
    meanings: ChannelMap,
}

/// Index of the chunks of a run.
pub struct Index {
    files: Vec<PathBuf>,
    chunks: Vec<Place>,
    /// Time spans without data that are longer than 5 s (s of arena time).
    pub gaps: Vec<(f64, f64)>,
    /// Damage of the record, one line per file.
    pub damage: Vec<String>,
}

/// Minimum duration without data that counts as a gap (s of arena time). A hub writes at least ten times per second.
const GAP: f64 = 5.0;
/// Maximum number of indexed chunks. With one flush per second, it corresponds to more than 27 hours.
const MOST: usize = 100_000;

impl Index {
    /// Reads the record of a run completely, and passes every entry to `take`.
    ///
    /// # Errors
    /// If there is no record, a file cannot be read, or there are too many chunks.
    pub fn read(directory: &Path, mut take: impl FnMut(Entry)) -> Result<Index, RecordError> {
        let files = parts(directory)?;
        if files.is_empty() {
            return Err(RecordError::new(directory, "contains no run.mcap"));
        }
        let mut index = Index { files, chunks: Vec::new(), gaps: Vec::new(), damage: Vec::new() };
        let mut latest: Option<f64> = None;
        for (file, path) in index.files.iter().enumerate() {
            let wrong = |error: std::io::Error| RecordError::new(path, error);
            let mut reader = Reader::new(open_file(path)?).map_err(wrong)?;
            while let Some(chunk) = reader.next_chunk().map_err(wrong)? {
                let times = messages(&chunk.records).map(|message| message.log_time as f64 / 1e9);
                let bounds = times.fold(None, |bounds: Option<(f64, f64)>, time| {
                    Some(bounds.map_or((time, time), |(low, high)| (low.min(time), high.max(time))))
                });
                let Some(times) = bounds else { continue };
                if index.chunks.len() == MOST {
                    return Err(RecordError::new(path, format!("has more than {MOST} chunks")));
                }
                if let Some(before) = latest.filter(|before| times.0 - before > GAP) {
                    index.gaps.push((before, times.0));
                }
                latest = Some(latest.map_or(times.1, |before| before.max(times.1)));
                entries_of(&chunk.records, &chunk.meanings).for_each(&mut take);
                let meanings = chunk.meanings.clone();
                index.chunks.push(Place { file, from: chunk.from, times, meanings });
            }
            index.damage.extend(reader.damage.words().map(|words| format!("{}: {words}", path.display())));
        }
        Ok(index)
    }

    /// Returns the earliest and the latest message time (s of arena time). Both are 0 without messages.
    pub fn span(&self) -> (f64, f64) {
        let bounds = self.chunks.iter().map(|chunk| chunk.times);
        bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default()
    }

    /// Returns the entries with times in `from..=to` (s of arena time), in the order of the record.
    ///
    /// # Errors
    /// If a file can no longer be read, or has changed.
    pub fn entries(&self, from: f64, to: f64) -> Result<Vec<Entry>, RecordError> {
        let mut found = Vec::new();
        let mut open: Option<(usize, Reader<std::fs::File>)> = None;
        for chunk in self.chunks.iter().filter(|chunk| chunk.times.1 >= from && chunk.times.0 <= to) {
            let path = &self.files[chunk.file];
            let wrong = |error: std::io::Error| RecordError::new(path, error);
            if open.as_ref().is_none_or(|(file, _)| *file != chunk.file) {
                open = Some((chunk.file, Reader::new(open_file(path)?).map_err(wrong)?));
            }
            let Some((_, reader)) = &mut open else { continue };
            let records = reader.again(chunk.from).map_err(wrong)?;
            let of_span = |entry: &Entry| (from..=to).contains(&entry.time());
            found.extend(entries_of(&records, &chunk.meanings).filter(of_span));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::McapFile;
    use std::fs::File;

    #[test]
    fn span_holds_its_entries_across_all_files() {
        let dir = tempfile::tempdir().unwrap();
        for (name, times) in [("run.mcap", 0..300), ("run-2.mcap", 400..500)] {
            let mut file = McapFile::begin(File::create(dir.path().join(name)).unwrap()).unwrap();
            for i in times {
                file.write(&Entry::event(i.into(), i.to_string())).unwrap();
                if i % 10 == 9 {
                    file.flush().unwrap();
                }
            }
            file.finish().unwrap();
        }
        let mut all = Vec::new();
        let index = Index::read(dir.path(), |entry| all.push(entry.time())).unwrap();
        assert_eq!((all.len(), index.span()), (400, (0.0, 499.0)));
        assert_eq!((index.gaps.clone(), index.damage.len()), (vec![(299.0, 400.0)], 0));
        let times = |from, to| index.entries(from, to).unwrap().iter().map(Entry::time).collect::<Vec<_>>();
        assert_eq!(times(5.0, 7.5), [5.0, 6.0, 7.0]);
        assert_eq!(times(298.5, 401.0), [299.0, 400.0, 401.0]);
        assert!(times(310.0, 390.0).is_empty());
        assert!(Index::read(&dir.path().join("nowhere"), |_| ()).is_err());
    }
}
