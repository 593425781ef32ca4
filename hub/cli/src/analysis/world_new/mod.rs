//! `xpuck world new`: example worlds by name, and worlds from the answers to a few questions.

mod answers;
mod examples;
mod interview;
mod text;

use crate::files::tree_file::deliver;
use crate::terminal::wrong_argument;
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use examples::EXAMPLES;
use interview::Interview;
use std::io::IsTerminal;
use std::path::PathBuf;
use xpuck_experiment::world_file;
use xpuck_wire::output;

/// Create a world file with comments: an example by its name, or a world from the answers to a few questions.
///
/// Without a name, the command asks on a terminal: what the robots are to do, how many there are, the arena, and when the
/// score counts. An empty answer selects the value in brackets.
#[derive(Args)]
pub struct NewArgs {
    /// Task or mission of the world [default: asked on a terminal].
    #[arg(value_parser = PossibleValuesParser::new(EXAMPLES.map(|(name, _)| name)))]
    task: Option<String>,
    /// Ask the questions even if standard input is not a terminal: one answer in each line.
    #[arg(long, conflicts_with = "task")]
    ask: bool,
    /// File to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs `xpuck world new`.
///
/// # Errors
/// The file exists or cannot be written, or a question has no valid answer.
pub fn new(args: &NewArgs) -> Result<()> {
    if let Some(path) = args.output.as_ref().filter(|path| path.exists()) {
        bail!("{}: already exists; choose another file", path.display());
    }
    let text = match &args.task {
        Some(task) => {
            let found = EXAMPLES.iter().find(|(name, _)| name == task);
            found.map_or("", |(_, text)| text).to_string()
        }
        None if args.ask || std::io::stdin().is_terminal() => asked()?,
        None => wrong_argument!(
            "no mission, and no terminal to ask; name a mission (`xpuck world new --help` lists them), or answer the \
             questions on standard input with --ask"
        ),
    };
    deliver(args.output.as_deref(), text.as_bytes())
}

/// Returns the world file from answers on standard input. Questions are shown on standard error.
fn asked() -> Result<String> {
    let mut show = |line: &str| output::print_error(line);
    let mut interview = Interview { answers: &mut std::io::stdin().lock(), show: &mut show };
    let text = text::world(&answers::ask(&mut interview)?);
    if let Err(error) = world_file::parse("the new world", &text) {
        output::print_error(format_args!("xpuck: the world must be corrected before it can run: {error}"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
