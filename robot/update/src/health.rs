//! How a running program says that it is well: one small file, written anew at most once a second, and the judge of a trial
//! who reads it.

use crate::release::Release;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xpuck_wire::{FileError, file};

/// Longest such file, bytes.
const MAX_HEALTH: u64 = 4096;
/// A stamp is fresh for so long, s.
const FRESH_S: f64 = 3.0;
/// All must be well for so long in a row, s.
const WELL_S: f64 = 5.0;
/// A trial is judged after so long at most, s.
pub const PATIENCE_S: f64 = 60.0;

/// What a program says of itself. Times are seconds of the system's clock that runs from its boot ([`uptime`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Which release it is.
    #[serde(flatten)]
    pub release: Release,
    /// When it started.
    pub started: f64,
    /// When it wrote this.
    pub stamp: f64,
    /// Its devices answer.
    pub devices: bool,
    /// The hub was heard within the last seconds.
    pub hub: bool,
}

impl Health {
    /// Writes it in place of what was written before. It need not survive a power cut.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let new = path.with_extension("new");
        std::fs::write(&new, toml::to_string(self).expect("health is plain TOML"))?;
        std::fs::rename(&new, path)
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is missing, or something else.
    pub fn read(path: &Path) -> Result<Health, FileError> {
        file::parse(&path.display().to_string(), &file::text(path, MAX_HEALTH)?)
    }
}

/// Seconds since the system's boot, by a clock that nobody sets.
pub fn uptime() -> f64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All was well for long enough.
    Healthy,
    /// It was not, and why.
    Unhealthy(String),
}

/// Watches a trial.
#[derive(Clone, Debug)]
pub struct Judge {
    release: Release,
    began: f64,
    patience: f64,
    well_since: Option<f64>,
    latest: &'static str,
}

impl Judge {
    /// Watches this release from `now` on and decides after `patience` seconds at most.
    pub fn new(release: Release, now: f64, patience: f64) -> Judge {
        Judge { release, began: now, patience, well_since: None, latest: "the program did not say that it is well" }
    }

    /// Takes what the program says at `now`; none if there is nothing to read. A verdict ends the trial.
    pub fn look(&mut self, now: f64, health: Option<&Health>) -> Option<Verdict> {
        let trouble = self.trouble(now, health);
        match trouble {
            None => {
                let since = *self.well_since.get_or_insert(now);
                if now - since >= WELL_S {
                    return Some(Verdict::Healthy);
                }
                self.latest = "all was not well for long enough";
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
        let Some(health) = health else { return Some("the program did not say that it is well") };
        // An earlier program's words are no news, and a stamp of the future is none of this boot.
        if !(0.0..=FRESH_S).contains(&(now - health.stamp)) {
            return Some("the program fell silent");
        }
        if health.release != self.release {
            return Some("another release ran");
        }
        match (health.devices, health.hub) {
            (false, _) => Some("the devices did not answer"),
            (true, false) => Some("the hub was not heard"),
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
            let mut judge = Judge::new(release.clone(), 100.0, PATIENCE_S);
            (0..200).map(|i| 100.0 + f64::from(i) * 0.5).find_map(|now| Some((now, judge.look(now, of(now).as_ref())?)))
        };
        assert_eq!(run(&|now| Some(well(&release, now))), Some((105.0, Verdict::Healthy)));
        let late = |now: f64| (now >= 130.0).then(|| well(&release, now - 1.0));
        assert_eq!(run(&late), Some((135.0, Verdict::Healthy)));
        let why = |of: &dyn Fn(f64) -> Option<Health>| match run(of) {
            Some((160.0, Verdict::Unhealthy(why))) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(&|_| None), "the program did not say that it is well within 60 s");
        assert_eq!(why(&|_| Some(well(&release, 101.0))), "the program fell silent within 60 s");
        assert_eq!(
            why(&|now| Some(Health { devices: false, ..well(&release, now) })),
            "the devices did not answer within 60 s"
        );
        assert_eq!(why(&|now| Some(Health { hub: false, ..well(&release, now) })), "the hub was not heard within 60 s");
        let other = Release { counter: 2, ..release.clone() };
        assert_eq!(why(&|now| Some(well(&other, now))), "another release ran within 60 s");
        let now_and_then = |now: f64| Some(Health { hub: now % 4.0 != 0.0, ..well(&release, now) });
        assert!(why(&now_and_then).contains("the hub was not heard"));
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
