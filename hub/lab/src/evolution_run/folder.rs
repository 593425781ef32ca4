//! The folder of a run: its evolution file, what happened so far, and its last two checkpoints.
//!
//! A generation is appended to the record and the table, these are brought to the disk, and then the checkpoint takes
//! the place of the one before the last. It holds how long record and table were, and their checksums, so that a run
//! that goes on from it cuts off what later generations had begun to write.

use super::champion::champion;
use super::config::Config;
use super::engines::Engines;
use super::file;
use super::front::FrontTree;
use super::generation::{EvolutionRun, Generation, State};
use super::outcome::Outcome;
use super::record;
use crate::run_folder::{FolderError, Kind, RunFolder, checkpoints, fail, io};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use xpuck_evolve::Individual;
use xpuck_kernels::engine::EngineStatus;
use xpuck_stats::figure::Figure;
use xpuck_wire::atomic::Prepared;
use xpuck_wire::output::count;

/// What came out.
const RESULT: &str = "result.json";
/// The record of births, migrations and samples.
pub const RECORD: &str = "record.mcap";
/// The table of generations and islands.
const TABLE: &str = "generations.csv";
/// How long each generation took.
pub const TIMES: &str = "times.csv";
/// Trees of the last generation, a file each.
const TREES: &str = "trees";

static KIND: Kind = Kind { run: "run.toml", grows: RECORD, head: "", written: &[TABLE, TREES], requests: &[] };

/// The folder of a run that this process works on; no other process can have it at the same time.
pub struct Folder {
    folder: RunFolder,
    configuration: u32,
    table: File,
    grown: Grown,
    engines: Engines,
}

/// The files that grow, at a checkpoint; the record without its end.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Grown {
    record: Part,
    table: Part,
}

impl Grown {
    /// Refuses files that are shorter than they were at the checkpoint.
    fn fits(&self, folder: &Path) -> Result<(), String> {
        for (name, needed) in [(RECORD, self.record.length), (TABLE, self.table.length)] {
            let found = std::fs::metadata(folder.join(name)).map_or(0, |data| data.len());
            if found < needed {
                return Err(format!("{name} has {found} bytes and had {needed} at this checkpoint"));
            }
        }
        Ok(())
    }
}

/// A file up to some place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    /// Bytes.
    length: u64,
    /// Their CRC-32.
    checksum: u32,
}

impl Part {
    /// With more behind it.
    fn with(self, bytes: &[u8]) -> Part {
        let mut hasher = crc32fast::Hasher::new_with_initial_len(self.checksum, self.length);
        hasher.update(bytes);
        Part { length: self.length + bytes.len() as u64, checksum: hasher.finalize() }
    }

    /// As many bytes of a file as this has, and their checksum.
    fn found(self, path: &Path) -> std::io::Result<Part> {
        let mut file = File::open(path)?.take(self.length);
        let (mut found, mut bytes) = (Part::default(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut bytes)? {
                0 => return Ok(found),
                n => found = found.with(&bytes[..n]),
            }
        }
    }
}

/// A run that can go on.
pub struct Resumed {
    /// Where it is kept.
    pub folder: Folder,
    /// The run as it stood after its last sound checkpoint, or at its start if it had none.
    pub evolution: EvolutionRun,
    /// What a person should know: checkpoints that could not be used, and files that changed since they were written.
    pub notices: Vec<String>,
}

impl Folder {
    /// Makes the folder of a run that begins.
    ///
    /// # Errors
    /// If there is a run already, or the place cannot be written.
    pub fn create(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        let beside = [
            (file::WORLD, &config.world),
            (file::CALIBRATION, &config.calibration),
            (file::PRIMITIVE_SET, &config.primitive_set_file),
        ];
        let beside = beside.map(|(name, text)| (name.to_string(), text));
        let worlds = config.steps.iter().enumerate().map(|(i, step)| (file::step_world(i + 1), &step.world));
        let files = beside.into_iter().chain(worlds);
        let files: Vec<(String, &str)> = files.filter_map(|(name, text)| Some((name, text.as_deref()?))).collect();
        let folder = RunFolder::create(path, &KIND, &files, &file::write(config))?;
        Folder::open(folder, config, Grown::default())
    }

