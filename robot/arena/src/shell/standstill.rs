//! When robots come to stand, as their own processors see it: what a STOP is measured by.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The environment variable that names the log's file; none is written without it.
const FILE: &str = "XPUCK_ARENA_STANDSTILL";

/// A line for each robot whose processor is told to stand, or to drive again.
pub(super) struct StandstillLog {
    file: Mutex<File>,
    names: Vec<String>,
}

impl StandstillLog {
    /// The log that the environment asks for.
    pub(super) fn open(names: &[String]) -> io::Result<Option<StandstillLog>> {
        let Some(path) = std::env::var_os(FILE) else { return Ok(None) };
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Some(StandstillLog { file: Mutex::new(file), names: names.into() }))
    }

    /// A robot's processor was told so now: wall time, us since 1970, name, `stands` or `drives`.
    pub(super) fn note(&self, robot: usize, drives: bool) {
        let us = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        let what = if drives { "drives" } else { "stands" };
        let line = format!("{us} {} {what}\n", self.names[robot]);
        // Whoever measures sees that lines are missing.
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
