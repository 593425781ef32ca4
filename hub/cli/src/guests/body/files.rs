//! Files of bodies and brains.

pub use crate::files::guests::read_body as read;
use anyhow::{Context, Result};
use std::path::Path;
use xpuck_bodies::{Brain, Plan};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::file;

/// Maximum size of a brain's file (bytes).
const MAX_BRAIN: u64 = 64 << 20;

/// Reads a brain for a body from a file.
///
/// # Errors
/// The file is invalid or does not fit the body. The error states the reason in one line.
pub fn brain(path: &Path, plan: &Plan) -> Result<Brain> {
    Brain::from_nndf(&file::text(path, MAX_BRAIN)?, plan).with_context(|| path.display().to_string())
}

/// Reads a brain for a body from a file. Without a file, returns a random brain.
///
/// # Errors
/// The same as for [`brain`].
pub fn brain_or_drawn(path: Option<&Path>, seed: u64, plan: &Plan) -> Result<Brain> {
    match path {
        Some(path) => brain(path, plan),
        None => Ok(Brain::random(plan, &mut Draws::new(seed, 0, 0, 0, Stream::Evolution))),
    }
}
