//! The folder of a run: its evolution file, what happened so far, and its last two checkpoints.
//!
//! A generation is appended to the record and the table, these are brought to the disk, and then the checkpoint takes
//! the place of the one before the last. It holds how long record and table were, and their checksums, so that a run
//! that goes on from it cuts off what later generations had begun to write.

use super::champion::champion;
use super::config::Config;
use super::file;
use super::front::FrontTree;
use super::generation::{EvolutionRun, Generation, State};
use super::outcome::Outcome;
use super::record;
use crate::run_folder::{FolderError, fail, io, make, no_run, refuse_run, refuse_used};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xpuck_evolve::{Individual, checkpoint};
use xpuck_kernels::engine::EngineStatus;
use xpuck_stats::figure::Figure;
use xpuck_wire::atomic;
use xpuck_wire::output::count;

/// Largest checkpoint, bytes.
const MAX_CHECKPOINT: u64 = 1 << 30;
/// The run's evolution file.
const RUN: &str = "run.toml";
/// What came out.
const RESULT: &str = "result.json";
/// The record of births, migrations and samples.
pub const RECORD: &str = "record.mcap";
/// The table of generations and islands.
const TABLE: &str = "generations.csv";
/// Which engine ran from which generation on.
const ENGINES: &str = "engines.jsonl";
/// How long each generation took.
pub const TIMES: &str = "times.csv";
/// Longest such file that is read, bytes.
const MAX_ENGINES: u64 = 1 << 20;
/// The two last generations, in turns.
const CHECKPOINTS: [&str; 2] = ["checkpoint-0", "checkpoint-1"];

/// The folder of a run that this process works on; no other process can have it at the same time.
pub struct Folder {
    path: PathBuf,
    configuration: u32,
    record: File,
    table: File,
    grown: Grown,
    /// What ran last, as its file says it.
    engine: Option<EngineNote>,
}

/// A line of the file of engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct EngineNote {
    /// The first generation that it ran.
    generation: u32,
    engine: String,
    adapter: Option<String>,
    driver: Option<String>,
}

impl EngineNote {
    fn of(generation: u32, status: &EngineStatus) -> EngineNote {
        let EngineStatus { engine, adapter, driver, .. } = status.clone();
        EngineNote { generation, engine: engine.into(), adapter, driver }
    }

    /// True if both give the same digits.
    fn equals(&self, other: &EngineNote) -> bool {
        let exact = |note: &EngineNote| matches!(note.engine.as_str(), "simd" | "reference");
        let same = (&self.engine, &self.adapter, &self.driver) == (&other.engine, &other.adapter, &other.driver);
        same || exact(self) && exact(other)
    }

    fn words(&self) -> String {
        let [adapter, driver] = [(" on ", &self.adapter), (", driver ", &self.driver)]
            .map(|(before, text)| text.as_ref().map_or(String::new(), |text| format!("{before}{text}")));
        format!("{}{adapter}{driver}", self.engine)
    }
}

