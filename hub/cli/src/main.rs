//! `xpuck`: the operator's tool and the hub's services.

mod analysis;
mod arena;
mod boards;
mod command;
mod engines;
mod evolution;
mod files;
mod guests;
mod help;
mod link;
mod records;
mod services;
mod swarm;
mod terminal;
mod trees;

use anyhow::{Error, Result};
use clap::{CommandFactory, FromArgMatches, Parser};
use command::renamed::renamed;
use std::process::ExitCode;
use xpuck_wire::{graphics, log, output, signals};

/// Xpuck: a swarm of e-pucks that evolve their own readable controllers at work.
#[derive(Parser)]
#[command(name = "xpuck", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: command::Command,
    /// Show no progress.
    #[arg(long, global = true)]
    quiet: bool,
}

fn main() -> ExitCode {
    graphics::hide_desktop_session();
    help::complete::answer(program);
    signals::survive_large_files();
    log::start(|| ());
    let code = run().unwrap_or_else(|error| {
        log::write_raw(format_args!("xpuck: {}", files::advice::sentence(&error)));
        match error.is::<terminal::WrongArgument>() {
            true => ExitCode::from(2),
            false => ExitCode::FAILURE,
        }
    });
    log::flush();
    code
}

/// Returns the definition of the command line, with examples and grouped commands.
fn program() -> clap::Command {
    numbers_below_zero(help::grouped::grouped(help::examples::with_examples(Cli::command())))
}

/// Allows negative values such as `-3` for options, so that the range check of an option rejects them with its own
/// message.
fn numbers_below_zero(command: clap::Command) -> clap::Command {
    let takes = |arg: clap::Arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    command.mut_args(takes).mut_subcommands(numbers_below_zero)
}

fn run() -> Result<ExitCode> {
    let (words, told) = renamed(std::env::args_os().collect());
    if let Some((old, new)) = told {
        log::write_raw(format_args!("xpuck: `xpuck {old}` is now `xpuck {new}`"));
    }
    let parsed = program().try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches));
    let ended = parsed.map_err(Error::from).and_then(|cli| {
        if cli.quiet {
            terminal::progress::silence();
        }
        command::run(&cli.command)
    });
    // A command that accepts several kinds of files parses its arguments a second time. This can result in an error
    // of clap.
    let error = match ended.map_err(Error::downcast::<clap::Error>) {
        Ok(code) => return Ok(code),
        Err(Err(other)) => return Err(other),
        Err(Ok(error)) => error,
    };
    let error = help::grouped::in_plain_words(help::grouped::elsewhere(&program(), error));
    output::usage(error.print(), error.use_stderr(), error.exit_code()).map_err(Into::into)
}
