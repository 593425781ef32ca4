//! `xpuck robot update`: updates of the robots' software over the air.

mod follow;
mod upload;

use crate::link::hub_address::{HubAddress, have};
use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args, Subcommand};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xpuck_hub_core::switchboard::DURING_A_RUN;
use xpuck_update::bundle::{Head, Kind, Reader, seal};
use xpuck_update::package;
use xpuck_wire::Phase;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::rollout::UpdateReport;
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{file, output};

/// Update the program or the whole system of robots over the air: canaries first, the others after their success.
///
/// A robot tries the new version and reverts by itself if the version does not start, or if its devices or the hub are
/// not heard; the remaining robots are then not updated. An image is for cards of `xpuck card flash` with the same
/// kernel, and takes some minutes a robot. Robots are not updated during a run, and no run begins during an update.
/// The hub continues the update when this command is interrupted; `xpuck robot update status` prints its progress.
/// Exit code 1 if a robot does not run the new version in the end.
#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["deb", "image"])), args_conflicts_with_subcommands = true,
          subcommand_negates_reqs = true)]
pub struct UpdateArgs {
    #[command(subcommand)]
    last: Option<Last>,
    /// Debian package of the robot's program; it is signed with the operator's key.
    #[arg(long, value_name = "FILE")]
    deb: Option<PathBuf>,
    /// Signed bundle (.xpb), such as an image of `xpuck card build`.
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Number of canaries, the robots that are updated first.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    canary: u32,
    /// Robots, separated by commas, or `all`.
    #[arg(long, value_delimiter = ',', default_value = "all")]
    robots: Vec<String>,
    /// Boards for which the package is made, separated by commas, or `any`.
    #[arg(long, value_delimiter = ',', default_value = "any", conflicts_with = "image")]
    boards: Vec<String>,
    /// Print the final state as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Commands about the last update.
#[derive(Subcommand)]
enum Last {
    /// Print the progress of the last update.
    Status(LastArgs),
    /// Stop the update before further robots; robots that have begun continue to the end.
    Abort(LastArgs),
}

#[derive(Args)]
struct LastArgs {
    /// Print the state of the update as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Runs the command.
pub fn run(args: &UpdateArgs) -> Result<ExitCode> {
    match &args.last {
        Some(Last::Abort(args)) => {
            let (link, _) = args.address.open()?;
            have(&link, &Request::AbortUpdate)?;
            let report = report(&link)?.context("the hub has no update")?;
            follow::print(&report, args.json)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Last::Status(args)) => {
            match report(&args.address.open()?.0)? {
                Some(report) => follow::print(&report, args.json)?,
                None if args.json => output::line("null")?,
                None => output::line("nothing was updated so far")?,
            }
            return Ok(ExitCode::SUCCESS);
        }
        None => {}
    }
    crate::swarm::orders::check_names(&args.robots)?;
    let (link, secret) = args.address.open()?;
    let (head, path, begins) = match (&args.deb, &args.image) {
        (Some(deb), _) => (sealed(deb, &args.boards, secret.as_ref())?, deb, 0),
        (None, Some(image)) => {
            let head = Reader::new(file::open(image).with_context(|| image.display().to_string())?)
                .map(|reader| reader.head)
                .with_context(|| image.display().to_string())?;
            let begins = head.to_bytes().len() as u64;
            (head, image, begins)
        }
        (None, None) => bail!("no update is given; use --deb with a package, or --image with a bundle"),
    };
    let manifest = head.unverified_manifest().with_context(|| path.display().to_string())?;
    refuse_in_run(&link)?;
    upload::upload(&link, head, manifest.size, open(path)?, begins)?;
    let robots = if args.robots == ["all"] { Vec::new() } else { args.robots.clone() };
    have(&link, &Request::Update { digest: manifest.sha256, robots, canary: args.canary })?;
    let report = follow::follow(&link)?;
    follow::print(&report, args.json)?;
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn open(path: &Path) -> Result<File> {
    file::open(path).with_context(|| path.display().to_string())
}

/// Makes the head of a signed bundle for this package.
fn sealed(deb: &Path, boards: &[String], secret: Option<&Secret>) -> Result<Head> {
    let Some(secret) = secret else {
        bail!("updates are always signed; set an operator's key with --key, even for a hub without keys")
    };
    let (arch, release) = package::describe(deb)?;
    seal(Kind::App, boards, &arch, &release, open(deb)?, secret).with_context(|| deb.display().to_string())
}

/// Checks for a run before the upload, because the hub refuses updates during a run.
fn refuse_in_run(link: &OperatorLink) -> Result<()> {
    match link.ask(&Request::Status)? {
        Reply::Status(status) if !matches!(status.phase, Phase::Idle | Phase::Finished) => {
            bail!("refused: {DURING_A_RUN}")
        }
        _ => Ok(()),
    }
}

/// State of the last update.
fn report(link: &OperatorLink) -> Result<Option<UpdateReport>> {
    match link.ask(&Request::Updated)? {
        Reply::Updated(report) => Ok(report.map(|report| *report)),
        Reply::Refused(why) => bail!("refused: {why}"),
        _ => bail!("unexpected answer from the hub"),
    }
}
