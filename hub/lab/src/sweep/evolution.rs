//! One run of a sweep: an `xpuck evolve` process and its folder.

use super::curves::Times;
use super::lock::locked;
use super::problem::Problem;
use crate::evolution_run::file as evolution_file;
use crate::evolution_run::{Config, Folder, GenerationRow, TIMES};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use toml::Table;
use xpuck_wire::{file, log};

/// Maximum size of a run's `result.json` (bytes).
const MAX_RESULT: u64 = 1 << 20;
/// Maximum number of rows in a run's table of generations.
const MAX_GENERATIONS: usize = 1_000_000;

/// Remedy for a damaged run.
const REPEAT: &str = "remove the run's folder to repeat the run";
/// Keys of a result that must be numbers. A value that is not finite is null.
const NUMBERS: [&str; 3] = ["remeasured_mean", "remeasured_best", "final_mean"];

/// Validates an evolution file.
///
/// # Errors
/// If the file is invalid, or a Python function computes the fitness. The message is one line with the key.
pub fn check(path: &Path) -> Result<(), String> {
    evolution_file::load(Some(path), Table::new()).map(drop).map_err(|error| error.to_string())
}

/// Validates an evolution file. Returns whether a Python function computes the fitness.
///
/// # Errors
/// If the file is invalid. The message is one line with the key.
pub fn has_function(path: &Path) -> Result<bool, String> {
    let config = evolution_file::load_any(Some(path), Table::new()).map_err(|error| error.to_string())?;
    Ok(config.fitness.is_some())
}

/// Progress of a run, according to its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The result is written.
    Done,
    /// The run was begun, and can be resumed.
    Begun,
    /// The run was not begun.
    New,
}

/// Reads the table of generations of the run in a folder. It has one row for each generation and island.
///
/// # Errors
/// If the table cannot be read, or has an invalid row.
pub fn generations(folder: &Path) -> Result<Vec<GenerationRow>, Problem> {
    rows(&folder.join("generations.csv"))
}

/// Reads the rows of a run's table.
fn rows<R: DeserializeOwned, C: FromIterator<R>>(path: &Path) -> Result<C, Problem> {
    let file = file::open(path).map_err(|error| Problem::new(path, format!("{error}; {REPEAT}")))?;
    let mut reader = csv::Reader::from_reader(file);
    let rows: Result<C, csv::Error> = reader.deserialize().take(MAX_GENERATIONS).collect();
    rows.map_err(|error| Problem::new(path, format!("{error}; if it is damaged, {REPEAT}")))
}

/// Reads the wall time of each generation (s) from the folder of a run.
///
/// # Errors
/// If the table cannot be read, or has an invalid row.
pub fn times(folder: &Path) -> Result<Times, Problem> {
    rows(&folder.join(TIMES))
}

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Index of the run's point in the sweep.
    pub point: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Name of the run, which consists of point and seed, such as `p1-s3`.
    pub name: String,
    /// Path of the evolution file. The file does not contain the seed.
    pub file: PathBuf,
    /// Folder of the run.
    pub folder: PathBuf,
}

impl Run {
    /// Returns the progress of the run.
    pub fn state(&self) -> State {
        if self.result().is_ok() {
            State::Done
        } else if self.folder.join("run.toml").exists() {
            State::Begun
        } else {
            State::New
        }
    }

