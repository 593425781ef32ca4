//! Outputs that fail, and special files as inputs. If the output of a command is closed or full, the command ends
//! without a panic and with the documented exit code. A service continues. A path to a pipe, folder, device or socket
//! is rejected with an error that names the path.

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
    /// Returns the output for the writing process. For [`Sink::Stalled`], also returns the reader of the pipe, which
    /// the caller must keep open until the process ends.
    fn open(self) -> (Stdio, Option<OwnedFd>) {
        match self {
            Sink::Full => (File::options().write(true).open("/dev/full").unwrap().into(), None),
            Sink::Left => (pipe().unwrap().1.into(), None),
            Sink::Stalled => {
                let (reader, mut writer) = pipe().unwrap();
                // Fills the pipe: its default capacity on Linux is 65536 bytes.
                writer.write_all(&[b'x'; 65_536]).unwrap();
                (writer.into(), Some(reader.into()))
            }
        }
    }
}

/// Reads a process's output until the process ends. If the process does not end in time, kills it and panics.
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
