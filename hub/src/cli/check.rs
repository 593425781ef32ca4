//! `xpuck check`: files checked without running anything.

use super::experiment::{self, ExperimentFiles};
use super::{arena, keys};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xpuck_experiment::{Calibration, Plan, PlannedPhase};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_wire::Swarm;
use xpuck_wire::keys::{Public, Secret};
use xpuck_wire::output::count;
use xpuck_wire::{file, output};

/// Check files offline: trees (.bt), experiments, keys (.key, .pub or their folder), and swarm.toml, hub.toml, arena.toml and calibration.toml by their names.
///
/// A robot's file is checked by `xpuckd --check --config FILE`, a world by `xpuck world check FILE`.
#[derive(Args)]
pub struct CheckArgs {
    /// Files to check.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Runs the command: every file is checked, and the first error is reported last.
pub fn run(args: &CheckArgs) -> Result<()> {
    let mut failed = 0;
    for file in &args.files {
        match check(file) {
            Ok(what) => output::line(format_args!("{}: {what}", file.display()))?,
            Err(error) => {
                failed += 1;
                output::note(format_args!("xpuck: {}", output::sentence(error.as_ref())));
            }
        }
    }
    if failed > 0 {
        bail!("{}", output::wrong_files(failed, args.files.len()));
    }
    Ok(())
}

fn check(path: &Path) -> Result<String> {
    let name = path.display().to_string();
    let read = || file::text(path, file::MAX_TOML);
    let called = path.file_name().and_then(|f| f.to_str()).unwrap_or("");
    if path.extension().is_some_and(|e| e == "bt") {
        let tree = Tree::parse(&read()?).with_context(|| name.clone())?;
        let program = Program::compile(&tree).with_context(|| name.clone())?;
        let nodes = count(tree.nodes().len(), "node", "nodes");
        return Ok(format!("a tree of {nodes}, {} with subtrees expanded", program.len()));
    }
    if path.is_dir() {
        return Ok(format!("a folder of {}", count(keys::describe(path)?.lines().count(), "key", "keys")));
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("key") => return Ok(format!("the secret key of {}", Secret::read(path)?.public.name)),
        Some("pub") => return Ok(format!("the public key of {}", Public::read(path)?.name)),
        _ => {}
    }
    match called {
        "swarm.toml" => Ok(format!("a swarm of {}", Swarm::read(path)?.robots.len())),
        "hub.toml" => {
            Ok(format!("a hub for {}", robots(xpuck_hub_service::config_file::read(path)?.swarm.robots.len())))
        }
        "calibration.toml" => {
            let found = Calibration::read(path)?;
            let worlds = if found.changes_worlds() { "of the world" } else { "of no world" };
            Ok(format!("a calibration {worlds} and of {}", robots(found.robots.len())))
        }
        "arena.toml" => Ok(format!("an arena for {}", robots(arena::settings(path)?.robots.len()))),
        _ => {
            let ExperimentFiles { experiment, files, .. } = experiment::read(path, BTreeMap::new())?;
            let plan = Plan::new(&experiment, &files, None).with_context(|| name.clone())?;
            Ok(format!("experiment {}", describe(&plan)))
        }
    }
}

fn robots(number: usize) -> String {
    count(number, "robot", "robots")
}

/// What an experiment does, in a line.
fn describe(plan: &Plan) -> String {
    let phase = |p: &PlannedPhase| format!("{} {:.1} min of {}", p.name, p.seconds / 60.0, p.world.task.name());
    let phases: Vec<String> = plan.phases.iter().map(phase).collect();
    format!("{} of {:.1} minutes at most: {}", plan.name, plan.seconds() / 60.0, phases.join(", then "))
}
