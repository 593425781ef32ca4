//! Checks one file without running anything. The name or the keys of the file determine its kind.

use crate::arena;
use crate::files::advice;
use crate::files::experiment::{self, ExperimentFiles};
use crate::files::file_contents::{self, What};
use crate::files::file_kind;
use crate::files::file_kind::Guess;
use crate::files::guests;
use crate::files::keys;
use crate::files::tree_file;
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xpuck_evolve::PrimitiveSet;
use xpuck_experiment::robot_model::RobotFile;
use xpuck_experiment::tree_file::ReadOptions;
use xpuck_experiment::{Calibration, Plan, PlannedPhase, world_file};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_lab::segments::PrintedRuns;
use xpuck_lab::{machine_file, sweep};
use xpuck_wire::file;
use xpuck_wire::keys::{Public, Secret};
use xpuck_wire::{Swarm, output};

/// Result of a check: a line that describes the valid file, or an error message. Both begin with the path.
pub type CheckResult = Result<String, String>;

/// Checks one file, or a folder of keys.
pub fn one(path: &Path) -> CheckResult {
    match check(path) {
        Ok(what) => Ok(format!("{}: {what}", path.display())),
        Err(error) => Err(advice::sentence(&error)),
    }
}

fn check(path: &Path) -> Result<String> {
    let name = path.display().to_string();
    let called = path.file_name().and_then(|f| f.to_str()).unwrap_or("");
    match path.extension().and_then(|e| e.to_str()) {
        Some("prif" | "urdf") => return guests::check_body(path),
        Some("json") if file_contents::is(path) == What::Body => return guests::check_body(path),
        Some("bt" | "xml" | "btproj" | "json" | "bin") => return of_tree(path, &tree_file::ask(None, false)),
        _ if file_contents::is(path) == What::Automata => {
            bail!("{name}: contains automata; explain them with `xpuck tree explain {name}`")
        }
        _ if path.is_dir() => return Ok(format!("a folder of {} keys", keys::describe(path)?.lines().count())),
        Some("key") => return Ok(format!("the secret key of {}", Secret::read(path)?.public.name)),
        Some("pub") => return Ok(format!("the public key of {}", Public::read(path)?.name)),
        Some("argos") => bail!("{name}: is an ARGoS experiment; convert it with `xpuck world import {name}`"),
        Some("nndf") => {
            bail!("{name}: is a body's brain; check it with `xpuck tree convert BODY --to prif --brain {name}`")
        }
        _ => {}
    }
    let text = file::text(path, file::MAX_TOML)?;
    let named = ["swarm", "hub", "arena", "calibration"].into_iter().find(|kind| called == format!("{kind}.toml"));
    let Guess { kind, why } = match named {
        Some(kind) => Guess { kind, why: None },
        None => file_kind::guess(&name, &text).map_err(|error| match Tree::parse(&text) {
            Ok(_) => anyhow!("{name}: is a behaviour tree; its file name must end in .bt"),
            Err(_) => error.into(),
        })?,
    };
    of_kind(kind, path, &text).map_err(|error| match why {
        Some(why) => anyhow!("{}; {why}", advice::sentence(&error)),
        None => error,
    })
}

