//! Processes of the demo: start, logs and common shutdown.

use super::files::Layout;
use crate::arena::Timing;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use xpuck_wire::{log, output};

/// Maximum time until a started service is ready. Startup may be slow on a loaded core.
const READY: Duration = Duration::from_secs(60);
/// Time that a process has to end by itself before it is killed.
const END: Duration = Duration::from_secs(5);
/// Time that the hub has to close its record and end by itself before it is killed.
const HUB_END: Duration = Duration::from_secs(60);

struct Process {
    name: String,
    child: Child,
    output: Option<BufReader<ChildStdout>>,
    /// Whether the end of the process has been reported.
    reported: bool,
}

/// All processes of a demo. Dropping this value ends all processes, so that no process outlives the demo.
pub struct Processes<'a> {
    layout: &'a Layout,
    xpuck: PathBuf,
    xpuckd: PathBuf,
    list: Vec<Process>,
}

/// Locates the programs `xpuck` and `xpuckd`.
///
/// # Errors
/// A program is missing.
pub fn programs() -> Result<[PathBuf; 2]> {
    let xpuck = std::env::current_exe()?;
    let xpuckd = xpuck.with_file_name("xpuckd");
    if !xpuckd.exists() {
        bail!("{} is missing; build it with `make build`", xpuckd.display());
    }
    Ok([xpuck, xpuckd])
}

impl<'a> Processes<'a> {
    /// Creates the list of processes. `programs` contains the paths of `xpuck` and `xpuckd`. Starts no process.
    pub fn new(layout: &'a Layout, [xpuck, xpuckd]: [PathBuf; 2]) -> Processes<'a> {
        Processes { layout, xpuck, xpuckd, list: Vec::new() }
    }

    fn spawn(&mut self, name: &str, program: &Path, arguments: &[&str], file: &Path) -> Result<()> {
        let log = File::create(self.layout.log(name))?;
        let mut child = Command::new(program)
            .args(arguments)
            .arg("--config")
            .arg(file)
            .arg("--end-with-stdin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            // Each process has its own process group. Ctrl-C therefore reaches only the demo, which then ends the
            // processes in order.
            .process_group(0)
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let output = child.stdout.take().map(BufReader::new);
        self.list.push(Process { name: name.into(), child, output, reported: false });
        Ok(())
    }

    /// Starts `xpuck serve hub` or `xpuck serve arena` and waits until it prints `ready`.
    pub fn start_service(&mut self, name: &str, file: &Path) -> Result<()> {
        let xpuck = self.xpuck.clone();
        self.spawn(name, &xpuck, &["serve", name], file)?;
        let log = self.layout.log(name);
        let Some(process) = self.list.last_mut() else { return Ok(()) };
        let Some(mut output) = process.output.take() else { return Ok(()) };
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let ready = output.read_line(&mut line).is_ok() && line == "ready\n";
            // Sending fails if the receiver has timed out.
            let _ = sender.send((ready, output));
        });
        match receiver.recv_timeout(READY) {
            Ok((true, output)) => {
                process.output = Some(output);
                Ok(())
            }
            // The prefix is removed from the log line, because it is also printed before this error.
            Ok((false, _)) => match first_line(&log) {
                Some(line) => bail!("{}", line.strip_prefix("xpuck: ").unwrap_or(&line)),
                None => bail!("{name} ended immediately"),
            },
            Err(_) => bail!("{name} was not ready within {} s; see {}", READY.as_secs(), log.display()),
        }
    }

    /// Starts the program of robot `id` with its configuration file.
    pub fn start_robot(&mut self, id: &str, file: &Path) -> Result<()> {
        let xpuckd = self.xpuckd.clone();
        self.spawn(id, &xpuckd, &[], file)
    }

    /// Returns the processes that ended since the last call. Each item is the name and a line about the end.
    pub fn take_ended(&mut self) -> Vec<(String, String)> {
        let mut gone = Vec::new();
        for process in self.list.iter_mut().filter(|p| !p.reported) {
            if let Ok(Some(status)) = process.child.try_wait() {
                process.reported = true;
                let log = self.layout.log(&process.name);
                gone.push((process.name.clone(), end_message(&process.name, status, || first_line(&log))));
            }
        }
        gone
    }

    /// Ends all processes: closes their standard inputs, waits, and kills the processes that do not end in time.
    /// Returns the timing that the arena reported, or `None` if there is no valid report.
    pub fn end(&mut self) -> Option<Timing> {
        for process in &mut self.list {
            drop(process.child.stdin.take());
        }
        let began = Instant::now();
        let mut timing = None;
        for process in &mut self.list {
            let deadline = began + if process.name == "hub" { HUB_END } else { END };
            while matches!(process.child.try_wait(), Ok(None)) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
            if matches!(process.child.try_wait(), Ok(None)) && process.name == "hub" {
                let (seconds, folder) = (HUB_END.as_secs(), self.layout.root.display());
                output::print_error(format_args!(
                    "xpuck: the hub did not end within {seconds} s and is killed; repair its record with `xpuck runs \
                     recover` and the run's folder in {folder}"
                ));
            }
            // `kill` fails if the process has just ended, which is harmless.
            let _ = process.child.kill();
            let _ = process.child.wait();
            if process.name == "arena" {
                let mut text = String::new();
                if process.output.as_mut().is_some_and(|o| o.read_to_string(&mut text).is_ok()) {
                    timing = text.lines().next_back().and_then(|line| serde_json::from_str(line).ok());
                }
            }
        }
        timing
    }
}

impl Drop for Processes<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns a line about a process that ended. `said` reads the reason from the process's log, and is not called if a
/// signal killed the process.
fn end_message(name: &str, status: ExitStatus, said: impl FnOnce() -> Option<String>) -> String {
    let name = if matches!(name, "hub" | "arena") { format!("the {name}") } else { name.into() };
    match status.signal() {
        Some(signal) => format!("{name} was killed by signal {signal}"),
        None => format!("{name} ended ({status}){}", said().map(|line| format!(": {line}")).unwrap_or_default()),
    }
}

/// Returns the first line of a log, or the error if the log cannot be read. `None` if the log is empty.
fn first_line(log: &Path) -> Option<String> {
    log::first_line(log).unwrap_or_else(|error| Some(format!("{}: {error}", log.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn killed_process_reports_signal_not_log_line() {
        let said = || Some("DEV MODE".to_string());
        assert_eq!(end_message("hub", ExitStatus::from_raw(9), said), "the hub was killed by signal 9");
        assert_eq!(end_message("xp02", ExitStatus::from_raw(11), said), "xp02 was killed by signal 11");
        assert_eq!(
            end_message("arena", ExitStatus::from_raw(1 << 8), said),
            "the arena ended (exit status: 1): DEV MODE"
        );
    }
}
