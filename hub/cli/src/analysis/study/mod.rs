//! `xpuck study`: answers questions about trees by many simulations.

mod ablate;
mod adapt;
mod branches;
mod hetero;
mod migrate;
mod mix;
pub mod path;
mod perturb;
mod scale;
mod size;
mod transfer;
mod tune;

use crate::analysis::simulate::{ScenarioArg, read_tree};
use crate::engines::engine::{EngineArgs, report};
use crate::files::tree_file::{print, refuse_over, write};
use crate::terminal::print_json;
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use xpuck_experiment::world_file;
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::engine::{ChosenEngine, EngineKind};
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::tree::{Program, RegisterMap};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::study::findings::Findings;
use xpuck_wire::atomic;

/// Study how a tree's fitness depends on the swarm's size, on the other robots and on the start positions.
///
/// Each study runs many simulations and prints a table and a sentence with the result; --svg draws its figure. The
/// numbers do not depend on the number of threads. docs/analysis.md shows each study with its figure.
#[derive(Args)]
pub struct StudyArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Size(size::SizeArgs),
    Mix(mix::MixArgs),
    Hetero(hetero::HeteroArgs),
    Perturb(perturb::PerturbArgs),
    Ablate(ablate::AblateArgs),
    Branches(branches::BranchesArgs),
    Path(path::PathArgs),
    Tune(tune::TuneArgs),
    Migrate(migrate::MigrateArgs),
    Scale(scale::ScaleArgs),
    Adapt(adapt::AdaptArgs),
    Transfer(transfer::TransferArgs),
}

/// Runs `xpuck study`.
pub fn run(args: &StudyArgs) -> Result<()> {
    match &args.what {
        What::Size(args) => size::run(args),
        What::Mix(args) => mix::run(args),
        What::Hetero(args) => hetero::run(args),
        What::Perturb(args) => perturb::run(args),
        What::Ablate(args) => ablate::run(args),
        What::Branches(args) => branches::run(args),
        What::Path(args) => path::run(args),
        What::Tune(args) => tune::run(args),
        What::Migrate(args) => migrate::run(args),
        What::Scale(args) => scale::run(args),
        What::Adapt(args) => adapt::run(args),
        What::Transfer(args) => transfer::run(args),
    }
}

/// Output options of every study.
#[derive(Args)]
struct Output {
    /// Also write the figure as SVG to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Also write the numbers as CSV to this file.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object; hide the progress.
    #[arg(long)]
    json: bool,
}

impl Output {
    /// Rejects an output file that is also an input, two outputs to one file, and an output folder that does not exist.
    fn check<'a>(&'a self, read: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
        self.check_with(read, None)
    }

    /// Does the same checks as `check`, with one more output file.
    fn check_with<'a>(
        &'a self,
        read: impl IntoIterator<Item = &'a PathBuf>,
        further: Option<&'a PathBuf>,
    ) -> Result<()> {
        let written: Vec<&PathBuf> = [self.svg.as_ref(), self.csv.as_ref(), further].into_iter().flatten().collect();
        let mut places = Vec::new();
        for path in &written {
            let folder = atomic::folder(path);
            let Ok(folder) = folder.canonicalize() else {
                bail!("{}: its folder does not exist; create it, or choose another folder", path.display());
            };
            // For a symbolic link, the target is compared, even if the target does not exist yet.
            let place = folder.join(path.file_name().unwrap_or_default());
            let place = std::fs::read_link(&place).map_or(place, |to| folder.join(to));
            if places.contains(&place) {
                bail!(
                    "{}: two results would be written to this file; choose another file for one of them",
                    path.display()
                );
            }
            places.push(place);
        }
        refuse_over(read, written)
    }

    fn open(&self, specs: &[&WorldSpec]) -> Result<ChosenEngine> {
        self.engine.open(EngineKind::Simd, specs)
    }

    /// Writes the requested figure and table, and prints the result: JSON with `--json`, otherwise `text`.
    fn deliver(&self, engine: &ChosenEngine, found: &impl Findings, text: impl FnOnce() -> String) -> Result<()> {
        report(engine);
        if let Some(path) = &self.svg {
            write(path, found.figure().as_bytes())?;
        }
        if let Some(path) = &self.csv {
            write(path, &found.csv()?)?;
        }
        match self.json {
            true => print_json(found),
            false => print(text().as_bytes()),
        }
    }
}

/// Reads a tree and reduces it to an equivalent, faster tree. The returned name for figures is the file's name without
/// extension.
fn program(path: &Path) -> Result<(String, Program)> {
    let tree = read_tree(path, RegisterMap::Full, false)?;
    let program = Program::compile(&tree).with_context(|| format!("tree {}", path.display()))?;
    let reduced = Program::compile(&reduce(&tree, Options { executable: false }).tree);
    let name = path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned());
    Ok((name, reduced.unwrap_or(program)))
}

/// Options that select the world of the simulations.
#[derive(Args)]
struct World {
    /// Start positions of the robots in the benchmark.
    #[arg(long, value_enum, default_value_t = ScenarioArg::Mix, conflicts_with = "world")]
    scenario: ScenarioArg,
    /// World file (.toml) in place of the benchmark.
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
}

/// Options that select the world and the number of robots.
#[derive(Args)]
struct Swarm {
    /// Number of robots, 1 to 256 [default: 9, or the number of the world file].
    #[arg(long = "count", alias = "robots")]
    robots: Option<usize>,
    #[command(flatten)]
    world: World,
}

impl Swarm {
    /// Returns the selected world with the selected number of robots.
    fn spec(&self) -> Result<WorldSpec> {
        self.world.spec(self.robots)
    }

    /// Returns the path of the world file, if there is one.
    fn read(&self) -> Option<&PathBuf> {
        self.world.world.as_ref()
    }
}

impl World {
    /// Returns the selected world with `robots` robots. Without `robots`, the number is that of the world file, or 9.
    fn spec(&self, robots: Option<usize>) -> Result<WorldSpec> {
        if let Some(robots) = robots.filter(|robots| !(1..=MAX_ROBOTS).contains(robots)) {
            wrong_argument!("--count {robots}: must be 1 to {MAX_ROBOTS}");
        }
        let Some(path) = &self.world else { return Ok(self.scenario.spec(robots.unwrap_or(9))) };
        let mut spec = world_file::read(path)?;
        if let Some(robots) = robots {
            spec.robots = robots;
            spec.check().with_context(|| format!("{} with {robots} robots", path.display()))?;
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        output: Output,
    }

    #[test]
    fn two_results_never_go_to_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).display().to_string();
        std::os::unix::fs::symlink("a.svg", path("linked")).unwrap();
        let check = |svg: &str, csv: &str, further: &str| {
            let command = Command::parse_from(["x", "--svg", &path(svg), "--csv", &path(csv)]);
            command.output.check_with([], Some(&PathBuf::from(path(further)))).map_err(|error| error.to_string())
        };
        assert!(check("a.svg", "a.csv", "a.bt").is_ok());
        for (svg, csv, further) in
            [("a.svg", "a.svg", "b"), ("a.svg", "./a.svg", "b"), ("a", "b", "./a"), ("linked", "a.svg", "b")]
        {
            let error = check(svg, csv, further).unwrap_err();
            assert!(error.contains("two results would be written to this file"), "{error}");
        }
        assert!(check("none/a.svg", "b", "c").unwrap_err().contains("its folder does not exist"));
    }
}
