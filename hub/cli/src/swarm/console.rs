//! `xpuck swarm console`: one-time link to the console page.

use crate::link::hub_address::{HubAddress, ask};
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output;

/// Print a one-time link with which a browser opens the console's page with your permissions.
///
/// The link can be used once, within ten minutes. The browser's session ends after twelve hours, or after two hours
/// without a request. Anyone with the link has the permissions of your key, so do not share the link.
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
    /// URL of the console, with a one-time token.
    link: String,
}

/// Prints a console link.
pub fn console(args: &ConsoleArgs) -> Result<()> {
    let Reply::Link(link) = ask(&args.address, &Request::Link)? else { bail!("unexpected answer from the hub") };
    match args.json {
        true => print_json(&Link { link })?,
        false => output::line(link)?,
    }
    Ok(())
}
