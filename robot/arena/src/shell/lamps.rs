//! Log of the robots' lamps: one line per change.

use crate::arena::Arena;
use crate::body::lamps::Lamps;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Maximum length of the log (bytes). At this length, a final line states that the log is full.
const MOST: usize = 16 * 1024 * 1024;

/// Log of the lamps.
#[derive(Debug)]
pub(super) struct LampsLog {
    file: File,
    names: Vec<String>,
    before: Vec<Option<Lamps>>,
    written: usize,
}

impl LampsLog {
    /// Creates a log, and replaces an existing file.
    pub(super) fn create(path: &Path, names: &[String]) -> io::Result<LampsLog> {
        let file = File::create(path)?;
        Ok(LampsLog { file, names: names.into(), before: vec![None; names.len()], written: 0 })
    }

    /// Logs each change of a robot's lamps, as a line with the arena time (s), the robot's name and the lamps.
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
            // A write error must not stop the arena.
            let _ = self.file.write_all(line.as_bytes());
            if self.written >= MOST {
                let _ = self.file.write_all(b"the log is full\n");
                return;
            }
        }
    }
}
