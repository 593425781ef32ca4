//! Files of bodies and brains.

use anyhow::{Context, Result, bail};
use std::path::Path;
use xpuck_bodies::prif::MAX_TEXT;
use xpuck_bodies::{Brain, Plan, Prif, urdf};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::file;

/// Longest file of a brain, bytes.
const MAX_BRAIN: u64 = 64 << 20;

/// A body that can be built.
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
pub fn read(path: &Path) -> Result<Body> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    let prif = match extension {
        "urdf" => urdf::import(&file::text(path, urdf::MAX_URDF as u64)?),
        "json" => Prif::from_json(&file::text(path, MAX_TEXT as u64)?),
        "prif" | "txt" => Prif::parse(&file::text(path, MAX_TEXT as u64)?),
        _ => bail!("{name}: what is in it is told by its extension: .prif, .json or .urdf"),
    };
    let prif = prif.with_context(|| name.clone())?;
    let plan = Plan::new(&prif).with_context(|| name)?;
    Ok(Body { prif, plan })
}

/// Reads a brain for a body.
///
/// # Errors
/// One line with the file and what does not fit.
pub fn brain(path: &Path, plan: &Plan) -> Result<Brain> {
    Brain::from_nndf(&file::text(path, MAX_BRAIN)?, plan).with_context(|| path.display().to_string())
}

/// The same, or a brain that is drawn.
///
/// # Errors
/// As [`brain`].
pub fn brain_or_drawn(path: Option<&Path>, seed: u64, plan: &Plan) -> Result<Brain> {
    match path {
        Some(path) => brain(path, plan),
        None => Ok(Brain::random(plan, &mut Draws::new(seed, 0, 0, 0, Stream::Evolution))),
    }
}
