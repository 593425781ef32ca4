//! `xpuck check`: files checked without running anything.

use super::experiment::{self, ExperimentFiles};
use super::{advice, arena, check_swarm, file_kind, keys, tree_file};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xpuck_evolve::PrimitiveSet;
use xpuck_experiment::{Calibration, Plan, PlannedPhase, world_file};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_lab::{machine_file, sweep};
use xpuck_wire::Swarm;
use xpuck_wire::keys::{Public, Secret};
use xpuck_wire::{file, output};

/// Check files offline, or a swarm's whole folder: all that is missing or wrong there is listed at once.
///
/// Takes trees (.bt), keys (.key, .pub or their folder), and every kind of TOML file that people write: experiments, worlds,
/// evolution, sweeps, primitive sets, state machines, calibrations, and the files of swarm, hub, arena and robots. What a
/// file is, its keys say. Exit code 1 if anything is wrong.
#[derive(Args)]
pub struct CheckArgs {
    /// Files to check, or folders of swarms or of keys.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// A line about something that is right, or about what is wrong with it.
pub type Found = Result<String, String>;

/// Runs the command: everything is checked, and how much is wrong is told last.
pub fn run(args: &CheckArgs) -> Result<()> {
    let (mut wrong, mut all) = (0, 0);
    for path in &args.files {
        let found = if is_swarm(path) { check_swarm::check(path) } else { vec![one(path)] };
        for found in found {
            all += 1;
            match found {
                Ok(line) => output::line(line)?,
                Err(line) => {
                    wrong += 1;
                    output::note(format_args!("xpuck: {line}"));
                }
            }
        }
    }
    match args.files[..] {
        _ if wrong == 0 => Ok(()),
        [ref folder] if is_swarm(folder) => bail!("{}: {wrong} things are missing or wrong", folder.display()),
        _ => bail!("{wrong} of {all} files are wrong"),
    }
}

/// A folder that is no folder of keys.
fn is_swarm(path: &Path) -> bool {
    path.is_dir() && !path.join("hub.pub").exists() && !path.join("hub.key").exists()
}

/// One file, or a folder of keys.
pub fn one(path: &Path) -> Found {
    match check(path) {
        Ok(what) => Ok(format!("{}: {what}", path.display())),
        Err(error) => Err(advice::sentence(&error)),
    }
}

fn check(path: &Path) -> Result<String> {
    let name = path.display().to_string();
    let called = path.file_name().and_then(|f| f.to_str()).unwrap_or("");
    match path.extension().and_then(|e| e.to_str()) {
        Some("bt") => return tree(path, &name),
        _ if path.is_dir() => return Ok(format!("a folder of {} keys", keys::describe(path)?.lines().count())),
        Some("key") => return Ok(format!("the secret key of {}", Secret::read(path)?.public.name)),
        Some("pub") => return Ok(format!("the public key of {}", Public::read(path)?.name)),
        _ => {}
    }
    let text = file::text(path, file::MAX_TOML)?;
    let named = ["swarm", "hub", "arena", "calibration"].into_iter().find(|kind| called == format!("{kind}.toml"));
    match named.or_else(|| file_kind::of(&text)).unwrap_or("experiment") {
        "swarm" => Ok(format!("a swarm of {}", Swarm::read(path)?.robots.len())),
        "hub" => Ok(format!("a hub for {} robots", xpuck_hub_service::config_file::read(path)?.swarm.robots.len())),
        "calibration" => {
            let found = Calibration::read(path)?;
            let worlds = if found.changes_worlds() { "of the world" } else { "of no world" };
            Ok(format!("a calibration {worlds} and of {} robots", found.robots.len()))
        }
        "arena" => Ok(format!("an arena for {} robots", arena::settings(path)?.robots.len())),
        "world" => Ok(format!("a world, {}", super::world::summary(&world_file::read(path)?))),
        "sweep" => {
            let sweep = sweep::file::read(path)?;
            Ok(format!("the sweep {} of {} settings and {} seeds", sweep.name, sweep.points.len(), sweep.seeds.len()))
        }
        "evolution" => {
            let config = evolution_file::load(Some(path), toml::Table::new())?;
            Ok(format!("a run of evolution on {} islands", config.numbers().len()))
        }
        "machine" => {
            let machine = machine_file::parse(&name, &text)?;
            Ok(format!("a state machine of {} states", machine.states.len()))
        }
        "primitive-set" => {
            PrimitiveSet::parse(&name, &text)?;
            Ok("a primitive set".into())
        }
        "robot" => {
            let xpuckd = std::env::current_exe()?.with_file_name("xpuckd");
            let found = check_swarm::robot(path, Some(&xpuckd).filter(|path| path.exists()).map(PathBuf::as_path));
            match found {
                Ok(_) => Ok("a robot's file".into()),
                Err(why) => bail!("{why}"),
            }
        }
        _ => {
            let ExperimentFiles { experiment, files, .. } = experiment::read(path, BTreeMap::new())?;
            let plan = Plan::new(&experiment, &files, None).with_context(|| name.clone())?;
            Ok(format!("experiment {}", describe(&plan)))
        }
    }
}

fn tree(path: &Path, name: &str) -> Result<String> {
    let text = tree_file::text(path)?;
    let tree = Tree::parse(&text).with_context(|| name.to_string())?;
    tree_file::tell_notes(path, &text);
    let program = Program::compile(&tree).with_context(|| name.to_string())?;
    Ok(format!("a tree of {} nodes, {} with subtrees expanded", tree.nodes().len(), program.len()))
}

/// What an experiment does, in a line.
fn describe(plan: &Plan) -> String {
    let phase = |p: &PlannedPhase| format!("{} {:.1} min of {}", p.name, p.seconds / 60.0, p.world.task.name());
    let phases: Vec<String> = plan.phases.iter().map(phase).collect();
    format!("{} of {:.1} minutes at most: {}", plan.name, plan.seconds() / 60.0, phases.join(", then "))
}
