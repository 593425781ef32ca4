//! `xpuck runs table`.

use super::{print, tell};
use crate::cli::progress::Progress;
use crate::cli::tree_file::write;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xpuck_hub_service::catalogue::{Catalogue, Row, results::Results};
use xpuck_lab::figure::Figure;
use xpuck_lab::segments::{Foot, PrintedRuns, SwarmRun, draw};
use xpuck_lab::sweep::statistics::Spread;

/// Compare runs segment by segment, as Table 8.3 and 8.4 of the thesis do.
///
/// A row a run: dead robots (D), P if more than 5 % of the round trips took above 100 ms, mean round trip and the part above
/// 100 ms, mean fitness of the fittest on each island at the end, and the real fitness of each segment in which evolved trees
/// drove. Mean and standard deviation are over the runs without a mark.
#[derive(Args)]
pub struct TableArgs {
    /// The runs; without any all that are over in the record directory.
    #[arg(value_name = "RUN")]
    chosen: Vec<String>,
    /// A file with printed runs, whose mean and standard deviation stand beside those of the runs.
    #[arg(long, value_name = "FILE")]
    printed: Option<PathBuf>,
    /// Also draw real fitness over the segments.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A number of a column.
type Statistic = fn(&Spread) -> Option<f64>;

/// Prints the table.
pub fn table(root: &Path, args: &TableArgs) -> Result<()> {
    let printed = args.printed.as_deref().map(PrintedRuns::read).transpose()?;
    let directories = match args.chosen.as_slice() {
        [] => over(root)?,
        named => named.iter().map(|run| super::find(root, run)).collect::<Result<_>>()?,
    };
    if directories.is_empty() {
        bail!("{}: no run in it is over; `xpuck demo --out` or the hub's record directory has some", root.display());
    }
    let progress = Progress::of("run", directories.len() as u64, args.json);
    let read = |root: &Path, directory: &Path| {
        let run = read(root, directory);
        progress.inc();
        run
    };
    let runs: Vec<SwarmRun> = directories.iter().map(|directory| read(root, directory)).collect::<Result<_>>()?;
    drop(progress);
    if let Some(file) = &args.svg {
        write(file, draw(&runs, printed.as_ref()).as_bytes())?;
    }
    let foot = Foot::of(&runs);
    if args.json {
        let thesis = printed.as_ref().map(|p| json!({ "source": p.source, "runs": p.runs, "foot": Foot::of(&p.runs) }));
        return print(&format!("{}\n", json!({ "runs": runs, "foot": foot, "printed": thesis })));
    }
    print(&text(&runs, &foot, printed.as_ref())?)
}

/// The runs that are over, the oldest first.
fn over(root: &Path) -> Result<Vec<PathBuf>> {
    let catalogue = Catalogue::open(root)?;
    tell(catalogue.troubles());
    Ok(catalogue.rows()?.into_iter().filter(|row| row.state != "running").map(|row| root.join(row.id)).collect())
}

fn read(root: &Path, directory: &Path) -> Result<SwarmRun> {
    let row = Row::read(root, directory)?;
    let results = Results::read(directory)?;
    tell(&results.damage);
    let trips: Vec<f64> = results.robots.iter().filter_map(|robot| robot.round_trip_ms).collect();
    Ok(SwarmRun {
        run: row.id,
        dead: row.dead,
        ping_ms: trips.iter().sum::<f64>() / trips.len().max(1) as f64,
        slow_percent: 100.0 * row.slow_round_trips,
        evolved: row.evolved_fitness,
        real: results.segments.iter().map(|segment| segment.fitness).collect(),
    })
}

fn text(runs: &[SwarmRun], foot: &Foot, printed: Option<&PrintedRuns>) -> Result<String> {
    let printed = printed.map(|printed| (printed, Foot::of(&printed.runs)));
    let printed_segments = printed.as_ref().map_or(0, |(_, foot)| foot.real.len());
    let segments = runs.iter().map(|run| run.real.len()).max().unwrap_or(0).max(printed_segments);
    let wide = runs.iter().map(|run| run.run.chars().count()).max().unwrap_or(0).max(24);
    let mut text = String::new();
    let head: String = (1..=segments).map(|i| format!("  {:>7}", format!("real {i}"))).collect();
    writeln!(text, "{:<wide$}  D  P  ping ms  slow %  evolved{head}", "run")?;
    let cells = |numbers: &mut dyn Iterator<Item = Option<f64>>| -> String {
        numbers.map(|x| x.map_or(format!("  {:>7}", "-"), |x| format!("  {:>+7.3}", Figure(x)))).collect()
    };
    for run in runs {
        let slow = u32::from(!(SwarmRun { dead: 0, ..run.clone() }).counts());
        let real = cells(&mut run.real.iter().map(|fitness| Some(*fitness)));
        let SwarmRun { run, dead, ping_ms, slow_percent, evolved, .. } = run;
        let evolved = Figure(*evolved);
        writeln!(text, "{run:<wide$}  {dead}  {slow}  {ping_ms:>7.2}  {slow_percent:>6.2}  {evolved:>+7.3}{real}")?;
    }
    let mut summary = |name: &str, foot: &Foot| -> Result<()> {
        let n = foot.evolved.map_or(0, |spread| spread.n);
        let statistics: [(&str, Statistic); 2] = [("mean", |s| Some(s.mean)), ("sd", |s| s.sd)];
        for (what, value) in statistics {
            let mut numbers = [foot.evolved.as_ref().and_then(value)].into_iter().chain(foot.real.iter().map(value));
            writeln!(
                text,
                "{:<wide$}                       {}",
                format!("{name}: {what} of {n}"),
                cells(&mut numbers)
            )?;
        }
        Ok(())
    };
    summary("here", foot)?;
    if let Some((printed, foot)) = &printed {
        summary(&printed.source, foot)?;
    }
    Ok(text)
}
