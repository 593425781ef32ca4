//! `xpuck calibrate`: fits simulator parameters to recorded poses and readings.

use crate::files::calibration_file::{self, Kind};
use crate::files::tree_file::{print, write};
use crate::records::calibrate_record::RecordArgs;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use std::io::Read;
use std::path::{Path, PathBuf};
use xpuck_calibrate::recorded::RecordData;
use xpuck_calibrate::table::MAX_BYTES;
use xpuck_calibrate::{Report, camera, collisions, friction, infrared, latency, poses, steering};
use xpuck_experiment::Calibration;
use xpuck_kernels::model::{FRISBEE_MASS, HALF_ARENA, ROBOT_MASS};
use xpuck_stats::plot::to_svg;
use xpuck_wire::file;

/// Fit the simulator's parameters to measurements of real robots (thesis chapter 7).
///
/// Records are CSV files with named columns, which can also be written by hand; docs/calibration.md describes the
/// columns. `xpuck calibrate record` simulates such records with known parameters, to test a fit.
#[derive(Args)]
pub struct CalibrateArgs {
    #[command(subcommand)]
    what: What,
}

/// Subcommands: fits, and simulated records for testing them.
#[derive(Subcommand)]
enum What {
    /// Fit parameters to a record.
    Fit {
        #[command(subcommand)]
        subject: Subject,
    },
    /// Make records in the simulator, with known parameters, to test a fit.
    Record(RecordArgs),
}

#[derive(Subcommand)]
enum Subject {
    /// Friction and restitution between bodies, and motion noise, from poses of collisions (Fig. 7.2).
    ///
    /// Columns: run, time_s, body, x_m, y_m, heading_rad, left_m_s, right_m_s. Each run starts at rest. The body
    /// called `frisbee` is the frisbee; all other bodies are robots. The speeds are the commanded wheel speeds.
    Collisions {
        #[command(flatten)]
        fit: FitArgs,
        /// Length of the arena along x and width along y (m), 0.2 to 100.
        #[arg(long, num_args = 2, value_names = ["LENGTH", "WIDTH"],
              default_values_t = [2.0 * HALF_ARENA.0, 2.0 * HALF_ARENA.1])]
        arena: Vec<f32>,
    },
    /// Response curve of the infrared sensors from readings of white card (Eq. 7.3, Fig. 7.4).
    ///
    /// Columns: sensor, distance_m, raw (counts). Each sensor needs distances from 0 to 30 mm.
    Ir {
        #[command(flatten)]
        fit: FitArgs,
        /// Robot with these eight sensors, in the order of Table 6.1; the sensors' scales and offsets are also
        /// written.
        #[arg(long, value_name = "ID", value_parser = robot_id)]
        robot: Option<String>,
    },
    /// Blind gap, delay and miss rate of the camera from robots that turn near the frisbee (Eq. 7.4, Fig. 7.5).
    ///
    /// Columns: run, time_s, x_m, y_m, heading_rad, frisbee_x_m, frisbee_y_m, left, centre, right. Each of the last
    /// three columns is 1 if blue was seen in that segment of the picture, else 0.
    Camera(FitArgs),
    /// Latency of poses from a robot that alternately drives and pauses (Fig. 7.6).
    ///
    /// The columns are the same as for collisions; the times are arrival times of poses.
    Latency(FitArgs),
    /// Friction with the floor from readings of a force gauge (Table 7.2).
    ///
    /// Columns: body, kind (static or dynamic), force_n. The body called `frisbee` is the frisbee. All other bodies
    /// are robots, whose readings are pooled. The smallest and the largest reading of each kind are discarded.
    Friction {
        #[command(flatten)]
        fit: FitArgs,
        /// Mass of a robot (kg), 0.001 to 10.
        #[arg(long, default_value_t = ROBOT_MASS)]
        robot_mass: f32,
        /// Mass of the frisbee (kg), 0.001 to 10.
        #[arg(long, default_value_t = FRISBEE_MASS)]
        frisbee_mass: f32,
    },
    /// Step response of the steering law, simulated for several gains (Fig. 6.5).
    ///
    /// The goal's direction switches from -45 to 45 degrees and back. No record is needed.
    Steering(SteeringArgs),
    /// Latency, wheel factors, motion noise, and camera delay and mounting, from the record of a run.
    ///
    /// The robots of the run may be real or virtual. They should drive for some minutes, alone for part of the time,
    /// and see the frisbee.
    Run {
        /// Run: `last`, the start of a run's id, or a run's folder.
        run: String,
        /// Record directory, as in hub.toml; runs of demos below it are included.
        #[arg(long = "folder", alias = "runs", default_value = "runs", env = "XPUCK_RUNS")]
        runs: PathBuf,
        /// Calibration that the robots had in this run, if any; the fitted parameters are combined with it.
        #[arg(long, value_name = "FILE")]
        had: Option<PathBuf>,
        #[command(flatten)]
        shown: ShowArgs,
    },
}

