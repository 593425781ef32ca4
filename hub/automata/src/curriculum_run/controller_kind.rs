//! Operations for each kind of controller: evaluation, drawing and description.

use crate::arbiters::TreeSpecies;
use crate::automata::AutomataSpecies;
use crate::scenario::{Kind, Step};
use xpuck_automata::automaton::{self, Module};
use xpuck_automata::cargo::{self, Arbiter, ControllerAutomata, ControllerScores, Trials};
use xpuck_kernels::tree::exchange::{Direction, to_svg};

/// Kind of genome whose runs are saved in folders.
pub trait SavedKind: Kind {
    /// File name extension of a controller's text.
    const ENDING: &'static str;

    /// Evaluates controllers. The results are in input order.
    fn try_all(controllers: &[Self::Controller], trials: &Trials) -> Vec<ControllerScores>;
    /// Returns SVG drawings of the controller's parts that evolve in a step. Each drawing has a name without
    /// extension.
    fn drawings(step: &Step, controller: &Self::Controller) -> Vec<(&'static str, String)>;
    /// Returns a description of a controller in plain English.
    fn account(controller: &Self::Controller) -> String;
}

impl SavedKind for AutomataSpecies {
    const ENDING: &'static str = "txt";

    fn try_all(controllers: &[ControllerAutomata], trials: &Trials) -> Vec<ControllerScores> {
        cargo::evaluate_all(controllers, trials)
    }

    fn drawings(step: &Step, controller: &ControllerAutomata) -> Vec<(&'static str, String)> {
        let evolved = step.modules();
        let all = Module::ARBITRATED.into_iter().zip(&controller.0).filter(|(module, _)| evolved.contains(module));
        all.filter_map(|(module, one)| Some((module.name(), automaton::draw(one.as_ref()?)))).collect()
    }

    fn account(controller: &ControllerAutomata) -> String {
        let all = Module::ARBITRATED.into_iter().zip(&controller.0);
        let told: Vec<String> =
            all.filter_map(|(module, one)| Some(automaton::account(module, one.as_ref()?))).collect();
        told.join("\n")
    }
}

impl SavedKind for TreeSpecies {
    const ENDING: &'static str = "bt";

    fn try_all(controllers: &[Arbiter], trials: &Trials) -> Vec<ControllerScores> {
        cargo::evaluate_all(controllers, trials)
    }

    fn drawings(_step: &Step, controller: &Arbiter) -> Vec<(&'static str, String)> {
        vec![("tree", to_svg(controller.tree(), Direction::Down))]
    }

    fn account(controller: &Arbiter) -> String {
        cargo::account(controller)
    }
}
