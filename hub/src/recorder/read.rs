//! Reading records: entry by entry, over all files of a run, in the order of time within each file.

use super::{Entry, RecordError, parts};
use mcap::sans_io::LinearReaderOptions;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Largest record within a file, bytes: a length beyond is damage.
const MAX_RECORD: usize = 64 << 20;

/// The messages of one record, up to its end or to where it is cut off.
pub fn messages(from: impl Read) -> impl Iterator<Item = mcap::McapResult<mcap::Message<'static>>> {
    let options = LinearReaderOptions::default()
        .with_skip_end_magic(true)
        .with_validate_chunk_crcs(true)
        .with_prevalidate_chunk_crcs(true)
        .with_record_length_limit(MAX_RECORD);
    mcap::io::MessageReader::new_with_options(BufReader::with_capacity(1 << 18, from), options)
}

/// A message as it was recorded.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Its topic.
    pub topic: String,
    /// Its JSON.
    pub data: Vec<u8>,
}

/// Every message of a run, or of one file.
pub struct Messages {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<Box<dyn Iterator<Item = mcap::McapResult<mcap::Message<'static>>>>>,
}

impl Messages {
    /// Opens a run's directory, or one MCAP file.
    ///
    /// # Errors
    /// If there is no record.
    pub fn open(path: &Path) -> Result<Messages, RecordError> {
        let files = if path.is_dir() { parts(path) } else { vec![path.to_path_buf()] };
        if files.is_empty() {
            return Err(RecordError::of(path, "holds no run.mcap"));
        }
        for file in &files {
            File::open(file).map_err(|error| RecordError::of(file, error))?;
        }
        Ok(Messages { files: files.into_iter(), open: None })
    }
}

impl Iterator for Messages {
    type Item = Raw;

    fn next(&mut self) -> Option<Raw> {
        loop {
            // What is cut off ends a file and no more: the next one is a file of its own.
            if let Some(Ok(message)) = self.open.as_mut().and_then(Iterator::next) {
                return Some(Raw { topic: message.channel.topic.clone(), data: message.data.into_owned() });
            }
            let file = File::open(self.files.next()?).ok()?;
            self.open = Some(Box::new(messages(file)));
        }
    }
}

/// The entries of a run or a file; messages of other programs are left out.
///
/// # Errors
/// If there is no record.
pub fn entries(path: &Path) -> Result<impl Iterator<Item = Entry>, RecordError> {
    Ok(Messages::open(path)?.filter_map(|raw| serde_json::from_slice(&raw.data).ok()))
}
