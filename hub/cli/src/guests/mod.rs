//! Guests: automata in the world of cargo, bodies of joined cubes, Kilobots, and protocols of other makers' programs. Each stands
//! behind a feature of its own, and the rest of the program asks for them here alone.

#[cfg(feature = "automata")]
pub mod automata;
#[cfg(feature = "bodies")]
pub mod body;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(feature = "kilobots")]
pub mod kilobot;

use crate::evolution::evolve::EvolveArgs;
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use xpuck_arena::Beside;
use xpuck_kernels::tree::Tree;
use xpuck_lab::schemas::FileKind;

/// Kinds of TOML files that guests read.
pub fn kinds() -> Vec<FileKind> {
    vec![
        #[cfg(feature = "automata")]
        automata::KIND,
        #[cfg(feature = "bodies")]
        body::KIND,
        #[cfg(feature = "kilobots")]
        kilobot::KIND,
    ]
}

/// Checks a file of a guest's kind, and describes it in a line; none for other kinds.
pub fn check(kind: &str, path: &Path) -> Option<Result<String>> {
    match kind {
        #[cfg(feature = "bodies")]
        "bodies" => Some(body::check(path)),
        #[cfg(feature = "kilobots")]
        "kilobots" => Some(kilobot::check(path)),
        _ => {
            let _ = path;
            None
        }
    }
}

/// Evolves by a curriculum in worlds of cargo, if the run is of one: the folder with `--resume`, or the file.
///
/// # Errors
/// The file or the folder is wrong, or cannot be written.
pub fn evolve(args: &EvolveArgs) -> Result<Option<ExitCode>> {
    #[cfg(feature = "automata")]
    return automata::curriculum::evolve(args);
    #[cfg(not(feature = "automata"))]
    {
        let _ = args;
        Ok(None)
    }
}

/// Programs of others that the arena's file lets watch the arena or drive in it.
///
/// # Errors
/// An address cannot be had, or this program was built without their protocols.
pub fn in_arena(path: &Path, robots: usize) -> Result<Box<dyn Beside>> {
    #[cfg(feature = "gateway")]
    return Ok(Box::new(gateway::arena::Company::start(path, robots)?));
    #[cfg(not(feature = "gateway"))]
    {
        let keys: crate::arena::ArenaFile = xpuck_wire::file::read(path)?;
        if keys.viewers.is_some() || keys.agents.is_some() {
            return lacks("gateway");
        }
        let _ = robots;
        Ok(Box::new(()))
    }
}

/// Describes a tree with nodes that only Kilobots have, in a line.
///
/// # Errors
/// It does not fit a Kilobot, or this program was built without them.
pub fn check_kilobot_tree(tree: &Tree) -> Result<String> {
    #[cfg(feature = "kilobots")]
    return kilobot::check_tree(tree);
    #[cfg(not(feature = "kilobots"))]
    {
        let _ = tree;
        lacks("kilobots")
    }
}

/// The table in C of a Kilobot's tree.
///
/// # Errors
/// As [`check_kilobot_tree`].
pub fn kilobot_table(tree: &Tree) -> Result<String> {
    #[cfg(feature = "kilobots")]
    return kilobot::table(tree);
    #[cfg(not(feature = "kilobots"))]
    {
        let _ = tree;
        lacks("kilobots")
    }
}

#[cfg(not(all(feature = "gateway", feature = "kilobots")))]
fn lacks<T>(feature: &str) -> Result<T> {
    anyhow::bail!("this xpuck was built without {feature}; build it with `--features {feature}`")
}
