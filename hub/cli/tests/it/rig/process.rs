//! Runs programs under test as processes.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;

/// Builds a command of the operator's program, `xpuck`.
pub fn xpuck() -> Command {
    Command::new(env!("CARGO_BIN_EXE_xpuck"))
}

/// Builds a command of a robot's program, `xpuckd`. Cargo builds this program in the folder of `xpuck`.
pub fn xpuckd() -> Command {
    let path = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
    assert!(path.exists(), "{} is missing: `cargo build -p xpuck-robot` builds it", path.display());
    Command::new(path)
}

/// Sends a signal to a process.
pub fn send_signal(process: u32, signal: Signal) {
    kill(Pid::from_raw(process as i32), signal).unwrap();
}

/// A process that is killed when this value is dropped.
pub struct Process {
    child: Child,
    log: PathBuf,
    /// Standard output of a service, without the lines read so far. `None` if the output is discarded.
    output: Option<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts a program with an open standard input. Appends the program's standard error to the file `log`.
    pub fn start(command: &mut Command, log: PathBuf) -> Process {
        let file = File::options().create(true).append(true).open(&log).unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(file);
        Process { child: command.spawn().unwrap(), log, output: None }
    }

    fn with_output(command: &mut Command, log: PathBuf) -> Process {
        let file = File::options().create(true).append(true).open(&log).unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file).spawn().unwrap();
        let output = child.stdout.take().map(BufReader::new);
        Process { child, log, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let length = self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        assert!(length > 0, "the program ended too early: {}", self.log());
        line.trim_end().to_string()
    }

    /// Starts a service and waits until the service prints the line `ready`. Returns the process and the lines printed
    /// before this line.
    pub fn serve(command: &mut Command, log: PathBuf) -> (Process, Vec<String>) {
        let mut process = Process::with_output(command, log);
        let lines = std::iter::from_fn(|| Some(process.line()).filter(|line| line != "ready")).collect();
        (process, lines)
    }

    /// Starts a service whose first line is a JSON object. Returns the process and the value of the key `listening`,
    /// which contains the addresses of the service.
    pub fn listen(command: &mut Command, log: PathBuf) -> (Process, Value) {
        let mut process = Process::with_output(command, log);
        let line = process.line();
        let first: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        (process, first["listening"].clone())
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Content of the program's log file, which is its standard error.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Whether the program has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until the program has ended by itself.
    pub fn wait(&mut self) -> ExitStatus {
        wait_within(2 * patience(), || self.child.try_wait().unwrap(), || format!("the end of {}", self.log.display()))
    }

    /// Kills the program with SIGKILL.
    pub fn kill(self) {
        drop(self);
    }

    /// Ends a service by closing its standard input. Returns the rest of the service's standard output.
    pub fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        if let Some(output) = &mut self.output {
            output.read_to_string(&mut rest).unwrap();
        }
        let status = self.wait();
        assert!(status.success(), "{status}: {}", self.log());
        rest
    }

    /// Ends a service by closing its standard input. Returns the last line that the service prints, a JSON object.
    pub fn end_with_counts(self) -> Value {
        let rest = self.end();
        serde_json::from_str(rest.lines().last().unwrap_or_default()).unwrap_or_else(|error| panic!("{rest}: {error}"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The kill comes before the standard input is closed, because a service that notices the closed input ends
        // normally. An error means that the program has already ended.
        let _ = self.child.kill();
        // Child processes of the program may share its standard input. They end when the input is closed.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Processes that are killed when this value is dropped.
#[derive(Default)]
pub struct Children(pub Vec<Child>);

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // An error means that the process has already ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns the ids of all processes of the machine whose command line contains all `words`.
pub fn processes(words: &[&str]) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        // The process may have ended in the meantime. A process that has ended has an empty command line.
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if words.iter().all(|w| line.contains(w)) {
            found.push(id);
        }
    }
    found
}

/// Returns whether a process has open files. A process that has ended has none, even if its parent does not know yet.
pub fn has_open_files(process: u32) -> bool {
    std::fs::read_dir(format!("/proc/{process}/fd")).is_ok_and(|mut files| files.next().is_some())
}
