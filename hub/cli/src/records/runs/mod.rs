//! Recorded runs: `xpuck runs list`, `show`, `export`, `recover`, `verify`, `replay` and `table`.

mod film;
mod play;
pub mod show;
pub mod table;
mod verify;

use crate::analysis::picture::fits;
use crate::files::results::other_kind;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Result, anyhow, bail};
use clap::Subcommand;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use xpuck_hub_service::catalogue::{Catalogue, Row, short_ids};
use xpuck_hub_service::recovery;
use xpuck_record::export::{Format, export};
use xpuck_record::{foxglove, recover};
use xpuck_stats::figure::Figure;
use xpuck_wire::shutdown::service_flag;
use xpuck_wire::{escape, log, output};

/// Commands for recorded runs.
#[derive(Subcommand)]
pub enum What {
    /// List runs, one row each, oldest first. A run is `aborted` if its hub died during the run. `xpuck runs recover`
    /// repairs the files of such a run.
    List {
        /// Print a JSON list.
        #[arg(long)]
        json: bool,
    },
    /// Show the results of a run: robots, segments and quality gates.
    Show {
        /// Run, as path, id or `last`.
        run: String,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Export a run as tables, as an MCAP file, as a film or as a picture.
    ///
    /// The tables hold poses, telemetry, genes, births, loaded trees, segments and events. The MCAP file is for
    /// Foxglove and Lichtblick, and holds all recorded messages.
    #[command(group(clap::ArgGroup::new("format").required(true)))]
    Export {
        /// Run, as path, id or `last`.
        run: String,
        /// Folder for Parquet tables.
        #[arg(long, value_name = "DIR", group = "format")]
        parquet: Option<PathBuf>,
        /// Folder for CSV tables.
        #[arg(long, value_name = "DIR", group = "format")]
        csv: Option<PathBuf>,
        /// MCAP file with the recorded messages and scenes for 3D panels.
        #[arg(long, value_name = "FILE", group = "format")]
        foxglove: Option<PathBuf>,
        /// Film of the arena from above: H.264 in MP4, 25 frames a second (needs ffmpeg and rsvg-convert).
        #[arg(long, value_name = "FILE", group = "format")]
        mp4: Option<PathBuf>,
        /// PNG picture of the paths of all bodies (needs ffmpeg and rsvg-convert).
        #[arg(long, value_name = "FILE", group = "format")]
        png: Option<PathBuf>,
        #[command(flatten)]
        film: film::FilmArgs,
    },
    /// Repair the incomplete or damaged files of a run, or one MCAP file.
    ///
    /// All messages in intact chunks are kept, and losses are reported. A damaged original is kept beside the new file
    /// as NAME.damaged. Files that are not MCAP are rejected and left unchanged.
    Recover {
        /// Run, as path, id or `last`; or path of an MCAP file.
        run: String,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Tick the recorded trees again on the recorded blackboards, and recompute senses from the recorded poses.
    ///
    /// Nodes, registers and wheel speeds must match the record bit for bit. The first difference is reported, and the
    /// exit code is 1. Senses are compared with a tolerance, because real sensors differ from senses computed from
    /// poses.
    Verify {
        /// Run, as path, id or `last`.
        run: String,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    Replay(play::ReplayArgs),
    Table(table::TableArgs),
}

/// Runs the command on the record directory `runs`.
///
/// # Errors
/// A run does not exist or cannot be read, or an output cannot be written.
pub fn run(what: &What, runs: &Path) -> Result<()> {
    let find = |run: &str| find(runs, run);
    match what {
        What::List { json } => {
            let catalogue = open(runs)?;
            print_problems(catalogue.errors());
            let rows = catalogue.rows()?;
            print_problems(&other_kind(runs).filter(|_| rows.is_empty()).into_iter().collect::<Vec<_>>());
            list(&rows, *json)
        }
        What::Show { run, json } => show::show(&find(run)?, *json),
        What::Export { run, parquet, csv, foxglove, mp4, png, film } => match (parquet, csv, foxglove, mp4, png) {
            (Some(folder), ..) => export_run(&find(run)?, folder, Format::Parquet),
            (_, Some(folder), ..) => export_run(&find(run)?, folder, Format::Csv),
            (_, _, Some(file), ..) => export_scenes(&find(run)?, file),
            (.., Some(file), _) => {
                fits("--mp4", file)?;
                film::film(&find(run)?, file, film)
            }
            (.., Some(file)) => {
                fits("--png", file)?;
                film::picture(&find(run)?, file, film)
            }
            _ => bail!("no output is given; use --parquet DIR, --csv DIR, --foxglove FILE, --mp4 FILE or --png FILE"),
        },
        What::Verify { run, json } => match verify::run(&find(run)?, *json)? {
            true => Ok(()),
            false => bail!("{run}: the recorded and the repeated ticks differ"),
        },
        What::Recover { run, json } => recover_run(runs, run, *json),
        What::Table(table) => table::table(runs, table),
        What::Replay(replay) => play::replay(&find(&replay.run)?, replay),
    }
}

/// Opens the catalogue of a record directory.
fn open(runs: &Path) -> Result<Catalogue> {
    let remedy = "set the record directory with --folder DIR, or make a first run with `xpuck demo`";
    if matches!(runs.try_exists(), Ok(false)) {
        bail!("{}: is missing; {remedy}", runs.display());
    }
    Ok(Catalogue::open(runs)?)
}

/// Finds the directory of a run. `run` is a path, an id, or `last` for the newest run.
pub fn find(runs: &Path, run: &str) -> Result<PathBuf> {
    if let Some(told) = other_kind(Path::new(run)) {
        bail!(told);
    }
    if Path::new(run).join(xpuck_record::run_file::RUN_FILE).try_exists().unwrap_or(false) {
        return Ok(run.into());
    }
    if let Some(only) = single_run_in(Path::new(run)) {
        return Ok(only);
    }
    if let Some(why) = not_a_run_reason(Path::new(run)) {
        bail!(why);
    }
    let catalogue = open(runs).map_err(|error| anyhow!("run `{run}` was not found: {error}"))?;
    catalogue.find(run).map_err(|error| anyhow!(error))
}

/// Returns the reason why an existing path is not a run. `None` if the path does not exist, or if no reason is known.
fn not_a_run_reason(place: &Path) -> Option<String> {
    let name = place.display();
    match runs_below(place).count() {
        2.. => Some(format!(
            "{name}: holds several runs; choose one of them, or `last` with --runs {name}; `xpuck runs list --folder \
             {name}` lists them"
        )),
        _ if place.exists() && !place.is_dir() => {
            Some(format!("{name}: is a file, but a run is a folder; name the folder of a run"))
        }
        _ => None,
    }
}

/// Returns the run inside a folder such as a demo's folder. `None` if the folder holds no run, or several runs.
fn single_run_in(folder: &Path) -> Option<PathBuf> {
    let mut below = runs_below(folder);
    let first = below.next()?;
    below.next().is_none().then_some(first)
}

fn runs_below(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.join(xpuck_record::run_file::RUN_FILE).is_file())
}

/// Prints text. Control characters are escaped, because names in a record may contain them.
pub fn print(text: &str) -> Result<()> {
    match text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
        true => Ok(output::text(text.split('\n').map(escape).collect::<Vec<_>>().join("\n"))?),
        false => Ok(output::text(text)?),
    }
}

/// Prints problems of records on standard error, one per line.
pub fn print_problems(lines: &[String]) {
    lines.iter().for_each(|line| output::print_error(format_args!("xpuck: {line}")));
}

/// Returns a callback that shows the progress of an export. The callback returns false after a signal to stop.
fn stop_callback(progress: &Progress) -> Result<impl FnMut(u64, u64) -> bool> {
    let stop = service_flag(Default::default())?;
    Ok(move |done, total| {
        progress.set(done, total);
        !stop.load(Ordering::Relaxed)
    })
}

fn export_run(run: &Path, folder: &Path, format: Format) -> Result<()> {
    let progress = Progress::bytes("reading the record", false);
    let exported = export(run, folder, format, stop_callback(&progress)?);
    drop(progress);
    let exported = exported?;
    print_problems(&exported.damage);
    print(
        &exported
            .tables
            .iter()
            .map(|(name, rows)| format!("{name}: {}\n", output::count(*rows as usize, "row", "rows")))
            .collect::<String>(),
    )
}

fn export_scenes(run: &Path, file: &Path) -> Result<()> {
    let progress = Progress::bytes("reading the record", false);
    let exported = foxglove::export(run, file, stop_callback(&progress)?);
    drop(progress);
    let exported = exported?;
    print_problems(&exported.damage);
    let line = |(topic, messages): (&String, &u64)| {
        format!("{topic}: {}\n", output::count(*messages as usize, "message", "messages"))
    };
    print(&exported.topics.iter().map(line).collect::<String>())
}

fn list(rows: &[Row], json: bool) -> Result<()> {
    if json {
        return print_json(rows);
    }
    let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{:.3}", Figure(value)));
    let head = [
        "run",
        "began (UTC)",
        "state",
        "length",
        "robots",
        "losses",
        "flags",
        "last",
        "mean",
        "evolved",
        "size",
        "folder",
    ];
    let mut table = vec![head.map(String::from)];
    for (r, short) in rows.iter().zip(short_ids(rows)) {
        let began = log::time(r.began_unix_ms);
        table.push([
            escape(&short),
            // The start time is cut to minutes: `2026-03-01 09:30`.
            began.get(..16).unwrap_or(&began).replace('T', " "),
            r.state.clone(),
            format!("{:.1} min", r.length_s / 60.0),
            r.robots.to_string(),
            r.dead.to_string(),
            if r.quality.is_empty() { "ok".into() } else { r.quality.clone() },
            number(r.last_fitness),
            number(r.mean_fitness),
            format!("{:.3}", Figure(r.evolved_fitness)),
            format!("{} MiB", r.bytes.div_ceil(1 << 20)),
            escape(&r.id),
        ]);
    }
    print(&aligned(&table, 3..11))
}

/// Formats a table. Each column is as wide as its widest cell. Columns in `right` are right-aligned.
fn aligned<const N: usize>(table: &[[String; N]], right: std::ops::Range<usize>) -> String {
    let wide: Vec<usize> = (0..N).map(|i| table.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    let cell = |(i, text): (usize, &String)| match right.contains(&i) {
        true => format!("{text:>0$}", wide[i]),
        false => format!("{text:<0$}", wide[i]),
    };
    let line =
        |row: &[String; N]| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_string();
    table.iter().map(|row| line(row) + "\n").collect()
}

/// Result of `xpuck runs recover`, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Recovered {
    /// Path of the run's folder, or of the MCAP file.
    path: String,
    /// Description of the saved and lost files and messages, as text.
    result: String,
}

fn recover_run(runs: &Path, run: &str, json: bool) -> Result<()> {
    let show = |recovered: &Recovered| match json {
        true => print_json(recovered),
        false => print(&format!("{}: {}\n", recovered.path, recovered.result)),
    };
    let path = Path::new(run);
    // An existing path that is not a directory is an MCAP file. Any other argument names a run.
    if path.symlink_metadata().is_ok() && !path.is_dir() {
        let done = recover::file(path)?;
        return show(&Recovered { path: done.path.display().to_string(), result: done.words() });
    }
    let directory = match path.is_dir() {
        true if is_record(path)? => path.into(),
        true => bail!("{run}: is a folder without a record"),
        false => find(runs, run)?,
    };
    if recovery::is_written(&directory)? {
        bail!("{}: a hub is writing this run; wait for its end", directory.display());
    }
    // The files from `parts` include those that the hub has closed. Closed files are checked too, because they may be
    // damaged.
    let files =
        xpuck_record::parts(&directory)?.into_iter().chain(recover::left_open(&directory)?).collect::<BTreeSet<_>>();
    let what = recovery::repair_and_close(&directory, &files.into_iter().collect::<Vec<_>>())?;
    show(&Recovered { path: directory.display().to_string(), result: what })
}

/// Whether a folder is a run, or holds files of a run.
fn is_record(path: &Path) -> Result<bool> {
    Ok(path.join(xpuck_record::run_file::RUN_FILE).try_exists()? || !xpuck_record::parts(path)?.is_empty())
}
