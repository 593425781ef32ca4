//! Events for an observer of a run, and the observer's requests.

use super::{Kind, Step};
use crate::automata::AutomataSpecies;
use xpuck_evolve::curriculum::{Member, Statistics, StepState, Variables};

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
    pub progress: StepState,
    /// Population, fittest first; [`super::Population::new`] creates its saved form.
    pub members: &'a [Member<S>],
    /// Complete controller of the best individual.
    pub best: &'a S::Controller,
    /// Contributions of the step's operators so far.
    pub statistics: &'a Statistics,
}

/// Request of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
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
    FormulaHeld,
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
    pub(super) fn from_progress(progress: StepState, ask: Request) -> Option<Ending> {
        match (progress, ask) {
            (StepState::Done, _) => Some(Ending::FormulaHeld),
            (_, Request::Stop) => Some(Ending::Stopped),
            (StepState::Exhausted, _) => Some(Ending::Exhausted),
            (StepState::Goes, Request::Skip) => Some(Ending::Skipped),
            (StepState::Goes, Request::GoOn) => None,
        }
    }

    /// Whether later steps can start with the step's population.
    pub fn is_done(self) -> bool {
        matches!(self, Ending::Before | Ending::FormulaHeld | Ending::Skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fulfilled_formula_precedes_watcher_request() {
        assert_eq!(Ending::from_progress(StepState::Done, Request::Stop), Some(Ending::FormulaHeld));
        assert_eq!(Ending::from_progress(StepState::Goes, Request::Skip), Some(Ending::Skipped));
        assert_eq!(Ending::from_progress(StepState::Exhausted, Request::Skip), Some(Ending::Exhausted));
        assert_eq!(Ending::from_progress(StepState::Goes, Request::GoOn), None);
    }
}
