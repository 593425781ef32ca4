//! Commands that depend on the kind of their file: `simulate`, `evolve`, and those of `tree`.

use super::by_kind::{Kind, OfKinds, kind};
use crate::files::file_contents::{self, What};
#[cfg(any(feature = "automata", feature = "bodies", feature = "gateway", feature = "kilobots"))]
use crate::guests;
use crate::{analysis, evolution, trees};
use clap::ArgMatches;
use std::path::Path;

/// Returns the name of a file's kind; `None` for a behaviour tree or an unknown file.
fn kind_of(file: &Path) -> Option<&'static str> {
    match file_contents::is(file) {
        What::Automata => Some("automata"),
        What::Body => Some("bodies"),
        What::Individual => Some("individuals"),
        What::KilobotsTree => Some("kilobots"),
        What::Machine => Some("machines"),
        What::Other => None,
    }
}

/// The command `xpuck simulate`.
pub enum Simulate {}

impl OfKinds for Simulate {
    const NAME: &'static str = "simulate";
    const FILE: &'static str = "FILE";
    const READS: &'static str = "Tree (.bt, .xml, .json, .bin), automata, body (.prif, .urdf) or a Kilobot's tree";
    const REQUIRED: bool = false;
    const ABOUT: &'static str = "Simulate a tree, automata, a body or Kilobots, and print their fitness\n\n\
        FILE holds a behaviour tree, for the benchmark task or a world of your own; automata of a curriculum; a body \
        of cubes; or a Kilobot's tree. A tree runs exactly as written: `avoiding` is not added. The benchmark's \
        fitness is f_raw of Eq. 8.3, the speed of the frisbee towards -x divided by v_max. A world file \
        (docs/worlds.md) selects one of seven tasks or states a task as a formula, each with its own fitness. A seed gives identical results on any \
        number of threads.";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", analysis::simulate::SimulateArgs, analysis::simulate::run),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::automaton::TryArgs, guests::automata::automaton::try_controller),
            #[cfg(feature = "bodies")]
            kind!("bodies", guests::body::simulate::SimulateArgs, guests::body::simulate::run),
            #[cfg(feature = "kilobots")]
            kind!("kilobots", guests::kilobot::simulate::SimulateArgs, guests::kilobot::simulate::run),
            #[cfg(feature = "gateway")]
            kind!("individuals", guests::gateway::draw_path::DrawPathArgs, guests::gateway::draw_path::run),
        ]
    }

    fn kind_of(file: &Path, matches: &ArgMatches) -> Option<&'static str> {
        // With --curriculum, a tree is simulated as a controller in place of automata.
        if matches.try_get_raw("curriculum").is_ok_and(|given| given.is_some()) {
            return Some("automata");
        }
        kind_of(file)
    }
}

/// The command `xpuck evolve`.
pub enum Evolve {}

impl OfKinds for Evolve {
    const NAME: &'static str = "evolve";
    const FILE: &'static str = "FILE|DIR";
    const READS: &'static str = "File of the evolution (.toml), or the folder of a run to continue, as for --resume";
    const REQUIRED: bool = false;
    const ABOUT: &'static str = "Evolve controllers, bodies or Kilobots without robots, or continue a run\n\n\
        FILE describes the evolution (docs/evolution.md, curricula.md, bodies.md, kilobots.md): trees on islands (the \
        default), automata by a curriculum, bodies, or Kilobots. A run that was stopped or killed continues from its \
        folder with the same results. Options take precedence over the file. A seed gives identical results on any \
        number of threads.\n\n\
        With --output every generation is saved, so the process can be killed at any time. Ctrl-C, SIGTERM or a file \
        called `stop` in the folder ends the run after the current generation, with exit code 75. All islands finish \
        a generation before any starts the next. At the end every island's champion is measured again on fresh seeds, \
        which removes the bias of selection.";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", evolution::evolve::EvolveArgs, evolution::evolve::run),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::curriculum::CurriculumArgs, guests::automata::curriculum::evolve),
            #[cfg(feature = "bodies")]
            kind!("bodies", guests::body::evolve::EvolveArgs, guests::body::evolve::run),
            #[cfg(feature = "kilobots")]
            kind!("kilobots", guests::kilobot::evolve::EvolveArgs, guests::kilobot::evolve::run),
        ]
    }

    fn kind_of(file: &Path, _: &ArgMatches) -> Option<&'static str> {
        file_contents::evolves(file)
    }
}

/// The command `xpuck tree fmt`.
pub enum Fmt {}

impl OfKinds for Fmt {
    const NAME: &'static str = "tree fmt";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Print a tree or automata in the standard text form\n\n\
        Only the tree is kept: comments and blank lines are removed, angles are rounded to steps of pi/128, and \
        registers are printed by name.";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", trees::tree::FmtArgs, trees::tree::format),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::automaton::FileArgs, guests::automata::automaton::fmt),
        ]
    }

    fn kind_of(file: &Path, _: &ArgMatches) -> Option<&'static str> {
        kind_of(file)
    }
}

