//! What a watcher of a run is told, and what it may ask for.

use super::{Kind, Step};
use crate::automata::AutomataSpecies;
use xpuck_evolve::curriculum::{Member, Progress, Statistics, Variables};

/// A generation that was judged.
#[derive(Debug)]
pub struct Generation<'a, S: Kind = AutomataSpecies> {
    /// The index of its step.
    pub index: usize,
    /// Its step.
    pub step: &'a Step,
    /// Where the step is.
    pub variables: &'a Variables,
    /// Whether the step's end formula holds.
    pub progress: Progress,
    /// The population, the fittest first. What is saved of it is [`super::Population::new`].
    pub members: &'a [Member<S>],
    /// The best as a whole controller.
    pub best: &'a S::Controller,
    /// What the step's operators contributed so far.
    pub statistics: &'a Statistics,
}

/// What a watcher asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To go on.
    GoOn,
    /// To end the step as if its end formula held.
    Skip,
    /// To end the run.
    Stop,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It was done before the run.
    Before,
    /// Its end formula held.
    Held,
    /// A watcher skipped the rest of it.
    Skipped,
    /// A watcher stopped the run.
    Stopped,
    /// The curriculum's generations were used up.
    Exhausted,
}

impl Ending {
    /// How a step ends when it is so far and a watcher asks for that; none if it goes on. A formula that holds comes first.
    pub(super) fn of(progress: Progress, ask: Ask) -> Option<Ending> {
        match (progress, ask) {
            (Progress::Done, _) => Some(Ending::Held),
            (_, Ask::Stop) => Some(Ending::Stopped),
            (Progress::Exhausted, _) => Some(Ending::Exhausted),
            (Progress::Goes, Ask::Skip) => Some(Ending::Skipped),
            (Progress::Goes, Ask::GoOn) => None,
        }
    }

    /// Whether steps after it can begin with its population.
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
