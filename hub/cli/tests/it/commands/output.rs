//! Outputs that fail. Every command whose output is closed or full ends with its exit code and without a panic. Every
//! service continues. A path that is not a file is rejected with an error that names it.

mod commands;
mod services;
mod special;

use crate::rig::{xpuck, xpuckd};
use std::fs::File;
use std::io::{Write, pipe};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Output, Stdio};
use xpuck_testing::patience;

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/806768.bt");
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

/// Builds the command for a command line: `xpuckd` if that is the first word, and otherwise `xpuck`.
fn command(words: &[String]) -> Command {
    let (mut command, rest) = match words.split_first() {
        Some((first, rest)) if first == "xpuckd" => (xpuckd(), rest),
        _ => (xpuck(), words),
    };
    command.args(rest);
    command
}

/// An output that fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sink {
    /// A full disk.
    Full,
    /// A pipe whose reader is closed.
    Left,
    /// A full pipe whose reader is open but does not read.
    Stalled,
}

impl Sink {
    /// Returns the output for the writing process, and the reader if the pipe needs an open one. The reader must live
    /// as long as the process.
    fn open(self) -> (Stdio, Option<OwnedFd>) {
        match self {
            Sink::Full => (File::options().write(true).open("/dev/full").unwrap().into(), None),
            Sink::Left => (pipe().unwrap().1.into(), None),
            Sink::Stalled => {
                let (reader, mut writer) = pipe().unwrap();
                // The number of bytes is the default capacity of a pipe on Linux.
                writer.write_all(&[b'x'; 65_536]).unwrap();
                (writer.into(), Some(reader.into()))
            }
        }
    }
}

/// Reads a process's output until the process ends. Kills a process that does not end in time, and panics.
fn ended(mut child: Child, what: &str) -> Output {
    let (sender, told) = std::sync::mpsc::channel();
    let id = child.id();
    drop(child.stdin.take());
    std::thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    match told.recv_timeout(2 * patience()) {
        Ok(output) => output,
        Err(_) => {
            let _ = Command::new("sh").args(["-c", &format!("kill -KILL {id}")]).status();
            panic!("{what} does not end");
        }
    }
}
