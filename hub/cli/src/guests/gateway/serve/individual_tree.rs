//! `xpuck tree convert` for an individual of a population manager.

use super::own_engine::OwnTask;
use crate::files::tree_file::{deliver, refuse_over};
use crate::guests::gateway::draw_path::individual_of;
use anyhow::{Result, anyhow};
use clap::Args;
use std::path::PathBuf;

/// Print the tree of an individual that a population manager evolved on our own engine. The tree is a network, for
/// simulation and robots.
///
/// The individual is the file best.txt or last.txt that `xpuck serve population-manager --output` writes. The task is
/// the same as that of `xpuck serve robot-sim` without --world, and defines which registers are inputs.
#[derive(Args)]
pub struct FromIndividualArgs {
    /// File with the individual.
    file: PathBuf,
    /// Task file [default: the usual task].
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
    /// File to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format to write.
    #[arg(long, hide = true, default_value = "text", value_parser = ["text"])]
    to: String,
}

/// Runs the command.
pub fn run(args: &FromIndividualArgs) -> Result<()> {
    refuse_over([&args.file].into_iter().chain(&args.task), &args.output)?;
    let task = OwnTask::read(args.task.as_deref())?;
    let parameters = task.parameters()?;
    let tree = task.tree(&individual_of(&args.file)?, &parameters);
    let tree = tree.map_err(|error| {
        let task = args.task.as_ref().map_or("the default task".into(), |file| file.display().to_string());
        anyhow!("{} does not fit {task}: {error}", args.file.display())
    })?;
    deliver(args.output.as_deref(), tree.to_string().as_bytes())
}
