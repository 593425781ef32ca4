//! Failing outputs: every command with a closed or full output ends with its exit code and without a panic; every
//! service continues; and paths that are not files are rejected by name.

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

/// A command line of `xpuck`, or of `xpuckd` if that is its first word.
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
    /// A pipe whose reader has closed it.
    Left,
    /// A full pipe whose reader does not read.
    Stalled,
}

impl Sink {
    /// Returns the end for the writer, and the reader that must live as long as the writer.
    fn open(self) -> (Stdio, Option<OwnedFd>) {
        match self {
            Sink::Full => (File::options().write(true).open("/dev/full").unwrap().into(), None),
            Sink::Left => (pipe().unwrap().1.into(), None),
            Sink::Stalled => {
                let (reader, mut writer) = pipe().unwrap();
                // The number of bytes is the default capacity of a pipe.
                writer.write_all(&[b'x'; 65_536]).unwrap();
                (writer.into(), Some(reader.into()))
            }
        }
    }
}

/// Waits for a process while its output is read. Kills a process that does not end, and fails.
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