/// The files that grow, at a checkpoint; the record without its end.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Grown {
    record: Part,
    table: Part,
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
        make(path)?;
        let run = path.join(RUN);
        let unmade = |file: &Path| {
            let file = file.to_path_buf();
            move |error| fail(&file, format!("{error}; make room or mend the disk, then begin again"))
        };
        let worlds: Vec<String> = (1..=config.steps.len()).map(file::step_world).collect();
        let own = [file::WORLD, file::CALIBRATION, file::PRIMITIVE_SET, RECORD];
        let left: Vec<&str> = own.into_iter().chain(worlds.iter().map(String::as_str)).collect();
        refuse_used(path, &left, ("", ""))?;
        // Who has the lock has the folder; another may have begun a run, and even have ended it, in between.
        let record = lock(path)?;
        refuse_run(path)?;
        if record.metadata().map_err(unmade(&path.join(RECORD)))?.len() > 0 {
            return Err(fail(path, format!("holds a {RECORD} of something else; choose another folder")));
        }
        let beside = [
            (file::WORLD, &config.world),
            (file::CALIBRATION, &config.calibration),
            (file::PRIMITIVE_SET, &config.primitive_set_file),
        ];
        let worlds = config.steps.iter().enumerate().map(|(i, step)| (file::step_world(i + 1), &step.world));
        for (name, text) in beside.map(|(name, text)| (name.to_string(), text)).into_iter().chain(worlds) {
            if let Some(text) = text {
                let file = path.join(name);
                atomic::write(&file, text.as_bytes()).map_err(unmade(&file))?;
            }
        }
        // Last, as with it the folder is a run.
        atomic::write(&run, file::write(config).as_bytes()).map_err(unmade(&run))?;
        Folder::open(path, config, record, Grown::default())
    }

    /// True if the folder holds a run, whatever its state.
    pub fn holds_run(path: &Path) -> bool {
        path.join(RUN).exists()
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
        let run = path.join(RUN);
        file::load(Some(&run), toml::Table::new()).map_err(|error| {
            let text = error.to_string();
            let message = text.strip_prefix(&format!("{}: ", run.display())).unwrap_or(&text).to_string();
            fail(&run, message)
        })
    }

    /// Opens a run to go on with it, from the newest sound checkpoint; without any it begins again.
    ///
    /// # Errors
    /// If there is no run, another process works on it, or no checkpoint of those there are can be used.
    pub fn resume(path: &Path) -> Result<Resumed, FolderError> {
        if !Folder::holds_run(path) {
            return Err(no_run(path, RUN));
        }
        let config = Folder::config(path)?;
        record::refuse_older(&path.join(RECORD)).map_err(|error| fail(&error.path, error.message))?;
        let record = lock(path)?;
        let (found, mut notices) = newest(path, config.fingerprint())?;
        let (grown, state) = found.map_or((Grown::default(), None), |(grown, state)| (grown, Some(state)));
        for (name, part) in [(RECORD, grown.record), (TABLE, grown.table)].into_iter().filter(|(_, p)| p.length > 0) {
            let file = path.join(name);
            if part.found(&file).map_err(|error| fail(&file, format!("cannot be read: {error}")))? != part {
                let what = "is not as it was written; the run goes on, but what reads this file finds it damaged";
                notices.push(fail(&file, what));
            }
        }
        let notices = notices.iter().map(ToString::to_string).collect();
        let folder = Folder::open(path, &config, record, grown)?;
        let evolution = match state {
            Some(state) => EvolutionRun::resumed(config, state),
            None => EvolutionRun::new(config),
        };
        Ok(Resumed { folder, evolution, notices })
    }

    /// Cuts the files that grow back to what they were; `record` is the locked one.
    fn open(path: &Path, config: &Config, record: File, grown: Grown) -> Result<Folder, FolderError> {
        let table = growing(&path.join(TABLE))?;
        let configuration = config.fingerprint();
        let engine = engines(&path.join(ENGINES))?;
        let mut folder = Folder { path: path.into(), configuration, record, table, grown, engine };
        folder.record.set_len(grown.record.length).map_err(io(&path.join(RECORD)))?;
        let table = &mut folder.table;
        table.set_len(grown.table.length).and_then(|()| table.seek(SeekFrom::End(0))).map_err(io(&path.join(TABLE)))?;
        let start = if grown.record.length == 0 { record::header() } else { Vec::new() };
        folder.append(start, b"")?;
        Ok(folder)
    }

    /// Appends to record and table.
    fn append(&mut self, mut record: Vec<u8>, table: &[u8]) -> Result<(), FolderError> {
        let grown = Grown { record: self.grown.record.with(&record), table: self.grown.table.with(table) };
        record.extend(record::end());
        self.record.write_all_at(&record, self.grown.record.length).map_err(io(&self.path.join(RECORD)))?;
        self.table.write_all(table).map_err(io(&self.path.join(TABLE)))?;
        self.grown = grown;
        Ok(())
    }

    /// Keeps a generation: what happened in it, and the state after it.
    ///
    /// # Errors
    /// If the disk refuses; what was kept before stays sound.
    pub fn keep(&mut self, state: &State, generation: &Generation) -> Result<(), FolderError> {
        self.is_still_there()?;
        let mut rows = csv::WriterBuilder::new().has_headers(self.grown.table.length == 0).from_writer(Vec::new());
        generation.rows.iter().try_for_each(|row| rows.serialize(row)).expect("rows are plain data in memory");
        let rows = rows.into_inner().expect("flushed into memory");
        let chunk = record::chunk(&generation.record).map_err(|message| fail(&self.path.join(RECORD), message))?;
        self.append(chunk, &rows)?;
        let bytes = checkpoint::to_bytes(&(self.grown, state), self.configuration);
        let file = self.path.join(CHECKPOINTS[state.generation as usize % 2]);
        let (record, table) = (&self.record, &self.table);
        // Together, as a disk takes hardly longer for three files than for one.
        let prepared = std::thread::scope(|scope| {
            let grown = [record, table].map(|file| scope.spawn(|| file.sync_data()));
            let prepared = atomic::prepare(&file, &bytes);
            for thread in grown {
                thread.join().expect("it only waits for the disk")?;
            }
            prepared
        });
        prepared.and_then(atomic::Prepared::commit).map_err(io(&file))
    }

    /// Notes how long a generation took, wall time in s: a line of `times.csv`, a file of its own as clocks never agree. A
    /// generation that is done again after a kill has a second line.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn note_time(&mut self, generation: u32, wall_s: f64) -> Result<(), FolderError> {
        let path = self.path.join(TIMES);
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
        let note = EngineNote::of(generation, status);
        if self.engine.as_ref().is_some_and(|last| EngineNote { generation, ..last.clone() } == note) {
            return Ok(());
        }
        let path = self.path.join(ENGINES);
        let mut bytes = engines_text(&path)?;
        bytes.extend(serde_json::to_vec(&note).expect("plain data"));
        bytes.push(b'\n');
        if bytes.len() as u64 > MAX_ENGINES {
            // A device that comes and goes all the time; what it was is told well enough.
            return Ok(());
        }
        atomic::write(&path, &bytes).map_err(io(&path))?;
        self.engine = Some(note);
        Ok(())
    }

    /// What there is to say if the run goes on with another engine than it had: its digits are no longer those of an
    /// uninterrupted run.
    pub fn other_engine(&self, status: &EngineStatus) -> Option<String> {
        let (last, now) = (self.engine.as_ref()?, EngineNote::of(0, status));
        // Before auto has settled nobody knows.
        if status.engine.is_empty() || last.equals(&now) {
            return None;
        }
        let (last, now, path) = (last.words(), now.words(), self.path.display());
        Some(format!("{path}: was simulated by {last} and goes on with {now}: not the digits of an uninterrupted run"))
    }

    /// Writes the final trees as text, with their `avoiding` in front so that every file runs as it is, and the result.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn finish(&self, evolution: &EvolutionRun, outcome: &Outcome) -> Result<(), FolderError> {
        self.is_still_there()?;
        let trees = self.path.join("trees");
        match trees.symlink_metadata() {
            Ok(there) if !there.is_dir() => {
                return Err(fail(&trees, "is a link or a file, not a folder: move it away"));
            }
            _ => std::fs::create_dir_all(&trees).map_err(io(&trees))?,
        }
        let settings = &evolution.config().settings;
        for (place, (i, island)) in evolution.config().numbers().zip(&evolution.state().islands).enumerate() {
            let write = |name: String, individual: &Individual, again: String| {
                let (id, mean) = (individual.id, individual.samples.mean());
                let trials = count(individual.samples.n() as usize, "trial", "trials");
                let tree = individual.tree.under_avoiding();
                let text = format!("# {id}: fitness {:.3} in evolution ({trials}){again}\n{tree}", Figure(mean));
                let file = trees.join(name);
                atomic::write(&file, text.as_bytes()).map_err(io(&file))
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
            let file = trees.join(format!("front-{nodes:03}.bt"));
            atomic::write(&file, text.as_bytes()).map_err(io(&file))?;
        }
        let file = self.path.join(RESULT);
        let mut json = serde_json::to_vec(outcome).expect("plain data");
        json.push(b'\n');
        atomic::write(&file, &json).map_err(io(&file))
    }
}

