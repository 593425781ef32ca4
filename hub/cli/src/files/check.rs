//! `xpuck check`: checks files without running anything.

use crate::files::check_file::{one, tree};
use crate::files::check_swarm;
use crate::files::tree_file::{From, ask};
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use xpuck_experiment::tree_file::ReadOptions;
use xpuck_wire::{escape, output};

/// Check files offline, or a swarm's whole folder, and list all errors and missing files at once.
///
/// The command accepts trees (.bt, .xml, .btproj, .json, .bin), bodies (.prif, .urdf), and keys (.key, .pub or their
/// folder). It also accepts every kind of TOML file that users write: experiments, worlds, evolution, sweeps,
/// primitive sets, state machines, calibrations, and the files of swarm, hub, arena and robots. The keys of a TOML
/// file determine its kind. The exit code is 1 if anything is wrong.
#[derive(Args)]
pub struct CheckArgs {
    /// Files to check, or folders of swarms or of keys.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Format of a tree file [default: by its extension].
    #[arg(long, value_enum)]
    from: Option<From>,
    /// ID of the tree, if an XML file contains several trees that no other tree uses.
    #[arg(long, value_name = "ID")]
    tree: Option<String>,
    /// Print a JSON list: for each file whether it is valid, and its description or errors.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Checked {
    right: bool,
    text: String,
}

/// Checks all given files and folders, prints each error, and reports the number of errors at the end.
pub fn run(args: &CheckArgs) -> Result<()> {
    let asked = ReadOptions { tree: args.tree.as_deref(), ..ask(args.from, false) };
    let is_tree = args.from.is_some() || args.tree.is_some();
    let (mut wrong, mut checked) = (0, Vec::new());
    for path in &args.files {
        let found = match () {
            () if is_tree => vec![tree(path, &asked)],
            () if is_swarm(path) => check_swarm::check(path),
            () => vec![one(path)],
        };
        for found in found {
            let right = found.is_ok();
            wrong += usize::from(!right);
            let text = found.unwrap_or_else(|wrong| wrong);
            match right {
                true if !args.json => output::line(escape(&text))?,
                false => {
                    // Each error in a tree has its own line, followed by lines that mark the place in the text.
                    let lines: Vec<String> = text.lines().map(|line| escape(line).to_string()).collect();
                    output::print_error(format_args!("xpuck: {}", lines.join("\n")));
                }
                true => {}
            }
            checked.push(Checked { right, text });
        }
    }
    let all = checked.len();
    if args.json {
        print_json(&checked)?;
    }
    match args.files[..] {
        _ if wrong == 0 => Ok(()),
        [ref folder] if is_swarm(folder) => {
            let things = output::count(wrong, "item is", "items are");
            bail!("{}: {things} missing or wrong", folder.display())
        }
        _ => bail!("{}", output::wrong_files(wrong, all)),
    }
}

/// Returns whether a path is a swarm's folder. Every folder counts as a swarm's folder, unless it contains a hub key or
/// its name ends in `.bt`.
fn is_swarm(path: &Path) -> bool {
    let tree = path.extension().is_some_and(|extension| extension == "bt");
    path.is_dir() && !tree && !path.join("hub.pub").exists() && !path.join("hub.key").exists()
}
