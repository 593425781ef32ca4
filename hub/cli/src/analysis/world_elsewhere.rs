//! `xpuck world export`: worlds for other simulators.

use crate::analysis::mix::Mix;
use crate::analysis::simulate::{check_robot, read_tree};
use crate::files::tree_file::refuse_over;
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use xpuck_experiment::world_file;
use xpuck_kernels::tree::{Program, RegisterMap};
use xpuck_lab::exchange::{self, Export};
use xpuck_wire::{atomic, file, output};

/// Maximum number of runs of an export. An export has one file per run.
const MOST_RUNS: u32 = 10_000;
/// Maximum size of an existing file that is searched for the mark of an earlier export (bytes).
const LONGEST_MARKED: u64 = 16 << 20;

/// Write a world and its trees for another simulator.
///
/// For ARGoS 3, the result is one experiment per run and a C++ library to build with cmake. The experiments use the
/// e-puck of ARGoS. The library contains the trees as a table, this project's camera model, and the score of transport
/// tasks. For Webots, the result is one world per run and a Python controller for the E-puck of Webots. Robots and
/// discs start as in `xpuck simulate` with the same run and seed. Features that the other simulator lacks are listed
/// (docs/transfer/argos.md).
#[derive(Args)]
pub struct ExportArgs {
    /// World file.
    file: PathBuf,
    /// Target simulator.
    #[arg(long, value_enum)]
    to: Simulator,
    /// File with the tree (.bt, .xml, .json or .bin) that all robots run.
    #[arg(long, required_unless_present = "mix", conflicts_with = "mix")]
    tree: Option<PathBuf>,
    /// Swarm of several trees in place of --tree: `7:a.bt,2:b.bt` is seven robots with a.bt, then two with b.bt.
    #[arg(long, value_name = "COUNT:FILE,...")]
    mix: Option<Mix>,
    /// Folder to write into; files of an earlier export are replaced.
    #[arg(short, long = "output", alias = "out", value_name = "DIR")]
    out: PathBuf,
    /// Number of runs.
    #[arg(long, default_value_t = 1)]
    runs: u32,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Simulators to which worlds can be exported.
#[derive(Clone, Copy, ValueEnum)]
enum Simulator {
    /// ARGoS 3, with its own e-puck.
    Argos,
    /// Webots R2023b, with its E-puck.
    Webots,
}

/// Runs `xpuck world export`.
pub fn export(args: &ExportArgs) -> Result<()> {
    let spec = world_file::read(&args.file)?;
    ensure!((1..=MOST_RUNS).contains(&args.runs), "--runs {}: must be 1 to {MOST_RUNS}", args.runs);
    ensure!((0.1..=36_000.0).contains(&args.seconds), "--seconds {}: must be 0.1 to 36000", args.seconds);
    let files: Vec<(usize, &PathBuf)> = match (&args.mix, &args.tree) {
        (Some(mix), _) if mix.robots() != spec.robots => {
            bail!("--mix has {} robots and {} has {}; make them equal", mix.robots(), args.file.display(), spec.robots)
        }
        (Some(mix), _) => mix.0.iter().map(|(count, path)| (*count, path)).collect(),
        (None, tree) => tree.iter().map(|path| (spec.robots, path)).collect(),
    };
    let part = |(count, path): (usize, &PathBuf)| -> Result<(usize, Program)> {
        let tree = read_tree(path, RegisterMap::Full, false)?;
        let program = Program::compile(&tree).with_context(|| format!("tree {}", path.display()))?;
        check_robot(&spec, &program, path)?;
        Ok((count, program))
    };
    let parts = files.iter().copied().map(part).collect::<Result<Vec<_>>>()?;
    let export = Export { spec: &spec, parts: &parts, seed: args.seed, runs: args.runs, seconds: args.seconds };
    let made = match args.to {
        Simulator::Argos => exchange::argos::files(&export),
        Simulator::Webots => exchange::webots::files(&export),
    };
    let written: Vec<PathBuf> = made.iter().map(|made| args.out.join(&made.path)).collect();
    refuse_over(files.iter().map(|(_, path)| *path).chain([&args.file]), &written)?;
    let texts = written.iter().map(PathBuf::as_path).zip(made.iter().map(|made| made.text.as_str()));
    refuse_foreign(texts)?;
    for (path, made) in written.iter().zip(&made) {
        let folder = path.parent().unwrap_or(&args.out);
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
        let written = atomic::write_user_file(path, made.text.as_bytes());
        written.with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    for note in export.notes() {
        output::print_error(format_args!("xpuck: note: {note}"));
    }
    let next = match args.to {
        Simulator::Argos => "build it with cmake and run argos3 -c in the folder",
        Simulator::Webots => "open a world in its folder `worlds`",
    };
    output::line(format_args!("{}: {}; {next}", args.out.display(), output::count(made.len(), "file", "files")))?;
    Ok(())
}

/// Checks that existing files may be replaced: at least one of them must have the mark of an earlier export.
///
/// # Errors
/// A file exists, and no file has the mark. The error names the first existing file.
fn refuse_foreign<'a>(made: impl Iterator<Item = (&'a Path, &'a str)> + Clone) -> Result<()> {
    const MARK: &str = "made by `xpuck world export`";
    let is_marked = |path: &Path| file::text(path, LONGEST_MARKED).is_ok_and(|text| text.contains(MARK));
    if made.clone().any(|(path, text)| text.contains(MARK) && is_marked(path)) {
        return Ok(());
    }
    match made.into_iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        Some((path, _)) => {
            bail!("{} exists and is not from an earlier export; choose another folder with --output", path.display())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_earlier_export_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [trees, build] = ["trees.hpp", "CMakeLists.txt"].map(|name| folder.path().join(name));
        let made = [(&*trees, "// Trees, made by `xpuck world export`"), (&*build, "project(x)")];
        let refused = || refuse_foreign(made.iter().copied()).map_err(|error| error.to_string());
        assert_eq!(refused(), Ok(()));
        std::fs::write(&build, "mine").unwrap();
        assert!(refused().unwrap_err().contains("CMakeLists.txt exists and is not from an earlier export"));
        std::fs::write(&trees, made[0].1).unwrap();
        assert_eq!(refused(), Ok(()));
    }
}
