//! `xpuck dev completions` and `xpuck dev man`: what the definition of the command line says, for shells and for `man`.

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::env::Shells;
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

/// Runs `completions`.
pub fn completions(args: &CompletionsArgs) -> Result<()> {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell).with_context(|| format!("{shell}: there is no completion for it"))?;
    let mut script = Vec::new();
    completer.write_registration("COMPLETE", "xpuck", "xpuck", "xpuck", &mut script)?;
    Ok(output::bytes(&script)?)
}

/// Runs `man`.
pub fn man(args: &ManArgs, program: Command) -> Result<()> {
    let write =
        || std::fs::create_dir_all(&args.directory).and_then(|()| clap_mangen::generate_to(program, &args.directory));
    write().with_context(|| args.directory.display().to_string())
}
