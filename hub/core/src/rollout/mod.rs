//! Software update of a swarm. A first group of a few robots is updated before all other robots. The other robots are
//! updated only if the first group succeeds. After the first failure no further robot is updated. The module decides
//! when each robot is offered the bundle. The caller provides messages and times.

mod row;

pub use row::{BundleReport, Row, UpdateState};

use serde::{Deserialize, Serialize};

/// Maximum number of robots that are updated at the same time after the first group.
pub const MAX_PARALLEL: usize = 4;
/// Interval at which an unanswered offer is repeated (s).
pub const OFFER_EVERY: f64 = 2.0;
/// Time since a loading robot's last request after which the bundle is offered to the robot again (s). The robot may
/// have restarted.
pub const REOFFER_AFTER: f64 = 5.0;
/// Maximum duration of each step before the trial, for a robot that sends messages (s).
pub const NO_PROGRESS: f64 = 60.0;
/// Time without a message after which a robot counts as silent (s).
pub const SILENT: f64 = 10.0;
/// Time for which the update waits for silent robots when all other robots are finished (s).
pub const WAIT_FOR_SILENT: f64 = 60.0;
/// Maximum duration of installation and trial (s): a minute of observation, two program starts and a boot.
pub const TRIAL: f64 = 240.0;
/// Maximum duration of installation and trial for an image (s). An image is written as a whole root file system, and
/// takes at most two boots.
pub const TRIAL_OF_IMAGE: f64 = 1200.0;

/// Action that the hub must execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Offer the bundle to the robot with this id.
    Offer(String),
}

/// State of a swarm's update. All times are in seconds of a monotonic clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rollout {
    /// Digest of the bundle's payload.
    pub digest: String,
    /// Version of the bundle.
    pub version: String,
    /// Maximum duration of installation and trial (s).
    #[serde(default = "trial")]
    pub trial: f64,
    /// Number of robots on which the update must succeed before all other robots are updated.
    canary: usize,
    /// One row per robot, in the order of the update.
    rows: Vec<Row>,
    /// Reason why no further robot is updated.
    stopped: Option<String>,
    /// Time since which all unfinished robots have been waiting, because they are silent (s). `None` while another
    /// robot is being updated, or if no robot waits. The time is not saved, because the clock restarts with the hub.
    #[serde(skip)]
    only_silent_since: Option<f64>,
}

impl Rollout {
    /// Creates an update of the given robots. The first group has `canary` robots, but at least one.
    pub fn new(digest: &str, version: &str, robots: &[String], canary: usize) -> Rollout {
        let rows = robots.iter().map(|robot| Row::new(robot)).collect();
        let (digest, version) = (digest.into(), version.into());
        Rollout { digest, version, trial: TRIAL, canary: canary.max(1), rows, stopped: None, only_silent_since: None }
    }

    /// Returns one row per robot, in the order of the update.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the reason why no further robot is updated, or `None` if the update was not stopped.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// Returns whether the update has finished for all robots.
    pub fn is_done(&self) -> bool {
        self.rows.iter().all(|row| row.stand.is_final())
    }

    /// Returns the reason why no run may start now, or `None` if a run may start. Robots that load or try a version
    /// must not drive.
    pub fn blocks_run(&self) -> Option<String> {
        if self.is_done() {
            return None;
        }
        let busy: Vec<&str> = self.rows.iter().filter(|row| row.stand.is_busy()).map(|row| &row.robot[..]).collect();
        let who = if busy.is_empty() { "robots are".into() } else { are(&busy) };
        Some(match self.stopped {
            None => format!("{who} being updated; `xpuck robot update abort` ends the update"),
            Some(_) => format!("{who} being updated; see `xpuck robot update status`"),
        })
    }

    /// Stops the update. Robots that have started to load finish their own update.
    pub fn abort(&mut self, why: &str) {
        self.stopped.get_or_insert_with(|| why.into());
        for row in self.rows.iter_mut().filter(|row| matches!(row.stand, UpdateState::Waiting | UpdateState::Offered)) {
            row.stand = UpdateState::Skipped;
        }
    }

    /// Records the time at which a robot sent a message.
    pub fn heard(&mut self, robot: &str, now: f64) {
        if let Some(row) = self.row(robot) {
            row.heard = Some(now);
        }
    }

    /// Handles a robot's request for the piece of the payload at `offset` (bytes). Returns whether the robot may have
    /// the piece.
    pub fn on_request(&mut self, robot: &str, digest: &str, offset: u64, now: f64) -> bool {
        self.heard(robot, now);
        let ours = digest == self.digest;
        let Some(row) = self.row(robot).filter(|_| ours) else { return false };
        let takes = matches!(row.stand, UpdateState::Offered | UpdateState::Loading { .. });
        if takes && row.stand != (UpdateState::Loading { offset }) {
            (row.stand, row.since) = (UpdateState::Loading { offset }, Some(now));
        }
        takes
    }