/// The last line of the file of engines; none if there is no such file.
fn engines(path: &Path) -> Result<Option<EngineNote>, FolderError> {
    let text = engines_text(path)?;
    match text.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()) {
        Some(line) => {
            serde_json::from_slice(line).map(Some).map_err(|error| fail(path, format!("its last line: {error}")))
        }
        None => Ok(None),
    }
}

/// All of that file; empty if there is none.
fn engines_text(path: &Path) -> Result<Vec<u8>, FolderError> {
    match xpuck_wire::file::bytes(path, MAX_ENGINES) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        text => text.map_err(|error| fail(path, format!("cannot be read: {error}"))),
    }
}

fn growing(path: &Path) -> Result<File, FolderError> {
    xpuck_wire::file::modify(path).map_err(io(path))
}

impl Folder {
    /// Refuses a folder that was moved, emptied or replaced while the run went on: another's files may lie there now.
    fn is_still_there(&self) -> Result<(), FolderError> {
        let path = self.path.join(RECORD);
        let gone = |_| fail(&path, "is gone: was the folder moved or emptied? put it back, then go on with --resume");
        let (there, ours) = (path.metadata().map_err(gone)?, self.record.metadata().map_err(io(&path))?);
        match (there.dev(), there.ino()) == (ours.dev(), ours.ino()) {
            true => Ok(()),
            false => Err(fail(&path, "is another file now: put the run's folder back, then go on with --resume")),
        }
    }
}

