//! `xpuck hub`: the hub's services.

use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use xpuck_hub::config::Config;
use xpuck_hub::{lifeline, service};
use xpuck_wire::log;

/// Run the hub: switchboard, geneserver, virtual senses, recorder and console.
///
/// Prints `ready` once robots and operators can connect. SIGTERM stops the swarm and closes the record.
#[derive(Args)]
pub struct HubArgs {
    /// The hub's file.
    #[arg(long)]
    config: PathBuf,
    /// End when standard input is closed.
    #[arg(long)]
    lifeline: bool,
}

/// Runs the command.
pub fn run(args: &HubArgs) -> Result<()> {
    let config = Config::read(&args.config)?;
    let stop = lifeline::stop_flag(args.lifeline)?;
    service::run(config, stop, || log::report("ready"))?;
    Ok(())
}
