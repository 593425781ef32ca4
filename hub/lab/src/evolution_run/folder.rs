//! Folder of a run. It contains an evolution file, a record, a table, and the last two checkpoints.
//!
//! A generation is appended to the record and the table, which are then synced to the disk. Then the checkpoint of
//! this generation replaces the older of the two checkpoints. A checkpoint holds the lengths and checksums of the
//! record and the table. A resumed run can therefore remove later generations that were only partially written.

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
use xpuck_experiment::robot_model::RobotSpec;
use xpuck_kernels::engine::EngineStatus;
use xpuck_stats::figure::Figure;
use xpuck_wire::atomic::PendingFile;
use xpuck_wire::output::count;

/// Name of the file with the result of the run.
const RESULT: &str = "result.json";
/// Name of the record of births, migrations and samples.
pub const RECORD: &str = "record.mcap";
/// Name of the table of generations and islands.
const TABLE: &str = "generations.csv";
/// Name of the file with the duration of each generation.
pub const TIMES: &str = "times.csv";
/// Name of the folder with the trees of the result, one file per tree.
const TREES: &str = "trees";

static KIND: Kind = Kind { run: "run.toml", grows: RECORD, head: "", written: &[TABLE, TREES], requests: &[] };

/// Folder of a run, locked by this process against other processes.
pub struct Folder {
    folder: RunFolder,
    configuration: u32,
    table: File,
    grown: Grown,
    engines: Engines,
}

/// Lengths and checksums of the record and the table at a checkpoint. They do not include the record's end section,
/// because the next generation overwrites this section.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Grown {
    record: Part,
    table: Part,
}

impl Grown {
    /// Rejects a folder whose files are shorter than at the checkpoint.
    fn fits(&self, folder: &Path) -> Result<(), String> {
        for (name, needed) in [(RECORD, self.record.length), (TABLE, self.table.length)] {
            let found = std::fs::metadata(folder.join(name)).map_or(0, |data| data.len());
            if found < needed {
                return Err(format!("{name} has {found} bytes; this checkpoint expects {needed}"));
            }
        }
        Ok(())
    }
}

/// First part of a file, described by its length and checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    /// Length of the part (bytes).
    length: u64,
    /// CRC-32 of the part.
    checksum: u32,
}

impl Part {
    /// Returns this part extended by `bytes`.
    fn with(self, bytes: &[u8]) -> Part {
        let mut hasher = crc32fast::Hasher::new_with_initial_len(self.checksum, self.length);
        hasher.update(bytes);
        Part { length: self.length + bytes.len() as u64, checksum: hasher.finalize() }
    }

    /// Reads up to this part's length from a file. Returns the length and checksum of the bytes read.
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

/// Run that is resumed from its folder.
pub struct Resumed {
    /// Folder of the run.
    pub folder: Folder,
    /// State of the run at its newest valid checkpoint. If there are no checkpoints, this is the state at the start.
    pub evolution: EvolutionRun,
    /// Notices for the user: one if a checkpoint is unusable, and one for each of the record and the table that has
    /// changed since the program wrote it.
    pub notices: Vec<String>,
}

impl Folder {
    /// Creates the folder of a new run.
    ///
    /// # Errors
    /// The folder already holds a run, or cannot be written.
    pub fn create(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        let robot = config.robot.as_ref().map(RobotSpec::to_toml);
        let beside = [
            (file::WORLD, &config.world),
            (file::CALIBRATION, &config.calibration),
            (file::PRIMITIVE_SET, &config.primitive_set_file),
            (file::ROBOT, &robot),
        ];
        let beside = beside.map(|(name, text)| (name.to_string(), text));
        let worlds = config.steps.iter().enumerate().map(|(i, step)| (file::step_world(i + 1), &step.world));
        let files = beside.into_iter().chain(worlds);
        let files: Vec<(String, &str)> = files.filter_map(|(name, text)| Some((name, text.as_deref()?))).collect();
        let folder = RunFolder::create(path, &KIND, &files, &file::write(config))?;
        Folder::open(folder, config, Grown::default())
    }

    /// Returns whether the folder holds a run in any state.
    pub fn holds_run(path: &Path) -> bool {
        path.join(KIND.run).exists()
    }

    /// Returns whether the folder holds a run with a written result.
    pub fn is_finished(path: &Path) -> bool {
        path.join(RESULT).exists()
    }

    /// Returns the configuration of the run in a folder.
    ///
    /// # Errors
    /// The run's evolution file is invalid.
    pub fn config(path: &Path) -> Result<Config, FolderError> {
        let run = path.join(KIND.run);
        file::load_any(Some(&run), toml::Table::new()).map_err(|error| {
            let text = error.to_string();
            let message = text.strip_prefix(&format!("{}: ", run.display())).unwrap_or(&text).to_string();
            fail(&run, message)
        })
    }

    /// Opens a run to resume it from the newest valid checkpoint, or from the start if there are no checkpoints.
    /// Removes a pending stop request.
    ///
    /// # Errors
    /// The folder has no run, another process has locked it, or all of its checkpoints are unusable. Or a Python
    /// function computes the fitness.
    pub fn resume(path: &Path) -> Result<Resumed, FolderError> {
        Folder::resume_if(path, Config::check_fitness)
    }

