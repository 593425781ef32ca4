//! `xpuck tree from-individual`.

use super::own_engine::OwnTask;
use crate::guests::gateway::draw_path::individual_of;
use anyhow::{Result, anyhow};
use clap::Args;
use std::path::PathBuf;
use xpuck_wire::output;

/// Print the tree of an individual that a population manager bred on our own engine: a network for simulate, explain and robots.
///
/// The individual is the file best.txt or last.txt that `xpuck serve population-manager --out` writes. The task is that of
/// `xpuck serve robot-sim` without --world: it says which registers are inputs.
#[derive(Args)]
pub struct FromIndividualArgs {
    /// The file of the individual.
    file: PathBuf,
    /// The task file; the usual task without it.
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &FromIndividualArgs) -> Result<()> {
    let task = OwnTask::read(args.task.as_deref())?;
    let parameters = task.parameters()?;
    let tree = task.tree(&individual_of(&args.file)?, &parameters);
    let tree = tree.map_err(|error| {
        let task = args.task.as_ref().map_or("the usual task".into(), |file| file.display().to_string());
        anyhow!("{} does not fit {task}: {error}", args.file.display())
    })?;
    Ok(output::bytes(tree.to_string().as_bytes())?)
}
