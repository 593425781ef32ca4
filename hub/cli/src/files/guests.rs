//! Kinds and checks of the files that belong to optional features of this build.

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

/// Returns the kinds of TOML files that belong to the optional features of this build.
pub fn kinds() -> Vec<FileKind> {
    vec![
        #[cfg(feature = "bodies")]
        FileKind::new::<xpuck_hub_bodies::Config>("bodies", "a run of evolution of bodies that walk"),
        #[cfg(feature = "automata")]
        FileKind::new::<xpuck_hub_automata::scenario::ScenarioFile>(
            "curriculum",
            "automata or trees that deliver cargo, step by step",
        ),
        #[cfg(feature = "kilobots")]
        FileKind::new::<xpuck_hub_kilobots::Config>("kilobots", "Kilobots that evolve to forage"),
    ]
}

/// Checks a file of an optional feature, and describes the file in one line. `None` if `kind` does not belong to an
/// optional feature of this build.
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
    Ok(format!(
        "a run of evolution of bodies, {} evaluations on each of {} islands",
        config.evaluations, config.islands
    ))
}

#[cfg(feature = "automata")]
fn curriculum(path: &Path) -> Result<String> {
    let plan = xpuck_hub_automata::curriculum_run::Plan::read(path, 1)?;
    Ok(format!("a curriculum of {} steps in cargo worlds", plan.scenario.steps.len()))
}

#[cfg(feature = "kilobots")]
fn kilobots(path: &Path) -> Result<String> {
    let config = xpuck_hub_kilobots::Config::load(Some(path), toml::Table::new())?;
    Ok(format!("an experiment with {} Kilobots, {} runs of each algorithm", config.world.robots, config.runs))
}

/// Valid body, read from a file.
#[cfg(feature = "bodies")]
pub struct Body {
    /// Definition of the body in PRIF.
    pub prif: Prif,
    /// Parts of the body, with their positions.
    pub plan: Plan,
}

/// Reads a body in the format that the file's extension indicates.
///
/// # Errors
/// The file is invalid. The error states the file, the position of the mistake and the violated rule, in one line.
#[cfg(feature = "bodies")]
pub fn read_body(path: &Path) -> Result<Body> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let prif = match extension {
        "urdf" => urdf::import(&file::text(path, urdf::MAX_URDF as u64)?),
        "json" => Prif::from_json(&file::text(path, MAX_TEXT as u64)?),
        "prif" | "txt" => Prif::parse(&file::text(path, MAX_TEXT as u64)?),
        _ => anyhow::bail!("{name}: unknown extension; a body is .prif, .json or .urdf"),
    };
    let prif = prif.with_context(|| name.clone())?;
    let plan = Plan::new(&prif).with_context(|| name)?;
    Ok(Body { prif, plan })
}

/// Reads a body from a file, and describes it in one line.
///
/// # Errors
/// The body is invalid, or this build does not support bodies.
#[cfg(feature = "bodies")]
pub fn check_body(path: &Path) -> Result<String> {
    Ok(format!("a body of {}", count(read_body(path)?.plan.parts().len(), "part", "parts")))
}

/// Returns an error, because this build does not support bodies.
#[cfg(not(feature = "bodies"))]
pub fn check_body(path: &Path) -> Result<String> {
    anyhow::bail!("{}: is a body; build xpuck with the feature `bodies` to use it", path.display())
}

/// Returns whether a text is a curriculum in the format of Petrovic's program (docs/curricula.md).
pub fn is_project(text: &str) -> bool {
    let _ = text;
    #[cfg(feature = "automata")]
    return xpuck_hub_automata::curriculum_run::is_project(text);
    #[cfg(not(feature = "automata"))]
    false
}

/// Describes a tree with Kilobot nodes in one line.
///
/// # Errors
/// The tree does not fit a Kilobot, or this build does not support Kilobots.
#[cfg(feature = "kilobots")]
pub fn check_kilobot_tree(tree: &Tree) -> Result<String> {
    use xpuck_kilobots::{Program, TREE_BYTES};
    let (nodes, usage) = (tree.nodes().len(), Program::compile(tree)?.usage());
    Ok(format!("a Kilobot's tree of {nodes} nodes, {} of {TREE_BYTES} bytes", usage.tree))
}

/// Returns a Kilobot's tree as a table in C.
///
/// # Errors
/// The tree does not fit a Kilobot, or this build does not support Kilobots.
#[cfg(feature = "kilobots")]
pub fn kilobot_table(tree: &Tree) -> Result<String> {
    Ok(xpuck_kilobots::Program::compile(tree)?.to_c())
}

/// Returns an error, because this build does not support Kilobots.
#[cfg(not(feature = "kilobots"))]
pub fn check_kilobot_tree(_: &Tree) -> Result<String> {
    anyhow::bail!("is a Kilobot's tree, but this xpuck was built without `kilobots`")
}

/// Returns an error, because this build does not support Kilobots.
#[cfg(not(feature = "kilobots"))]
pub fn kilobot_table(tree: &Tree) -> Result<String> {
    check_kilobot_tree(tree)
}