    /// Opens a run like [`Folder::resume`] if `check` accepts its configuration.
    ///
    /// # Errors
    /// The error of `check`, with the run's evolution file. Or the folder has no run, another process has locked it, or
    /// all of its checkpoints are unusable.
    pub fn resume_if(path: &Path, check: impl FnOnce(&Config) -> Result<(), String>) -> Result<Resumed, FolderError> {
        RunFolder::refuse_other(path, &KIND)?;
        let config = Folder::config(path)?;
        check(&config).map_err(|message| fail(&path.join(KIND.run), message))?;
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
                let what = "has changed since it was written; the run continues, but this file is damaged";
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

    /// Opens the record and the table, and truncates them to their lengths at the checkpoint.
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

    /// Appends bytes to the record and to the table.
    fn append(&mut self, mut record: Vec<u8>, table: &[u8]) -> Result<(), FolderError> {
        let path = self.folder.path();
        let grown = Grown { record: self.grown.record.with(&record), table: self.grown.table.with(table) };
        record.extend(record::end());
        self.folder.grown().write_all_at(&record, self.grown.record.length).map_err(io(&path.join(RECORD)))?;
        self.table.write_all(table).map_err(io(&path.join(TABLE)))?;
        self.grown = grown;
        Ok(())
    }

    /// Writes the events of a generation, and the state of the run after this generation.
    ///
    /// # Errors
    /// A file cannot be written. All previously written data stays valid.
    pub fn keep(&mut self, state: &State, generation: &Generation) -> Result<(), FolderError> {
        self.folder.is_still_there()?;
        let mut rows = csv::WriterBuilder::new().has_headers(self.grown.table.length == 0).from_writer(Vec::new());
        generation.rows.iter().try_for_each(|row| rows.serialize(row)).expect("rows are plain data in memory");
        let rows = rows.into_inner().expect("flushed into memory");
        let chunk =
            record::chunk(&generation.record).map_err(|message| fail(&self.folder.path().join(RECORD), message))?;
        self.append(chunk, &rows)?;
        let (path, record, table) = (self.folder.path(), self.folder.grown(), &self.table);
        // All files are synced in parallel, because this takes hardly more time than the sync of a single file.
        let kept = std::thread::scope(|scope| {
            let grown = [record, table].map(|file| scope.spawn(|| file.sync_data()));
            let kept = (self.grown, state);
            let prepared = checkpoints::prepare(path, state.generation, &kept, self.configuration);
            for thread in grown {
                thread.join().expect("it only waits for the disk")?;
            }
            prepared.and_then(PendingFile::commit)
        });
        kept.map_err(io(&checkpoints::place(path, state.generation)))
    }

    /// Returns whether a stop request file exists.
    pub(super) fn is_to_stop(&self) -> bool {
        self.folder.is_to_stop()
    }

    /// Appends the wall time of a generation (s) to `times.csv`. Times have a separate file, because they are not
    /// reproducible. A generation that is repeated after a kill has a second line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note_time(&mut self, generation: u32, wall_s: f64) -> Result<(), FolderError> {
        let path = self.folder.path().join(TIMES);
        let append = || {
            let mut file = xpuck_wire::file::append(&path)?;
            let head = if file.metadata()?.len() == 0 { "generation,wall_s\n" } else { "" };
            file.write_all(format!("{head}{generation},{wall_s:.6}\n").as_bytes())
        };
        append().map_err(io(&path))
    }

    /// Records the engine that simulated a generation, if it differs from the previous engine.
    ///
    /// # Errors
    /// The log of engines cannot be read or written.
    pub fn note_engine(&mut self, generation: u32, status: &EngineStatus) -> Result<(), FolderError> {
        self.engines.note(generation, status)
    }

    /// Returns a notice if the run continues with an engine whose results may differ from those of the last engine.
    pub fn other_engine(&self, status: &EngineStatus) -> Option<String> {
        Some(format!("{}: {}", self.folder.path().display(), self.engines.other(status)?))
    }

    /// Writes the result, and the trees of the champions, the elites and the Pareto front as text. Each tree is written
    /// together with the collision avoidance (`avoiding`) with which robots run it.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(&self, evolution: &EvolutionRun, outcome: &Outcome) -> Result<(), FolderError> {
        let settings = &evolution.config().settings;
        for (place, (i, island)) in evolution.config().numbers().zip(&evolution.state().islands).enumerate() {
            let write = |name: String, individual: &Individual, again: String| {
                let (id, mean) = (individual.id, individual.samples.mean());
                let trials = count(individual.samples.n() as usize, "trial", "trials");
                let tree = settings.driving(&individual.tree);
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
            let text = format!("# {id}: fitness {fitness:.3} in evolution, {remeasured:.3} remeasured\n{tree}");
            self.folder.write(&format!("{TREES}/front-{nodes:03}.bt"), text)?;
        }
        let mut json = serde_json::to_vec(outcome).expect("plain data");
        json.push(b'\n');
        self.folder.write(RESULT, json)
    }
}
