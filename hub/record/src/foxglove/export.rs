//! Exports a run's record as one MCAP file for viewers. It contains the record's channels, and channels with
//! Foxglove's schemas.

use super::scene::{Scene, phase};
use super::{Message, schema_of};
use crate::container::mcap_file::McapFile;
use crate::run_file::RunFile;
use crate::verify::phase_worlds;
use crate::{RecordError, part_number, read};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use xpuck_hub_core::config::HubFile;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::atomic::{self, PartialFile};

/// Result of an export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exported {
    /// Number of messages by topic.
    pub topics: BTreeMap<String, u64>,
    /// Damage of the record, one line per file.
    pub damage: Vec<String>,
}

/// Writes the record of a run to one file. `progress` receives the number of bytes read and the total number of
/// bytes. The export continues while it returns true.
///
/// # Errors
/// If there is no record, it cannot be read, `to` is a file of the run or cannot be written, or the export was
/// stopped.
pub fn export(run: &Path, to: &Path, progress: impl FnMut(u64, u64) -> bool) -> Result<Exported, RecordError> {
    let folder = atomic::folder(to);
    let in_run = |path: &Path| path.canonicalize().is_ok_and(|path| run.canonicalize().is_ok_and(|run| run == path));
    let named = in_run(folder) && to.file_name().is_some_and(|name| part_number(&name.to_string_lossy()).is_some());
    // `to` may be a link. All files in the run's folder belong to the run.
    let meant = to.canonicalize().ok().is_some_and(|to| to.parent().is_some_and(in_run));
    if named || meant {
        return Err(RecordError::new(to, "is a file of the run; choose another file"));
    }
    let fail = |error: std::io::Error| RecordError::new(to, error);
    let (part, file) = PartialFile::open(to).map_err(fail)?;
    let exported = write(run, (to, file), progress)?;
    if exported.topics.is_empty() {
        return Err(RecordError::new(run, "not the record of a run, or empty; no file was written"));
    }
    part.commit().map_err(fail)?;
    Ok(exported)
}

fn write(
    run: &Path,
    (to, file): (&Path, File),
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<Exported, RecordError> {
    let fail = |error: std::io::Error| RecordError::new(to, error);
    let about = RunFile::read(run)?;
    let hub: HubFile = about.hub.clone().try_into().map_err(|error| RecordError::new(run, error))?;
    // If the experiment or a world is unreadable, as in records of older versions, only the arena is drawn.
    let worlds = phase_worlds(&about).unwrap_or_default();
    let mut scene = Scene::new(&about.robots, hub.arena);
    let mut shown: Option<String> = None;
    let mut entries = read::entries(run)?;
    let mut output = Output { file: McapFile::begin(file).map_err(fail)?, topics: BTreeMap::new() };
    let mut told = None;
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let (done, total) = entries.progress();
        // Progress is reported once per chunk.
        if told.replace(done) != Some(done) && !progress(done, total) {
            return Err(RecordError::new(to, "stopped; nothing was written"));
        }
        let stamp = McapFile::<File>::stamp(entry.time());
        let now = match &entry {
            Entry::Run { segments, .. } => phase(segments),
            _ => shown.as_deref(),
        };
        // The walls are written first. They are written again when a phase with another world begins.
        if shown.is_none() || now != shown.as_deref() {
            let named = worlds.iter().find(|(name, _)| Some(name.as_str()) == now).or(worlds.first());
            output.add(&scene.world(named.map(|(_, world)| &**world), stamp), stamp).map_err(fail)?;
            shown = Some(now.unwrap_or_default().into());
        }
        for message in scene.on_entry(&entry, stamp) {
            output.add(&message, stamp).map_err(fail)?;
        }
        output.copy(&entry).map_err(fail)?;
    }
    output.file.finish().map_err(fail)?;
    Ok(Exported { topics: output.topics, damage: entries.damage().to_vec() })
}

struct Output {
    file: McapFile<File>,
    topics: BTreeMap<String, u64>,
}

impl Output {
    /// Copies a recorded entry, with the schema in the form for viewers.
    fn copy(&mut self, entry: &Entry) -> std::io::Result<()> {
        let topic = entry.topic();
        *self.topics.entry(topic.into()).or_default() += 1;
        self.file.write_with(entry, schema_of(topic).unwrap_or(""))
    }

    fn add(&mut self, message: &Message, stamp: u64) -> std::io::Result<()> {
        *self.topics.entry(message.topic.into()).or_default() += 1;
        let channel = super::channels().iter().find(|channel| channel.topic == message.topic);
        let (name, schema) =
            channel.map_or(("", ""), |channel| (channel.schema_name, schema_of(message.topic).unwrap_or("")));
        self.file.write_as(message.topic, (name, schema), stamp, &message.data)
    }
}
