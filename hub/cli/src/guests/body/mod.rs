//! `xpuck body`: bodies of joined cubes that evolve and walk.

mod curves;
mod evolve;
mod files;
mod serve;
mod simulate;
mod walk;

use crate::files::tree_file::{deliver, print as put, refuse_over};
use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use xpuck_bodies::picture::plan_svg;
use xpuck_bodies::urdf::{self, Dialect};

/// Evolve bodies of joined cubes that walk, look at them, let them walk, and exchange them with other simulators.
///
/// A body is defined by a PRIF, a recursive instruction: `(B(1), [RIGHT, 3, X], {TOP: (S(2), [TOP, 1, Z], None)})` is a row
/// of three blue cubes to the right, on whose end stands a cube that feels touch. docs/bodies.md tells the whole of it.
#[derive(Args)]
pub struct BodyArgs {
    #[command(subcommand)]
    command: BodyCommand,
}

#[derive(Subcommand)]
enum BodyCommand {
    Evolve(evolve::EvolveArgs),
    Curves(curves::CurvesArgs),
    Show(ShowArgs),
    Simulate(simulate::SimulateArgs),
    Serve(serve::ServeArgs),
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Tell what a body is made of, or draw it.
#[derive(Args)]
struct ShowArgs {
    /// File with a body: .prif, .json or .urdf.
    file: PathBuf,
    /// Draw it to this SVG file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Print a body for another simulator: URDF for its parts and joints, NNDF for its brain.
#[derive(Args)]
struct ExportArgs {
    /// File with a body: .prif, .json or .urdf.
    file: PathBuf,
    /// Form to print.
    #[arg(long, value_enum)]
    to: Form,
    /// Brain (.nndf) that drives it, for `--to nndf`; drawn at random without it.
    #[arg(long, value_name = "FILE")]
    brain: Option<PathBuf>,
    /// Seed of a brain that is drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep pyro-corpus's names of parts, which begin with a digit; without it they begin with a letter, as USD wants them.
    #[arg(long)]
    published_names: bool,
    /// Write all as pyro-corpus does: its names, joints without strength, 100 kg m2 of inertia, which PyBullet does not read.
    #[arg(long)]
    as_published: bool,
    /// File to write; without it the text is printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Forms of a body.
#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// A definition as text.
    Prif,
    /// A definition as JSON.
    Json,
    /// Parts and joints.
    Urdf,
    /// Neurons and synapses.
    Nndf,
}

/// Print the definition of a body that another program wrote as URDF, or check one.
#[derive(Args)]
struct ImportArgs {
    /// File with a body: .urdf, .prif or .json.
    file: PathBuf,
    /// Brain (.nndf) to check with it.
    #[arg(long, value_name = "FILE")]
    brain: Option<PathBuf>,
    /// File to write; without it the definition is printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// A file is wrong, or cannot be written.
pub fn run(args: &BodyArgs) -> Result<ExitCode> {
    match &args.command {
        BodyCommand::Evolve(args) => return evolve::run(args),
        BodyCommand::Curves(args) => curves::run(args)?,
        BodyCommand::Simulate(args) => simulate::run(args)?,
        BodyCommand::Serve(args) => serve::run(args)?,
        BodyCommand::Show(args) => show(args)?,
        BodyCommand::Export(args) => export(args)?,
        BodyCommand::Import(args) => {
            refuse_over([&args.file].into_iter().chain(&args.brain), &args.output)?;
            let body = files::read(&args.file)?;
            if let Some(path) = &args.brain {
                files::brain(path, &body.plan)?;
            }
            deliver(args.output.as_deref(), format!("{}\n", body.prif.print()).as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &ShowArgs) -> Result<()> {
    refuse_over([&args.file], &args.svg)?;
    let body = files::read(&args.file)?;
    if let Some(path) = &args.svg {
        crate::files::tree_file::write(path, plan_svg(&body.plan).as_bytes())?;
    }
    let parts = body.plan.parts();
    let turning = parts.iter().skip(1).filter(|part| part.part.turns()).count();
    let sensors = body.plan.sensors().count();
    if args.json {
        let parts: Vec<_> = parts
            .iter()
            .map(|part| serde_json::json!({ "name": part.name, "class": part.part.class_name(), "cell": part.cell }))
            .collect();
        let object = serde_json::json!({
            "prif": body.prif.print(), "parts": parts, "joints": parts.len() - 1, "turning": turning, "sensors": sensors,
        });
        return put(format!("{object}\n").as_bytes());
    }
    let mut text = format!(
        "{} parts, {} joints of which {turning} turn, {sensors} with a sensor\n\npart      class         colour   cell\n",
        parts.len(),
        parts.len() - 1
    );
    for part in parts {
        let [x, y, z] = part.cell;
        let (class, colour) = (part.part.class_name(), part.part.colour_name());
        text += &format!("{:<10}{class:<14}{colour:<9}{x} {y} {z}\n", part.name);
    }
    put(text.as_bytes())
}

fn export(args: &ExportArgs) -> Result<()> {
    if args.brain.is_some() && !matches!(args.to, Form::Nndf) {
        bail!("--brain goes with --to nndf; the other forms are of the body alone");
    }
    refuse_over([&args.file].into_iter().chain(&args.brain), &args.output)?;
    let body = files::read(&args.file)?;
    let dialect = match (args.as_published, args.published_names) {
        (true, _) => Dialect::AsPublished,
        (false, true) => Dialect::PublishedNames,
        (false, false) => Dialect::Simulators,
    };
    let text = match args.to {
        Form::Prif => body.prif.print() + "\n",
        Form::Json => body.prif.to_json() + "\n",
        Form::Urdf => urdf::export(&body.plan, dialect),
        Form::Nndf => {
            files::brain_or_drawn(args.brain.as_deref(), args.seed, &body.plan)?.to_nndf(&body.plan, dialect)?
        }
    };
    deliver(args.output.as_deref(), text.as_bytes())
}
