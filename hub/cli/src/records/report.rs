//! `xpuck runs report`: makes a page about recorded runs of a swarm.

use crate::engines::engine::{EngineArgs, report};
use crate::files::results::other_kind;
use crate::records::runs::{find, print, print_problems};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xpuck_hub_service::recovery;
use xpuck_kernels::engine::EngineKind;
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::report::collect::{RunFacts, collect_all};
use xpuck_lab::report::scaling::Single;
use xpuck_lab::report::write::Place;
use xpuck_lab::report::{Options, Report, make};
use xpuck_record::run_file::RunState;
use xpuck_stats::som::Topology;
use xpuck_wire::output;

/// Maximum number of runs in a report.
const MOST: usize = 500;

/// Make a report of runs of a swarm: one page with figures, and its numbers as CSV and Parquet.
///
/// Contents: which runs count; real and evolved fitness by segment; benefit of several islands; a map of the swarm's
/// behaviour; the final trees with their fitness, explanation and lineage; mixtures of trees; simulation compared
/// with reality; recorded senses compared with poses; and world parameters estimated by adaptive robots (thesis 7.3,
/// 8.4 to 8.7, 9.2.1). The page needs no network connection. All runs must be of one experiment. A run that cannot be
/// read, or is given twice, is reported and omitted, and the exit code is 1.
#[derive(Args)]
pub struct ReportArgs {
    /// Runs: `last`, ids as in `xpuck runs list`, or folders.
    #[arg(required = true, value_name = "RUN")]
    chosen: Vec<String>,
    /// Folder for the report: new, empty, or with an earlier report, which is replaced.
    #[arg(short, long = "output", alias = "out", value_name = "DIR")]
    out: PathBuf,
    /// Run of a single island (`xpuck evolve --islands 1 --output`) as the baseline for several islands (Eq. 8.4).
    #[arg(long, value_name = "DIR")]
    single: Option<PathBuf>,
    /// Number of simulations (60 s each) of each tree and of each swarm, 2 to 100000.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    simulations: u32,
    /// Seed of the simulations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Cell shape of the behaviour map.
    #[arg(long, value_enum, default_value_t = GridArg::Hexagonal)]
    grid: GridArg,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print the results as one JSON object, without progress.
    #[arg(long)]
    json: bool,
}

/// Cell shapes of the behaviour map.
#[derive(Clone, Copy, ValueEnum)]
enum GridArg {
    /// Hexagonal cells, with six neighbours each.
    Hexagonal,
    /// Square cells, with four neighbours each.
    Square,
}

/// Runs the command.
pub fn run(args: &ReportArgs, records: &Path) -> Result<()> {
    if args.chosen.len() > MOST {
        bail!("{} runs are given; a report has at most {MOST}", args.chosen.len());
    }
    if let Some(told) = args.chosen.iter().find_map(|folder| other_kind(Path::new(folder))) {
        bail!(told);
    }
    let folders: Vec<PathBuf> = args.chosen.iter().map(|run| find(records, run)).collect::<Result<_>>()?;
    let place = Place::prepare(&args.out).context("--output")?;
    let single = args.single.as_deref().map(Single::read).transpose()?;
    let (runs, left_out) = read(&folders, args.json);
    print_problems(&left_out);
    let damage = runs.iter().flat_map(|run| run.damage.iter().map(|damage| format!("{}: {damage}", run.name)));
    print_problems(&damage.collect::<Vec<_>>());
    if runs.is_empty() {
        bail!("no run could be read");
    }
    let specs: Vec<&WorldSpec> = runs.iter().map(|run| run.world.as_ref()).collect();
    let engine = args.engine.open(EngineKind::Simd, &specs)?;
    let topology = match args.grid {
        GridArg::Hexagonal => Topology::Hexagonal,
        GridArg::Square => Topology::Rectangular,
    };
    let options = Options { simulations: args.simulations, seed: args.seed, topology, single };
    let progress = Progress::steps("tree or swarm", 1, args.json);

    let watch = |done: usize, total: usize| progress.set(done as u64, total as u64);
    let made = make(&engine, &runs, &options, &command(args), watch);
    drop(progress);
    let made = made.map_err(anyhow::Error::msg)?;
    report(&engine);
    let page = place.write(&made).context("--output")?;
    match args.json {
        true => {
            let (runs, left_out, results) = (runs.len(), &left_out, &made.results);
            print_json(&ReportOutput { page: &page, runs, left_out, results })?;
        }
        false => print(&text(&made, &page))?,
    }
    match left_out.len() {
        0 => Ok(()),
        1 => bail!("1 run was left out"),
        n => bail!("{n} runs were left out"),
    }
}

/// Page and results of a report, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct ReportOutput<'a> {
    /// Path of the report's page.
    page: &'a Path,
    /// Number of runs in the report.
    runs: usize,
    /// Error messages for the runs that were left out, one for each.
    left_out: &'a [String],
    /// Titles of the sections, each with the lines of its results.
    results: &'a [(String, Vec<String>)],
}

/// Reads recorded runs. Returns the runs for the report, and one error line for each run that is left out.
fn read(folders: &[PathBuf], quiet: bool) -> (Vec<RunFacts>, Vec<String>) {
    let progress = Progress::steps("run", folders.len() as u64, quiet);
    let (mut runs, mut left_out) = (Vec::new(), Vec::new());
    for (folder, run) in folders.iter().zip(collect_all(folders, || progress.inc())) {
        match run {
            Ok(run) if runs.iter().any(|other: &RunFacts| same(other, &run)) => {
                left_out.push(format!("{}: is given twice, or is a copy of another run", folder.display()));
            }
            Ok(run) if run.state == RunState::Running && recovery::is_written(folder).unwrap_or(false) => {
                left_out.push(format!("{}: is still running; make its report after its end", folder.display()));
            }
            Ok(run) => runs.push(run),
            Err(error) => left_out.push(format!("{}: {}", folder.display(), output::error_chain(&error))),
        }
    }
    (runs, left_out)
}

/// Returns whether two folders contain the same run: start time, seed and experiment are equal.
fn same(a: &RunFacts, b: &RunFacts) -> bool {
    (a.started_unix_ms, a.seed, &a.experiment) == (b.started_unix_ms, b.seed, &b.experiment)
}

fn command(args: &ReportArgs) -> String {
    let mut text = format!("xpuck runs report {} --output {}", args.chosen.join(" "), args.out.display());
    if let Some(single) = &args.single {
        let _ = write!(text, " --single {}", single.display());
    }
    let _ = write!(text, " --simulations {} --seed {}", args.simulations, args.seed);
    text
}

fn text(made: &Report, page: &Path) -> String {
    let mut text = String::new();
    for (title, results) in made.results.iter().filter(|(_, results)| !results.is_empty()) {
        let _ = writeln!(text, "{title}");
        for result in results {
            let _ = writeln!(text, "  {result}");
        }
    }
    let _ = writeln!(text, "\nreport: {}", page.display());
    text
}
