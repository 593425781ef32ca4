//! Output that nobody takes: every command with its output closed, full or both ends with the exit code that it should
//! and never in a panic; every service goes on; and what is no file is refused by name.

mod commands;
mod services;
mod special;

use crate::common::xpuck;
use std::fs::File;
use std::io::{Write, pipe};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/trees/806768.bt");
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The robot's program, beside the operator's tool.
fn xpuckd() -> Command {
    let path = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
    assert!(path.exists(), "{} is missing: `cargo build -p xpuck-robot` builds it", path.display());
    Command::new(path)
}

/// A command line of `xpuck`, or of `xpuckd` if that is its first word.
fn command(words: &[String]) -> Command {
    let (mut command, rest) = match words.split_first() {
        Some((first, rest)) if first == "xpuckd" => (xpuckd(), rest),
        _ => (xpuck(), words),
    };
    command.args(rest);
    command
}

/// What takes no output.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sink {
    /// A disk without room.
    Full,
    /// A pipe whose reader has left.
    Left,
    /// A pipe that is full and that nobody reads.
    Stalled,
}

impl Sink {
    /// An end to write to, and what must live as long as the writer.
    fn open(self) -> (Stdio, Option<OwnedFd>) {
        match self {
            Sink::Full => (File::options().write(true).open("/dev/full").unwrap().into(), None),
            Sink::Left => (pipe().unwrap().1.into(), None),
            Sink::Stalled => {
                let (reader, mut writer) = pipe().unwrap();
                // What a pipe holds unless somebody changes it.
                writer.write_all(&[b'x'; 65_536]).unwrap();
                (writer.into(), Some(reader.into()))
            }
        }
    }
}

/// Waits for a process without letting it wait for its reader; one that does not end is killed, and the test fails.
fn ended(mut child: Child, what: &str) -> Output {
    let (sender, told) = std::sync::mpsc::channel();
    let id = child.id();
    drop(child.stdin.take());
    std::thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    match told.recv_timeout(PATIENCE) {
        Ok(output) => output,
        Err(_) => {
            let _ = Command::new("sh").args(["-c", &format!("kill -KILL {id}")]).status();
            panic!("{what} does not end");
        }
    }
}

/// Waits until something is so.
fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
