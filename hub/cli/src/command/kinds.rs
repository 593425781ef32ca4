//! Commands that depend on the kind of their file: `simulate`, `evolve`, and those of `tree`.

use super::by_kind::{Kind, OfKinds, kind};
use crate::files::what::{self, What};
#[cfg(any(feature = "automata", feature = "bodies", feature = "gateway", feature = "kilobots"))]
use crate::guests;
use crate::{analysis, evolution, trees};
use clap::ArgMatches;
use std::path::Path;

/// Kind of a file; `None` for a behaviour tree or an unknown file.
fn kind_of(file: &Path) -> Option<&'static str> {
    match what::is(file) {
        What::Automata => Some("automata"),
        What::Body => Some("bodies"),
        What::Individual => Some("individuals"),
        What::KilobotsTree => Some("kilobots"),
        What::Machine => Some("machines"),
        What::Other => None,
    }
}

/// `xpuck simulate`.
pub enum Simulate {}

impl OfKinds for Simulate {
    const NAME: &'static str = "simulate";
    const FILE: &'static str = "FILE";
    const READS: &'static str = "A tree (.bt, .xml, .json, .bin), automata, a body (.prif, .urdf) or a Kilobot's tree";
    const REQUIRED: bool = false;
    const ABOUT: &'static str = "Simulate a tree, automata, a body or Kilobots, and print their fitness\n\n\
        What is simulated is what FILE holds: a behaviour tree, on the benchmark task or in a world of your own; automata of a \
        curriculum; a body of cubes; a Kilobot's tree. A tree runs exactly as written: `avoiding` is not added. The benchmark's \
        fitness is f_raw of Eq. 8.3, the speed of the frisbee towards -x over v_max; a world file (docs/worlds.md) chooses among \
        seven tasks, each with its own. The same seed gives the same digits on any number of threads.";

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
        // With --curriculum, a tree can take the place of automata.
        if matches.try_get_raw("curriculum").is_ok_and(|given| given.is_some()) {
            return Some("automata");
        }
        kind_of(file)
    }
}

/// `xpuck evolve`.
pub enum Evolve {}

impl OfKinds for Evolve {
    const NAME: &'static str = "evolve";
    const FILE: &'static str = "FILE|DIR";
    const READS: &'static str = "File of the evolution (.toml), or the folder of a run to continue, as for --resume";
    const REQUIRED: bool = false;
    const ABOUT: &'static str = "Evolve controllers, bodies or Kilobots without robots; a run's folder goes on\n\n\
        What evolves is what FILE describes (docs/evolution.md, curricula.md, bodies.md, kilobots.md): trees on islands, which is \
        usual, automata by a curriculum, bodies, or Kilobots. A folder of a run that was stopped or killed goes on as if nothing \
        had happened. Options win over the file. The same seed gives the same digits on any number of threads.\n\n\
        With --output every generation is kept: kill the process when you like. Ctrl-C and SIGTERM end it after the generation in \
        hand, with exit code 75, and so does a file called `stop` in the folder. All islands finish a generation before any starts \
        the next. At the end every island's champion is measured again on fresh seeds, which luck cannot flatter.";

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
        what::evolves(file)
    }
}

/// `xpuck tree fmt`.
pub enum Fmt {}

impl OfKinds for Fmt {
    const NAME: &'static str = "tree fmt";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Print a tree or automata in the text form as the programs write it\n\n\
        Only the tree is kept: comments and blank lines are lost, degrees become those of the nearest step of pi/128, and \
        registers get their names.";

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

/// `xpuck tree explain`.
pub enum Explain {}

impl OfKinds for Explain {
    const NAME: &'static str = "tree explain";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Explain a tree or automata in plain English, or list the parts of a body\n\n\
        An account of a tree says what it does when, what never happens, and with --simulate what each part is worth \
        (docs/explain.md).";

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

/// `xpuck tree reduce`.
pub enum Reduce {}

impl OfKinds for Reduce {
    const NAME: &'static str = "tree reduce";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Print a smaller tree, or smaller automata, that do exactly the same\n\n\
        Of a tree the rules of the thesis's section 8.6.1 and what follows from the node table are applied until nothing changes: \
        unreachable nodes, known results, repeated queries, writes that nobody reads. Of automata, transitions that an earlier one \
        hides go, states that cannot be reached too, and states that cannot be told apart become one.";

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

/// `xpuck tree diff`.
pub enum Diff {}

impl OfKinds for Diff {
    const NAME: &'static str = "tree diff";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Compare two trees by what they do in simulation, or two files of automata\n\n\
        The exit code is 0 if trees do the same, and 1 if not. Of trees the first difference is printed: nine robots run each from the same starts with the same noise, and poses and \
        wheel speeds must agree bit for bit. Of automata, transitions that are gone, new or changed.";

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

/// `xpuck tree draw`.
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

/// `xpuck tree convert`.
pub enum Convert {}

impl OfKinds for Convert {
    const NAME: &'static str = "tree convert";
    const FILE: &'static str = "FILE";
    const ABOUT: &'static str = "Convert trees, state machines, automata, bodies and Kilobots' trees to other forms\n\n\
        A tree goes to text, xml (BehaviorTree.CPP version 4, for Groot2), json and bin, which can be read again and give the same \
        tree, to drawings (svg, dot), to a form without memory, to a finite state machine (fsm) or an automaton, and a Kilobot's \
        tree to a table in C (kilobot) or a program (hex). State machines (docs/algebra.md), automata and individuals of a \
        population manager become trees. Bodies go to prif, json, urdf and nndf.";

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
        // Apart from the program (hex), the forms of a Kilobot's tree are those of all trees.
        kind_of(file).filter(|kind| *kind != "kilobots")
    }
}
