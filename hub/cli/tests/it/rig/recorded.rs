//! Finished runs that many tests read. Each run is made once for each build of the programs, and all test processes
//! share it.

use super::demo::{Demo, SMALL};
use super::process::{xpuck, xpuckd};
use crate::common::only;
use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Experiment of [`recorded_run`], with seven scored segments and many generations on each island.
const EXPERIMENT: &str = "name = \"recorded\"\nminutes = 1.0\nsegment_minutes = 0.125\ntask = \"transport\"\n\
    [evolution]\npopulation = 8\ntrial_seconds = 1.0\n";

/// Number of attempts to record a run that passes the checks of `xpuck runs report`.
const ATTEMPTS: u32 = 3;

/// Returns the folder of a recorded run: two robots that evolve for one minute of arena time, with seed 7.
///
/// The folder is read only. A test that needs to write into the folder, or beside it, uses a copy ([`copy_folder`]).
pub fn recorded_run() -> PathBuf {
    only(&shared("run", record), "recorded-")
}

fn record(folder: &Path) {
    let temporary = tempfile::tempdir().unwrap();
    let experiment = temporary.path().join("recorded.toml");
    std::fs::write(&experiment, EXPERIMENT).unwrap();
    let experiment = experiment.to_str().unwrap();
    let arguments = ["--experiment", experiment, "--seed", "7", "--engine", "simd", "--no-console", "--json"];
    for _ in 0..ATTEMPTS {
        let mut demo = Demo::with(&[&SMALL[..], &arguments].concat());
        let (output, text) = demo.end();
        assert!(output.status.success(), "{text}");
        let table = demo.command("runs table last --folder out --json").output().unwrap();
        let table = super::valid_json("runs table", &table.stdout);
        let run = &table["runs"][0];
        // `xpuck runs report` excludes a run with slow round trips, which occur on a busy machine.
        if run["dead"] == 0 && run["slow_percent"].as_f64().is_some_and(|percent| percent <= 5.0) {
            let run = only(&demo.directory(), "recorded-");
            copy_folder(&run, &folder.join(run.file_name().unwrap()));
            return;
        }
    }
    panic!("{ATTEMPTS} runs have lost robots or slow round trips: the machine is too busy");
}

/// Returns the folder of a finished evolution: three islands of 24 individuals, ten generations. The folder is read
/// only.
pub fn recorded_evolution() -> PathBuf {
    shared("evolution", |folder| {
        let arguments = "evolve --islands 3 --seconds 2 --count 3 --remeasure 2 --json --algorithm pooled-samples \
                         --population 24 --generations 10 --output";
        let output = xpuck().args(arguments.split_whitespace()).arg(folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    })
}

/// Copies all files of a folder to a new folder. Subfolders are not supported.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// Returns the folder `name` of the current build. The first process makes the folder under a lock, and other processes
/// wait for the lock.
fn shared(name: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(target).unwrap();
    let prefix = format!("recorded-{name}-");
    let folder = target.join(format!("{prefix}{:016x}", build()));
    let lock = File::options().create(true).truncate(false).write(true).open(target.join(format!("{prefix}lock")));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    if !folder.exists() {
        // Removes the folders of previous builds, and the incomplete folder of a process that was killed.
        for entry in std::fs::read_dir(target).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name().to_string_lossy().starts_with(&prefix) {
                std::fs::remove_dir_all(path).unwrap();
            }
        }
        let unfinished = target.join(format!("{prefix}unfinished"));
        std::fs::create_dir(&unfinished).unwrap();
        make(&unfinished);
        std::fs::rename(&unfinished, &folder).unwrap();
    }
    folder
}

/// Returns a number that changes when one of the programs is rebuilt.
fn build() -> u64 {
    let mut hasher = DefaultHasher::new();
    let program = |command: Command| PathBuf::from(command.get_program());
    for program in [program(xpuck()), program(xpuckd())] {
        let metadata = program.metadata().unwrap();
        (program, metadata.len(), metadata.modified().unwrap()).hash(&mut hasher);
    }
    hasher.finish()
}
