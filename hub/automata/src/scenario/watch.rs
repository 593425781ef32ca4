//! Events for an observer of a run, and the observer's requests.

use super::{Kind, Step};
use crate::automata::AutomataSpecies;
use xpuck_evolve::curriculum::{Member, Progress, Statistics, Variables};

/// Evaluated generation.
#[derive(Debug)]
pub struct Generation<'a, S: Kind = AutomataSpecies> {
    /// Index of the step.
    pub index: usize,
    /// Step of the generation.
    pub step: &'a Step,
    /// Variables of the step.
    pub variables: &'a Variables,
    /// Whether the step's end formula holds.
    pub progress: Progress,
    /// Population, fittest first; [`super::Population::new`] creates its saved form.
    pub members: &'a [Member<S>],
    /// Complete controller of the best individual.
    pub best: &'a S::Controller,
    /// Contributions of the step's operators so far.
    pub statistics: &'a Statistics,
}

/// Request of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Continue.
    GoOn,
    /// End the step as if its end formula held.
    Skip,
    /// End the run.
    Stop,
}

/// End of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The step was completed before the run.
    Before,
    /// The end formula held.
    Held,
    /// An observer skipped the rest of the step.
    Skipped,
    /// An observer stopped the run.
    Stopped,
    /// The curriculum's generations were used up.
    Exhausted,
}

impl Ending {
    /// Returns the end of a step for its progress and an observer's request; `None` if the step continues. A formula
    /// that holds has priority.
    pub(super) fn of(progress: Progress, ask: Ask) -> Option<Ending> {
        match (progress, ask) {
            (Progress::Done, _) => Some(Ending::Held),
            (_, Ask::Stop) => Some(Ending::Stopped),
            (Progress::Exhausted, _) => Some(Ending::Exhausted),
            (Progress::Goes, Ask::Skip) => Some(Ending::Skipped),
            (Progress::Goes, Ask::GoOn) => None,
        }
    }

    /// Whether later steps can start with the step's population.
    pub fn is_done(self) -> bool {
        matches!(self, Ending::Before | Ending::Held | Ending::Skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_that_holds_comes_before_what_a_watcher_asks_for() {
        assert_eq!(Ending::of(Progress::Done, Ask::Stop), Some(Ending::Held));
        assert_eq!(Ending::of(Progress::Goes, Ask::Skip), Some(Ending::Skipped));
        assert_eq!(Ending::of(Progress::Exhausted, Ask::Skip), Some(Ending::Exhausted));
        assert_eq!(Ending::of(Progress::Goes, Ask::GoOn), None);
    }
}
