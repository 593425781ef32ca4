//! `xpuck robot update`: updates the robots' software over the network.

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

/// Update the program or the whole system of robots over the network. The first robots, called canaries, try the
/// update before the others.
///
/// A robot reverts by itself to the previous version if the new version does not start, or does not hear the robot's
/// devices or the hub. If a robot reverts, the remaining robots are not updated. An image is for cards made by `xpuck
/// card flash` with the same kernel, and takes some minutes for each robot. Robots are not updated during a run, and
/// no run begins during an update. If this command is interrupted, the hub continues the update, and `xpuck robot
/// update status` prints the progress. Exit code 1 if a robot does not run the new version at the end.
#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["deb", "image"])), args_conflicts_with_subcommands = true,
          subcommand_negates_reqs = true)]
pub struct UpdateArgs {
    #[command(subcommand)]
    last: Option<Last>,
    /// Debian package of the robots' program. The command signs the package with the operator's key.
    #[arg(long, value_name = "FILE")]
    deb: Option<PathBuf>,
    /// Signed bundle (.xpb), such as an image of `xpuck card build`.
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Number of canaries, which are the robots that are updated first.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    canary: u32,
    /// Ids of the robots, separated by commas, or `all`.
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
    /// Stop the update. Robots that have already begun finish their update, and no other robot begins.
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
            let report = report(&link)?.context("the hub has no update to report")?;
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

/// Makes the head of a bundle with the package `deb`, signed with the key `secret`.
fn sealed(deb: &Path, boards: &[String], secret: Option<&Secret>) -> Result<Head> {
    let Some(secret) = secret else {
        bail!("updates are always signed; set an operator's key with --key, even for a hub without keys")
    };
    let (arch, release) = package::describe(deb)?;
    seal(Kind::App, boards, &arch, &release, open(deb)?, secret).with_context(|| deb.display().to_string())
}

/// Returns an error if a run is in progress. The hub would refuse the update, so the upload would be useless.
fn refuse_in_run(link: &OperatorLink) -> Result<()> {
    match link.ask(&Request::Status)? {
        Reply::Status(status) if !matches!(status.phase, Phase::Idle | Phase::Finished) => {
            bail!("refused: {DURING_A_RUN}")
        }
        _ => Ok(()),
    }
}

/// Requests the state of the last update; `None` if there was no update.
fn report(link: &OperatorLink) -> Result<Option<UpdateReport>> {
    match link.ask(&Request::Updated)? {
        Reply::Updated(report) => Ok(report.map(|report| *report)),
        Reply::Refused(why) => bail!("refused: {why}"),
        _ => bail!("unexpected answer from the hub"),
    }
}
