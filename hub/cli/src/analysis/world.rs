//! `xpuck world`: world files.

use crate::analysis::world_elsewhere::{ExportArgs, ImportArgs, export, import};
use crate::files::tree_file::deliver;
use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::output::count;

/// Worlds for the simulator: arenas, walls, discs, starts and tasks as TOML files (docs/worlds.md).
#[derive(Args)]
pub struct WorldArgs {
    #[command(subcommand)]
    command: WorldCommand,
}

#[derive(Subcommand)]
enum WorldCommand {
    New(NewArgs),
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Create an example world file: a task in its arena, with comments.
#[derive(Args)]
struct NewArgs {
    /// Task of the world.
    #[arg(value_parser = PossibleValuesParser::new(EXAMPLES.map(|(name, _)| name)))]
    task: String,
    /// File to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Name of each task, with its example world from docs/worlds/.
const EXAMPLES: [(&str, &str); 7] = [
    ("aggregation", include_str!("../../../../docs/worlds/aggregation.toml")),
    ("clutter", include_str!("../../../../docs/worlds/clutter.toml")),
    ("coverage", include_str!("../../../../docs/worlds/coverage.toml")),
    ("dispersion", include_str!("../../../../docs/worlds/dispersion.toml")),
    ("foraging", include_str!("../../../../docs/worlds/foraging.toml")),
    ("phototaxis", include_str!("../../../../docs/worlds/phototaxis.toml")),
    ("transport", include_str!("../../../../docs/worlds/transport.toml")),
];

/// Runs `xpuck world`.
///
/// # Errors
/// A file is invalid or cannot be written.
pub fn run(args: &WorldArgs) -> Result<()> {
    match &args.command {
        WorldCommand::New(args) => new(args),
        WorldCommand::Export(args) => export(args),
        WorldCommand::Import(args) => import(args),
    }
}

fn new(args: &NewArgs) -> Result<()> {
    if let Some(path) = args.output.as_ref().filter(|path| path.exists()) {
        bail!("{}: already exists; choose another file", path.display());
    }
    let found = EXAMPLES.iter().find(|(name, _)| *name == args.task);
    deliver(args.output.as_deref(), found.map_or("", |(_, text)| text).as_bytes())
}

/// Returns a summary of a world in one line.
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
