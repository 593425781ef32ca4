//! An update of a swarm: a few robots first, the others when those are well, and no further robot after the first that went back.
//! It decides who is offered the bundle and when; what robots say and what time it is come in as values.

mod row;

pub use row::{Row, Stand, Told};

use serde::{Deserialize, Serialize};

/// Robots that are updated at the same time once the first ones are well.
pub const AT_ONCE: usize = 4;
/// An offer without an answer is made again after so long, s.
pub const OFFER_EVERY: f64 = 2.0;
/// A robot that loads and asks for nothing more is offered the bundle again after so long, s: it may have started again.
pub const ASK_AGAIN: f64 = 5.0;
/// A robot that is heard has so long for each step before its trial, s.
pub const NO_PROGRESS: f64 = 60.0;
/// A robot that was not heard for so long is silent, s.
pub const SILENT: f64 = 10.0;
/// Silent robots are waited for so long, once they alone are left, s.
pub const WAIT_FOR_SILENT: f64 = 60.0;
/// A robot has so long to install and try the version, s: a judge's minute, two starts, and a boot.
pub const TRIAL: f64 = 240.0;
/// The same with an image, s: a whole root is written on a card, and tried by two boots at most.
pub const TRIAL_OF_IMAGE: f64 = 1200.0;

/// What the hub is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Offer the bundle to this robot.
    Offer(String),
}

/// An update of a swarm. Times are seconds of a clock that nobody sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rollout {
    /// Digest of the bundle's payload.
    pub digest: String,
    /// The version that it brings.
    pub version: String,
    /// A robot has so long to install and try the version, s.
    #[serde(default = "trial")]
    pub trial: f64,
    /// Robots that are first.
    canary: usize,
    /// A row for each robot, in the order in which they are updated.
    rows: Vec<Row>,
    /// Why no further robot is updated.
    stopped: Option<String>,
    /// Since when only silent robots are left. Clocks begin anew with the hub.
    #[serde(skip)]
    only_silent_since: Option<f64>,
}

impl Rollout {
    /// Updates these robots; `canary` of them first, at least one.
    pub fn new(digest: &str, version: &str, robots: &[String], canary: usize) -> Rollout {
        let rows = robots.iter().map(|robot| Row::new(robot)).collect();
        let (digest, version) = (digest.into(), version.into());
        Rollout { digest, version, trial: TRIAL, canary: canary.max(1), rows, stopped: None, only_silent_since: None }
    }

    /// A row for each robot.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Why no further robot is updated; none as long as it goes on or everything went well.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// True if nothing will change any more.
    pub fn is_done(&self) -> bool {
        self.rows.iter().all(|row| row.stand.is_final())
    }

    /// Why no run may begin now; none if one may. Robots that load or try a version must not drive.
    pub fn keeps_from_run(&self) -> Option<String> {
        if self.is_done() {
            return None;
        }
        let busy: Vec<&str> = self.rows.iter().filter(|row| row.stand.is_busy()).map(|row| &row.robot[..]).collect();
        let who = if busy.is_empty() { "robots are".into() } else { are(&busy) };
        Some(match self.stopped {
            None => format!("{who} being updated; `xpuck robot update abort` ends that"),
            Some(_) => format!("{who} being updated; `xpuck robot update status` tells when that is done"),
        })
    }

    /// No further robot is updated; those that began go on to their end.
    pub fn abort(&mut self, why: &str) {
        self.stopped.get_or_insert_with(|| why.into());
        for row in self.rows.iter_mut().filter(|row| matches!(row.stand, Stand::Waiting | Stand::Offered)) {
            row.stand = Stand::Skipped;
        }
    }

    /// A robot was heard.
    pub fn heard(&mut self, robot: &str, now: f64) {
        if let Some(row) = self.row(robot) {
            row.heard = Some(now);
        }
    }

    /// A robot asks for a piece of the payload. True if it is to get it.
    pub fn wants(&mut self, robot: &str, digest: &str, offset: u64, now: f64) -> bool {
        self.heard(robot, now);
        let ours = digest == self.digest;
        let Some(row) = self.row(robot).filter(|_| ours) else { return false };
        let takes = matches!(row.stand, Stand::Offered | Stand::Loading { .. });
        if takes && row.stand != (Stand::Loading { offset }) {
            (row.stand, row.since) = (Stand::Loading { offset }, Some(now));
        }
        takes
    }