#[derive(Args)]
struct FitArgs {
    /// File with the record; - reads standard input.
    data: PathBuf,
    #[command(flatten)]
    shown: ShowArgs,
}

#[derive(Args)]
struct ShowArgs {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// SVG file for the plot.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Calibration file to update with the fitted parameters; its other entries are kept.
    #[arg(long, value_name = "FILE", alias = "toml")]
    into: Option<PathBuf>,
    /// Robot model to update with the fitted parameters of the robots; its other keys are kept.
    #[arg(long, value_name = "FILE")]
    into_robot_model: Option<PathBuf>,
}

impl ShowArgs {
    /// Files that are written, with their options.
    fn outputs(&self) -> Vec<(&'static str, &Path)> {
        let all = [("--output", &self.output), ("--into", &self.into), ("--into-robot-model", &self.into_robot_model)];
        all.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect()
    }
}

#[derive(Args)]
struct SteeringArgs {
    /// Age of the heading from which the goal's direction is computed (s), 0 to 2.
    #[arg(long, default_value_t = 0.25)]
    latency: f64,
    /// Factors of the turning rate for the simulated responses: 1 to 8 values, 0.01 to 100 each.
    #[arg(long, value_delimiter = ',', default_values_t = [0.25, 0.5, 1.0, 2.0])]
    gains: Vec<f64>,
    /// Duration of each of the two goals (s), 1 to 60.
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// SVG file for the plot.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Checks that a text is a valid robot id by the rules of swarm files, and returns it.
fn robot_id(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if (1..=32).contains(&text.len()) && text.chars().all(plain) {
        return Ok(text.into());
    }
    Err("a robot's name must be 1 to 32 characters of a-z, 0-9, _ and -".into())
}

/// Runs the command.
pub fn run(args: &CalibrateArgs) -> Result<()> {
    let subject = match &args.what {
        What::Record(args) => return crate::records::calibrate_record::run(args),
        What::Fit { subject } => subject,
    };
    match subject {
        Subject::Collisions { fit, arena } => {
            let half = (arena[0] / 2.0, arena[1] / 2.0);
            if ![half.0, half.1].iter().all(|h| (0.1..=50.0).contains(h)) {
                wrong_argument!("--arena: lengths must be 0.2 to 100 m");
            }
            report(fit, |name, text| collisions::fit(&poses::read(name, text)?, half).context(name.to_string()))
        }
        Subject::Ir { fit, robot } => report(fit, |name, text| {
            infrared::fit(&infrared::read(name, text)?, robot.as_deref()).context(name.to_string())
        }),
        Subject::Camera(fit) => {
            report(fit, |name, text| camera::fit(&camera::read(name, text)?).context(name.to_string()))
        }
        Subject::Latency(fit) => {
            report(fit, |name, text| latency::fit(&poses::read(name, text)?).context(name.to_string()))
        }
        Subject::Friction { fit, robot_mass, frisbee_mass } => {
            let masses = friction::Masses { robot_kg: f64::from(*robot_mass), frisbee_kg: f64::from(*frisbee_mass) };
            report(fit, |name, text| friction::fit(&friction::read(name, text)?, masses).context(name.to_string()))
        }
        Subject::Steering(args) => {
            let steering =
                steering::Steering { latency_s: args.latency, gains: args.gains.clone(), seconds: args.seconds };
            let shown = ShowArgs { json: args.json, output: args.output.clone(), into: None, into_robot_model: None };
            show(&steering::respond(&steering)?, &shown)
        }
        Subject::Run { run, runs, had, shown } => {
            let had = had.as_deref().map(Calibration::read).transpose()?.unwrap_or_default();
            let run = crate::records::runs::find(runs, run)?;
            let name = run.display().to_string();
            let progress = Progress::waiting("reading and fitting the record", shown.json);
            let record = RecordData::read(&run).with_context(|| name.clone())?;
            let report = xpuck_calibrate::run::fit(&record, &had).context(name)?;
            drop(progress);
            show(&report, shown)
        }
    }
}

/// Returns whether both paths refer to the same file.
fn same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
    place(a) == place(b)
}

