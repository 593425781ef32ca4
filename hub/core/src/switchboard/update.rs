//! Updates the programs of robots: handles requests of operators and reports of robots, and logs the progress.

use super::{Action, Switchboard};
use crate::rollout::{self, BundleReport, Rollout, TRIAL_OF_IMAGE, UpdateState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xpuck_wire::Phase;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, ToRobot};
use xpuck_wire::rollout::{BundleHead, Installed, Stage, UpdateReport, UpdateRow};

/// Number of withheld offers after which a robot's program counts as too old for updates. The hub withholds offers
/// from robots that have not reported their installed release.
const HELD_BACK: u32 = 5;
/// Maximum length of the reason for a failed update (characters). Longer reasons of robots are cut off.
const WHY: usize = 300;

/// Update bundle of the hub. The service around this library has verified it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    /// Description of the bundle without the payload. The hub sends this description in its offers to robots.
    pub head: BundleHead,
    /// SHA-256 of the payload.
    pub digest: String,
    /// Version of the bundle.
    pub version: String,
    /// Counter of the release.
    pub counter: u64,
    /// Size of the payload (bytes).
    pub size: u64,
    /// Whether the payload is a card image, which a robot tests by booting it.
    #[serde(default)]
    pub image: bool,
}

/// Update of robots to one bundle. It is saved, so that a restarted hub can continue it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Update {
    number: u64,
    by: String,
    bundle: Bundle,
    rollout: Rollout,
    /// Number of withheld offers, for each robot that has not reported its installed release.
    #[serde(skip)]
    held_back: BTreeMap<String, u32>,
    /// Last logged update state of each robot, and whether the end of the update was logged.
    #[serde(skip)]
    said: (BTreeMap<String, &'static str>, bool),
}

impl Update {
    /// Returns the digest of the bundle.
    pub fn digest(&self) -> &str {
        &self.bundle.digest
    }

    /// Returns whether the update has finished.
    pub fn is_done(&self) -> bool {
        self.rollout.is_done()
    }
}

/// Reason for refusing an update during a run.
pub const DURING_A_RUN: &str = "robots cannot be updated during a run; `xpuck stop` ends it";

impl Switchboard {
    /// Starts to update `robots`, or all robots if the list is empty. The first group has `canary` robots, but at
    /// least one. Refuses during a run or another update.
    pub fn update(&mut self, now: f64, who: &str, bundle: Bundle, robots: &[String], canary: u32) -> Reply {
        if !matches!(self.phase, Phase::Idle | Phase::Finished) {
            return Reply::Refused(DURING_A_RUN.into());
        }
        if let Some(why) = self.keeps_from_run() {
            return Reply::Refused(why);
        }
        let known = &self.config.swarm.robots;
        if let Some(stranger) = robots.iter().find(|id| !known.contains(id)) {
            return Reply::Refused(format!("robot `{}` is not in the swarm file", stranger.escape_debug()));
        }
        let meant: Vec<String> = known.iter().filter(|id| robots.is_empty() || robots.contains(id)).cloned().collect();
        let mut rollout = Rollout::new(&bundle.digest, &bundle.version, &meant, canary as usize);
        if bundle.image {
            rollout.trial = TRIAL_OF_IMAGE;
        }
        let wall = self.wall(now);
        for robot in self.roster.robots.iter().filter(|robot| robot.alive()) {
            rollout.heard(&robot.id, wall);
        }
        self.number += 1;
        self.note_for(now, who, format!("{who} updates {} robots to {}", meant.len(), bundle.version));
        let (number, by) = (self.number, who.into());
        let (held_back, said) = Default::default();
        self.update = Some(Update { number, by, bundle, rollout, held_back, said });
        self.keep_update();
        Reply::Done
    }

    /// Restores the update of an earlier hub, and continues it unless it has finished.
    pub fn resume_update(&mut self, now: f64, update: Update) {
        if !update.is_done() {
            self.note(now, format!("the update to {} continues", update.bundle.version));
        }
        let mut update = update;
        update.said.1 = update.is_done();
        self.update = Some(update);
    }

    /// Returns the report of the last update; `None` before the first update.
    pub(super) fn updated(&self) -> Option<Box<UpdateReport>> {
        let update = self.update.as_ref()?;
        let row = |row: &rollout::Row| {
            let (stand, received, why) = row.stand.summary();
            let version = self.roster.place(&row.robot).map(|place| self.roster.robots[place].version.clone());
            UpdateRow {
                robot: row.robot.clone(),
                version: version.unwrap_or_default(),
                stand: stand.into(),
                received,
                why: why.into(),
            }
        };
        Some(Box::new(UpdateReport {
            version: update.bundle.version.clone(),
            counter: update.bundle.counter,
            digest: update.bundle.digest.clone(),
            size: update.bundle.size,
            by: update.by.clone(),
            done: update.is_done(),
            stopped: update.rollout.stopped().unwrap_or_default().into(),
            rows: update.rollout.rows().iter().map(row).collect(),
        }))
    }

    /// Ends the update. Robots that have started to load the bundle complete it; no other robot is updated.
    pub(super) fn abort_update(&mut self, now: f64, who: &str) -> Reply {
        let Some(update) = self.update.as_mut().filter(|update| !update.is_done()) else {
            return Reply::Refused("no update is in progress".into());
        };
        update.rollout.abort(&format!("{who} ended the update"));
        self.note_for(now, who, format!("{who} ends the update: no further robot is updated"));
        self.keep_update();
        Reply::Done
    }