    /// Handles a robot's report about a bundle.
    pub fn on_report(&mut self, robot: &str, digest: &str, told: BundleReport, now: f64) {
        self.heard(robot, now);
        let (ours, version) = (digest == self.digest, self.version.clone());
        let Some(row) = self.row(robot).filter(|row| ours && !row.stand.is_final()) else { return };
        // A robot that waits for its turn may report the result of an earlier attempt with the same bundle. Such a
        // report is ignored, unless the robot runs the bundle's version.
        if row.stand == UpdateState::Waiting && told != BundleReport::Good {
            return;
        }
        let why = match told {
            BundleReport::Trial => {
                if !matches!(row.stand, UpdateState::Trial) {
                    (row.stand, row.since) = (UpdateState::Trial, Some(now));
                }
                return;
            }
            BundleReport::Good => {
                row.stand = UpdateState::Good;
                return;
            }
            BundleReport::Reverted(why) => {
                row.stand = UpdateState::Reverted(why.clone());
                format!("{robot} reverted from {version}: {why}")
            }
            BundleReport::Refused(why) => {
                row.stand = UpdateState::Refused(why.clone());
                format!("{robot} refuses {version}: {why}")
            }
        };
        self.abort(&why);
    }

    /// Returns the actions at `now` (s). No robot gets an offer while a run is in progress.
    pub fn step(&mut self, now: f64, running: bool) -> Vec<Action> {
        self.give_up_lost(now);
        if running || self.stopped.is_some() {
            self.only_silent_since = None;
            return Vec::new();
        }
        let silent = |row: &Row| row.heard.is_none_or(|at| now - at > SILENT);
        let good = self.rows.iter().filter(|row| row.stand == UpdateState::Good).count();
        let room = if good < self.canary { self.canary - good } else { MAX_PARALLEL };
        let mut busy = self.rows.iter().filter(|row| row.stand.is_busy()).count();
        let mut actions = Vec::new();
        for row in &mut self.rows {
            match row.stand {
                UpdateState::Waiting if busy < room && !silent(row) => busy += 1,
                UpdateState::Offered | UpdateState::Loading { .. }
                    if row.offered.is_some_and(|at| now - at < OFFER_EVERY) =>
                {
                    continue;
                }
                UpdateState::Offered if silent(row) => {
                    // The robot is offered the bundle later, when it sends messages again.
                    row.stand = UpdateState::Waiting;
                    busy -= 1;
                    continue;
                }
                UpdateState::Offered => {}
                UpdateState::Loading { .. } if row.since.is_none_or(|at| now - at >= REOFFER_AFTER) => {}
                _ => continue,
            }
            if row.stand == UpdateState::Waiting {
                (row.stand, row.since) = (UpdateState::Offered, Some(now));
            }
            row.offered = Some(now);
            actions.push(Action::Offer(row.robot.clone()));
        }
        let left = self.rows.iter().any(|row| row.stand == UpdateState::Waiting);
        if left && busy == 0 {
            let since = *self.only_silent_since.get_or_insert(now);
            if now - since >= WAIT_FOR_SILENT {
                self.rows
                    .iter_mut()
                    .filter(|row| row.stand == UpdateState::Waiting)
                    .for_each(|row| row.stand = UpdateState::Silent);
            }
        } else {
            self.only_silent_since = None;
        }
        actions
    }

    /// Marks robots as lost if they have made no progress, or have not reported the result of the trial in time. The
    /// update may have damaged such a robot, so no further robot is updated.
    fn give_up_lost(&mut self, now: f64) {
        let (mut lost, trial, goes_on) = (None, self.trial, self.stopped.is_none());
        for row in &mut self.rows {
            match row.stand {
                // A robot became silent while loading. It gets another offer when it sends messages again, unless the
                // update was stopped.
                UpdateState::Loading { .. } if row.heard.is_none_or(|at| now - at > SILENT) => {
                    row.stand = if goes_on { UpdateState::Waiting } else { UpdateState::Skipped };
                }
                UpdateState::Offered | UpdateState::Loading { .. }
                    if now - *row.since.get_or_insert(now) > NO_PROGRESS =>
                {
                    row.stand = UpdateState::Lost;
                    lost = Some(format!("{} made no progress for {NO_PROGRESS} s", row.robot));
                }
                UpdateState::Trial if now - *row.since.get_or_insert(now) > trial => {
                    row.stand = UpdateState::Lost;
                    lost = Some(format!("{} did not report the result of its trial within {trial} s", row.robot));
                }
                _ => {}
            }
        }
        if let Some(why) = lost {
            self.abort(&why);
        }
    }

    fn row(&mut self, robot: &str) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.robot == robot)
    }
}

fn trial() -> f64 {
    TRIAL
}

fn are(robots: &[&str]) -> String {
    format!("{} {}", robots.join(", "), if robots.len() == 1 { "is" } else { "are" })
}
