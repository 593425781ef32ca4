//! Kind of contents of a file. The kind is determined from the name and the text of the file, so that users need not
//! state it.

use crate::files::file_kind;
use crate::files::guests::is_project;
use std::path::Path;
use toml::{Table, Value};
use xpuck_experiment::tree_file::{self, ReadOptions};
use xpuck_kernels::tree::RegisterMap;
use xpuck_wire::file;

/// Maximum size of a file that is inspected (bytes); a larger file is `Other`.
const MAX_TEXT: u64 = 1 << 20;

/// Kind of contents of a file that is simulated, drawn, explained or converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Finite automata that control modules.
    Automata,
    /// Body of joined cubes.
    Body,
    /// Individual of a population manager.
    Individual,
    /// Behaviour tree with nodes that only Kilobots have.
    KilobotsTree,
    /// State machine.
    Machine,
    /// Behaviour tree of an e-puck, or unknown contents.
    Other,
}

/// Determines the kind of contents of a file. A file that cannot be read is `Other`. The error is reported by the
/// function that reads the file later.
pub fn is(path: &Path) -> What {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    if matches!(extension, "prif" | "urdf" | "nndf") {
        return What::Body;
    }
    let Ok(text) = file::text(path, MAX_TEXT) else { return What::Other };
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or("");
    match extension {
        "toml" if file_kind::detect(&text) == Some("machine") => What::Machine,
        "json" if first.starts_with('{') && text.contains("\"reps\"") => What::Body,
        _ if first.split_whitespace().next() == Some("module") => What::Automata,
        _ if first.starts_with("Individual") => What::Individual,
        "bt" | "xml" | "json" | "bin" => {
            let tree = tree_file::read(path, &ReadOptions { map: RegisterMap::Kilobot, ..ReadOptions::default() });
            let kilobots = tree.is_ok_and(|tree| tree.nodes().iter().any(|node| node.kind.is_kilobots_own()));
            if kilobots { What::KilobotsTree } else { What::Other }
        }
        _ => What::Other,
    }
}

/// Returns the kind of evolution of a run. `path` is the file that describes the run, or the folder of the run. `None`
/// if the run evolves trees for e-pucks, or if the kind is unknown.
pub fn evolves(path: &Path) -> Option<&'static str> {
    if path.is_dir() {
        let holds = |name: &str| path.join(name).exists();
        return match () {
            () if holds("bodies.toml") => Some("bodies"),
            () if holds("curriculum-run.json") => Some("automata"),
            () if holds("kilobots.toml") => Some("kilobots"),
            () => None,
        };
    }
    let text = file::text(path, file::MAX_TOML).ok()?;
    if is_of_cargo(&text) {
        return Some("automata");
    }
    let kind = file_kind::guess(&path.display().to_string(), &text).ok()?.kind;
    ["bodies", "kilobots"].into_iter().find(|known| *known == kind)
}

/// Returns whether a text is a curriculum in worlds of cargo. All other curricula are evolution files with steps.
fn is_of_cargo(text: &str) -> bool {
    let Ok(table) = text.parse::<Table>() else { return is_project(text) || text.contains("automata") };
    let steps = table.get("steps").and_then(Value::as_array);
    let with_automata = |step: &Value| step.get("automata").is_some();
    table.contains_key("worlds") || steps.is_some_and(|steps| steps.iter().any(with_automata))
}