/// The record, locked as long as it is open: who has it has the run.
fn lock(path: &Path) -> Result<File, FolderError> {
    let record = growing(&path.join(RECORD))?;
    match record.try_lock() {
        Ok(()) => Ok(record),
        Err(_) => Err(fail(path, "another process works on this run; wait for its end")),
    }
}

type Found = Option<(Grown, State)>;

/// The newest checkpoint that can be used, and what is to be said of one that cannot; `None` if there is none at all.
fn newest(path: &Path, configuration: u32) -> Result<(Found, Vec<FolderError>), FolderError> {
    let mut best: Found = None;
    let mut broken = Vec::new();
    for name in CHECKPOINTS {
        match read(path, name, configuration) {
            Ok(Some((grown, state))) => {
                if best.as_ref().is_none_or(|(_, b)| b.generation < state.generation) {
                    best = Some((grown, state));
                }
            }
            Ok(None) => {}
            Err(message) => broken.push(fail(&path.join(name), message)),
        }
    }
    match (&best, broken.pop()) {
        (None, Some(error)) => {
            let remedy = "begin again from run.toml with --out and another folder";
            Err(FolderError { message: format!("{}; {remedy}", error.message), ..error })
        }
        (Some((_, state)), Some(error)) => {
            let message = format!("{}; going on from the other, generation {}", error.message, state.generation);
            Ok((best, vec![FolderError { message, ..error }]))
        }
        (_, None) => Ok((best, Vec::new())),
    }
}

fn read(path: &Path, name: &str, configuration: u32) -> Result<Found, String> {
    let bytes = match xpuck_wire::file::bytes(&path.join(name), MAX_CHECKPOINT) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    let (grown, state): (Grown, State) =
        checkpoint::from_bytes(&bytes, configuration).map_err(|error| match error {
            checkpoint::CheckpointError::Configuration => {
                format!("{error} than {RUN} now says; put {RUN} back as it was")
            }
            _ => error.to_string(),
        })?;
    for (name, needed) in [(RECORD, grown.record.length), (TABLE, grown.table.length)] {
        let found = std::fs::metadata(path.join(name)).map_or(0, |m| m.len());
        if found < needed {
            return Err(format!("{name} has {found} bytes and had {needed} at this checkpoint"));
        }
    }
    Ok(Some((grown, state)))
}
