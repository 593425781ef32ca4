//! Display of the steps of long work: one line for each step, and a bar for steps that count bytes.

use crate::terminal::progress::Progress;
use std::time::Instant;
use xpuck_wire::log;

/// Display of steps, which is shown until this value is dropped.
pub struct Steps {
    quiet: bool,
    step: Option<Step>,
}

struct Step {
    name: String,
    begun: Instant,
    bar: Progress,
    counted: bool,
}

impl Steps {
    /// Creates a display without a current step. `quiet` suppresses all output.
    pub fn new(quiet: bool) -> Steps {
        Steps { quiet, step: None }
    }

    fn end(&mut self) {
        let Some(Step { name, begun, bar, .. }) = self.step.take() else { return };
        drop(bar);
        if !self.quiet {
            log::write_raw(format_args!("{name}: {:.0} s", begun.elapsed().as_secs_f64()));
        }
    }
}

impl xpuck_image::Progress for Steps {
    fn step(&mut self, name: &str) {
        self.end();
        let bar = Progress::waiting("working", self.quiet);
        bar.note(name);
        self.step = Some(Step { name: name.into(), begun: Instant::now(), bar, counted: false });
    }

    fn bytes(&mut self, done: u64, all: u64) {
        let quiet = self.quiet;
        let Some(step) = &mut self.step else { return };
        if !std::mem::replace(&mut step.counted, true) {
            step.bar = Progress::bytes("written", quiet);
        }
        step.bar.set(done, all);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.end();
    }
}
