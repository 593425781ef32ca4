//! Runs that are not done, and why as far as their folders tell.

use super::evolution::{Run, State};
use super::lock::locked;
use xpuck_wire::file;

/// A run that is not done.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Missing {
    /// What the run is called.
    pub run: String,
    /// `at work`, `not begun`, `begun`, or what it said when it ended.
    pub why: String,
}

/// The runs that are not done.
pub fn missing(runs: &[Run]) -> Vec<Missing> {
    let of = |run: &Run| {
        let state = run.state();
        (state != State::Done).then(|| Missing { run: run.name.clone(), why: why(run, state) })
    };
    runs.iter().filter_map(of).collect()
}

fn why(run: &Run, state: State) -> String {
    if is_at_work(run) {
        return "at work".into();
    }
    match (file::open(&run.log()).is_ok().then(|| run.complaint()).flatten(), state) {
        (Some(complaint), _) => complaint,
        (None, State::New) => "not begun".into(),
        (None, _) => "begun".into(),
    }
}

/// True if a process holds the run, on whatever machine.
fn is_at_work(run: &Run) -> bool {
    let path = run.log();
    // Opened for writing, as locks of network file systems want it.
    let log = path.symlink_metadata().and_then(|_| file::append(&path));
    log.is_ok_and(|log| matches!(locked(&log, &path), Ok(false)))
}
