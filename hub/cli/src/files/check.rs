//! `xpuck check`: files checked without running anything.

use crate::files::check_file::one;
use crate::files::check_swarm;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use xpuck_wire::{output, plain};

/// Check files offline, or a swarm's whole folder: all that is missing or wrong there is listed at once.
///
/// Takes trees (.bt, .xml, .btproj, .json, .bin), keys (.key, .pub or their folder), and every kind of TOML file that people write: experiments, worlds,
/// evolution, sweeps, primitive sets, state machines, calibrations, and the files of swarm, hub, arena and robots. What a
/// file is, its keys say. Exit code 1 if anything is wrong.
#[derive(Args)]
pub struct CheckArgs {
    /// Files to check, or folders of swarms or of keys.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Runs the command: everything is checked, and how much is wrong is told last.
pub fn run(args: &CheckArgs) -> Result<()> {
    let (mut wrong, mut all) = (0, 0);
    for path in &args.files {
        let found = if is_swarm(path) { check_swarm::check(path) } else { vec![one(path)] };
        for found in found {
            all += 1;
            match found {
                Ok(line) => output::line(plain(&line))?,
                Err(line) => {
                    wrong += 1;
                    // A tree's faults have a line each, with what they are about below.
                    let lines: Vec<String> = line.lines().map(|line| plain(line).to_string()).collect();
                    output::note(format_args!("xpuck: {}", lines.join("\n")));
                }
            }
        }
    }
    match args.files[..] {
        _ if wrong == 0 => Ok(()),
        [ref folder] if is_swarm(folder) => {
            let things = output::count(wrong, "thing is", "things are");
            bail!("{}: {things} missing or wrong", folder.display())
        }
        _ => bail!("{}", output::wrong_files(wrong, all)),
    }
}

/// A folder that is no folder of keys, and has no name as trees have.
fn is_swarm(path: &Path) -> bool {
    let tree = path.extension().is_some_and(|extension| extension == "bt");
    path.is_dir() && !tree && !path.join("hub.pub").exists() && !path.join("hub.key").exists()
}
