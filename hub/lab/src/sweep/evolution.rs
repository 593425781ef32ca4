//! One run of a sweep: an `xpuck evolve` process and the folder that it keeps.

use super::curves::Times;
use super::lock::locked;
use super::problem::Problem;
use crate::evolution_run::file as evolution_file;
use crate::evolution_run::{GenerationRow, TIMES};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use toml::Table;
use xpuck_wire::file;

/// Longest result that is read, bytes.
const MAX_RESULT: u64 = 1 << 20;
/// Most lines of a run's generations that are read.
const MAX_GENERATIONS: usize = 1_000_000;

/// Says what is wrong with an evolution file, if anything.
///
/// # Errors
/// One line with the key.
pub fn check(path: &Path) -> Result<(), String> {
    evolution_file::load(Some(path), Table::new()).map(drop).map_err(|error| error.to_string())
}

/// How far a run is, as its folder tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its result is there.
    Done,
    /// It was begun, and can go on.
    Begun,
    /// There is nothing to go on with.
    New,
}

/// The generations of the run that is kept in a folder, island by island.
///
/// # Errors
/// Its table cannot be read, or a line of it is something else.
pub fn generations(folder: &Path) -> Result<Vec<GenerationRow>, Problem> {
    rows(&folder.join("generations.csv"))
}

/// The rows of a run's table.
fn rows<R: DeserializeOwned, C: FromIterator<R>>(path: &Path) -> Result<C, Problem> {
    let file = file::open(path).map_err(|error| Problem::of(path, error))?;
    let mut reader = csv::Reader::from_reader(file);
    let rows: Result<C, csv::Error> = reader.deserialize().take(MAX_GENERATIONS).collect();
    rows.map_err(|error| {
        Problem::of(path, format!("{error}; where it is damaged remove the run's folder, and the run is done again"))
    })
}

/// Wall time of each generation of the run that is kept in a folder, s.
///
/// # Errors
/// Its table cannot be read, or a line of it is something else.
pub fn times(folder: &Path) -> Result<Times, Problem> {
    rows(&folder.join(TIMES))
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Place of its point among the sweep's points.
    pub point: usize,
    /// Its seed.
    pub seed: u64,
    /// What it is called: point and seed.
    pub name: String,
    /// The evolution file, without the seed.
    pub file: PathBuf,
    /// Where it keeps what it does.
    pub folder: PathBuf,
}

impl Run {
    /// How far it is.
    pub fn state(&self) -> State {
        if self.result().is_ok() {
            State::Done
        } else if self.folder.join("run.toml").exists() {
            State::Begun
        } else {
            State::New
        }
    }

    /// What it found, by the names of `result.json`.
    ///
    /// # Errors
    /// The file cannot be read, or is no result of this seed.
    pub fn result(&self) -> Result<Map<String, Value>, Problem> {
        let path = self.folder.join("result.json");
        let bytes = file::bytes(&path, MAX_RESULT).map_err(|error| Problem::of(&path, error))?;
        let found: Map<String, Value> = serde_json::from_slice(&bytes).map_err(|error| Problem::of(&path, error))?;
        if found.get("seed").and_then(Value::as_u64) != Some(self.seed) {
            return Err(Problem::of(&path, format!("is no result of seed {}", self.seed)));
        }
        Ok(found)
    }

    /// Its generations, island by island.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is something else.
    pub fn generations(&self) -> Result<Vec<GenerationRow>, Problem> {
        generations(&self.folder)
    }

    /// Wall time of its generations, s.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is something else.
    pub fn times(&self) -> Result<Times, Problem> {
        times(&self.folder)
    }

    /// Robot-seconds of one simulation of its trials.
    ///
    /// # Errors
    /// Its evolution file cannot be used.
    pub fn simulation(&self) -> Result<f64, Problem> {
        let config = evolution_file::load(Some(&self.file), Table::new());
        let config = config.map_err(|error| Problem::of(&self.file, error))?;
        Ok(config.spec.robots as f64 * f64::from(config.seconds))
    }

    /// Where what it says to its standard error is kept.
    pub fn log(&self) -> PathBuf {
        self.folder.with_extension("log")
    }

    /// The first line of what it said, if anything.
    pub fn complaint(&self) -> Option<String> {
        let log = self.log();
        file::first_line(&log).unwrap_or_else(|error| Some(format!("{}: {error}", log.display())))
    }

    /// Takes the run for this process, or whatever it starts with this file as standard error; `None` while another
    /// process works on it.
    ///
    /// # Errors
    /// Its log cannot be opened or locked.
    pub fn take(&self) -> Result<Option<File>, Problem> {
        let log = self.log();
        let file = file::append(&log).map_err(|error| Problem::of(&log, error))?;
        Ok(locked(&file, &log)?.then_some(file))
    }

    /// Starts it with these options, or lets it go on from its last checkpoint. `said` is what [`Run::take`] gave. It ends
    /// when the returned child's standard input is closed, so it cannot outlive this process.
    ///
    /// # Errors
    /// Its files cannot be written, or `program` cannot be started.
    pub fn start(
        &self,
        said: File,
        program: &Path,
        threads: Option<usize>,
        options: &[String],
    ) -> Result<Child, Problem> {
        let log = self.log();
        said.set_len(0).map_err(|error| Problem::of(&log, error))?;
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
        // A group of its own: Ctrl-C reaches the sweep alone, which then ends its runs.
        command.process_group(0).spawn().map_err(|error| Problem::of(program, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path) -> Run {
        Run { point: 0, seed: 3, name: "p1-s3".into(), file: "p1.toml".into(), folder: folder.join("p1-s3") }
    }

    #[test]
    fn the_folder_tells_how_far_a_run_is() {
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
    }

    #[test]
    fn generations_are_read_by_the_names_of_their_columns() {
        let dir = tempfile::tempdir().unwrap();
        let run = run(dir.path());
        std::fs::create_dir(&run.folder).unwrap();
        let write = |text: &str| std::fs::write(run.folder.join("generations.csv"), text).unwrap();
        let head = "generation,island,robot_seconds,best,derated,evaluations,mean,distinct\n";
        write(&format!("{head}1,0,540,0.25,0.1,2,NaN,0.9\n"));
        let row = run.generations().unwrap()[0];
        assert_eq!((row.robot_seconds, row.best, row.evaluations, row.mean.is_nan()), (540.0, 0.25, 2, true));
        write(&format!("{head}1,0,540,0.25,0.1\n"));
        assert!(run.generations().unwrap_err().to_string().contains("generations.csv"));
    }
}
