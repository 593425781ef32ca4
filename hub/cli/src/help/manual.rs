//! `xpuck dev completions` and `xpuck dev man`: shell completions and manual pages, generated from the definition of
//! the commands.

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::env::Shells;
use std::path::PathBuf;
use xpuck_wire::output;

/// Print the script that completes commands and options in a shell: `xpuck dev completions bash >
/// .../completions/xpuck`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// Name of the shell.
    shell: clap_complete::Shell,
}

/// Write manual pages, one for each command: `xpuck dev man /usr/local/share/man/man1`.
#[derive(Args)]
pub struct ManArgs {
    /// Folder for the pages; it is created if it is missing.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Runs `xpuck dev completions`.
pub fn completions(args: &CompletionsArgs) -> Result<()> {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell).with_context(|| format!("{shell}: no completion is available"))?;
    let mut script = Vec::new();
    completer.write_registration("COMPLETE", "xpuck", "xpuck", "xpuck", &mut script)?;
    Ok(output::bytes(&script)?)
}

/// Runs `xpuck dev man`.
pub fn man(args: &ManArgs, program: Command) -> Result<()> {
    let write =
        || std::fs::create_dir_all(&args.directory).and_then(|()| clap_mangen::generate_to(program, &args.directory));
    write().with_context(|| args.directory.display().to_string())
}
