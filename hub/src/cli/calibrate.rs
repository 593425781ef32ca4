//! `xpuck calibrate`: parameters of the simulator fitted to recorded poses and readings.

use super::calibrate_record::RecordArgs;
use super::tree_file::{print, write};
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use std::io::Read;
use std::path::{Path, PathBuf};
use xpuck_kernels::model::HALF_ARENA;
use xpuck_lab::calibrate::table::MAX_BYTES;
use xpuck_lab::calibrate::{Report, camera, collisions, infrared, latency, poses};
use xpuck_lab::plot::to_svg;
use xpuck_wire::file;

/// Fit the simulator's parameters to what real robots did (thesis chapter 7).
///
/// Records are CSV files with named columns that a lab can write by hand; docs/calibration.md says what each holds.
/// `xpuck calibrate record` makes such records in the simulator, to try a fit where the truth is known.
#[derive(Args)]
#[command(after_help = "Example: xpuck calibrate collisions encounters.csv -o sweep.svg --toml physics.toml")]
pub struct CalibrateArgs {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    /// Friction and restitution between bodies, and motion noise, from poses of encounters (Fig. 7.2).
    ///
    /// Columns: run, time_s, body, x_m, y_m, heading_rad, left_m_s, right_m_s. Each run starts at rest; the body called
    /// `frisbee` is the frisbee, all others are robots; the speeds are those commanded to the wheels.
    Collisions {
        #[command(flatten)]
        fit: FitArgs,
        /// Length of the arena along x and width along y, m.
        #[arg(long, num_args = 2, value_names = ["LENGTH", "WIDTH"],
              default_values_t = [2.0 * HALF_ARENA.0, 2.0 * HALF_ARENA.1])]
        arena: Vec<f32>,
    },
    /// The infra-red sensors' curve from readings of white card (Eq. 7.3, Fig. 7.4).
    ///
    /// Columns: sensor, distance_m, raw (counts). Each sensor needs distances from 0 to 30 mm.
    Ir(FitArgs),
    /// The camera's gap, delay and misses from robots that turn near the frisbee (Eq. 7.4, Fig. 7.5).
    ///
    /// Columns: run, time_s, x_m, y_m, heading_rad, frisbee_x_m, frisbee_y_m, and left, centre, right: 1 where blue was
    /// seen in that segment, else 0.
    Camera(FitArgs),
    /// How late poses are, from a robot that drives and pauses (Fig. 7.6).
    ///
    /// Columns as for collisions; the times are those at which poses arrived.
    Latency(FitArgs),
    Record(RecordArgs),
}

#[derive(Args)]
struct FitArgs {
    /// File with the record; - reads standard input.
    data: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the plot, an SVG file.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Write the fitted parameters, a TOML file.
    #[arg(long)]
    toml: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &CalibrateArgs) -> Result<()> {
    match &args.subject {
        Subject::Collisions { fit, arena } => {
            let half = (arena[0] / 2.0, arena[1] / 2.0);
            if ![half.0, half.1].iter().all(|h| (0.1..=50.0).contains(h)) {
                bail!("--arena takes lengths of 0.2 to 100 m");
            }
            report(fit, |name, text| collisions::fit(&poses::read(name, text)?, half).context(name.to_string()))
        }
        Subject::Ir(fit) => {
            report(fit, |name, text| infrared::fit(&infrared::read(name, text)?).context(name.to_string()))
        }
        Subject::Camera(fit) => {
            report(fit, |name, text| camera::fit(&camera::read(name, text)?).context(name.to_string()))
        }
        Subject::Latency(fit) => {
            report(fit, |name, text| latency::fit(&poses::read(name, text)?).context(name.to_string()))
        }
        Subject::Record(args) => super::calibrate_record::run(args),
    }
}

/// Fits a record and gives what was asked for: lines or JSON, a plot, a file of parameters.
fn report(args: &FitArgs, fit: impl Fn(&str, &str) -> Result<Report>) -> Result<()> {
    let name = args.data.display().to_string();
    let report = fit(&name, &read(&args.data)?)?;
    if let Some(path) = &args.output {
        write(path, to_svg(&report.panels).as_bytes())?;
    }
    if let Some(path) = &args.toml {
        write(path, report.toml.as_bytes())?;
    }
    if args.json {
        return print(format!("{}\n", serde_json::to_string_pretty(&report)?).as_bytes());
    }
    let mut text = format!("{}\n", report.data);
    for e in &report.estimates {
        let error = e.error.map_or("(too few for an error)".into(), |error| format!("+- {error:.5}"));
        text += &format!("{:12} {:10.5} {error:10} {:6} {}\n", e.name, e.value, e.unit, e.meaning);
    }
    text += &format!("{}\n\n{}", report.fit, report.toml);
    print(text.as_bytes())
}

fn read(path: &Path) -> Result<String> {
    if path != Path::new("-") {
        return Ok(file::text(path, MAX_BYTES as u64)?);
    }
    let mut text = String::new();
    // One byte past the limit is enough for the reader of tables to refuse it.
    let read = std::io::stdin().take(MAX_BYTES as u64 + 1).read_to_string(&mut text);
    read.context("-: standard input cannot be read as text")?;
    Ok(text)
}
