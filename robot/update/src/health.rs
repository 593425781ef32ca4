//! Health reports of the robot's program, and the evaluation of these reports while a new version is on trial. A report
//! is a small file that the program rewrites at most once a second.

use crate::release::Release;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xpuck_wire::{FileError, file};

/// Maximum length of a report's file (bytes).
const MAX_HEALTH: u64 = 4096;
/// Maximum age of a fresh report (s).
const FRESH_S: f64 = 3.0;
/// Time for which a version on trial must be healthy without interruption (s).
const HEALTHY_S: f64 = 5.0;
/// Default time limit of a trial (s).
pub const TRIAL_TIMEOUT_S: f64 = 60.0;

/// Health report of a program. Times are in seconds since the system's boot ([`uptime`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Release of the program.
    #[serde(flatten)]
    pub release: Release,
    /// Start time of the program (s).
    pub started: f64,
    /// Time of this report (s).
    pub stamp: f64,
    /// Whether the devices answer.
    pub devices: bool,
    /// Whether messages of the hub arrived within the last seconds.
    pub hub: bool,
}

impl Health {
    /// Replaces the report at `path` with this report. The file is not synchronised to the disk, because a report need
    /// not survive a power failure.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let new = path.with_extension("new");
        std::fs::write(&new, toml::to_string(self).expect("health is plain TOML"))?;
        std::fs::rename(&new, path)
    }

    /// Reads a report.
    ///
    /// # Errors
    /// The file is missing or is not a report.
    pub fn read(path: &Path) -> Result<Health, FileError> {
        file::parse(&path.display().to_string(), &file::text(path, MAX_HEALTH)?)
    }
}

/// Returns the time since the system's boot, from a clock that cannot be set (s).
pub fn uptime() -> f64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Result of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The program was healthy for the required duration.
    Healthy,
    /// The program was not healthy, for the reason in the field.
    Unhealthy(String),
}

/// Monitor of the trial of a release.
#[derive(Clone, Debug)]
pub struct TrialMonitor {
    release: Release,
    began: f64,
    patience: f64,
    well_since: Option<f64>,
    latest: &'static str,
}

impl TrialMonitor {
    /// Creates a monitor for the trial of a release. The trial starts at `now` (s), and the verdict is reached after at
    /// most `patience` (s).
    pub fn new(release: Release, now: f64, patience: f64) -> TrialMonitor {
        TrialMonitor {
            release,
            began: now,
            patience,
            well_since: None,
            latest: "the program did not report that it is healthy",
        }
    }

    /// Evaluates the report that was read at `now` (s). `health` is `None` if no report could be read. Returns the
    /// verdict when the trial is decided; `None` while it continues.
    pub fn evaluate(&mut self, now: f64, health: Option<&Health>) -> Option<Verdict> {
        let trouble = self.trouble(now, health);
        match trouble {
            None => {
                let since = *self.well_since.get_or_insert(now);
                if now - since >= HEALTHY_S {
                    return Some(Verdict::Healthy);
                }
                self.latest = "the program was not healthy for long enough";
            }
            Some(why) => {
                self.well_since = None;
                self.latest = why;
            }
        }
        let out = now - self.began >= self.patience;
        out.then(|| Verdict::Unhealthy(format!("{} within {:.0} s", self.latest, self.patience)))
    }

    fn trouble(&self, now: f64, health: Option<&Health>) -> Option<&'static str> {
        let Some(health) = health else { return Some("the program did not report that it is healthy") };
        // Rejects stale reports, because the program has stopped reporting. Also rejects reports with stamps in the
        // future, because they were written before a reboot.
        if !(0.0..=FRESH_S).contains(&(now - health.stamp)) {
            return Some("the program stopped reporting");
        }
        if health.release != self.release {
            return Some("another release was running");
        }
        match (health.devices, health.hub) {
            (false, _) => Some("the devices did not answer"),
            (true, false) => Some("the hub did not answer"),
            (true, true) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn well(release: &Release, stamp: f64) -> Health {
        Health { release: release.clone(), started: 0.0, stamp, devices: true, hub: true }
    }

    #[test]
    fn five_good_seconds_in_a_row_are_well_and_anything_else_is_not() {
        let release = Release { version: "1".into(), counter: 1 };
        let run = |of: &dyn Fn(f64) -> Option<Health>| {
            let mut judge = TrialMonitor::new(release.clone(), 100.0, TRIAL_TIMEOUT_S);
            (0..200)
                .map(|i| 100.0 + f64::from(i) * 0.5)
                .find_map(|now| Some((now, judge.evaluate(now, of(now).as_ref())?)))
        };
        assert_eq!(run(&|now| Some(well(&release, now))), Some((105.0, Verdict::Healthy)));
        let late = |now: f64| (now >= 130.0).then(|| well(&release, now - 1.0));
        assert_eq!(run(&late), Some((135.0, Verdict::Healthy)));
        let why = |of: &dyn Fn(f64) -> Option<Health>| match run(of) {
            Some((160.0, Verdict::Unhealthy(why))) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(&|_| None), "the program did not report that it is healthy within 60 s");
        assert_eq!(why(&|_| Some(well(&release, 101.0))), "the program stopped reporting within 60 s");
        assert_eq!(
            why(&|now| Some(Health { devices: false, ..well(&release, now) })),
            "the devices did not answer within 60 s"
        );
        assert_eq!(
            why(&|now| Some(Health { hub: false, ..well(&release, now) })),
            "the hub did not answer within 60 s"
        );
        let other = Release { counter: 2, ..release.clone() };
        assert_eq!(why(&|now| Some(well(&other, now))), "another release was running within 60 s");
        let now_and_then = |now: f64| Some(Health { hub: now % 4.0 != 0.0, ..well(&release, now) });
        assert!(why(&now_and_then).contains("the hub did not answer"));
    }

    #[test]
    fn health_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("health");
        let health = well(&Release { version: "1".into(), counter: 1 }, uptime());
        health.write(&path).unwrap();
        assert_eq!(Health::read(&path).unwrap(), health);
    }
}