/// The command `xpuck tree explain`.
pub enum Explain {}

impl OfKinds for Explain {
    const NAME: &'static str = "tree explain";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Explain a tree or automata in plain English, or list the parts of a body\n\n\
        The explanation of a tree lists the condition of each branch and the parts that are never reached; with \
        --simulate, also the value of each part (docs/explain.md).";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", trees::explain::ExplainArgs, trees::explain::run),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::automaton::FileArgs, guests::automata::automaton::explain),
            #[cfg(feature = "bodies")]
            kind!("bodies", guests::body::ShowArgs, guests::body::show),
        ]
    }

    fn kind_of(file: &Path, _: &ArgMatches) -> Option<&'static str> {
        kind_of(file)
    }
}

/// The command `xpuck tree reduce`.
pub enum Reduce {}

impl OfKinds for Reduce {
    const NAME: &'static str = "tree reduce";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Print a smaller tree, or smaller automata, with identical behaviour\n\n\
        For a tree, the rules of the thesis's section 8.6.1 and those that follow from the node table are applied \
        until nothing changes: they remove unreachable nodes, known results, repeated queries, and writes that are \
        never read. For automata, transitions hidden by an earlier one and unreachable states are removed, and \
        equivalent states are merged.";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", trees::algebra::ReduceArgs, trees::algebra::reduce),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::automaton::FileArgs, guests::automata::automaton::reduce),
        ]
    }

    fn kind_of(file: &Path, _: &ArgMatches) -> Option<&'static str> {
        kind_of(file)
    }
}

/// The command `xpuck tree diff`.
pub enum Diff {}

impl OfKinds for Diff {
    const NAME: &'static str = "tree diff";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Compare two trees by their behaviour in simulation, or two files of automata\n\n\
        The exit code is 0 if trees behave identically, and 1 if not. For trees, the first difference is printed: \
        nine robots run each tree from the same starts with the same noise, and poses and wheel speeds must agree bit \
        for bit. For automata, removed, new and changed transitions are printed.";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", trees::algebra::EqualArgs, trees::algebra::equal),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::automaton::DiffArgs, guests::automata::automaton::diff_files),
        ]
    }

    fn kind_of(file: &Path, _: &ArgMatches) -> Option<&'static str> {
        kind_of(file)
    }
}

/// The command `xpuck tree draw`.
pub enum Draw {}

impl OfKinds for Draw {
    const NAME: &'static str = "tree draw";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Draw a tree, an automaton or a body as SVG";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", trees::tree::DrawArgs, trees::tree::draw),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::automaton::DrawArgs, guests::automata::automaton::draw_one),
            #[cfg(feature = "bodies")]
            kind!("bodies", guests::body::DrawArgs, guests::body::draw),
        ]
    }

    fn kind_of(file: &Path, _: &ArgMatches) -> Option<&'static str> {
        kind_of(file)
    }
}

/// The command `xpuck tree convert`.
pub enum Convert {}

impl OfKinds for Convert {
    const NAME: &'static str = "tree convert";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Convert trees, state machines, automata, bodies and Kilobots' trees to other \
        formats\n\n\
        A tree can be converted to text, xml (BehaviorTree.CPP version 4, for Groot2), json and bin, which can be \
        read again and give the same tree; to drawings (svg, dot); to a form without memory; and to a finite state \
        machine (fsm) or an automaton. A Kilobot's tree can be converted to a table in C (kilobot) or a program \
        (hex). State machines (docs/algebra.md), automata and individuals of a population manager become trees. \
        Bodies can be converted to prif, json, urdf and nndf.";

    fn kinds() -> Vec<Kind> {
        vec![
            kind!("trees", trees::tree::ConvertArgs, trees::tree::convert),
            kind!("machines", trees::machines::FromFsmArgs, trees::machines::from_fsm),
            #[cfg(feature = "automata")]
            kind!("automata", guests::automata::automaton::ToTreeArgs, guests::automata::automaton::to_tree_of),
            #[cfg(feature = "bodies")]
            kind!("bodies", guests::body::ExportArgs, guests::body::export),
            #[cfg(feature = "kilobots")]
            kind!("kilobots", guests::kilobot::hex::HexArgs, guests::kilobot::hex::run),
            #[cfg(feature = "gateway")]
            kind!(
                "individuals",
                guests::gateway::serve::individual_tree::FromIndividualArgs,
                guests::gateway::serve::individual_tree::run
            ),
        ]
    }

    fn kind_of(file: &Path, matches: &ArgMatches) -> Option<&'static str> {
        let to = matches.try_get_raw("to").ok().flatten().and_then(|mut values| values.next());
        if to.is_some_and(|to| to == "hex") {
            return Some("kilobots");
        }
        // A Kilobot's tree converts like any other tree, except to a Kilobot program (hex).
        kind_of(file).filter(|kind| *kind != "kilobots")
    }
}
