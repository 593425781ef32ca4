//! Unfinished runs of a sweep, with the state or the error message of each run.

use super::evolution::{Run, State};
use super::lock::locked;
use xpuck_wire::file;

/// An unfinished run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Missing {
    /// Name of the run.
    pub run: String,
    /// State of the run (`running`, `not started` or `begun`), or its error message, which is the first line of its
    /// log.
    pub why: String,
}

/// Returns the unfinished runs.
pub fn missing(runs: &[Run]) -> Vec<Missing> {
    let of = |run: &Run| {
        let state = run.state();
        (state != State::Done).then(|| Missing { run: run.name.clone(), why: why(run, state) })
    };
    runs.iter().filter_map(of).collect()
}

fn why(run: &Run, state: State) -> String {
    if is_at_work(run) {
        return "running".into();
    }
    match (file::open(&run.log()).is_ok().then(|| run.complaint()).flatten(), state) {
        (Some(complaint), _) => complaint,
        (None, State::New) => "not started".into(),
        (None, _) => "begun".into(),
    }
}

/// Whether a process on any machine works on the run.
fn is_at_work(run: &Run) -> bool {
    let path = run.log();
    // The log is opened for writing, as required for locks on network file systems.
    let log = path.symlink_metadata().and_then(|_| file::append(&path));
    log.is_ok_and(|log| matches!(locked(&log, &path), Ok(false)))
}