/// Checks the text of a TOML file as the given kind of file, and describes the file.
fn of_kind(kind: &str, path: &Path, text: &str) -> Result<String> {
    let name = path.display().to_string();
    match kind {
        "swarm" => Ok(format!("a swarm of {}", Swarm::read(path)?.robots.len())),
        "hub" => Ok(format!("a hub for {} robots", xpuck_hub_service::config_file::read(path)?.swarm.robots.len())),
        "calibration" => {
            let found = Calibration::read(path)?;
            let worlds = if found.changes_worlds() { "of the world and" } else { "only" };
            Ok(format!("a calibration {worlds} of {} robots", found.robots.len()))
        }
        "arena" if !text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("swarm")) => {
            arena::UnkindFile::named(&name)?.check().with_context(|| name.clone())?;
            Ok("adverse conditions of a virtual arena, for `--unkind`".into())
        }
        "arena" => Ok(format!("an arena for {} robots", arena::settings(path)?.robots.len())),
        "world" => Ok(format!("a world, {}", crate::analysis::world_explain::summary(&world_file::read(path)?))),
        "sweep" => {
            let sweep = sweep::file::read(path)?;
            sweep::folder::check(&sweep, |path| sweep::evolution::has_function(path).map(drop))?;
            let settings = output::count(sweep.points.len(), "setting", "settings");
            Ok(format!(
                "the sweep {} of {settings} and {}",
                sweep.name,
                output::count(sweep.seeds.len(), "seed", "seeds")
            ))
        }
        "evolution" => {
            let config = evolution_file::load_any(Some(path), toml::Table::new())?;
            Ok(format!("a run of evolution on {} islands", config.numbers().len()))
        }
        "machine" => {
            let machine = machine_file::parse(&name, text)?;
            Ok(format!("a state machine of {} states", machine.states.len()))
        }
        "robot-model" => {
            let robot = RobotFile::check(&name, text)?;
            Ok(format!("a robot model: radius {} m, {} m/s", robot.shape.radius, robot.model.wheels.max_speed))
        }
        "primitive-set" => {
            PrimitiveSet::parse(&name, text)?;
            Ok("a primitive set".into())
        }
        "printed" => Ok(format!("{} printed runs", PrintedRuns::read(path)?.runs.len())),
        "robot" => {
            let xpuckd = std::env::current_exe()?.with_file_name("xpuckd");
            let found = robot(path, Some(&xpuckd).filter(|path| path.exists()).map(PathBuf::as_path));
            match found {
                Ok(_) => Ok("a robot's file".into()),
                Err(why) => bail!("{why}"),
            }
        }
        _ => {
            if let Some(found) = guests::check(kind, path) {
                return found;
            }
            let ExperimentFiles { experiment, files, .. } = experiment::read(path, BTreeMap::new())?;
            let plan = Plan::new(&experiment, &files, None).with_context(|| name.clone())?;
            Ok(format!("experiment {}", describe(&plan)))
        }
    }
}

/// Checks a tree file. `asked` has the options with which the tree is read.
pub fn tree(path: &Path, asked: &ReadOptions<'_>) -> CheckResult {
    match of_tree(path, asked) {
        Ok(what) => Ok(format!("{}: {what}", path.display())),
        Err(error) => Err(advice::sentence(&error)),
    }
}

fn of_tree(path: &Path, asked: &ReadOptions<'_>) -> Result<String> {
    let name = path.display();
    let tree = tree_file::read_either(path, asked)?;
    if tree.nodes().iter().any(|node| node.kind.is_kilobots_own()) {
        return guests::check_kilobot_tree(&tree).with_context(|| name.to_string());
    }
    let program = Program::compile(&tree).with_context(|| name.to_string())?;
    let (nodes, free) = (output::count(tree.nodes().len(), "node", "nodes"), 100.0 * program.parsimony());
    Ok(format!("a tree of {nodes}, {} with subtrees expanded; {free:.1} % of a robot's memory is free", program.len()))
}

/// Describes an experiment in one line.
fn describe(plan: &Plan) -> String {
    let phase = |p: &PlannedPhase| format!("{} {:.1} min of {}", p.name, p.seconds / 60.0, p.world.task.name());
    let phases: Vec<String> = plan.phases.iter().map(phase).collect();
    let robots = |spec: &WorldSpec| output::count(spec.robots, "robot", "robots");
    let steps: Vec<String> = plan.steps.iter().map(|step| format!("{} of {}", step.name, robots(&step.spec))).collect();
    let steps =
        if steps.is_empty() { String::new() } else { format!("; islands begin with {}", steps.join(", then ")) };
    format!("{} of {:.1} minutes at most: {}{steps}", plan.name, plan.seconds() / 60.0, phases.join(", then "))
}

/// Checks a robot's file by running `xpuckd --check`, because only the robot's program can read this kind of file.
/// If `xpuckd` is `None`, the file is not checked.
pub fn robot(path: &Path, xpuckd: Option<&Path>) -> CheckResult {
    let Some(xpuckd) = xpuckd else {
        return Ok(format!("{}: a robot's file; `xpuckd --check --config` checks it", path.display()));
    };
    let output = Command::new(xpuckd).args(["--check", "--config"]).arg(path).stdin(Stdio::null()).output();
    match output {
        Err(error) => Err(format!("{}: cannot be started: {error}", xpuckd.display())),
        Ok(output) if output.status.success() => Ok(format!("{}: a robot's file", path.display())),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().next().unwrap_or("xpuckd rejects it").to_string();
            Err(line.strip_prefix("xpuckd: ").unwrap_or(&line).to_string())
        }
    }
}
