//! `xpuck swarm console`: a link to the web page.

use crate::link::hub_address::{HubAddress, ask};
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output;

/// Print a one-time link by which a browser opens the console's page as you.
///
/// The link is good once and for ten minutes; the session that it begins ends after twelve hours, or after two in which
/// nothing is asked. Whoever has the link may do what your key may: do not send it on.
#[derive(Args)]
pub struct ConsoleArgs {
    #[command(flatten)]
    address: HubAddress,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Link to the console, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Link {
    /// Address with a one-time token.
    link: String,
}

/// Prints a link.
pub fn console(args: &ConsoleArgs) -> Result<()> {
    let Reply::Link(link) = ask(&args.address, &Request::Link)? else { bail!("the hub answered something else") };
    match args.json {
        true => print_json(&Link { link })?,
        false => output::line(link)?,
    }
    Ok(())
}
