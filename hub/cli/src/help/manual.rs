//! `xpuck dev completions` and `xpuck dev man`: what the definition of the command line says, for shells and for `man`.

use anyhow::{Context, Result};
use clap::{Args, Command};
use std::path::PathBuf;
use xpuck_wire::output;

/// Print what makes a shell complete commands and options: `xpuck dev completions bash > .../completions/xpuck`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Write manual pages, one for each command: `xpuck dev man /usr/local/share/man/man1`.
#[derive(Args)]
pub struct ManArgs {
    /// The folder for the pages; it is made if it is missing.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Runs `completions`; `program` is the whole command line's definition.
pub fn completions(args: &CompletionsArgs, mut program: Command) -> Result<()> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    Ok(output::bytes(&script)?)
}

/// Runs `man`.
pub fn man(args: &ManArgs, program: Command) -> Result<()> {
    let write =
        || std::fs::create_dir_all(&args.directory).and_then(|()| clap_mangen::generate_to(program, &args.directory));
    write().with_context(|| args.directory.display().to_string())
}