    /// True if the folder holds a run, whatever its state.
    pub fn holds_run(path: &Path) -> bool {
        path.join(KIND.run).exists()
    }

    /// True if the folder holds a run whose result is written.
    pub fn is_finished(path: &Path) -> bool {
        path.join(RESULT).exists()
    }

    /// What the run in a folder is.
    ///
    /// # Errors
    /// If its file cannot be used.
    pub fn config(path: &Path) -> Result<Config, FolderError> {
        let run = path.join(KIND.run);
        file::load(Some(&run), toml::Table::new()).map_err(|error| {
            let text = error.to_string();
            let message = text.strip_prefix(&format!("{}: ", run.display())).unwrap_or(&text).to_string();
            fail(&run, message)
        })
    }

    /// Opens a run to go on with it, from the newest sound checkpoint; without any it begins again. A request to stop is taken
    /// away.
    ///
    /// # Errors
    /// If there is no run, another process works on it, or no checkpoint of those there are can be used.
    pub fn resume(path: &Path) -> Result<Resumed, FolderError> {
        RunFolder::refuse_other(path, &KIND)?;
        let config = Folder::config(path)?;
        record::refuse_older(&path.join(RECORD)).map_err(|error| fail(&error.path, error.message))?;
        let folder = RunFolder::open(path, &KIND)?;
        let generation = |(_, state): &(Grown, State)| state.generation;
        let fits = |(grown, _): &(Grown, State)| grown.fits(path);
        let (found, broken) = checkpoints::newest(path, config.fingerprint(), KIND.run, generation, fits)?;
        let mut notices: Vec<FolderError> = broken.into_iter().collect();
        let (grown, state) = found.map_or((Grown::default(), None), |(grown, state)| (grown, Some(state)));
        for (name, part) in [(RECORD, grown.record), (TABLE, grown.table)].into_iter().filter(|(_, p)| p.length > 0) {
            let file = path.join(name);
            if part.found(&file).map_err(|error| fail(&file, format!("cannot be read: {error}")))? != part {
                let what = "is not as it was written; the run goes on, but what reads this file finds it damaged";
                notices.push(fail(&file, what));
            }
        }
        let notices = notices.iter().map(ToString::to_string).collect();
        let folder = Folder::open(folder, &config, grown)?;
        folder.folder.clear_requests()?;
        let evolution = match state {
            Some(state) => EvolutionRun::resumed(config, state),
            None => EvolutionRun::new(config),
        };
        Ok(Resumed { folder, evolution, notices })
    }

    /// Cuts the files that grow back to what they were.
    fn open(folder: RunFolder, config: &Config, grown: Grown) -> Result<Folder, FolderError> {
        let path = folder.path();
        let (record, table) = (path.join(RECORD), path.join(TABLE));
        folder.grown().set_len(grown.record.length).map_err(io(&record))?;
        let cut = |mut table: File| {
            table.set_len(grown.table.length)?;
            table.seek(SeekFrom::End(0))?;
            Ok(table)
        };
        let table = xpuck_wire::file::modify(&table).and_then(cut).map_err(io(&table))?;
        let engines = Engines::open(path)?;
        let mut folder = Folder { folder, configuration: config.fingerprint(), table, grown, engines };
        let start = if grown.record.length == 0 { record::header() } else { Vec::new() };
        folder.append(start, b"")?;
        Ok(folder)
    }

    /// Appends to record and table.
    fn append(&mut self, mut record: Vec<u8>, table: &[u8]) -> Result<(), FolderError> {
        let path = self.folder.path();
        let grown = Grown { record: self.grown.record.with(&record), table: self.grown.table.with(table) };
        record.extend(record::end());
        self.folder.grown().write_all_at(&record, self.grown.record.length).map_err(io(&path.join(RECORD)))?;
        self.table.write_all(table).map_err(io(&path.join(TABLE)))?;
        self.grown = grown;
        Ok(())
    }

