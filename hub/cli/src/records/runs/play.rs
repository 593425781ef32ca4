//! `xpuck runs replay`.

use super::{print, print_problems};
use crate::terminal::print_json;
use anyhow::{Context, Result};
use clap::Args;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::time::Duration;
use xpuck_hub_service::admission::Bounds;
use xpuck_hub_service::console::{self, Clock, Feed, Live, Names, Settings, Source};
use xpuck_hub_service::observer::MetricsView;
use xpuck_hub_service::replay::Replay;
use xpuck_record::{read, run_file::RunFile};
use xpuck_wire::shutdown;

/// Interval between two checks whether a signal has requested the end of the replay.
const LOOK: Duration = Duration::from_millis(50);

/// Replay a run on the console's page, from any moment and at 0.1 to 50 times the recorded speed.
#[derive(Args)]
pub struct ReplayArgs {
    /// Run, as path, id or `last`.
    pub run: String,
    /// Address and port of the page, which is served until Ctrl-C. Without this option, only the last status of the
    /// run is printed, as JSON.
    #[arg(long)]
    console: Option<String>,
}

/// Replaces the port of an address.
fn place(address: &str, port: u16) -> String {
    address.rsplit_once(':').map_or(address.into(), |(host, _)| format!("{host}:{port}"))
}

/// Serves a replay of a run until Ctrl-C, or prints the last status of the run if no address is given.
pub fn replay(directory: &Path, args: &ReplayArgs) -> Result<()> {
    let run = RunFile::read(directory)?;
    let Some(address) = &args.console else {
        let mut replay = Replay::new(&run);
        let mut entries = read::entries(directory)?;
        for entry in entries.by_ref() {
            replay.apply(entry?);
        }
        print_problems(entries.damage());
        return print_json(&replay.status());
    };
    let stop = shutdown::service_flag(Default::default())?;
    let taken = || {
        format!(
            "--console {address}: cannot be used; choose another port, such as {}, or 0 for a free port",
            place(address, 7680)
        )
    };
    let listener = TcpListener::bind(address).with_context(taken)?;
    // With port 0, the system chooses the port.
    let address = &place(address, listener.local_addr()?.port());
    let directory = directory.canonicalize().with_context(|| directory.display().to_string())?;
    let (runs, name) = (directory.parent().unwrap_or(&directory), directory.file_name().unwrap_or_default());
    let (sender, commands) = sync_channel::<console::Command>(16);
    let clock = Clock { time: 0.0, unix_ms: run.started_unix_ms, speed: run.speed };
    let source = Source {
        live: Live::new(Feed::new(&run.robots, clock), "{}".into()),
        told: None,
        commands: sender,
        sessions: Default::default(),
        guard: None,
        window: MetricsView::default(),
        names: Names::new(address, &[]),
        bounds: Bounds::of_pages(64, 16),
        settings: Settings::for_replay(runs, &name.to_string_lossy(), address),
    };
    console::start(listener, source)?;
    print(&format!("{} is shown at http://{address} until Ctrl-C\n", directory.display()))?;
    while !stop.load(Ordering::Relaxed) {
        // Commands to a replay are discarded.
        while commands.try_recv().is_ok() {}
        std::thread::sleep(LOOK);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_port_is_listening() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = place("127.0.0.1:0", port);
        assert!(port > 0 && std::net::TcpStream::connect(&told).is_ok(), "{told}");
        assert_eq!(place("[::1]:0", 7700), "[::1]:7700");
        assert_eq!(place("localhost:7700", 7700), "localhost:7700");
    }
}
