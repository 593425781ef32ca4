//! Files of the guests: their kinds and checks, where this program has them.

#[cfg(feature = "bodies")]
use anyhow::Context;
use anyhow::Result;
use std::path::Path;
#[cfg(feature = "bodies")]
use xpuck_bodies::prif::MAX_TEXT;
#[cfg(feature = "bodies")]
use xpuck_bodies::{Plan, Prif, urdf};
use xpuck_kernels::tree::Tree;
use xpuck_lab::schemas::FileKind;
#[cfg(feature = "bodies")]
use xpuck_wire::file;
#[cfg(feature = "bodies")]
use xpuck_wire::output::count;

/// Kinds of TOML files that guests read.
pub fn kinds() -> Vec<FileKind> {
    vec![
        #[cfg(feature = "bodies")]
        FileKind::of::<xpuck_hub_bodies::Config>("bodies", "a run of evolution of bodies that walk"),
        #[cfg(feature = "automata")]
        FileKind::of::<xpuck_hub_automata::scenario::ScenarioFile>(
            "curriculum",
            "automata or trees that deliver cargo, step by step",
        ),
        #[cfg(feature = "kilobots")]
        FileKind::of::<xpuck_hub_kilobots::Config>("kilobots", "Kilobots that evolve to forage"),
    ]
}

/// Checks a file of a guest's kind, and describes it in a line; none for other kinds.
pub fn check(kind: &str, path: &Path) -> Option<Result<String>> {
    let _ = path;
    match kind {
        #[cfg(feature = "bodies")]
        "bodies" => Some(bodies(path)),
        #[cfg(feature = "automata")]
        "curriculum" => Some(curriculum(path)),
        #[cfg(feature = "kilobots")]
        "kilobots" => Some(kilobots(path)),
        _ => None,
    }
}

#[cfg(feature = "bodies")]
fn bodies(path: &Path) -> Result<String> {
    let config = xpuck_hub_bodies::Config::load(Some(path), toml::Table::new())?;
    Ok(format!("a run of evolution of bodies, {} on each of {} islands", config.evaluations, config.islands))
}

#[cfg(feature = "automata")]
fn curriculum(path: &Path) -> Result<String> {
    let plan = xpuck_hub_automata::curriculum_run::Plan::read(path, 1)?;
    Ok(format!("a curriculum of {} steps in worlds of cargo", plan.scenario.steps.len()))
}

#[cfg(feature = "kilobots")]
fn kilobots(path: &Path) -> Result<String> {
    let config = xpuck_hub_kilobots::Config::load(Some(path), toml::Table::new())?;
    Ok(format!("an experiment with {} Kilobots, {} runs of each algorithm", config.world.robots, config.runs))
}

/// A body that can be built.
#[cfg(feature = "bodies")]
pub struct Body {
    /// Its definition.
    pub prif: Prif,
    /// Its parts.
    pub plan: Plan,
}

/// Reads a body by its file's extension.
///
/// # Errors
/// One line with the file, the place in it and the rule.
#[cfg(feature = "bodies")]
pub fn read_body(path: &Path) -> Result<Body> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let prif = match extension {
        "urdf" => urdf::import(&file::text(path, urdf::MAX_URDF as u64)?),
        "json" => Prif::from_json(&file::text(path, MAX_TEXT as u64)?),
        "prif" | "txt" => Prif::parse(&file::text(path, MAX_TEXT as u64)?),
        _ => anyhow::bail!("{name}: what is in it is told by its extension: .prif, .json or .urdf"),
    };
    let prif = prif.with_context(|| name.clone())?;
    let plan = Plan::new(&prif).with_context(|| name)?;
    Ok(Body { prif, plan })
}

/// Describes a body, in a line.
///
/// # Errors
/// It is wrong, or this program was built without them.
#[cfg(feature = "bodies")]
pub fn check_body(path: &Path) -> Result<String> {
    Ok(format!("a body of {}", count(read_body(path)?.plan.parts().len(), "part", "parts")))
}

/// Refuses it, as this program was built without bodies.
#[cfg(not(feature = "bodies"))]
pub fn check_body(path: &Path) -> Result<String> {
    anyhow::bail!("{}: a body, and this xpuck was built without `bodies`", path.display())
}

/// True of a curriculum as the original program keeps it.
pub fn is_project(text: &str) -> bool {
    let _ = text;
    #[cfg(feature = "automata")]
    return xpuck_hub_automata::curriculum_run::is_project(text);
    #[cfg(not(feature = "automata"))]
    false
}

/// Describes a tree with nodes that only Kilobots have, in a line.
///
/// # Errors
/// It does not fit a Kilobot, or this program was built without them.
#[cfg(feature = "kilobots")]
pub fn check_kilobot_tree(tree: &Tree) -> Result<String> {
    use xpuck_kilobots::{Program, TREE_BYTES};
    let (nodes, usage) = (tree.nodes().len(), Program::compile(tree)?.usage());
    Ok(format!("a Kilobot's tree of {nodes} nodes, {} of {TREE_BYTES} bytes", usage.tree))
}

/// The table in C of a Kilobot's tree.
///
/// # Errors
/// It does not fit a Kilobot, or this program was built without them.
#[cfg(feature = "kilobots")]
pub fn kilobot_table(tree: &Tree) -> Result<String> {
    Ok(xpuck_kilobots::Program::compile(tree)?.to_c())
}

/// Refuses it, as this program was built without Kilobots.
#[cfg(not(feature = "kilobots"))]
pub fn check_kilobot_tree(_: &Tree) -> Result<String> {
    anyhow::bail!("a Kilobot's tree, and this xpuck was built without `kilobots`")
}

/// Refuses it, as this program was built without Kilobots.
#[cfg(not(feature = "kilobots"))]
pub fn kilobot_table(tree: &Tree) -> Result<String> {
    check_kilobot_tree(tree)
}
