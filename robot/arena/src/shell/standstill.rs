//! Log of the times at which the robots' own processors stop and start the wheels. It is used to measure the latency
//! of a STOP.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Environment variable with the path of the log; without it no log is written.
const FILE: &str = "XPUCK_ARENA_STANDSTILL";

/// Log with a line for each robot that stops or starts to drive.
pub(super) struct StandstillLog {
    file: Mutex<File>,
    names: Vec<String>,
}

impl StandstillLog {
    /// Opens the log whose path is in the environment variable. Returns `None` if the variable is not set.
    pub(super) fn open(names: &[String]) -> io::Result<Option<StandstillLog>> {
        let Some(path) = std::env::var_os(FILE) else { return Ok(None) };
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Some(StandstillLog { file: Mutex::new(file), names: names.into() }))
    }

    /// Logs that a robot starts or stops driving. The line contains the wall time (us since 1970), the robot's name,
    /// and `drives` or `stands`.
    pub(super) fn note(&self, robot: usize, drives: bool) {
        let us = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        let what = if drives { "drives" } else { "stands" };
        let line = format!("{us} {} {what}\n", self.names[robot]);
        // A write error is ignored, because the missing line makes it visible.
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
