//! Writes a health report of this program once a second. The check after an update reads this report. A separate thread
//! writes the report, so that the control loop never waits for the disk.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tracing::warn;
use xpuck_update::Release;
use xpuck_update::health::{Health, uptime};

/// Interval between reports.
const INTERVAL: Duration = Duration::from_secs(1);

/// Reporter of this program's health.
pub struct HealthReporter {
    writer: Option<SyncSender<Health>>,
    release: Release,
    started: f64,
    said: Option<Instant>,
}

impl HealthReporter {
    /// Creates a reporter that writes to the file `health` in the folder `RUNTIME_DIRECTORY`, which systemd provides.
    /// If this variable is not set, no reports are written.
    pub fn from_environment() -> HealthReporter {
        let folder = std::env::var_os("RUNTIME_DIRECTORY").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        HealthReporter::new(folder.map(|folder| folder.join("health")).as_deref())
    }

    fn new(path: Option<&Path>) -> HealthReporter {
        let release = Release::of_this_program(env!("CARGO_PKG_VERSION"));
        let writer = path.and_then(|path| {
            let (sender, receiver) = sync_channel::<Health>(1);
            let path = path.to_path_buf();
            let work = move || {
                let mut told = false;
                for health in receiver {
                    match health.write(&path) {
                        Err(error) if !told => {
                            warn!(target: "xpuckd", "{}: {error}; an update would be reverted", path.display());
                            told = true;
                        }
                        _ => {}
                    }
                }
            };
            std::thread::Builder::new().name("health".into()).spawn(work).ok().map(|_| sender)
        });
        HealthReporter { writer, release, started: uptime(), said: None }
    }

    /// Writes a report that states whether the devices answer (`devices`), and whether the hub's messages arrive
    /// (`hub`). Does nothing if the last report is less than a second old, or if earlier reports are still queued.
    pub fn report(&mut self, devices: bool, hub: bool) {
        let Some(writer) = self.writer.as_ref().filter(|_| self.said.is_none_or(|at| at.elapsed() >= INTERVAL)) else {
            return;
        };
        self.said = Some(Instant::now());
        let (release, started) = (self.release.clone(), self.started);
        let _ = writer.try_send(Health { release, started, stamp: uptime(), devices, hub });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_is_written_once_per_second() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("health");
        let mut herald = HealthReporter::new(Some(&path));
        herald.report(true, false);
        herald.report(false, false);
        let writer = herald.writer.take();
        drop(writer);
        let end = Instant::now() + Duration::from_secs(10);
        let health = loop {
            match Health::read(&path) {
                Ok(health) => break health,
                Err(error) => assert!(Instant::now() < end, "{error}"),
            }
        };
        assert!(health.devices && !health.hub && health.stamp >= health.started);
        HealthReporter::new(None).report(true, true);
    }
}
