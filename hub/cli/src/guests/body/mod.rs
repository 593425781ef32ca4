//! Bodies of joined cubes that evolve and walk. A body is defined by a PRIF, a recursive instruction. For example,
//! `(B(1), [RIGHT, 3, X], {TOP: (S(2), (TOP, 1, Z), None)})` is a row of three blue cubes to the right, with a
//! touch-sensitive cube on its end.

pub mod curves;
pub mod evolve;
mod files;
#[cfg(feature = "gateway")]
pub mod serve;
pub mod simulate;
mod walk;

use crate::files::tree_file::{deliver, print as put, refuse_over};
use crate::terminal::print_json;
use anyhow::Result;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use xpuck_bodies::PlacedPart;
use xpuck_bodies::picture::plan_svg;
use xpuck_bodies::urdf::{self, Dialect};

/// Print the parts of a body, or draw it.
#[derive(Args)]
pub struct ShowArgs {
    /// File with a body: .prif, .json or .urdf.
    file: PathBuf,
    /// Draw the body to this SVG file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Print a body for another simulator: URDF for its parts and joints, NNDF for its brain.
#[derive(Args)]
pub struct ExportArgs {
    /// File with a body: .prif, .json or .urdf.
    file: PathBuf,
    /// Format to write.
    #[arg(long, value_enum)]
    to: Form,
    /// Brain (.nndf) of the body. `--to nndf` writes this brain, or a random one without this option. With other
    /// formats, the brain is only checked.
    #[arg(long, value_name = "FILE")]
    brain: Option<PathBuf>,
    /// Seed of a random brain.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep pyro-corpus's names of parts, which begin with a digit; by default names begin with a letter, as USD
    /// requires.
    #[arg(long)]
    published_names: bool,
    /// Write the body in every respect as pyro-corpus does: with its names, joints without strength, and an inertia
    /// of 100 kg m2, which PyBullet does not read.
    #[arg(long)]
    as_published: bool,
    /// File to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Output formats of a body.
#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Definition of the body as PRIF text.
    Prif,
    /// Definition of the body as JSON.
    Json,
    /// Parts and joints of the body, as URDF.
    Urdf,
    /// Neurons and synapses of the brain, as NNDF.
    Nndf,
}

/// Draw the plan of a body.
#[derive(Args)]
pub struct DrawArgs {
    /// File with a body: .prif, .json or .urdf.
    file: PathBuf,
    /// File to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs `xpuck tree draw` for a body.
///
/// # Errors
/// The file is invalid, or the picture cannot be written.
pub fn draw(args: &DrawArgs) -> Result<()> {
    refuse_over([&args.file], &args.output)?;
    deliver(args.output.as_deref(), plan_svg(&files::read(&args.file)?.plan).as_bytes())
}

/// Description of a body, as printed by `xpuck tree explain --json`.
#[derive(Serialize, JsonSchema)]
pub struct BodyOutput {
    /// Definition of the body in PRIF.
    prif: String,
    /// Parts of the body; the root is the first part.
    parts: Vec<PartOutput>,
    /// Number of joints.
    joints: usize,
    /// Number of joints that can turn.
    turning: usize,
    /// Number of parts with a sensor.
    sensors: usize,
}

/// Part of a body.
#[derive(Serialize, JsonSchema)]
struct PartOutput {
    /// Name of the part in the body's file.
    name: String,
    /// Class of the part.
    class: &'static str,
    /// Grid cell of the part (x, y, z).
    cell: [i32; 3],
}

/// Runs `xpuck tree explain` for a body.
///
/// # Errors
/// The file is invalid, or the picture cannot be written.
pub fn show(args: &ShowArgs) -> Result<()> {
    refuse_over([&args.file], &args.svg)?;
    let body = files::read(&args.file)?;
    if let Some(path) = &args.svg {
        crate::files::tree_file::write(path, plan_svg(&body.plan).as_bytes())?;
    }
    let parts = body.plan.parts();
    let turning = parts.iter().skip(1).filter(|part| part.part.turns()).count();
    let sensors = body.plan.sensors().count();
    if args.json {
        let part = |p: &PlacedPart| PartOutput { name: p.name.clone(), class: p.part.class_name(), cell: p.cell };
        let joints = parts.len() - 1;
        let parts = parts.iter().map(part).collect();
        return print_json(&BodyOutput { prif: body.prif.print(), parts, joints, turning, sensors });
    }
    let mut text = format!(
        "{} parts, {} joints ({turning} turning), {sensors} with a sensor\n\npart      class         colour   cell\n",
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

/// Runs `xpuck tree convert` for a body. If the output format has no brain, a given brain is only checked.
///
/// # Errors
/// A file is invalid, or cannot be written.
pub fn export(args: &ExportArgs) -> Result<()> {
    refuse_over([&args.file].into_iter().chain(&args.brain), &args.output)?;
    let body = files::read(&args.file)?;
    if let Some(path) = args.brain.as_ref().filter(|_| !matches!(args.to, Form::Nndf)) {
        files::brain(path, &body.plan)?;
    }
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