    /// Keeps a generation: what happened in it, and the state after it.
    ///
    /// # Errors
    /// If the disk refuses; what was kept before stays sound.
    pub fn keep(&mut self, state: &State, generation: &Generation) -> Result<(), FolderError> {
        self.folder.is_still_there()?;
        let mut rows = csv::WriterBuilder::new().has_headers(self.grown.table.length == 0).from_writer(Vec::new());
        generation.rows.iter().try_for_each(|row| rows.serialize(row)).expect("rows are plain data in memory");
        let rows = rows.into_inner().expect("flushed into memory");
        let chunk =
            record::chunk(&generation.record).map_err(|message| fail(&self.folder.path().join(RECORD), message))?;
        self.append(chunk, &rows)?;
        let (path, record, table) = (self.folder.path(), self.folder.grown(), &self.table);
        // Together, as a disk takes hardly longer for three files than for one.
        let kept = std::thread::scope(|scope| {
            let grown = [record, table].map(|file| scope.spawn(|| file.sync_data()));
            let kept = (self.grown, state);
            let prepared = checkpoints::prepare(path, state.generation, &kept, self.configuration);
            for thread in grown {
                thread.join().expect("it only waits for the disk")?;
            }
            prepared.and_then(Prepared::commit)
        });
        kept.map_err(io(&checkpoints::place(path, state.generation)))
    }

    /// True if a file asks the run to stop.
    pub(super) fn is_to_stop(&self) -> bool {
        self.folder.is_to_stop()
    }

    /// Notes how long a generation took, wall time in s: a line of `times.csv`, a file of its own as clocks never agree. A
    /// generation that is done again after a kill has a second line.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn note_time(&mut self, generation: u32, wall_s: f64) -> Result<(), FolderError> {
        let path = self.folder.path().join(TIMES);
        let append = || {
            let mut file = xpuck_wire::file::append(&path)?;
            let head = if file.metadata()?.len() == 0 { "generation,wall_s\n" } else { "" };
            file.write_all(format!("{head}{generation},{wall_s:.6}\n").as_bytes())
        };
        append().map_err(io(&path))
    }

    /// Notes which engine ran a generation, if it is another than before.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn note_engine(&mut self, generation: u32, status: &EngineStatus) -> Result<(), FolderError> {
        self.engines.note(generation, status)
    }

    /// Line for a person if the run goes on with another engine than it had: its digits are no longer those of an uninterrupted
    /// run.
    pub fn other_engine(&self, status: &EngineStatus) -> Option<String> {
        Some(format!("{}: {}", self.folder.path().display(), self.engines.other(status)?))
    }

    /// Writes the final trees as text, with their `avoiding` in front so that every file runs as it is, and the result.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn finish(&self, evolution: &EvolutionRun, outcome: &Outcome) -> Result<(), FolderError> {
        let settings = &evolution.config().settings;
        for (place, (i, island)) in evolution.config().numbers().zip(&evolution.state().islands).enumerate() {
            let write = |name: String, individual: &Individual, again: String| {
                let (id, mean) = (individual.id, individual.samples.mean());
                let trials = count(individual.samples.n() as usize, "trial", "trials");
                let tree = individual.tree.under_avoiding();
                let text = format!("# {id}: fitness {:.3} in evolution ({trials}){again}\n{tree}", Figure(mean));
                self.folder.write(&format!("{TREES}/{name}"), text)
            };
            let again = outcome.champions.get(place).map_or(String::new(), |champion| {
                let runs = count(evolution.config().remeasure as usize, "simulation", "simulations");
                format!(", {:.3} measured again in {runs}", Figure(champion.remeasured))
            });
            write(format!("champion-{i}.bt"), champion(island, settings), again)?;
            for (rank, individual) in island.population().iter().take(settings.elites()).enumerate() {
                write(format!("elite-{i}-{rank:03}.bt"), individual, String::new())?;
            }
        }
        for one in outcome.front.iter().flatten() {
            let FrontTree { id, nodes, fitness, remeasured, tree, .. } = one;
            let (fitness, remeasured) = (Figure(*fitness), Figure(*remeasured));
            let text = format!("# {id}: fitness {fitness:.3} in evolution, {remeasured:.3} measured again\n{tree}");
            self.folder.write(&format!("{TREES}/front-{nodes:03}.bt"), text)?;
        }
        let mut json = serde_json::to_vec(outcome).expect("plain data");
        json.push(b'\n');
        self.folder.write(RESULT, json)
    }
}
