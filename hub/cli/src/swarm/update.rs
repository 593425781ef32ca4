//! `xpuck robot update`: a new program for robots, over the air.

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

/// Give robots a new program or a whole new system over the air: some first, the others when those are well.
///
/// A robot tries the new version; if it does not start, or its devices or the hub are not heard, the robot goes back by itself,
/// and no further robot is updated. An image is for cards of `xpuck card flash` with the same kernel, and takes some minutes a robot.
/// Nothing is updated during a run, and no run begins meanwhile. The hub goes on when this command is ended; `xpuck robot
/// update status` tells how far it is. Exit code 1 if a robot does not run the new version in the end.
#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).args(["deb", "image"])), args_conflicts_with_subcommands = true,
          subcommand_negates_reqs = true)]
pub struct UpdateArgs {
    #[command(subcommand)]
    last: Option<Last>,
    /// The Debian package of the robot's program; it is signed with the operator's key.
    #[arg(long, value_name = "FILE")]
    deb: Option<PathBuf>,
    /// A bundle that is signed already (.xpb), such as an image of `xpuck card build`.
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// So many robots are first.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    canary: u32,
    /// The robots, separated by commas, or `all`.
    #[arg(long, value_delimiter = ',', default_value = "all")]
    robots: Vec<String>,
    /// The boards that the package is for, separated by commas, or `any`.
    #[arg(long, value_delimiter = ',', default_value = "any", conflicts_with = "image")]
    boards: Vec<String>,
    /// Print how it stands in the end as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Commands about the update before.
#[derive(Subcommand)]
enum Last {
    /// Say how the last update stands.
    Status(LastArgs),
    /// Update no further robot; those that began go on to their end.
    Abort(LastArgs),
}

#[derive(Args)]
struct LastArgs {
    /// Print how it stands as JSON.
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
            let report = report(&link)?.context("the hub knows of no update")?;
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
        (None, None) => bail!("name a package (--deb) or a bundle (--image)"),
    };
    let manifest = head.told().with_context(|| path.display().to_string())?;
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

/// The head of a bundle of this package.
fn sealed(deb: &Path, boards: &[String], secret: Option<&Secret>) -> Result<Head> {
    let Some(secret) = secret else {
        bail!("updates are always signed; name an operator's key with --key, also where the hub does without keys")
    };
    let (arch, release) = package::describe(deb)?;
    seal(Kind::App, boards, &arch, &release, open(deb)?, secret).with_context(|| deb.display().to_string())
}

/// The hub refuses an update during a run, which is said before all of it is sent.
fn refuse_in_run(link: &OperatorLink) -> Result<()> {
    match link.ask(&Request::Status)? {
        Reply::Status(status) if !matches!(status.phase, Phase::Idle | Phase::Finished) => {
            bail!("refused: {DURING_A_RUN}")
        }
        _ => Ok(()),
    }
}

/// How the last update stands.
fn report(link: &OperatorLink) -> Result<Option<UpdateReport>> {
    match link.ask(&Request::Updated)? {
        Reply::Updated(report) => Ok(report.map(|report| *report)),
        Reply::Refused(why) => bail!("refused: {why}"),
        _ => bail!("the hub answered something else"),
    }
}
