//! `xpuck serve hub`: services of the hub.

use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use xpuck_hub_service::{config_file, hub};
use xpuck_wire::log;
use xpuck_wire::shutdown;

/// Run the hub: switchboard, geneserver, virtual senses, recorder and console.
///
/// The hub prints `ready` as soon as robots and operators can connect. SIGTERM stops the swarm, closes the record and
/// ends the hub.
#[derive(Args)]
pub struct HubArgs {
    /// Configuration file of the hub (TOML).
    #[arg(long, value_name = "FILE", default_value = "hub.toml")]
    config: PathBuf,
    /// End when standard input is closed.
    #[arg(long, alias = "lifeline")]
    end_with_stdin: bool,
}

/// Runs the command.
pub fn run(args: &HubArgs) -> Result<()> {
    let config = config_file::read(&args.config)?;
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    hub::run(config, env!("XPUCK_COMMIT"), stop, || log::print("ready"))?;
    Ok(())
}
