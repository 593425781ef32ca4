//! `xpuck serve playground`: the playground's page without a hub.

use crate::terminal::report_json;
use anyhow::{Context, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;
use xpuck_hub_service::console::{playground, reachable};
use xpuck_wire::{log, shutdown};

/// Interval for checking for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// Serve the playground: write trees, watch robots and evolve in a browser.
///
/// The page needs no network and no hub. Its files come from `make playground` or from the package; any other web
/// server can serve them too. The console of a hub shows the same page below /playground/. See docs/playground.md.
#[derive(Args)]
pub struct PlaygroundArgs {
    /// Address and port of the page; port 0 selects a free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7690")]
    listen: String,
    /// Folder with the files [default: ../playground or ../share/xpuck/playground, from the program's folder].
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Print the address as JSON.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true)]
    end_with_stdin: bool,
}

/// Output of `--json`.
#[derive(Serialize, JsonSchema)]
pub struct Report<'a> {
    /// Address of the page.
    address: &'a str,
    /// Folder with the files.
    files: PathBuf,
}

/// Serves the page until Ctrl-C.
pub fn run(args: &PlaygroundArgs) -> Result<()> {
    let folder = match &args.files {
        Some(folder) => playground::checked(folder)
            .with_context(|| format!("--files {}: not a folder with a playground", folder.display()))?,
        None => playground::folder()
            .context("the playground is not here; build it with `make playground`, or set its folder with --files")?,
    };
    let listener = TcpListener::bind(&args.listen)
        .with_context(|| format!("--listen {}: cannot be used; choose another port, or 0", args.listen))?;
    // With port 0, the system chooses the port.
    let (host, _) = args.listen.rsplit_once(':').unwrap_or((&args.listen, ""));
    let authority = format!("{host}:{}", listener.local_addr()?.port());
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let (files, place) = (folder.clone(), authority.clone());
    let server = std::thread::spawn(move || playground::serve(listener, &place, files));
    let address = format!("http://{}/", reachable(&authority));
    if args.json {
        report_json(&Report { address: &address, files: folder });
    } else {
        log::print(format_args!("open {address} in a browser; Ctrl-C ends"));
    }
    while !stop.load(Ordering::Relaxed) && !server.is_finished() {
        std::thread::sleep(LOOK);
    }
    match server.is_finished() {
        true => Ok(server.join().map_err(|_| anyhow::anyhow!("the web server failed"))??),
        false => Ok(()),
    }
}
