//! Runs of a sweep in this process, with one engine that simulates for all of them. A GPU would be almost idle
//! with one run.

use super::ending::Ending;
use super::evolution::{Run, State};
use super::problem::Problem;
use crate::evolution_run::{
    Config, Ended, EvolutionRun, Folder, FolderError, Outcome, Resumed, file as evolution_file, run as run_to_end,
};
use std::fs::File;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use toml::{Table, Value};
use xpuck_kernels::engine::{ChosenEngine, SharedEngine};

/// Runs an unfinished run to its end, or until `stop`. `log` is the log file from [`Run::try_lock`], for notices of the
/// engine and for the reason of a failure.
pub(super) fn complete(run: &Run, mut log: File, shared: &SharedEngine, stop: &AtomicBool) -> Result<Ending, Problem> {
    log.set_len(0).map_err(|error| Problem::new(&run.log(), error))?;
    match evolve(run, &mut log, shared, stop) {
        Ok(Ended::Finished) => run.result().map(|_| Ending::Done),
        Ok(Ended::Stopped) => Ok(Ending::Stopped),
        Err(error) => {
            let line = error.replace('\n', "; ");
            // The error is returned as well, so a log that cannot be written loses nothing.
            let _ = writeln!(log, "xpuck: {line}");
            Ok(Ending::Failed(line))
        }
    }
}

fn evolve(run: &Run, log: &mut File, shared: &SharedEngine, stop: &AtomicBool) -> Result<Ended, String> {
    let engine = ChosenEngine::with_shared(shared.clone());
    let failed = |error: FolderError| error.to_string();
    let (evolution, mut folder) = match run.state() {
        State::Begun => {
            let Resumed { folder, evolution, notices } = Folder::resume(&run.folder).map_err(failed)?;
            notices.iter().for_each(|notice| note(log, notice));
            (evolution, folder)
        }
        State::Done | State::New => {
            let seed = Table::from_iter([("seed".to_string(), Value::Integer(run.seed as i64))]);
            let config = evolution_file::load(Some(&run.file), seed).map_err(|error| error.to_string())?;
            let config = Config { engine: shared.engine().engine_choice().clone(), ..config };
            let folder = Folder::create(&run.folder, &config).map_err(failed)?;
            (EvolutionRun::new(config), folder)
        }
    };
    let specs =
        std::iter::once(&evolution.config().spec).chain(evolution.config().steps.iter().map(|step| &*step.spec));
    specs.into_iter().try_for_each(|spec| engine.check(spec))?;
    let mut evolution = evolution.on(engine);
    let ended = run_to_end(&mut evolution, Some(&mut folder), stop, |evolution| {
        evolution.engine().drain_notices().iter().for_each(|notice| note(log, &notice.text));
    });
    if ended.map_err(failed)? == Ended::Stopped {
        return Ok(Ended::Stopped);
    }
    let measuring = Instant::now();
    let mut outcome = Outcome::from_evolution(&evolution).map_err(|error| error.to_string())?;
    outcome.wall_s += measuring.elapsed().as_secs_f64();
    folder.finish(&evolution, &outcome).map_err(failed)?;
    Ok(Ended::Finished)
}

/// Writes a notice to the log. A log that cannot be written does not end the run.
fn note(log: &mut File, notice: &str) {
    let _ = writeln!(log, "xpuck: {notice}");
}