    /// Returns the reason why no run may start; `None` if a run may start.
    pub(super) fn keeps_from_run(&self) -> Option<String> {
        self.update.as_ref()?.rollout.blocks_run()
    }

    /// Handles a robot's request for the piece of the bundle at `offset` (bytes).
    pub(super) fn robot_wants(&mut self, now: f64, place: usize, digest: &str, offset: u64) {
        let wall = self.wall(now);
        let Some(update) = &mut self.update else { return };
        let id = &self.roster.robots[place].id;
        if offset < update.bundle.size && update.rollout.on_request(id, digest, offset, wall) {
            let digest = update.bundle.digest.clone();
            self.actions.push(Action::Chunk { robot: place, digest, offset });
        }
    }

    /// Handles a robot's report of its installed release.
    pub(super) fn robot_installed(&mut self, now: f64, place: usize, installed: Installed) {
        let wall = self.wall(now);
        let robot = &mut self.roster.robots[place];
        robot.installed = true;
        let Some((update, told)) = self.update.as_mut().zip(installed.update) else { return };
        let offered =
            update.rollout.rows().iter().any(|row| row.robot == robot.id && row.stand == UpdateState::Offered);
        // A robot that has just received an offer may still report an earlier attempt with the same bundle.
        if offered && told.number != update.number && matches!(told.stage, Stage::Reverted | Stage::Refused) {
            return;
        }
        let why: String = told.why.chars().map(|c| if c.is_control() { ' ' } else { c }).take(WHY).collect();
        let told_of = match told.stage {
            Stage::Loading => return,
            Stage::Installing | Stage::Trial => BundleReport::Trial,
            Stage::Good => BundleReport::Good,
            Stage::Reverted => BundleReport::Reverted(why),
            Stage::Refused => BundleReport::Refused(why),
        };
        update.rollout.on_report(&robot.id, &told.digest, told_of, wall);
    }

    /// Records that robot `id` has sent a message at `now` (s).
    pub(super) fn update_heard(&mut self, now: f64, id: &str) {
        let wall = self.wall(now);
        if let Some(update) = &mut self.update {
            update.rollout.heard(id, wall);
        }
    }

    /// Sends the offers that are due, and logs changes of the robots' update states.
    pub(super) fn go_on_updating(&mut self, now: f64) {
        let (wall, running) = (self.wall(now), !matches!(self.phase, Phase::Idle | Phase::Finished));
        let Some(update) = &mut self.update else { return };
        if update.said.1 {
            return;
        }
        for rollout::Action::Offer(id) in update.rollout.step(wall, running) {
            let Some(place) = self.roster.place(&id) else { continue };
            // A robot that has not reported its release may run an older program, which rejects offers as unknown
            // messages.
            if self.roster.robots[place].installed {
                let message = ToRobot::Offer { number: update.number, bundle: update.bundle.head.clone() };
                self.actions.push(Action::Send(place, message));
                continue;
            }
            let held_back = update.held_back.entry(id.clone()).or_default();
            *held_back += 1;
            if *held_back > HELD_BACK {
                let why = "its program is too old to be updated over the air; install the package on it".into();
                update.rollout.on_report(&id, &update.bundle.digest, BundleReport::Refused(why), wall);
            }
        }
        self.say_of_update(now);
    }

    /// Logs each robot's progress, and the end of the update.
    fn say_of_update(&mut self, now: f64) {
        let Some(update) = &mut self.update else { return };
        let version = update.bundle.version.clone();
        let mut lines = Vec::new();
        for row in update.rollout.rows() {
            let (word, _, why) = row.stand.summary();
            if update.said.0.insert(row.robot.clone(), word) == Some(word) {
                continue;
            }
            let id = &row.robot;
            lines.extend(match word {
                "loading" => Some(Line::info(format!("robot {id} loads {version}"))),
                "trial" => Some(Line::info(format!("robot {id} installs and tries {version}"))),
                "good" => Some(Line::info(format!("robot {id} runs {version}"))),
                "reverted" => Some(Line::warn(format!("robot {id} reverted from {version}: {why}"))),
                "refused" => Some(Line::warn(format!("robot {id} refuses {version}: {why}"))),
                "lost" | "silent" => Some(Line::warn(format!("robot {id} is not updated to {version}: {why}"))),
                _ => None,
            });
        }
        let changed = !lines.is_empty();
        let over = update.is_done();
        if over {
            update.said.1 = true;
            let rows = update.rollout.rows();
            let good = rows.iter().filter(|row| row.stand == UpdateState::Good).count();
            let text = format!("the update to {version} is over: {good} of {} robots run it", rows.len());
            lines.push(match update.rollout.stopped() {
                Some(why) => Line::warn(format!("{text}; it was stopped: {why}")),
                None if good < rows.len() => Line::warn(text),
                None => Line::info(text),
            });
        }
        lines.into_iter().for_each(|line| self.log_event(now, line));
        if changed || over {
            self.keep_update();
        }
    }

    fn keep_update(&mut self) {
        self.actions.extend(self.update.clone().map(|update| Action::KeepUpdate(Box::new(update))));
    }

    /// Converts arena time to wall time (s).
    fn wall(&self, now: f64) -> f64 {
        now / self.config.swarm.speed
    }
}
