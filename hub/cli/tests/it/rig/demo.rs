//! Runs `xpuck demo` in a separate folder and on separate ports.

use super::ports::free_ports;
use super::process::{processes, send_signal, xpuck};
use super::swarm::OPERATOR_KEY;
use crate::common::only;
use nix::sys::signal::Signal;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use xpuck_testing::patience;
use xpuck_testing::patience::{wait_until, wait_within};
use xpuck_wire::Status;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::Sockets;

/// Arguments of a demo of two robots at eight times real time.
pub const SMALL: [&str; 6] = ["--count", "2", "--speed", "8", "--population", "8"];

/// A demo whose processes end when this value is dropped.
pub struct Demo {
    folder: tempfile::TempDir,
    child: Child,
    /// First of the demo's four adjacent ports, which are for console, robots, operators and motion capture in this
    /// order.
    pub ports: u16,
}

impl Demo {
    /// Starts a demo with the arguments [`SMALL`], a run of `minutes` (min of arena time), and further arguments.
    pub fn start(minutes: &str, more: &[&str]) -> Demo {
        Demo::with(&[&SMALL[..], &["--minutes", minutes], more].concat())
    }

    /// Starts a demo in a temporary folder. Only commands that run in this folder find the demo.
    pub fn with(arguments: &[&str]) -> Demo {
        let folder = tempfile::tempdir().unwrap();
        let ports = free_ports();
        let file = |name: &str| File::create(folder.path().join(name)).unwrap();
        let child = command_in(folder.path())
            .args(["demo", "--ports", &ports.to_string(), "--output"])
            .arg(folder.path().join("out"))
            .args(arguments)
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn()
            .unwrap();
        Demo { folder, child, ports }
    }

    /// Folder in which the demo was started.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Output folder, which contains the demo's own folder.
    pub fn out(&self) -> PathBuf {
        self.folder().join("out")
    }

    /// The demo's own folder, with configuration, keys, logs and record.
    pub fn directory(&self) -> PathBuf {
        only(&self.out(), "demo-")
    }

    /// Builds a command of `xpuck` in the folder in which the demo was started.
    pub fn command(&self, line: &str) -> Command {
        let mut command = command_in(self.folder());
        command.args(line.split(' '));
        command
    }

    /// Address of the web console.
    pub fn console(&self) -> String {
        format!("127.0.0.1:{}", self.ports)
    }

    /// Address at which the hub accepts operators.
    pub fn operator(&self) -> String {
        format!("tcp://127.0.0.1:{}", self.ports + 2)
    }

    /// Path of the operator's key.
    pub fn key(&self) -> PathBuf {
        self.directory().join(OPERATOR_KEY)
    }

    /// Returns the demo's own folder, or `None` if it does not exist yet.
    fn started(&self) -> Option<PathBuf> {
        Some(std::fs::read_dir(self.out()).ok()?.next()?.ok()?.path())
    }

    /// Requests the status of the swarm. Returns `None` if the hub does not answer.
    pub fn status(&self) -> Option<Status> {
        let (sockets, _) = Sockets::for_operator(&self.started()?.join(OPERATOR_KEY)).ok()?;
        let link = sockets.operator(&self.operator(), (patience() / 2).as_millis() as i32).unwrap();
        match link.ask(&Request::Status).ok()? {
            Reply::Status(status) => Some(*status),
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the status satisfies a condition, and returns the status. `what` names the condition in errors.
    pub fn wait(&mut self, what: &str, holds: impl Fn(&Status) -> bool) -> Status {
        let check = || {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "{what}: the demo ended: {}", self.text());
            self.status().filter(&holds)
        };
        wait_within(2 * patience(), check, || what.to_string())
    }

    /// Waits until the hub has logged that the swarm runs.
    pub fn wait_for_run(&self) {
        wait_until("the run begins", || {
            let log = self.started().map(|folder| folder.join("logs/hub.log"));
            log.is_some_and(|log| std::fs::read_to_string(log).unwrap_or_default().contains("RUN"))
        });
    }

    /// Returns the id of the demo's process whose command line contains all `words`. Exactly one process must match.
    pub fn process(&self, words: &[&str]) -> u32 {
        let folder = self.folder().display().to_string();
        let all: Vec<&str> = words.iter().copied().chain([folder.as_str(), "--end-with-stdin"]).collect();
        let found = processes(&all);
        assert_eq!(found.len(), 1, "{words:?}: {found:?}");
        found[0]
    }

    /// Sends a signal to the process of `xpuck demo`, but not to its child processes.
    pub fn send_signal(&self, signal: Signal) {
        send_signal(self.child.id(), signal);
    }

    /// Kills the process of `xpuck demo` and waits for its end.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the run as the operator, and waits until the demo has ended. Returns the same values as [`Demo::end`].
    pub fn stop(&mut self) -> (Output, String) {
        let stop = self.command("stop").output().unwrap();
        assert!(stop.status.success(), "{stop:?}");
        self.end()
    }

    /// Waits until the demo has ended. Returns its exit status with both outputs, and both outputs as one text.
    pub fn end(&mut self) -> (Output, String) {
        let status = wait_within(
            10 * patience(),
            || self.child.try_wait().unwrap(),
            || format!("the end of the demo: {}", std::fs::read_to_string(self.folder.path().join("stderr")).unwrap()),
        );
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| std::fs::read(self.folder().join(name)).unwrap());
        (Output { status, stdout, stderr }, self.text())
    }

    /// Standard output and standard error of the demo so far.
    pub fn text(&self) -> String {
        let read = |name: &str| String::from_utf8_lossy(&std::fs::read(self.folder().join(name)).unwrap()).into_owned();
        read("stdout") + &read("stderr")
    }

    /// Waits until no process of the demo is left. Fails if a process is left after the time limit.
    pub fn assert_nobody_left(&self) {
        let folder = self.folder().display().to_string();
        let left = || processes(&[&folder]);
        wait_within(patience(), || left().is_empty().then_some(()), || format!("processes left: {:?}", left()));
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // The kill closes the standard inputs of the demo's processes, so these processes end too.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Builds a command of `xpuck` in a folder. The temporary files are in the same folder, so the command finds only demos
/// that were started there.
pub fn command_in(folder: &Path) -> Command {
    let mut command = xpuck();
    command.current_dir(folder).env("TMPDIR", folder).stdin(Stdio::null());
    command
}
