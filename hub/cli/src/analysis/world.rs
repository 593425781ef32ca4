//! `xpuck world`: world files.

use crate::analysis::world_elsewhere::{ExportArgs, ImportArgs, export, import};
use crate::files::advice;
use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use xpuck_experiment::world_file;
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::output::{self, count};

/// Worlds for the simulator: arenas, walls, discs, starts and tasks as TOML files (docs/worlds.md).
#[derive(Args)]
pub struct WorldArgs {
    #[command(subcommand)]
    command: WorldCommand,
}

#[derive(Subcommand)]
enum WorldCommand {
    Check(CheckArgs),
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Check world files without running anything.
///
/// Every number must be in its range, everything inside the arena, and no body in another or in a wall; starts at
/// random places are tried out. An error names the file and what is wrong there.
#[derive(Args)]
struct CheckArgs {
    /// World files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: &WorldArgs) -> Result<()> {
    match &args.command {
        WorldCommand::Check(CheckArgs { files }) => check(files),
        WorldCommand::Export(args) => export(args),
        WorldCommand::Import(args) => import(args),
    }
}

/// Every file is checked, and how many are wrong is told last.
fn check(files: &[PathBuf]) -> Result<()> {
    let mut failed = 0;
    for file in files {
        match world_file::read(file) {
            Ok(spec) => output::line(format_args!("{}: {}", file.display(), summary(&spec)))?,
            Err(error) => {
                failed += 1;
                output::note(format_args!("xpuck: {}", advice::sentence(&error.into())));
            }
        }
    }
    if failed > 0 {
        bail!("{}", output::wrong_files(failed, files.len()));
    }
    Ok(())
}

/// What a world is, in a line.
pub fn summary(spec: &WorldSpec) -> String {
    let (hx, hy) = spec.physics.half_arena;
    let parts = [
        count(spec.robots, "robot", "robots"),
        count(spec.discs.len(), "disc", "discs"),
        count(spec.physics.walls.len(), "inner wall", "inner walls"),
        count(spec.patches.len(), "patch", "patches"),
        count(spec.starts.len(), "start", "starts"),
    ];
    let more = [(spec.lighting.lights.len(), "light"), (spec.tags.list.len(), "tag")];
    let more = more.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(n, what, &format!("{what}s")));
    let parts: Vec<String> = parts.into_iter().chain(more).collect();
    format!("{} in {} m x {} m: {}", spec.task.name(), 2.0 * hx, 2.0 * hy, parts.join(", "))
}
