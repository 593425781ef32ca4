//! `xpuck runs replay`.

use super::{print, tell};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use xpuck_hub_service::admission::Bounds;
use xpuck_hub_service::console;
use xpuck_hub_service::console::{Shown, Source};
use xpuck_hub_service::observer::Window;
use xpuck_hub_service::replay::Replay;
use xpuck_record::{read, run_file::RunFile};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::shutdown;

/// The page is renewed so often.
const SHOW: Duration = Duration::from_millis(100);
/// Longest pause of a record that is played, s of arena time: a hub may have been away for a minute.
const LONGEST_PAUSE: f64 = 5.0;

/// Show a run again on the console page, at any speed.
#[derive(Args)]
pub struct ReplayArgs {
    /// The run.
    pub run: String,
    /// Seconds of arena time in a second, 0.01 to 10000.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Address and port of the page; without it only the last status is printed, as JSON, as fast as can be.
    #[arg(long)]
    console: Option<String>,
    /// Keep the page when the record is over, until Ctrl-C.
    #[arg(long, requires = "console")]
    stay: bool,
}

/// An address with this port in place of its own.
fn place(address: &str, port: u16) -> String {
    address.rsplit_once(':').map_or(address.into(), |(host, _)| format!("{host}:{port}"))
}

/// Plays a run.
pub fn replay(directory: &Path, args: &ReplayArgs) -> Result<()> {
    if !(0.01..=10_000.0).contains(&args.speed) {
        bail!("--speed {} is outside 0.01..=10000", args.speed);
    }
    let mut replay = Replay::new(&RunFile::read(directory)?);
    let mut entries = read::entries(directory)?;
    let Some(address) = &args.console else {
        for entry in entries.by_ref() {
            replay.take(entry?);
        }
        tell(entries.damage());
        return print(&format!("{}\n", serde_json::to_string(&replay.status())?));
    };
    let stop = shutdown::service_flag(Default::default())?;
    let listener = TcpListener::bind(address).with_context(|| format!("--console {address}"))?;
    // With port 0 the system chooses one.
    let address = &place(address, listener.local_addr()?.port());
    let (status, shown) = watch::channel(Shown::new(&serde_json::to_string(&replay.status())?));
    let (sender, commands) = sync_channel::<console::Command>(16);
    let runs = directory.parent().unwrap_or(directory).to_path_buf();
    let names = console::Names::new(address, &[]);
    let (window, bounds) = (Window::default(), Bounds::of_pages(64, 16));
    console::start(listener, Source { status: shown, commands: sender, runs, window, names, bounds })?;
    print(&format!("replaying {} at http://{address}\n", directory.display()))?;
    let mut due = Instant::now();
    let (mut next, mut time) = (due, None::<f64>);
    let mut turn = |replay: &mut Replay, until: Instant| -> Result<bool> {
        loop {
            while let Ok(command) = commands.try_recv() {
                let refused = Reply::Refused("this is a replay: there is nothing to command".into());
                let answer = if command.request == Request::Status { Reply::Done } else { refused };
                // A page that left needs no answer.
                let _ = command.answer.send(answer);
            }
            let now = Instant::now();
            if now >= next {
                next = now + SHOW;
                status.send_replace(Shown::new(&serde_json::to_string(&replay.status())?));
            }
            if stop.load(Ordering::Relaxed) || now >= until {
                return Ok(!stop.load(Ordering::Relaxed));
            }
            std::thread::sleep((until - now).min(SHOW / 4));
        }
    };
    for entry in entries.by_ref() {
        let entry = entry?;
        let passed = time.map_or(0.0, |then| (entry.time() - then).clamp(0.0, LONGEST_PAUSE));
        time = Some(entry.time());
        due += Duration::from_secs_f64(passed / args.speed);
        if !turn(&mut replay, due)? {
            return Ok(());
        }
        replay.take(entry);
    }
    tell(entries.damage());
    print("the record is over\n")?;
    while args.stay && turn(&mut replay, Instant::now() + SHOW)? {}
    turn(&mut replay, Instant::now() + 2 * SHOW)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_that_is_told_is_the_one_that_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = place("127.0.0.1:0", port);
        assert!(port > 0 && std::net::TcpStream::connect(&told).is_ok(), "{told}");
        assert_eq!(place("[::1]:0", 7700), "[::1]:7700");
        assert_eq!(place("localhost:7700", 7700), "localhost:7700");
    }
}
