//! `xpuck runs`: what was recorded.

mod play;
mod show;

use anyhow::{Result, anyhow, bail};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use xpuck_hub::catalogue::export::{Format, export};
use xpuck_hub::catalogue::{Catalogue, Row};
use xpuck_hub::recorder::recover;
use xpuck_hub::{memory, recorder};
use xpuck_wire::output;

/// List, show, export, recover and replay recorded runs.
///
/// RUN is `last`, the beginning of a run's id as `xpuck runs list` prints it or of its directory's name, or a directory.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  xpuck runs list\n  xpuck runs show last\n  xpuck runs export last --parquet tables\n  \
    xpuck runs replay last --speed 8 --console 127.0.0.1:7700"
)]
pub struct RunsArgs {
    #[command(subcommand)]
    what: What,
    /// The record directory, as hub.toml names it; runs of demos below it are found too.
    #[arg(long, global = true, default_value = "runs", env = "XPUCK_RUNS")]
    runs: PathBuf,
}

#[derive(Subcommand)]
enum What {
    /// One row a run, the oldest first.
    List {
        /// Print a JSON list.
        #[arg(long)]
        json: bool,
    },
    /// What came out: robots, segments, and the quality gates in words.
    Show {
        /// The run.
        run: String,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Write poses, telemetry, genes, births, loaded trees, segments and events as tables.
    #[command(group(clap::ArgGroup::new("format").required(true)))]
    Export {
        /// The run.
        run: String,
        /// Into this folder, as Parquet.
        #[arg(long, value_name = "DIR", group = "format")]
        parquet: Option<PathBuf>,
        /// Into this folder, as CSV.
        #[arg(long, value_name = "DIR", group = "format")]
        csv: Option<PathBuf>,
    },
    /// Make files whole that were cut off: those of a run, or one MCAP file.
    Recover {
        /// The run, or a file.
        run: String,
    },
    Replay(play::ReplayArgs),
}

/// Runs the command.
pub fn run(args: &RunsArgs) -> Result<()> {
    let find = |run: &str| find(&args.runs, run);
    match &args.what {
        What::List { json } => list(&Catalogue::open(&args.runs)?.rows()?, *json),
        What::Show { run, json } => show::show(&find(run)?, *json),
        What::Export { run, parquet, csv } => {
            let (folder, format) = match (parquet, csv) {
                (Some(folder), _) => (folder, Format::Parquet),
                (None, Some(folder)) => (folder, Format::Csv),
                (None, None) => bail!("name --parquet DIR or --csv DIR"),
            };
            let lines = export(&find(run)?, folder, format)?;
            let lines: String = lines.iter().map(|(name, rows)| format!("{name}: {rows} rows\n")).collect();
            print(&lines)
        }
        What::Recover { run } => recover_run(&args.runs, run),
        What::Replay(replay) => play::replay(&find(&replay.run)?, replay),
    }
}

/// A run's directory.
fn find(runs: &Path, run: &str) -> Result<PathBuf> {
    if Path::new(run).join(recorder::run_file::RUN_FILE).exists() {
        return Ok(run.into());
    }
    Catalogue::open(runs)?.find(run).map_err(|error| anyhow!(error))
}

/// Prints.
pub fn print(text: &str) -> Result<()> {
    Ok(output::text(text)?)
}

fn list(rows: &[Row], json: bool) -> Result<()> {
    if json {
        return print(&format!("{}\n", serde_json::to_string(rows)?));
    }
    let mut text = format!(
        "{:<44} {:<10} {:>8} {:>6} {:>5} {:>4} {:>7} {:>7} {:>7} {:>8}\n",
        "run", "state", "length", "robots", "dead", "gate", "last", "mean", "evolved", "size"
    );
    for r in rows {
        let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        let quality = if r.quality.is_empty() { "ok" } else { &r.quality };
        text += &format!(
            "{:<44} {:<10} {:>8} {:>6} {:>5} {:>4} {:>7} {:>7} {:>7.3} {:>4} MiB\n",
            r.id,
            r.state,
            format!("{:.1} min", r.length_s / 60.0),
            r.robots,
            r.dead,
            quality,
            number(r.last_fitness),
            number(r.mean_fitness),
            r.evolved_fitness,
            r.bytes.div_ceil(1 << 20),
        );
    }
    print(&text)
}

fn recover_run(runs: &Path, run: &str) -> Result<()> {
    let path = Path::new(run);
    if path.is_file() {
        let done = recover::file(path)?;
        let damage = done.damage.map_or(String::new(), |damage| format!("; the rest was lost: {damage}"));
        return print(&format!("{}: {} messages{damage}\n", done.path.display(), done.messages));
    }
    let directory = find(runs, run)?;
    if memory::is_written(&directory) {
        bail!("{}: a hub is writing this run", directory.display());
    }
    let files = recover::left_open(&directory);
    let what = memory::settle(&directory, &files, false)?;
    print(&format!("{}: {what}\n", directory.display()))
}