/// Fits parameters to a record, and outputs the results in the forms that the options request.
fn report(args: &FitArgs, fit: impl Fn(&str, &str) -> Result<Report>) -> Result<()> {
    if let Some((_, out)) = args.shown.outputs().into_iter().find(|(_, out)| same(out, &args.data)) {
        bail!("{} is the record itself; choose another output file", out.display());
    }
    let name = args.data.display().to_string();
    let progress = Progress::waiting("fitting", args.shown.json);
    let report = fit(&name, &read(&args.data)?)?;
    drop(progress);
    show(&report, &args.shown)
}

/// Outputs a report in the requested forms: text or JSON, a plot, parameter files.
fn show(report: &Report, args: &ShowArgs) -> Result<()> {
    let outputs = args.outputs();
    for (i, (first, path)) in outputs.iter().enumerate() {
        if let Some((second, _)) = outputs[i + 1..].iter().find(|(_, other)| same(path, other)) {
            bail!("{first} and {second} are both {}; one would replace the other", path.display());
        }
    }
    // A model that cannot have the parameters is reported before any file is written.
    let model = match &args.into_robot_model {
        Some(path) => {
            let keys = Calibration::parse("fitted parameters", &report.toml)?.robot_keys();
            if keys.is_empty() {
                bail!("--into-robot-model: none of these parameters is a key of a robot model; use --into");
            }
            Some((path, keys))
        }
        None => None,
    };
    if let Some(path) = &args.output {
        write(path, to_svg(&report.panels).as_bytes())?;
    }
    if let Some(path) = &args.into {
        calibration_file::put(Kind::Calibration, path, &report.toml)?;
    }
    if let Some((path, keys)) = model {
        calibration_file::put(Kind::RobotModel, path, &keys)?;
    }
    if args.json {
        return print_json(report);
    }
    let mut text = format!("{}\n", report.data);
    let width = report.estimates.iter().map(|e| e.name.len()).max().unwrap_or(0).max(12);
    // A report without fitted parameters comes from a simulation without noise. Its estimates have no statistical
    // error, so no note is printed in place of a missing error.
    let none = if report.toml.is_empty() { "" } else { "(too few for an error)" };
    for e in &report.estimates {
        let error = e.error.map_or(none.into(), |error| format!("+- {error:.5}"));
        text += &format!("{:width$} {:10.5} {error:10} {:6} {}\n", e.name, e.value, e.unit, e.meaning);
    }
    text += &format!("{}\n", report.fit);
    if !report.toml.is_empty() {
        text += &format!("\n{}", report.toml);
    }
    print(text.as_bytes())
}

fn read(path: &Path) -> Result<String> {
    if path != Path::new("-") {
        return Ok(file::text(path, MAX_BYTES as u64)?);
    }
    let mut text = String::new();
    // The read ends one byte above the limit. The table reader then rejects the input as too large.
    let read = std::io::stdin().take(MAX_BYTES as u64 + 1).read_to_string(&mut text);
    read.context("-: standard input cannot be read as text")?;
    Ok(text)
}
