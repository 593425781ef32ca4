//! The robots' lamps as a log for people and tests: a line when what a robot shows changes.

use crate::arena::Arena;
use crate::body::lamps::Lamps;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Longest log, bytes; then it ends with a line that says so.
const MOST: usize = 16 * 1024 * 1024;

/// The log.
#[derive(Debug)]
pub(super) struct LampsLog {
    file: File,
    names: Vec<String>,
    before: Vec<Option<Lamps>>,
    written: usize,
}

impl LampsLog {
    /// A new log, in place of an old one.
    pub(super) fn create(path: &Path, names: &[String]) -> io::Result<LampsLog> {
        let file = File::create(path)?;
        Ok(LampsLog { file, names: names.into(), before: vec![None; names.len()], written: 0 })
    }

    /// Notes what changed: arena time, s, name, and what it shows.
    pub(super) fn note(&mut self, arena: &Arena) {
        if self.written >= MOST {
            return;
        }
        for (robot, name) in self.names.iter().enumerate() {
            let lamps = arena.lamps(robot);
            if self.before[robot].replace(lamps) == Some(lamps) {
                continue;
            }
            let line = format!("{:.3} {name} {lamps}\n", arena.seconds());
            self.written += line.len();
            // A log that cannot be written must not hold the arena up.
            let _ = self.file.write_all(line.as_bytes());
            if self.written >= MOST {
                let _ = self.file.write_all(b"the log is full\n");
                return;
            }
        }
    }
}
