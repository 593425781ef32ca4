//! Events for an observer of a run, and the observer's requests.

use super::{Kind, Step};
use crate::automata::AutomataSpecies;
use xpuck_evolve::curriculum::{Member, Statistics, StepState, Variables};

/// Evaluated generation, as an observer sees it.
#[derive(Debug)]
pub struct Generation<'a, S: Kind = AutomataSpecies> {
    /// Index of the step.
    pub index: usize,
    /// Step to which the generation belongs.
    pub step: &'a Step,
    /// Variables of the step.
    pub variables: &'a Variables,
    /// State of the step: continues, completed, or out of generations.
    pub progress: StepState,
    /// Population, the fittest first. [`super::Population::new`] creates its saved form.
    pub members: &'a [Member<S>],
    /// Complete controller of the best individual, including fixed automata.
    pub best: &'a S::Controller,
    /// Contributions of the genetic operators in the step so far.
    pub statistics: &'a Statistics,
}

/// Request of an observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Continue the run.
    GoOn,
    /// End the step as if its end formula held.
    Skip,
    /// End the run.
    Stop,
}

/// Reason for the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The step was completed before this run.
    Before,
    /// The end formula held.
    FormulaHeld,
    /// An observer skipped the rest of the step.
    Skipped,
    /// An observer stopped the run.
    Stopped,
    /// All generations of the curriculum were used.
    Exhausted,
}

impl Ending {
    /// Returns the reason for the end of a step from its state and an observer's request; `None` if the step
    /// continues. An end formula that holds has priority over the request.
    pub(super) fn from_progress(progress: StepState, ask: Request) -> Option<Ending> {
        match (progress, ask) {
            (StepState::Done, _) => Some(Ending::FormulaHeld),
            (_, Request::Stop) => Some(Ending::Stopped),
            (StepState::Exhausted, _) => Some(Ending::Exhausted),
            (StepState::Goes, Request::Skip) => Some(Ending::Skipped),
            (StepState::Goes, Request::GoOn) => None,
        }
    }

    /// Returns whether later steps can start with the population of the step.
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