    /// A robot says what came of a bundle, or that it tries it.
    pub fn told(&mut self, robot: &str, digest: &str, told: Told, now: f64) {
        self.heard(robot, now);
        let (ours, version) = (digest == self.digest, self.version.clone());
        let Some(row) = self.row(robot).filter(|row| ours && !row.stand.is_final()) else { return };
        // What it says of an earlier attempt with the same bundle is no answer to this one.
        if row.stand == Stand::Waiting && told != Told::Good {
            return;
        }
        let why = match told {
            Told::Trial => {
                if !matches!(row.stand, Stand::Trial) {
                    (row.stand, row.since) = (Stand::Trial, Some(now));
                }
                return;
            }
            Told::Good => {
                row.stand = Stand::Good;
                return;
            }
            Told::Reverted(why) => {
                row.stand = Stand::Reverted(why.clone());
                format!("{robot} went back from {version}: {why}")
            }
            Told::Refused(why) => {
                row.stand = Stand::Refused(why.clone());
                format!("{robot} refuses {version}: {why}")
            }
        };
        self.abort(&why);
    }

    /// What is to be done at `now`. Nobody is offered anything while a run goes on.
    pub fn step(&mut self, now: f64, running: bool) -> Vec<Action> {
        self.give_up_lost(now);
        if running || self.stopped.is_some() {
            self.only_silent_since = None;
            return Vec::new();
        }
        let silent = |row: &Row| row.heard.is_none_or(|at| now - at > SILENT);
        let good = self.rows.iter().filter(|row| row.stand == Stand::Good).count();
        let room = if good < self.canary { self.canary - good } else { AT_ONCE };
        let mut busy = self.rows.iter().filter(|row| row.stand.is_busy()).count();
        let mut actions = Vec::new();
        for row in &mut self.rows {
            match row.stand {
                Stand::Waiting if busy < room && !silent(row) => busy += 1,
                Stand::Offered | Stand::Loading { .. } if row.offered.is_some_and(|at| now - at < OFFER_EVERY) => {
                    continue;
                }
                Stand::Offered if silent(row) => {
                    // Its turn comes again when it is heard.
                    row.stand = Stand::Waiting;
                    busy -= 1;
                    continue;
                }
                Stand::Offered => {}
                Stand::Loading { .. } if row.since.is_none_or(|at| now - at >= ASK_AGAIN) => {}
                _ => continue,
            }
            if row.stand == Stand::Waiting {
                (row.stand, row.since) = (Stand::Offered, Some(now));
            }
            row.offered = Some(now);
            actions.push(Action::Offer(row.robot.clone()));
        }
        let left = self.rows.iter().any(|row| row.stand == Stand::Waiting);
        if left && busy == 0 {
            let since = *self.only_silent_since.get_or_insert(now);
            if now - since >= WAIT_FOR_SILENT {
                self.rows
                    .iter_mut()
                    .filter(|row| row.stand == Stand::Waiting)
                    .for_each(|row| row.stand = Stand::Silent);
            }
        } else {
            self.only_silent_since = None;
        }
        actions
    }

    /// A robot that began and is not heard again may have been harmed by the update, so the others do not get it.
    fn give_up_lost(&mut self, now: f64) {
        let (mut lost, trial, goes_on) = (None, self.trial, self.stopped.is_none());
        for row in &mut self.rows {
            match row.stand {
                // One that fell silent while it loaded asks again when it is back, and is offered it anew if the update goes on.
                Stand::Loading { .. } if row.heard.is_none_or(|at| now - at > SILENT) => {
                    row.stand = if goes_on { Stand::Waiting } else { Stand::Skipped };
                }
                Stand::Offered | Stand::Loading { .. } if now - *row.since.get_or_insert(now) > NO_PROGRESS => {
                    row.stand = Stand::Lost;
                    lost = Some(format!("{} got no further for {NO_PROGRESS} s", row.robot));
                }
                Stand::Trial if now - *row.since.get_or_insert(now) > trial => {
                    row.stand = Stand::Lost;
                    lost = Some(format!("{} did not say within {trial} s what came of its trial", row.robot));
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