    /// Returns the contents of `result.json`.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a result of this seed.
    pub fn result(&self) -> Result<Map<String, Value>, Problem> {
        let path = self.folder.join("result.json");
        let bytes = file::bytes(&path, MAX_RESULT).map_err(|error| Problem::new(&path, error))?;
        let found: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|error| Problem::new(&path, error))?;
        if found.get("seed").and_then(Value::as_u64) != Some(self.seed) {
            return Err(Problem::new(&path, format!("not the result of seed {}; {REPEAT}", self.seed)));
        }
        let is_number = |key: &&str| found.get(*key).is_none_or(|value| value.is_number() || value.is_null());
        match NUMBERS.iter().find(|key| !is_number(key)) {
            Some(key) => Err(Problem::new(&path, format!("{key} is not a number; {REPEAT}"))),
            None => Ok(found),
        }
    }

    /// Returns the settings of the run's point, with the default seed.
    ///
    /// # Errors
    /// If the point's evolution file is invalid.
    pub fn point_config(&self) -> Result<Config, Problem> {
        evolution_file::load_any(Some(&self.file), Table::new()).map_err(|error| Problem::new(&self.file, error))
    }

    /// Checks that the folder contains a run with the settings of this run's point and with its seed. The engine may be
    /// another one. `point` is the result of [`Run::point_config`].
    ///
    /// # Errors
    /// If the settings differ, or cannot be read.
    pub fn check_settings(&self, point: &Config) -> Result<(), Problem> {
        let found = Folder::config(&self.folder).map_err(|error| Problem::new(&self.folder, error))?;
        // A run has the name of its Python function, which need not be that of the sweep file.
        let fitness = found.fitness.clone().filter(|_| point.fitness.is_some()).or_else(|| point.fitness.clone());
        let expected = Config { seed: self.seed, fitness, ..point.clone() };
        match found.fingerprint() == expected.fingerprint() {
            true => Ok(()),
            false => {
                let what = format!("not a run of point {} with seed {}; {REPEAT}", self.point + 1, self.seed);
                Err(Problem::new(&self.folder, what))
            }
        }
    }

    /// Reads the run's table of generations. It has one row for each generation and island. `result` is the run's result.
    ///
    /// # Errors
    /// If the file cannot be read, has an invalid row, or has another number of rows than the result requires.
    pub fn generations(&self, result: &Map<String, Value>) -> Result<Vec<GenerationRow>, Problem> {
        let rows = generations(&self.folder)?;
        let generations = result.get("generations").and_then(Value::as_u64).unwrap_or(0);
        let islands = result.get("champions").and_then(Value::as_array).map_or(0, Vec::len) as u64;
        if generations > 0 && islands > 0 && rows.len() as u64 != generations * islands {
            let counts =
                format!("has {} rows, but the run has {generations} generations of {islands} islands", rows.len());
            return Err(Problem::new(&self.folder.join("generations.csv"), format!("{counts}; {REPEAT}")));
        }
        Ok(rows)
    }

    /// Reads the wall time of each generation (s).
    ///
    /// # Errors
    /// If the file cannot be read, or has an invalid row.
    pub fn times(&self) -> Result<Times, Problem> {
        times(&self.folder)
    }

    /// Returns the path of the log, to which the run's process writes its standard error.
    pub fn log(&self) -> PathBuf {
        self.folder.with_extension("log")
    }

    /// Returns the first line of the log, which is the error message of a failed run. If the log cannot be read,
    /// returns the error of reading. `None` if the log is empty.
    pub fn complaint(&self) -> Option<String> {
        let log = self.log();
        log::first_line(&log).unwrap_or_else(|error| Some(format!("{}: {error}", log.display())))
    }

    /// Locks the run's log file, so that no other process works on the run. Returns the file, or `None` if another
    /// process holds the lock. A child process with this file as standard error keeps the lock.
    ///
    /// # Errors
    /// If the log cannot be opened or locked.
    pub fn try_lock(&self) -> Result<Option<File>, Problem> {
        let log = self.log();
        let file = file::append(&log).map_err(|error| Problem::new(&log, error))?;
        Ok(locked(&file, &log)?.then_some(file))
    }

    /// Starts the run, or resumes it from its last checkpoint. `said` is the log file from [`Run::try_lock`]. The child
    /// process exits when its standard input is closed, so it cannot outlive this process.
    ///
    /// # Errors
    /// If the log cannot be written, or `program` cannot be started.
    pub fn start(
        &self,
        said: File,
        program: &Path,
        threads: Option<usize>,
        options: &[String],
    ) -> Result<Child, Problem> {
        let log = self.log();
        said.set_len(0).map_err(|error| Problem::new(&log, error))?;
        let mut command = Command::new(program);
        command.arg("evolve");
        match self.state() {
            State::Begun => command.arg("--resume").arg(&self.folder),
            State::Done | State::New => {
                command.arg(&self.file).args(["--seed", &self.seed.to_string(), "--output"]).arg(&self.folder)
            }
        };
        command
            .args(options)
            .args(["--json", "--end-with-stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(said);
        if let Some(threads) = threads {
            command.env("RAYON_NUM_THREADS", threads.to_string());
        }
        // The child has its own process group, so that Ctrl-C reaches only the sweep. The sweep then ends its runs.
        command.process_group(0).spawn().map_err(|error| Problem::new(program, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path) -> Run {
        Run { point: 0, seed: 3, name: "p1-s3".into(), file: "p1.toml".into(), folder: folder.join("p1-s3") }
    }

    #[test]
    fn run_state_is_derived_from_folder() {
        let dir = tempfile::tempdir().unwrap();
        let run = run(dir.path());
        assert_eq!(run.state(), State::New);
        std::fs::create_dir(&run.folder).unwrap();
        assert_eq!(run.state(), State::New);
        std::fs::write(run.folder.join("run.toml"), "").unwrap();
        assert_eq!(run.state(), State::Begun);
        std::fs::write(run.folder.join("result.json"), "{\"seed\":3,\"final_").unwrap();
        assert_eq!(run.state(), State::Begun);
        std::fs::write(run.folder.join("result.json"), "{\"seed\":3,\"final_mean\":0.25}").unwrap();
        assert_eq!((run.state(), run.result().unwrap()["final_mean"].as_f64()), (State::Done, Some(0.25)));
        std::fs::write(run.folder.join("result.json"), "{\"seed\":3,\"final_mean\":\"a\"}").unwrap();
        let wrong = run.result().unwrap_err().to_string();
        assert!(wrong.contains("final_mean is not a number; remove the run's folder"), "{wrong}");
    }

    #[test]
    fn run_of_another_point_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let run = Run { file: dir.path().join("p1.toml"), ..run(dir.path()) };
        let config = |text: &str, seed: i64| {
            std::fs::write(&run.file, text).unwrap();
            let seed = Table::from_iter([("seed".into(), toml::Value::Integer(seed))]);
            evolution_file::load(Some(&run.file), seed).unwrap()
        };
        drop(Folder::create(&run.folder, &config("islands = 2\nalgorithm = \"f-race\"\n", 3)).unwrap());
        run.check_settings(&run.point_config().unwrap()).unwrap();
        config("islands = 2\n", 3);
        let other = run.check_settings(&run.point_config().unwrap()).unwrap_err().to_string();
        assert!(
            other.ends_with("not a run of point 1 with seed 3; remove the run's folder to repeat the run"),
            "{other}"
        );
        config("islands = 2\nalgorithm = \"f-race\"\nengine = \"reference\"\n", 3);
        run.check_settings(&run.point_config().unwrap()).unwrap();
    }

    #[test]
    fn generations_are_read_by_the_names_of_their_columns() {
        let dir = tempfile::tempdir().unwrap();
        let run = run(dir.path());
        std::fs::create_dir(&run.folder).unwrap();
        let write = |text: &str| std::fs::write(run.folder.join("generations.csv"), text).unwrap();
        let head = "generation,island,robot_seconds,best,derated,evaluations,mean,distinct\n";
        write(&format!("{head}1,0,540,0.25,0.1,2,NaN,0.9\n"));
        let row = run.generations(&Map::new()).unwrap()[0];
        assert_eq!((row.robot_seconds, row.best, row.evaluations, row.mean.is_nan()), (540.0, 0.25, 2, true));
        write(&format!("{head}1,0,540,0.25,0.1\n"));
        assert!(run.generations(&Map::new()).unwrap_err().to_string().contains("generations.csv"));
        write(&format!("{head}1,0,540,0.25,0.1,2,NaN,0.9\n"));
        let result = |generations: u32| {
            let value = serde_json::json!({ "generations": generations, "champions": [{}] });
            value.as_object().unwrap().clone()
        };
        assert_eq!(run.generations(&result(1)).unwrap().len(), 1);
        let cut = run.generations(&result(2)).unwrap_err().to_string();
        assert!(cut.contains("has 1 rows") && cut.ends_with(REPEAT), "{cut}");
    }
}
